/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/ordered.h"

#include <mpi.h>
#include <stdatomic.h>

/* One per process by nature: MPI calls have no argument for it. */
static struct {
        int level, size;
        atomic_bool foreign; /* processes of another world may be in a communicator */
} own;

void ordered_begin(const struct balance *b)
{
        int level = MPI_THREAD_SINGLE;
        PMPI_Query_thread(&level);
        PMPI_Allreduce(&level, &own.level, 1, MPI_INT, MPI_MAX, b->world);
        own.size = b->size;
}

void ordered_note(const struct interpose_call *call)
{
        if (call->name == INTERPOSE_Comm_spawn || call->name == INTERPOSE_Comm_spawn_multiple ||
            call->name == INTERPOSE_Comm_accept || call->name == INTERPOSE_Comm_connect ||
            call->name == INTERPOSE_Comm_join)
                atomic_store(&own.foreign, true);
}

/* Are all of it of this world? */
static bool is_of_world(MPI_Comm comm)
{
        MPI_Group group, world, both;
        int size = 0, shared = -1;
        PMPI_Comm_group(comm, &group);
        PMPI_Comm_group(MPI_COMM_WORLD, &world);
        PMPI_Group_intersection(group, world, &both);
        PMPI_Group_size(group, &size);
        PMPI_Group_size(both, &shared);
        PMPI_Group_free(&both);
        PMPI_Group_free(&world);
        PMPI_Group_free(&group);
        return size == shared;
}

static bool is_between(MPI_Comm comm)
{
        int between = 1;
        return PMPI_Comm_test_inter(comm, &between) != MPI_SUCCESS || between;
}

/* Of a communicator other than MPI_COMM_WORLD. */
static bool is_ordered(MPI_Comm comm)
{
        return ordered_in_all_ranks() && !is_between(comm) &&
               (!atomic_load(&own.foreign) || is_of_world(comm));
}

bool ordered_in_all_ranks(void)
{
        return own.level < MPI_THREAD_MULTIPLE;
}

bool ordered_meets(const struct interpose_call *call, bool first)
{
        if (!first && own.level < MPI_THREAD_SERIALIZED)
                return false;
        return interpose_meets(call, own.size) &&
               (call->comm == MPI_COMM_WORLD || is_ordered(call->comm));
}

bool ordered_is_free(const struct interpose_call *call)
{
        return call->comm == MPI_COMM_NULL || call->comm == MPI_COMM_WORLD ||
               call->kind == INTERPOSE_START || is_ordered(call->comm);
}
