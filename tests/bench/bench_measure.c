/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call of MPI costs a program that computes for 50 us between two of them, in blocks with
 * and without the call in alternation, and what one that does not wait costs where nothing else is
 * done: medians, so that what else the machine does is not in. Run it bare and under lbrun measure;
 * tests/bench/measure does, and says the difference. Prints the work, MPI_Allreduce and MPI_Iprobe,
 * microseconds. Usage: bench_measure_MPI [BLOCKS]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 200, POLLS = 500, BLOCKS = 200, BLOCKS_MAX = 100000, TABLE = 4096 };
static const double WORK_S = 50e-6;
static double table[TABLE]; /* 32 KiB: the work wants its cache */

static double now_s(void)
{
        struct timespec now;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double work(long steps)
{
        double x = 1;
        for (long i = 0; i < steps; i++) {
                x = x * 1.0000001 + table[(i * 7) % TABLE];
                table[i % TABLE] = x * 1e-9;
        }
        return x;
}

static double block_s(long steps, int allreduce)
{
        double in = 1, out = 0, start_s = now_s();
        for (int i = 0; i < CALLS; i++) {
                in += work(steps);
                if (allreduce)
                        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
        }
        return (now_s() - start_s) / CALLS + (out > 1e300 ? 1 : 0);
}

static double poll_s(void)
{
        int found;
        double start_s = now_s();
        for (int i = 0; i < POLLS; i++)
                MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
        return (now_s() - start_s) / POLLS;
}

static int by_size(const void *a, const void *b)
{
        double left = *(const double *)a, right = *(const double *)b;
        return (left > right) - (left < right);
}

static double median(double *value, int count)
{
        qsort(value, (size_t)count, sizeof(*value), by_size);
        return value[count / 2];
}

int main(int argc, char **argv)
{
        MPI_Init(&argc, &argv);
        int blocks = argc > 1 ? atoi(argv[1]) : BLOCKS;
        if (blocks < 1 || blocks > BLOCKS_MAX) {
                fprintf(stderr, "usage: %s [BLOCKS, 1 to %d]\n", argv[0], BLOCKS_MAX);
                MPI_Abort(MPI_COMM_WORLD, 2);
        }
        double *without = malloc((size_t)blocks * sizeof(*without));
        double *with = malloc((size_t)blocks * sizeof(*with));
        double *poll = malloc((size_t)blocks * sizeof(*poll));
        if (!without || !with || !poll)
                MPI_Abort(MPI_COMM_WORLD, 1);
        long steps = 10000;
        for (int i = 0; i < 5; i++)
                steps = (long)((double)steps * WORK_S / block_s(steps, 0));
        for (int i = 0; i < blocks; i++) {
                without[i] = block_s(steps, 0);
                with[i] = block_s(steps, 1) - without[i];
                poll[i] = poll_s();
        }
        printf("%.3f %.4f %.4f\n", 1e6 * median(without, blocks), 1e6 * median(with, blocks),
               1e6 * median(poll, blocks));
        free(poll);
        free(with);
        free(without);
        MPI_Finalize();
        return 0;
}
