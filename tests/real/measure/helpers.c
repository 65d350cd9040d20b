/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known work of threads that call MPI: helpers STEPS talk|chat|work|last|all|rest. The first thread
 * of rank i of n computes 10 (i + 1) ms in each step and meets the others. The second meets those
 * of the others meanwhile, on a communicator of their own; chat: after 500 messages to a neighbour
 * and back, received by polling; work: after computing 20 (n - i) ms. last: the first computes
 * nothing, the second 10 (i + 1) ms a step, and it ends MPI. all: four threads compute 5 (i + 1) ms
 * in each step, and meet those of the others, or have a message from a neighbour, on a communicator
 * of their own; then the first waits for the end of the others. rest: so do four others, while the
 * first does nothing but wait for their end.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

enum { MESSAGES = 500, WORKERS = 4 };

static int rank, size, steps;
static const char *how;
static MPI_Comm comm;

/* ---- Two ---- */

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

static void work_apart(void)
{
        pthread_t thread;
        int sum;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (pthread_create(&thread, NULL, second, NULL) != 0)
                abort();
        for (int step = 0; step < steps && strcmp(how, "last") != 0; step++) {
                burn(0.01 * (rank + 1));
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        pthread_join(thread, NULL);
}

/* ---- Several that do the same ---- */

struct worker {
        pthread_t thread;
        MPI_Comm comm;
        int at;
};

static void *work(void *arg)
{
        struct worker *self = arg;
        int sum, next = (rank + 1) % size, before = (rank + size - 1) % size;
        for (int step = 0; step < steps; step++) {
                burn(0.005 * (rank + 1));
                if (self->at % 2)
                        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, self->comm);
                else
                        MPI_Sendrecv(&rank, 1, MPI_INT, next, 0, &sum, 1, MPI_INT, before, 0,
                                     self->comm, MPI_STATUS_IGNORE);
        }
        return NULL;
}

/* The first of them is the calling thread, or it only waits. */
static void work_together(int others)
{
        struct worker worker[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
                worker[i].at = i;
                MPI_Comm_dup(MPI_COMM_WORLD, &worker[i].comm);
        }
        for (int i = WORKERS - others; i < WORKERS; i++)
                if (pthread_create(&worker[i].thread, NULL, work, &worker[i]) != 0)
                        abort();
        if (others < WORKERS)
                work(&worker[0]);
        for (int i = WORKERS - others; i < WORKERS; i++)
                pthread_join(worker[i].thread, NULL);
}

int main(int argc, char **argv)
{
        int level;
        steps = argc > 2 ? atoi(argv[1]) : 1;
        how = argc > 2 ? argv[2] : "talk";
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (level != MPI_THREAD_MULTIPLE)
                abort();
        if (strcmp(how, "all") == 0)
                work_together(WORKERS - 1);
        else if (strcmp(how, "rest") == 0)
                work_together(WORKERS);
        else
                work_apart();
        if (strcmp(how, "last") != 0)
                MPI_Finalize();
        return 0;
}
