/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The periodicity detector inside a running MPI program, fed from the profiling interface: it finds
 * the steps of halo.h, every rank by itself.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"
#include "halo.h"
#include "policies/dpd.h"

enum { WINDOW = 128 };

static struct dpd *detector;
static int iterations, lost;

void calls_tell(enum call call, int peer, const void *buffer)
{
        enum dpd_event event =
            dpd_feed(detector, dpd_value((int32_t)call, peer, (uint64_t)(uintptr_t)buffer));
        iterations += event == DPD_ITERATION;
        lost += event == DPD_LOST;
}

void calls_end(void)
{
}

static int check(const char *what, int found, int least, int most)
{
        if (found >= least && found <= most)
                return 0;
        fprintf(stderr, "%s: found %d, expected %d to %d\n", what, found, least, most);
        return 1;
}

/* The outer step is found although an inner loop repeats before it does. */
static int nested(void)
{
        struct halo halo = { .steps = 40, .inner = 8 };
        dpd_init(detector, WINDOW, 2);
        iterations = 0;
        halo_run(&halo);
        int bad =
            check("calls of a step", dpd_period(detector), halo_calls(&halo), halo_calls(&halo));
        return bad + check("steps seen", iterations, 35, 60);
}

/* Output after so many steps that the window does not hold them breaks the pattern, and it is found
 * again. */
static int output(void)
{
        struct halo halo = { .steps = 80, .inner = 1, .output = 20 };
        dpd_init(detector, WINDOW, 2);
        lost = 0;
        halo_run(&halo);
        return check("times it was lost", lost, 3, 4);
}

int main(int argc, char **argv)
{
        detector = malloc(dpd_size(WINDOW));
        if (!detector)
                return 1;
        MPI_Init(&argc, &argv);
        int bad = nested() + output(), worst = 0;
        PMPI_Allreduce(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Finalize();
        free(detector);
        return worst > 0;
}
