/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

/* Short work between barriers, often: each rank prints the processor time that it took outside MPI.
 */

static double cpu_s(void)
{
        struct timespec t;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(void)
{
        static volatile double x;
        for (int i = 0; i < 3000; i++)
                x = x * 1.0000001 + 1e-9;
}

int main(int argc, char **argv)
{
        enum { TIMES = 20000 };
        int rank;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        double begin_s = cpu_s();
        for (int i = 0; i < TIMES; i++)
                work();
        double alone_s = cpu_s() - begin_s;
        for (int i = 0; i < TIMES; i++) {
                work();
                MPI_Barrier(MPI_COMM_WORLD);
        }
        printf("rank %d: %.4f s outside MPI\n", rank, 2 * alone_s);
        MPI_Finalize();
        return 0;
}
