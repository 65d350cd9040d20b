/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PROFILE_H
#define LB_POLICIES_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The profiling library of one process (DPB paper 3.1, Figure 2) without its clock: told of every
 * MPI call and when it began and ended, it accumulates the time in MPI and the time of whole
 * iterations, as the detector of policies/dpd.h finds them, and gives means over a few.
 *
 * - Computation is what of an iteration is not MPI.
 * - Memory and copying as for dpd.h.
 */
struct profile_setup {
        int32_t window, confirm; /* of the detector */
        int32_t periods;         /* mean over so many, >= 1 */
        bool discard; /* the period under way at a reset does not count: it has begun before what
                         caused the reset took effect */
};

struct profile; /* opaque */

size_t profile_size(const struct profile_setup *setup);
void profile_init(struct profile *profile, const struct profile_setup *setup);

/*
 * An MPI call (dpd_value()) from begin_ns to end_ns; in the order of time. True when with its begin
 * the means are, or have been before, complete; they stay until profile_reset().
 */
bool profile_call(struct profile *profile, uint32_t value, int64_t begin_ns, int64_t end_ns);

/* Are the means complete? */
bool profile_ready(const struct profile *profile);

/* The means of one iteration, s, >= 0; both 0 unless ready. */
void profile_means(const struct profile *profile, double *compute_s, double *mpi_s);

/* Counters to zero, as after a change of the allocation; what is known of the period stays. */
void profile_reset(struct profile *profile);

/* MPI calls of one iteration, or 0 where none is detected. */
int32_t profile_period(const struct profile *profile);

#endif
