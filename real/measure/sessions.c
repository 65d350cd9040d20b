/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/measure/sessions.h"

#include <mpi.h>
#include <stdatomic.h>

#if MPI_VERSION >= 4
static struct {
        atomic_bool begun, world;
        atomic_int open;
        int rank, size;
} own;

static void find_ranks(void)
{
        MPI_Session session; /* the program's is no argument of the guest */
        MPI_Group group;
        if (PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS)
                return;
        if (PMPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS) {
                PMPI_Group_rank(group, &own.rank);
                PMPI_Group_size(group, &own.size);
                PMPI_Group_free(&group);
        }
        PMPI_Session_finalize(&session);
}

static bool begin(void)
{
        atomic_fetch_add(&own.open, 1);
        if (atomic_load(&own.world) || atomic_exchange(&own.begun, true))
                return false;
        find_ranks();
        return true;
}

bool sessions_note(const struct interpose_call *call)
{
        if (call->name == INTERPOSE_Session_init)
                return begin();
        if (call->name == INTERPOSE_Session_finalize)
                atomic_fetch_sub(&own.open, 1);
        else if (call->name == INTERPOSE_Init || call->name == INTERPOSE_Init_thread)
                atomic_store(&own.world, true);
        return false;
}

bool sessions_have_ended(void)
{
        return atomic_load(&own.begun) && !atomic_load(&own.world) && atomic_load(&own.open) == 0;
}

int sessions_rank(void)
{
        return own.rank;
}

int sessions_size(void)
{
        return own.size;
}
#else
bool sessions_note(const struct interpose_call *call)
{
        (void)call;
        return false;
}

bool sessions_have_ended(void)
{
        return false;
}

int sessions_rank(void)
{
        return 0;
}

int sessions_size(void)
{
        return 0;
}
#endif
