/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_FORKJOIN_H
#define LB_MODELS_FORKJOIN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * LeWI among the processes of a node whose work is in parallel regions (ICPP'22 3.3): a process
 * that has done its iteration lends its CPUs, and who begins a region takes all that are lent; a
 * region keeps the threads that it began with.
 *
 *      process A  region (1 CPU) | region (1 CPU)        | region (2)
 *      process B  all (1 CPU)        | waits, lends 1
 *
 * - A process's regions are alike, a region divides evenly among its threads, and nothing but
 *   regions takes time. Of more than FORKJOIN_REGIONS_MOST regions as many are reckoned with, which
 *   leaves of one process's work less than one part in so many too coarse.
 */
enum { FORKJOIN_REGIONS_MOST = 256 };

struct forkjoin {
        double work_s;   /* of an iteration, in seconds of one CPU */
        int32_t regions; /* of it, 1 and more */
        int32_t cpus;    /* its own, 1 and more */
        /* The model's own. */
        double end_s;
        int32_t begun, threads;
        bool done;
};

/* An iteration, s: until the last of process[count] has ended. No errors. */
double forkjoin_lending_s(struct forkjoin *process, int32_t count);

#endif
