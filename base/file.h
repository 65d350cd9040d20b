/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_FILE_H
#define LB_BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/*
 * Output files that appear whole or not at all: written beside their final name, checked for write
 * errors, synced, then renamed. A crash or a full disk leaves what was there before. A device, a
 * pipe or a terminal, and the process's own streams (/dev/null, /dev/stdout), are written to
 * directly.
 */
struct lb_file {
        FILE *stream;
        char *path;      /* the final name, symbolic links followed */
        char *temporary; /* the name while being written; NULL where it is written directly */
        bool unnamed;    /* it has no name yet: nothing of a process that is killed is left */
};

/* A file's name, printed; fails where it does not fit. */
enum { LB_PATH_SIZE = 4096 };
int lb_path(char path[static LB_PATH_SIZE], struct lb_error *err, const char *format,
            ...) LB_MUST_CHECK LB_PRINTF(3, 4);

/* Would `path` be written to directly? Then its directory does not matter. */
bool lb_file_in_place(const char *path);

/* Start writing `path`. Missing parent directories are an error. */
int lb_file_create(struct lb_file *file, const char *path, struct lb_error *err) LB_MUST_CHECK;

/* Could `path` be written? Tried, and nothing is left; for what is written at the end of much work.
 */
int lb_file_check(const char *path, struct lb_error *err) LB_MUST_CHECK;

/*
 * Would two names be written to the same file, whatever links lead there and whether it is there
 * yet? What is written to directly (lb_file_in_place()) may be written by several. False where one
 * cannot be written.
 */
bool lb_file_same(const char *a, const char *b);

/* Fails where they are, and names both: "--report and --trace: both are 'a.json'". */
int lb_file_apart(const char *a, const char *a_is, const char *b, const char *b_is,
                  struct lb_error *err) LB_MUST_CHECK;

/* The name under which another program can write it meanwhile, into name[size]. */
void lb_file_open_name(const struct lb_file *file, char *name, size_t size);

/* Finish: flush, check, sync, rename. On failure the temporary file is gone and `path` untouched.
 */
int lb_file_commit(struct lb_file *file, struct lb_error *err) LB_MUST_CHECK;

/* All of that but the renaming, for files that belong together: once each is flushed, each can be
 * committed. On failure as there. */
int lb_file_flush(struct lb_file *file, struct lb_error *err) LB_MUST_CHECK;

/* Give up: remove the temporary file. Fine after a failed create or a commit. */
void lb_file_abandon(struct lb_file *file);

/* All of bytes[size], in as many calls as that takes. -1: errno says why. */
int lb_write_all(int fd, const void *bytes, size_t size);

/* Make a directory and its parents; one that exists is fine. */
int lb_make_directory(const char *path, struct lb_error *err) LB_MUST_CHECK;

#endif
