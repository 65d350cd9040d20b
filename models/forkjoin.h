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
 * - A process's regions are alike, a region divides evenly among its threads, and what is not in
 *   regions is in equal parts before them, on one CPU of the process's own; it keeps the others. Of
 * more than FORKJOIN_REGIONS_MOST regions as many are reckoned with, which leaves of one process's
 * work less than one part in so many too coarse.
 * - Who predicts simulates the same work, beside this, as parts that are in one pool and use
 *   what is lent at once, under owners that change; what takes longer holds.
 */
enum { FORKJOIN_REGIONS_MOST = 256, FORKJOIN_PARTS_PER_CPU = 16 };

struct forkjoin {
        double work_s;   /* of an iteration, in seconds of one CPU */
        double serial_s; /* of that, not in regions */
        int32_t regions; /* of it, 1 and more */
        int32_t cpus;    /* its own, 1 and more */
        /* The model's own. */
        double end_s;
        int32_t begun, threads, owned;
        bool serial, done;
};

/* An iteration, s: until the last of process[count] has ended. No errors. */
double forkjoin_lending_s(struct forkjoin *process, int32_t count);

/* The processes own cpus[count], where an iteration takes less with these than with what they own;
 * where they own nothing yet (cpus 0), in any case. */
void forkjoin_own(struct forkjoin *process, int32_t count, const int32_t *cpus);

/* Of so much work, as measured: of what nothing is in regions they have a little. */
double forkjoin_serial_s(double work_s, double measured_s);

/* A whole number of them, of a mean: 1 and more, as many as are reckoned with at most. */
int32_t forkjoin_regions(double mean);

/*
 * Into how many parts the work of an iteration is divided, on a node of so many CPUs. An
 * assumption: the work of a region is divided evenly among its threads, however many these are. P
 * equal parts on k CPUs take ceil(P / k) rounds: as many parts as the node has CPUs take two for
 * every k from half of them on, and no CPU would be worth moving. The parts of an iteration's
 * regions are in one pool, so that many regions are parts enough.
 */
int32_t forkjoin_parts(double regions, int32_t cpus);

#endif
