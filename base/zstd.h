/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_ZSTD_H
#define LB_BASE_ZSTD_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * Files that are compressed while they are written and read, by libzstd: a stream in front of
 * another. Where the library can, what is written is compressed on a thread of its own.
 *
 * - fclose() ends what is compressed; the stream behind stays open, and has the error (ferror(),
 *   errno) where it could not be written.
 * - What is no whole compressed file ends in an error of the stream, EBADMSG.
 */

/* strerror(), which says of EBADMSG what is wrong with the file. */
static inline const char *lb_zstd_strerror(int why)
{
        return why == EBADMSG ? "it is damaged, or was not written by zstd" : strerror(why);
}

/* Does the name end in .zst? */
bool lb_zstd_named(const char *path);

/* A stream to write to; what is compressed goes to `to`. NULL: errno says why. */
FILE *lb_zstd_writer(FILE *to);

/* A file to read, expanded where its name ends in .zst. NULL: errno says why. */
FILE *lb_zstd_open(const char *path);

#endif
