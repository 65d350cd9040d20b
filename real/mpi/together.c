/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/mpi/together.h"

#include <stdlib.h>

#include "real/node/machine.h"

int machines_gather(MPI_Comm all, uint64_t *identity)
{
        uint64_t own = machine_identity();
        return PMPI_Allgather(&own, 1, MPI_UINT64_T, identity, 1, MPI_UINT64_T, all);
}

/* The colour of a machine is its first rank. */
int machines_split(MPI_Comm all, MPI_Comm *together)
{
        int rank, size, first = 0;
        PMPI_Comm_rank(all, &rank);
        PMPI_Comm_size(all, &size);
        uint64_t *identity = calloc((size_t)size, sizeof(*identity));
        if (!identity) {
                PMPI_Comm_call_errhandler(all, MPI_ERR_NO_MEM);
                return MPI_ERR_NO_MEM;
        }
        int code = machines_gather(all, identity);
        while (code == MPI_SUCCESS && identity[first] != identity[rank])
                first++;
        free(identity);
        return code == MPI_SUCCESS ? PMPI_Comm_split(all, first, 0, together) : code;
}
