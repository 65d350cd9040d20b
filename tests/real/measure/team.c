/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A team of two with known work: team STEPS [nested|late]. In each step the first thread of the
 * team of rank i has 20 (i + 1) ms of processor time and the other half of it, so it waits; then
 * the rank does 10 ms alone, while its team has nothing to do (and may spin); then all meet. So a
 * step of rank i is 30 (i + 1) + 10 ms of work. Nested: what a thread of the team has, one of a
 * team of two within has in part, and in part hands on as tasks, while the other waits. Late:
 * before all steps the rank sleeps for 0.6 s and then has ten regions, whose first thread has 0.2 s
 * in all.
 */
#include <mpi.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "burn.h"

static void burn_nested(double duration_s)
{
#pragma omp parallel num_threads(2)
#pragma omp single
        {
                for (int i = 0; i < 2; i++) {
#pragma omp task
                        burn(duration_s / 4);
                }
                burn(duration_s / 2);
        }
}

static void begin_late(void)
{
        nanosleep(&(struct timespec){ .tv_nsec = 600000000 }, NULL);
        for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(2)
                burn(omp_get_thread_num() == 0 ? 0.02 : 0.01);
        }
}

int main(int argc, char **argv)
{
        int rank, sum, level, steps = argc > 1 ? atoi(argv[1]) : 1;
        const char *how = argc > 2 ? argv[2] : "";
        void (*work)(double) = strcmp(how, "nested") == 0 ? burn_nested : burn;
        omp_set_max_active_levels(2);
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (strcmp(how, "late") == 0)
                begin_late();
        for (int step = 0; step < steps; step++) {
#pragma omp parallel num_threads(2)
                work(omp_get_thread_num() == 0 ? 0.02 * (rank + 1) : 0.01 * (rank + 1));
                burn(0.01);
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        MPI_Finalize();
        return 0;
}
