/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "real/mpi/polite_impl.h"

/* Collective calls that make communicators. Those without a non-blocking variant first wait for all
 * ranks to come. */
const char polite_comm_linked = 1;

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
        struct polite wait = polite_begin();
        return polite_end(&wait, PMPI_Comm_idup(comm, made, &wait.request));
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
        struct polite wait = polite_begin();
        int code = polite_gather_ranks(comm);
        return polite_done(&wait,
                           code == MPI_SUCCESS ? PMPI_Comm_split(comm, color, key, made) : code);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
        struct polite wait = polite_begin();
        int code = polite_gather_ranks(comm);
        return polite_done(
            &wait, code == MPI_SUCCESS ? PMPI_Comm_split_type(comm, type, key, info, made) : code);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
        struct polite wait = polite_begin();
        int code = polite_gather_ranks(comm);
        return polite_done(&wait, code == MPI_SUCCESS ? PMPI_Comm_create(comm, group, made) : code);
}
