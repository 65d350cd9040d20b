/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_DATA_TWIN_H
#define LB_TESTS_REAL_DATA_TWIN_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Another process of the program that runs, started anew (fork and exec), so that its addresses are
 * randomised anew. The two talk through pipes. Functions return -1 where the other has gone.
 */
struct twin {
        pid_t pid;
        int to, from;
};

/* Ends the program with a message where there can be no process. */
struct twin twin_start(const char *argument); /* its argv[1] */
int twin_end(struct twin *twin);              /* its exit code */

int twin_tell(const struct twin *twin, const void *data, size_t bytes);
int twin_hear(const struct twin *twin, void *data, size_t bytes);

/* In the twin: what it is told, and what it answers. */
int twin_read(void *data, size_t bytes);
int twin_write(const void *data, size_t bytes);

#endif
