/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_OBITUARY_H
#define LB_REAL_LAUNCH_OBITUARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * What MPICH's launcher prints of the processes that it has found dead, before it has the others
 * killed:
 *
 *      =   PID 1234 RUNNING AT n3
 *
 * Whose news of several nodes are here first is nothing but a matter of who is scheduled when; the
 * launcher kills those of other nodes because of the one that it prints, which so was the first.
 *
 * The process is the first of that node's by its rank, not by its end. A program may print the
 * same: that is no more than a hint. {0} has read nothing.
 */
struct obituary {
        atomic_bool known; /* the host is; written by the thread that reads */
        char host[256];
        char line[512]; /* as far as it has come */
        size_t length;
};

/* A part of what the launcher prints, which may end in the middle of a line. */
void obituary_read(struct obituary *obituary, const char *text, size_t size);

/* The host of the first that was found; NULL: none yet. From any thread. */
const char *obituary_host(const struct obituary *obituary);

#endif
