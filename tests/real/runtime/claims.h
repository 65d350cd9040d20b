/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_RUNTIME_CLAIMS_H
#define LB_TESTS_REAL_RUNTIME_CLAIMS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

/* What does not hold ends the job. */
static inline void check(bool holds, const char *claim, double found)
{
        if (holds)
                return;
        fprintf(stderr, "does not hold: %s (found %.17g)\n", claim, found);
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline void in_ms(int ms)
{
        nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L }, NULL);
}

#endif
