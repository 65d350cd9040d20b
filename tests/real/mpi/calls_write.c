/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * To preload with calls.c: writes the stream of a rank's MPI calls to $CALLS_DIR/RANK.txt, for
 * tests/policies/streams. Each different call is a number, from 1 in order of appearance.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"

enum { KIND_MAX = 4096, CALL_MAX = 1 << 20 };

static struct {
        enum call call;
        int peer;
        const void *buffer;
} kind[KIND_MAX];
static int nkind, stream[CALL_MAX], ncall;

void calls_tell(enum call call, int peer, const void *buffer)
{
        int k = 0;
        while (k < nkind &&
               (kind[k].call != call || kind[k].peer != peer || kind[k].buffer != buffer))
                k++;
        if (k == KIND_MAX || ncall == CALL_MAX)
                return;
        kind[k].call = call;
        kind[k].peer = peer;
        kind[k].buffer = buffer;
        nkind += k == nkind;
        stream[ncall++] = k + 1;
}

void calls_end(void)
{
        char path[4096];
        int rank;
        const char *directory = getenv("CALLS_DIR");
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        snprintf(path, sizeof(path), "%s/%d.txt", directory ? directory : ".", rank);
        FILE *file = fopen(path, "w");
        for (int i = 0; file && i < ncall; i++)
                fprintf(file, "%d%c", stream[i], i % 30 == 29 || i == ncall - 1 ? '\n' : ' ');
        if (file)
                fclose(file);
}
