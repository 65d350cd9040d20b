/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/nbody/exchange.h"

#include <stdlib.h>

#include "real/apps/common/ranks.h"
#include "real/apps/common/result.h"
#include "real/apps/nbody/nbody.h"

void exchange_bodies(const struct ranks *ranks, struct nbody_rank *rank)
{
        size_t nrank = (size_t)ranks->nrank;
        int *count = app_alloc(2 * nrank * sizeof(*count)), *first = count + nrank;
        int mine = (int)rank->nown;
        MPI_Datatype body;
        MPI_Type_contiguous((int)sizeof(struct body), MPI_BYTE, &body);
        MPI_Type_commit(&body);
        MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, ranks->world);
        for (size_t i = 1; i < nrank; i++)
                first[i] = first[i - 1] + count[i - 1];
        MPI_Allgatherv(rank->own, mine, body, rank->near, count, first, body, ranks->world);
        MPI_Type_free(&body);
        free(count);
        nbody_collect(rank);
}
