/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_BALANCE_FILL_H
#define LB_REAL_LAUNCH_BALANCE_FILL_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct cpu_groups;

/*
 * What is done with the CPUs that packing frees: a second job runs on those of this machine, and a
 * file says which they are.
 *
 * - The second job starts when the first CPU is free. It is stopped (SIGSTOP) while there is none,
 *   and goes on, wherever it likes, when the program has ended: then it is waited for. What ends
 *   the line (line_signal()) ends it, too, and Ctrl-Z stops it.
 * - It has the environment that the line has not yet changed, and nothing to read: standard input
 *   is the program's.
 * - Virtual CPUs are groups of threads: it runs on the first one that is free.
 */
struct balance_fill {
        const char *directory;           /* of the ranks' leaves */
        const char *command;             /* or NULL */
        const char *file;                /* or NULL */
        char **environment;              /* of the second job */
        const struct cpu_groups *groups; /* of virtual CPUs, or NULL */
        pid_t pid;                       /* 0: not started */
        bool stopped;
        char text[8192]; /* of the file, as it is */
        char list[1024]; /* CPUs of the second job */
};

/* Before the program starts: a line that the shell reads, of a program that is there, as far as
 * that is seen. */
int balance_fill_check(const char *command, struct lb_error *err) LB_MUST_CHECK;

/* Now and then while the program runs. A line_watch's look(). */
void balance_fill_look(void *fill);

/* The program has ended. Says so where the second job did not run, or not to a good end. */
void balance_fill_end(struct balance_fill *fill);

#endif
