/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two ranks that compute about a microsecond between two calls of MPI, in blocks of an
 * MPI_Allreduce and of an MPI_Sendrecv in alternation: how long a step takes, microseconds, a tenth
 * of the blocks being faster, so that what else the machine does is not in. Run it bare and under
 * lbrun; tests/bench/calls does, and says the difference. Usage: bench_calls_MPI [BLOCKS]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 4000, TURNS = 1000, BLOCKS = 150, BLOCKS_MAX = 100000 };
static int rank;
static volatile double sink;

static void work(void)
{
        double x = 1;
        for (int i = 0; i < TURNS; i++)
                x = x * 1.0000001 + 1e-9;
        sink = x;
}

static double allreduce_us(void)
{
        double in = 1, out, start_s = MPI_Wtime();
        for (int i = 0; i < CALLS; i++) {
                work();
                MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
        return 1e6 * (MPI_Wtime() - start_s) / CALLS;
}

static double sendrecv_us(void)
{
        double in = 1, out, start_s = MPI_Wtime();
        for (int i = 0; i < CALLS; i++) {
                work();
                MPI_Sendrecv(&in, 1, MPI_DOUBLE, 1 - rank, 0, &out, 1, MPI_DOUBLE, 1 - rank, 0,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        return 1e6 * (MPI_Wtime() - start_s) / CALLS;
}

static int compare(const void *a, const void *b)
{
        double x = *(const double *)a, y = *(const double *)b;
        return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
        static double meets[BLOCKS_MAX], talks[BLOCKS_MAX];
        int blocks = argc > 1 ? atoi(argv[1]) : BLOCKS, size;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (size != 2 || blocks < 1 || blocks > BLOCKS_MAX) {
                fprintf(stderr, "bench_calls: 2 ranks, and 1 to %d blocks\n", BLOCKS_MAX);
                MPI_Abort(MPI_COMM_WORLD, 2);
        }
        for (int i = 0; i < blocks; i++) {
                meets[i] = allreduce_us();
                talks[i] = sendrecv_us();
        }
        qsort(meets, (size_t)blocks, sizeof(meets[0]), compare);
        qsort(talks, (size_t)blocks, sizeof(talks[0]), compare);
        if (rank == 0)
                printf("%.4f %.4f\n", meets[blocks / 10], talks[blocks / 10]);
        MPI_Finalize();
        return 0;
}
