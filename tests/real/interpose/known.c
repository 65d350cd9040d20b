/* SPDX-License-Identifier: BSD-3-Clause */
/* Known numbers of calls, on two ranks. */
#include <mpi.h>

static void add(void *in, void *out, int *count, MPI_Datatype *type)
{
        MPI_Status status;
        int size; /* a call from within a call is no call of the program */
        MPI_Request none[1] = { MPI_REQUEST_NULL };
        MPI_Waitall(1, none, &status);
        MPI_Type_size(*type, &size);
        for (int i = 0; i < *count; i++)
                ((int *)out)[i] += ((int *)in)[i];
}

static void messages(int rank)
{
        int word = rank, other = 0;
        MPI_Request request[2];
        MPI_Status status[2];
        for (int i = 0; i < 2; i++)
                if (rank == 0)
                        MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
                else
                        MPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&other, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&word, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, status);
}

int main(int argc, char **argv)
{
        int rank, sum = 0;
        MPI_Op op;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Op_create(add, 1, &op);
        for (int i = 0; i < 3; i++)
                MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < 5; i++)
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
        for (int i = 0; i < 4; i++)
                MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        messages(rank);
        MPI_Op_free(&op);
        MPI_Finalize();
        return 0;
}
