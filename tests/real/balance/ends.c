/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hybrid program that is out of balance and ends as it is told; rank 0 prints each round.
 *
 *      ends none ROUNDS     as it should
 *      ends raise ROUNDS    its last rank by SIGKILL, half way; likewise:
 *      ends abort ROUNDS    by MPI_Abort(), with 7
 *      ends quit ROUNDS     by exit(0), without MPI_Finalize()
 *      ends silent ROUNDS   all by _exit(0) in place of MPI_Finalize(); likewise:
 *      ends quick ROUNDS    by quick_exit(0)
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PARTS = 8, PART_NS = 2000000 };

static void rest(long ns)
{
        nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

static void end_by(const char *how)
{
        if (strcmp(how, "raise") == 0)
                raise(SIGKILL);
        else if (strcmp(how, "abort") == 0)
                MPI_Abort(MPI_COMM_WORLD, 7);
        else if (strcmp(how, "quit") == 0)
                exit(0);
}

int main(int argc, char **argv)
{
        int rank, size;
        double sum = 0, mine = 1;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        const char *how = argc > 1 ? argv[1] : "none";
        int rounds = argc > 2 ? atoi(argv[2]) : 1;
        for (int i = 0; i < rounds; i++) {
#pragma omp parallel for schedule(dynamic)
                for (int part = 0; part < PARTS; part++)
                        rest(rank == 0 ? PART_NS : PART_NS / 20);
                MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                if (rank == 0)
                        printf("round %d: %g\n", i, sum);
                fflush(stdout);
                if (rank == size - 1 && i == rounds / 2)
                        end_by(how);
        }
        if (strcmp(how, "silent") == 0)
                _exit(0);
        if (strcmp(how, "quick") == 0)
                quick_exit(0);
        MPI_Finalize();
        return 0;
}
