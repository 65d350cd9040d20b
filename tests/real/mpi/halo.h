/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_MPI_HALO_H
#define LB_TESTS_REAL_MPI_HALO_H

#include <stdbool.h>

/*
 * A small program with the calls of a real one: in every step an exchange of halos with both
 * neighbours in a ring, a conjugate-gradient solve, and a norm; now and then output.
 */
struct halo {
        int steps, inner; /* iterations of the solve, each with a halo and a dot product */
        bool converges;   /* the solve takes one iteration less now and then */
        int output;       /* every so many steps the result is gathered; 0: never */
};

void halo_run(const struct halo *halo);

/* MPI calls of one step without output. */
int halo_calls(const struct halo *halo);

#endif
