/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that wait by polling: polls at-once|turn|nap|status|memory|part|meanwhile STEPS. In each
 * step rank i has 20 (2 i + 1) ms of processor time, and then all wait for an MPI_Ibarrier by
 * MPI_Test: again at once, after some instructions or a nap of 0.1 ms; or by
 * MPI_Request_get_status; or, of two ranks, by MPI_Win_sync for a number in the other one's memory,
 * or by MPI_Parrived for a part of its message (77 where MPI has none).
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

static void wait_for_all(void)
{
        MPI_Request request;
        int done = 0;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        for (;;) {
                if (is_way("status"))
                        MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
                else
                        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
                if (done)
                        break;
                pause_some();
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static MPI_Win win;
static volatile int *steps_of[2];

static void share_memory(void)
{
        int *mine, unit;
        MPI_Aint size;
        MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                                &win);
        for (int i = 0; i < 2; i++)
                MPI_Win_shared_query(win, i, &size, &unit, (void *)&steps_of[i]);
        *mine = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, win);
}

static void wait_for_memory(int rank)
{
        int step = ++*steps_of[rank];
        do
                MPI_Win_sync(win);
        while (*steps_of[1 - rank] < step);
}

#if MPI_VERSION >= 4
static MPI_Request message[2];

static void prepare_parts(int rank)
{
        static int out, in;
        MPI_Psend_init(&out, 1, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &message[0]);
        MPI_Precv_init(&in, 1, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &message[1]);
}

static void wait_for_part(void)
{
        MPI_Status status[2];
        int done = 0;
        MPI_Startall(2, message);
        MPI_Pready(0, message[0]);
        while (!done)
                MPI_Parrived(message[1], 0, &done);
        MPI_Waitall(2, message, status);
}
#else
static void prepare_parts(int rank)
{
        (void)rank;
        MPI_Finalize();
        exit(77);
}

static void wait_for_part(void)
{
}
#endif

static void prepare(int rank)
{
        if (is_way("memory"))
                share_memory();
        else if (is_way("part"))
                prepare_parts(rank);
}

static void wait_for(int rank)
{
        if (is_way("memory"))
                wait_for_memory(rank);
        else if (is_way("part"))
                wait_for_part();
        else
                wait_for_all();
}

static void tidy(void)
{
        if (!is_way("memory"))
                return;
        MPI_Win_unlock_all(win);
        MPI_Win_free(&win);
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
        MPI_Request never = MPI_REQUEST_NULL;
        MPI_Comm apart;
        how = argc > 1 ? argv[1] : "at-once";
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_dup(MPI_COMM_WORLD, &apart);
        prepare(rank);
        for (int step = 0; step < steps; step++) {
                if (is_way("meanwhile"))
                        MPI_Irecv(NULL, 0, MPI_INT, rank, 1, apart, &never);
                work(rank, &never);
                if (is_way("meanwhile")) {
                        MPI_Send(NULL, 0, MPI_INT, rank, 1, apart);
                        MPI_Wait(&never, MPI_STATUS_IGNORE);
                }
                wait_for(rank);
        }
        tidy();
        MPI_Finalize();
        return 0;
}
