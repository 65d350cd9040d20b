/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_LEFT_H
#define LB_BASE_LEFT_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * What a process leaves behind in a directory that its launcher named: files that say by their
 * names whose they are, HOST-PID.END, and that have their place on the disk. Inline, since what is
 * preloaded links libc only.
 */

/* The directory, of a variable of the environment, which the program may change: a copy; NULL:
 * there is none, or no memory. */
static inline char *left_directory(const char *variable)
{
        const char *directory = getenv(variable);
        return directory ? strdup(directory) : NULL;
}

static inline void left_path(char path[static PATH_MAX], const char *directory, const char *end)
{
        char host[256] = "host";
        gethostname(host, sizeof(host) - 1);
        snprintf(path, PATH_MAX, "%s/%s-%ld.%s", directory, host, (long)getpid(), end);
}

/* One line of text in such a file; false: it could not be written. */
static inline bool left_note(const char *directory, const char *end, const char *text)
{
        char path[PATH_MAX];
        left_path(path, directory, end);
        FILE *file = fopen(path, "we");
        bool written = file && fprintf(file, "%s\n", text) > 0;
        if (file)
                written &= fclose(file) == 0;
        return written;
}

/*
 * What will be written to a mapped file has its place from the beginning, on the disk or in memory:
 * a page that finds none later is a signal that kills the program. 0, or an error number.
 */
static inline int left_reserve(int fd, size_t from, size_t size)
{
        int failed;
        do {
                failed = posix_fallocate(fd, (off_t)from, (off_t)size);
        } while (failed == EINTR);
        return failed;
}

#endif
