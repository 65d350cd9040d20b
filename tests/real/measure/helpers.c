/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known work of two threads that both call MPI: helpers STEPS talk|chat|work|last. The first thread
 * of rank i of n computes 10 (i + 1) ms in each step and meets the others. The second meets those
 * of the others meanwhile, on a communicator of their own; chat: after 500 messages to a neighbour
 * and back, received by polling; work: after computing 20 (n - i) ms. last: the first computes
 * nothing, the second 10 (i + 1) ms a step, and it ends MPI.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

enum { MESSAGES = 500 };

static int rank, size, steps;
static const char *how;
static MPI_Comm comm;

static void chat(void)
{
        int peer = rank ^ 1, value = rank, there;
        for (int i = 0; i < MESSAGES && peer < size; i++) {
                MPI_Send(&value, 1, MPI_INT, peer, 0, comm);
                do
                        MPI_Iprobe(peer, 0, comm, &there, MPI_STATUS_IGNORE);
                while (!there);
                MPI_Recv(&value, 1, MPI_INT, peer, 0, comm, MPI_STATUS_IGNORE);
        }
}

static void *second(void *unused)
{
        int sum;
        for (int step = 0; step < steps; step++) {
                if (strcmp(how, "chat") == 0)
                        chat();
                if (strcmp(how, "work") == 0)
                        burn(0.02 * (size - rank));
                if (strcmp(how, "last") == 0)
                        burn(0.01 * (rank + 1));
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        }
        if (strcmp(how, "last") == 0)
                MPI_Finalize();
        return unused;
}

int main(int argc, char **argv)
{
        int level, sum;
        pthread_t thread;
        steps = argc > 2 ? atoi(argv[1]) : 1;
        how = argc > 2 ? argv[2] : "talk";
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (level != MPI_THREAD_MULTIPLE || pthread_create(&thread, NULL, second, NULL) != 0)
                abort();
        for (int step = 0; step < steps && strcmp(how, "last") != 0; step++) {
                burn(0.01 * (rank + 1));
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        pthread_join(thread, NULL);
        if (strcmp(how, "last") != 0)
                MPI_Finalize();
        return 0;
}
