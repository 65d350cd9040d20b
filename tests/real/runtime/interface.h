/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_RUNTIME_INTERFACE_H
#define LB_TESTS_REAL_RUNTIME_INTERFACE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* What the cases of interface.c share. */
static inline void check(bool holds, const char *claim, double found)
{
        if (holds)
                return;
        fprintf(stderr, "does not hold: %s (found %.17g)\n", claim, found);
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline void in_ms(int ms)
{
        usleep((useconds_t)ms * 1000);
}

void test_constant(void); /* constant.c */

#endif
