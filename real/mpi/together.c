/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/mpi/together.h"

#include <stdint.h>

#include "real/node/machine.h"

/* A colour has 31 bits: split by half of the identity, then by the other. */
int machines_split(MPI_Comm all, MPI_Comm *together)
{
        enum { COLOUR = 0x7fffffff };
        uint64_t identity = machine_identity();
        MPI_Comm half;
        int code = PMPI_Comm_split(all, (int)(identity & COLOUR), 0, &half);
        if (code != MPI_SUCCESS)
                return code;
        code = PMPI_Comm_split(half, (int)(identity >> 32 & COLOUR), 0, together);
        PMPI_Comm_free(&half);
        return code;
}
