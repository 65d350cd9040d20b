/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_ZSTD_H
#define LB_BASE_ZSTD_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Files that are compressed while they are written and read, by the program zstd at the other end
 * of a pipe: it has a core of its own, and nothing needs its library to be built.
 *
 * - A stream is for the thread that opened it, which gets no SIGPIPE from it until it is closed: a
 *   disk that is full is an error like any other.
 */
struct lb_zstd {
        pid_t process;
        bool writes;
        sigset_t mask; /* of the thread before */
};

/* Does the name end in .zst? */
bool lb_zstd_named(const char *path);

/* Is the program there? */
int lb_zstd_check(struct lb_error *err) LB_MUST_CHECK;

/* A stream to write to; what is compressed goes to the file descriptor. NULL: errno says why. */
FILE *lb_zstd_writer(struct lb_zstd *zstd, int fd);

/* A stream to read a compressed file from. NULL: errno says why. */
FILE *lb_zstd_reader(struct lb_zstd *zstd, int fd);

/* Close the stream and wait for the program; -1, with errno, where anything went wrong. */
int lb_zstd_close(struct lb_zstd *zstd, FILE *stream) LB_MUST_CHECK;

#endif
