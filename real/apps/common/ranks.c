/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/common/ranks.h"

struct ranks ranks_of(MPI_Comm world)
{
        struct ranks ranks = { .world = world };
        MPI_Comm_rank(world, &ranks.rank);
        MPI_Comm_size(world, &ranks.nrank);
        return ranks;
}

bool ranks_first(const struct ranks *ranks)
{
        return ranks->rank == 0;
}

uint64_t ranks_checksum(const struct ranks *ranks, uint64_t mine)
{
        uint64_t all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, ranks->world);
        return all;
}

static double reduce(const struct ranks *ranks, double mine, MPI_Op op)
{
        double all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, ranks->world);
        return all;
}

double ranks_sum(const struct ranks *ranks, double mine)
{
        return reduce(ranks, mine, MPI_SUM);
}

double ranks_max(const struct ranks *ranks, double mine)
{
        return reduce(ranks, mine, MPI_MAX);
}

bool ranks_all(const struct ranks *ranks, bool mine)
{
        return reduce(ranks, mine ? 1 : 0, MPI_MIN) > 0;
}

void ranks_meet(const struct ranks *ranks)
{
        MPI_Barrier(ranks->world);
}
