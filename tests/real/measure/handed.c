/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A second thread of rank 0 makes its MPI calls, while the first waits outside MPI: handed
 * receive|spin|compute. It waits there for rank 1, which computes for half a second before it
 * sends, with naps or in MPI_Recv(); or it computes for as long itself, and then receives what was
 * there. handed files: both ranks write a file together, which takes nearly all of their time in
 * MPI.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "burn.h"

static const char *how = "receive";

/* Without using the processor, as a thread that polls now and then. */
static void *receive(void *unused)
{
        int there = 0, value;
        struct timespec nap = { .tv_nsec = 1000000 };
        if (strcmp(how, "compute") == 0)
                burn(0.5);
        while (!there && strcmp(how, "spin") != 0) {
                MPI_Iprobe(1, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
                nanosleep(&nap, NULL);
        }
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return unused;
}

static void hand(int rank)
{
        pthread_t thread;
        if (rank == 1) {
                if (strcmp(how, "compute") != 0)
                        burn(0.5);
                MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        } else if (pthread_create(&thread, NULL, receive, NULL) != 0 ||
                   pthread_join(thread, NULL) != 0) {
                abort();
        }
}

static void write_files(int rank)
{
        enum { SIZE = 1 << 22 };
        char *bytes = calloc(1, SIZE);
        MPI_File file;
        if (!bytes || MPI_File_open(MPI_COMM_WORLD, "handed.bytes",
                                    MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                                    MPI_INFO_NULL, &file) != MPI_SUCCESS)
                abort();
        for (int i = 0; i < 30; i++)
                MPI_File_write_at(file, (MPI_Offset)rank * SIZE, bytes, SIZE, MPI_BYTE,
                                  MPI_STATUS_IGNORE);
        MPI_File_close(&file);
        free(bytes);
}

int main(int argc, char **argv)
{
        int rank, level;
        if (argc > 1)
                how = argv[1];
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (strcmp(how, "files") == 0)
                write_files(rank);
        else
                hand(rank);
        MPI_Finalize();
        return level == MPI_THREAD_MULTIPLE ? 0 : 1;
}
