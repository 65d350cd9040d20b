/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls on a communicator of which MPI_Comm_idup() makes another meanwhile, the first rank coming
 * last each time; the first rank prints a sum that does not depend on anything.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { STEPS = 40, LATE_US = 3000 };

static int rank;
static double total;

static void come_late(void)
{
        double sum = 0;
#pragma omp parallel reduction(+ : sum)
        sum += 1;
        if (rank == 0 && sum > 0)
                nanosleep(&(struct timespec){ .tv_nsec = LATE_US * 1000L }, NULL);
}

static void add_of(MPI_Comm comm)
{
        double mine = rank + 1, sum;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
        total += sum;
}

/* Another is made of the same parent. */
static void make_another(MPI_Comm parent)
{
        MPI_Comm twin, made;
        MPI_Request request;
        MPI_Comm_idup(parent, &twin, &request);
        come_late();
        MPI_Comm_dup(parent, &made);
        add_of(made);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        add_of(twin);
        MPI_Comm_free(&made);
        MPI_Comm_free(&twin);
}

/* The parent is used, where all but the first rank have let MPI go on. */
static void use_parent(MPI_Comm parent)
{
        MPI_Comm twin;
        MPI_Request request;
        int found, told = rank;
        MPI_Comm_idup(parent, &twin, &request);
        for (int i = 0; i < 100 && rank > 0; i++)
                MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        come_late();
        add_of(parent);
        MPI_Bcast(&told, 1, MPI_INT, 0, parent);
        total += told;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        add_of(twin);
        MPI_Comm_free(&twin);
}

int main(int argc, char **argv)
{
        MPI_Comm parent;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        for (int step = 0; step < STEPS; step++) {
                MPI_Comm_dup(MPI_COMM_WORLD, &parent);
                make_another(parent);
                MPI_Comm_free(&parent);
                come_late();
                MPI_Comm_dup(MPI_COMM_WORLD, &parent);
                use_parent(parent);
                MPI_Comm_free(&parent);
        }
        if (rank == 0)
                printf("%g\n", total);
        MPI_Finalize();
        return 0;
}
