/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that wait by polling: polls at-once|turn|nap|meanwhile STEPS. In each step rank i has
 * 20 (2 i + 1) ms of processor time, and then all wait for an MPI_Ibarrier by MPI_Test: again at
 * once, after some instructions or a nap of 0.1 ms.
 * Meanwhile: the work comes in ten parts, with an MPI_Test that finds nothing after each.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "burn.h"

enum { PARTS = 10 };

static const char *how;

static int is_way(const char *way)
{
        return strcmp(how, way) == 0;
}

static void pause_some(void)
{
        struct timespec nap = { .tv_nsec = 100000 };
        for (volatile int i = 0; is_way("turn") && i < 300; i++)
                ;
        if (is_way("nap"))
                nanosleep(&nap, NULL);
}

static void wait_for(MPI_Request *request)
{
        int done = 0;
        for (;;) {
                MPI_Test(request, &done, MPI_STATUS_IGNORE);
                if (done)
                        return;
                pause_some();
        }
}

static void work(int rank, MPI_Request *request)
{
        int done;
        for (int part = 0; part < PARTS; part++) {
                burn(0.02 * (2 * rank + 1) / PARTS);
                if (is_way("meanwhile"))
                        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        }
}

int main(int argc, char **argv)
{
        int rank, steps = argc > 2 ? atoi(argv[2]) : 1;
        MPI_Request never = MPI_REQUEST_NULL, request;
        MPI_Comm apart;
        how = argc > 1 ? argv[1] : "at-once";
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_dup(MPI_COMM_WORLD, &apart);
        for (int step = 0; step < steps; step++) {
                if (is_way("meanwhile"))
                        MPI_Irecv(NULL, 0, MPI_INT, rank, 1, apart, &never);
                work(rank, &never);
                if (is_way("meanwhile")) {
                        MPI_Send(NULL, 0, MPI_INT, rank, 1, apart);
                        MPI_Wait(&never, MPI_STATUS_IGNORE);
                }
                MPI_Ibarrier(MPI_COMM_WORLD, &request);
                wait_for(&request);
        }
        MPI_Finalize();
        return 0;
}
