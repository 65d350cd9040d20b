/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of two threads far shorter than a quota: after each of rank 1's, whose second thread has
 * MS of processor time and whose first has none, ranks meet; rank 0 sleeps for ten times as long.
 * Before each, rank 1's first thread has as much by itself.
 *
 * parts MS STEPS
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double clock_ms(void)
{
        struct timespec now;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void compute(double ms)
{
        for (double end = clock_ms() + ms; clock_ms() < end;)
                ;
}

static void rest(double ms)
{
        nanosleep(&(struct timespec){ .tv_nsec = (long)(1e6 * ms) }, NULL);
}

static void region(double ms)
{
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1)
                compute(ms);
}

int main(int argc, char **argv)
{
        int rank, provided;
        double ms = argc > 1 ? atof(argv[1]) : 0.25, mine = 1, sum;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        for (int i = argc > 2 ? atoi(argv[2]) : 400; i > 0; i--) {
                if (rank == 0) {
                        rest(10 * ms);
                } else {
                        compute(ms);
                        region(ms);
                }
                MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
        MPI_Finalize();
        return 0;
}
