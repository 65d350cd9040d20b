/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/claim.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* By the file's directory, whatever it was called, and the end of its name. */
static socklen_t name_socket(struct sockaddr_un *name, const char *path)
{
        enum { END = 40 };
        struct stat status = { .st_ino = 0 };
        const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
        char *directory =
            !slash ? strdup(".") : strndup(path, slash > path ? (size_t)(slash - path) : 1);
        if (!directory || stat(directory, &status) < 0)
                status.st_ino = 0;
        free(directory);
        size_t length = strlen(base);
        *name = (struct sockaddr_un){ .sun_family = AF_UNIX };
        int size = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "lbrun-%ju-%jx-%jx-%s",
                            (uintmax_t)geteuid(), (uintmax_t)status.st_dev,
                            (uintmax_t)status.st_ino, length > END ? base + length - END : base);
        return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size);
}

int claim_file(const char *path, struct lb_error *err)
{
        struct sockaddr_un name;
        socklen_t size = name_socket(&name, path);
        int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && bind(fd, (struct sockaddr *)&name, size) == 0)
                return fd;
        int why = errno;
        if (fd >= 0)
                close(fd);
        if (why == EADDRINUSE)
                return lb_error_set(err, "another job is writing '%s'", path);
        return lb_error_fail(err, "cannot make a socket: %s", strerror(why));
}
