/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: fsync() of what has no name yet, or a temporary one of results, makes $SYNC_STARTED
 * and waits to be killed, or for $SYNC_STARTED.go. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int fsync(int fd)
{
        static const struct timespec moment = { .tv_nsec = 20000000 };
        char link[64], name[4096], go[4096];
        const char *started = getenv("SYNC_STARTED");
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        ssize_t size = readlink(link, name, sizeof(name) - 1);
        name[size < 0 ? 0 : size] = '\0';
        if (!started || !(strstr(name, "(deleted)") || strstr(name, "results.csv.")))
                return (int)syscall(SYS_fsync, fd);
        close(open(started, O_WRONLY | O_CREAT, 0666));
        snprintf(go, sizeof(go), "%s.go", started);
        while (access(go, F_OK) != 0)
                nanosleep(&moment, NULL);
        return (int)syscall(SYS_fsync, fd);
}
