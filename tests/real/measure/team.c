/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A team of two with known work: team STEPS [nested|late|single|inner|wait]. In each step the first
 * thread of the team of rank i has 20 (i + 1) ms of processor time and the other half of it, so it
 * waits; then the rank does 10 ms alone, while its team has nothing to do (and may spin); then all
 * meet. So a step of rank i is 30 (i + 1) + 10 ms of work. Nested: what a thread of the team has,
 * one of a team of two within has in part, and in part hands on as tasks, while the other waits.
 * Late: before all steps the rank sleeps for 0.6 s and then has ten regions, whose first thread has
 * 0.2 s in all. Single: instead, small regions of one thread, many of them, which end in tasks;
 * inner: in both threads of a team, because regions within regions have one. Prints what they used.
 * Wait: the first thread of a team waits for tasks, of which there are none, again and again.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
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

static double run_small(int threads)
{
        static _Thread_local volatile int done;
        double begin_s = used_s();
        for (int i = 0; i < 200000; i++) {
#pragma omp parallel num_threads(threads)
                {
#pragma omp barrier
                        done++;
#pragma omp task
                        done++;
#pragma omp taskwait
#pragma omp task
                        done++;
                }
        }
        return used_s() - begin_s;
}

static double run_inner(void)
{
        double sum_s = 0;
        omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2) reduction(+ : sum_s)
        sum_s += run_small(2);
        return sum_s;
}

static void wait_often(void)
{
#pragma omp parallel num_threads(2)
#pragma omp master
        for (int i = 0; i < 100000; i++) {
#pragma omp taskwait
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
        if (strcmp(how, "single") == 0)
                printf("used %d %.6f\n", rank, run_small(1));
        if (strcmp(how, "inner") == 0)
                printf("used %d %.6f\n", rank, run_inner());
        if (strcmp(how, "wait") == 0)
                wait_often();
        for (int step = 0; step < steps; step++) {
#pragma omp parallel num_threads(2)
                work(omp_get_thread_num() == 0 ? 0.02 * (rank + 1) : 0.01 * (rank + 1));
                burn(0.01);
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        MPI_Finalize();
        return 0;
}
