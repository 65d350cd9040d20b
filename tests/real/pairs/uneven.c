/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An uneven hybrid program, for pairs.py: uneven STEPS PART TURNS...: in each step rank i has
 * TURNS[i] turns of a loop, in regions of PART turns, in 64 parts that its threads share, then all
 * meet. A thread more comes with the next region at the earliest.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 64 };

static double work(long turns, double x)
{
        for (long i = 0; i < turns; i++)
                x = x * 0.999999 + 1e-6;
        return x;
}

/* The largest of equals: the same for any number of threads. */
static double region(long turns)
{
        double most = 0;
#pragma omp parallel for schedule(dynamic) reduction(max : most)
        for (int i = 0; i < PARTS; i++) {
                double x = work(turns / PARTS, 0.5);
                most = x > most ? x : most;
        }
        return most;
}

int main(int argc, char **argv)
{
        int rank;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (argc < 4)
                return 2;
        long part = atol(argv[2]), turns = atol(argv[3 + rank < argc ? 3 + rank : argc - 1]);
        double sum = 0, begin_s = MPI_Wtime();
        for (int step = 0; step < atoi(argv[1]); step++) {
                double mine = 0, all;
                for (long done = 0; done < turns; done += part)
                        mine = region(part);
                MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                sum += all;
        }
        if (rank == 0) {
                printf("sum %a\n", sum);
                printf("time %.4f s\n", MPI_Wtime() - begin_s);
        }
        MPI_Finalize();
        return 0;
}
