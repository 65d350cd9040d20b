/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A guest of the layer, to preload: counts the program's calls. At the end of MPI each rank writes
 * "NAME COUNT" lines of the calls there were to $COUNT_OUT.RANK, and waits nowhere. Where
 * $COUNT_PASS is set, it has calls of one rank pass.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "real/interpose/interpose.h"

static int count[INTERPOSE_COUNT];

static void report(void)
{
        char path[4096];
        int rank;
        const char *out = getenv("COUNT_OUT");
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        snprintf(path, sizeof(path), "%s.%d", out ? out : "count", rank);
        FILE *file = fopen(path, "w");
        for (int i = 1; file && i < INTERPOSE_COUNT; i++)
                if (count[i] > 0)
                        fprintf(file, "%s %d\n", interpose_title((enum interpose_name)i), count[i]);
        if (file)
                fclose(file);
}

static void enter(const struct interpose_call *call)
{
        count[call->name]++;
        if (call->name == INTERPOSE_Finalize)
                report();
}

static void leave(const struct interpose_call *call)
{
        if (call->kind == INTERPOSE_LIFE && getenv("COUNT_PASS"))
                interpose_pass(interpose_is_lone);
}

const struct interpose_guest interpose_guest = { .enter = enter, .leave = leave };
