/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls that fail, at which MPI waits for nobody, among others.
 * Usage: errors [ROUNDS FIRST SECONDS]: of so many rounds those fail that follow the first so many;
 * one takes rank 0 so long, the others a tenth */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, size;

static void pass(double time_s)
{
        nanosleep(&(struct timespec){ .tv_nsec = (long)(1e9 * time_s) }, NULL);
}

/* What each of the two MPIs finds to be wrong before it waits for anybody. */
static int fails(void)
{
        double value = rank;
#ifdef OPEN_MPI
        double all;
        return MPI_Allreduce(&value, &all, -1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS;
#else
        return MPI_Allreduce(&value, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS;
#endif
}

/* The next rank comes to the call that fails when the one before it has left it. */
static void in_turn(int *failed)
{
        char token = 0;
        if (rank > 0)
                MPI_Recv(&token, 1, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        *failed += fails();
        if (rank + 1 < size)
                MPI_Send(&token, 1, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
        int failed = 0, rounds = argc > 3 ? atoi(argv[1]) : 150;
        int first = argc > 3 ? atoi(argv[2]) : 0;
        double round_s = argc > 3 ? atof(argv[3]) : 0.003;
        double sum = 0, all = 0;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        for (int round = 0; round < rounds; round++) {
                pass(rank == 0 ? round_s : round_s / 10);
                double value = rank + round;
                if (round >= first)
                        in_turn(&failed);
                MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                sum += all;
        }
        if (rank == 0)
                printf("%d failed, sum %.17g\n", failed, sum);
        MPI_Finalize();
        return 0;
}
