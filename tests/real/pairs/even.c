/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Balanced programs, for pairs.py: even HOW COUNT WORK [THREADS].
 *
 *   calls     COUNT times WORK and an MPI call: a ring of messages, every tenth an MPI_Allreduce
 *   meets     the same, an MPI_Allreduce each
 *   regions   COUNT parallel regions of WORK for each thread, every hundredth an MPI_Allreduce
 *   probes    COUNT times MPI_Iprobe, self: MPI_Sendrecv to oneself; every WORK-th time an
 * MPI_Allreduce
 *
 * WORK is turns of a loop, not time. The sum that is printed is the same in every run.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double work(long turns, double x)
{
        for (long i = 0; i < turns; i++)
                x = x * 0.999999 + 1e-6;
        return x;
}

static double ring(int rank, int size, double mine)
{
        MPI_Comm comm = size == 1 ? MPI_COMM_SELF : MPI_COMM_WORLD;
        double got = 0;
        MPI_Sendrecv(&mine, 1, MPI_DOUBLE, (rank + 1) % size, 0, &got, 1, MPI_DOUBLE,
                     (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
        return got;
}

static double meet(double mine)
{
        double sum = 0;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return sum;
}

static double probe(void)
{
        int found = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
        return found;
}

/* Nothing but calls. */
static double call(const char *how, long count, long each)
{
        double sum = 0;
        for (long i = 0; i < count; i++)
                sum += i % each == 0 ? meet(1) : how[0] == 's' ? ring(0, 1, 1) : probe();
        return sum;
}

static double region(long turns, double x)
{
        double least = 2;
#pragma omp parallel reduction(min : least)
        least = work(turns, x);
        return least;
}

int main(int argc, char **argv)
{
        int rank, size;
        if (argc < 4)
                return 2;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        long count = atol(argv[2]), turns = atol(argv[3]);
        int meets = strcmp(argv[1], "meets") == 0, regions = strcmp(argv[1], "regions") == 0;
        int only = strcmp(argv[1], "probes") == 0 || strcmp(argv[1], "self") == 0;
        int each = meets ? 1 : regions ? 100 : 10;
        double x = 0.5, sum = 0, begin_s = MPI_Wtime();
        if (only)
                sum = call(argv[1], count, turns);
        for (long i = 0; i < count && !only; i++) {
                x = regions ? region(turns, x) : work(turns, x);
                if (i % each == 0)
                        sum += meet(x);
                else if (!regions)
                        sum += ring(rank, size, x);
        }
        if (rank == 0) {
                printf("sum %a\n", sum);
                printf("time %.4f s\n", MPI_Wtime() - begin_s);
        }
        MPI_Finalize();
        return 0;
}
