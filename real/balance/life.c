/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's beginning and end: the host's, too. */
#include "real/balance/host_impl.h"
#include "real/balance/spin.h"
#include "real/mpi/polite_impl.h"

/* All ranks are there: where these are more than CPUs they take turns. */
static void begin(void)
{
        spin_begin_met();
        host_begin();
        spin_end();
}

int life_init(int *argc, char ***argv)
{
        host_check_mpi();
        int code = PMPI_Init(argc, argv);
        if (code == MPI_SUCCESS)
                begin();
        return code;
}

int life_init_thread(int *argc, char ***argv, int required, int *provided)
{
        host_check_mpi();
        int code = PMPI_Init_thread(argc, argv, required, provided);
        if (code == MPI_SUCCESS)
                begin();
        return code;
}

int life_finalize(void)
{
        host_end();
        return PMPI_Finalize();
}

int life_abort(MPI_Comm comm, int code)
{
        host_left(code);
        return PMPI_Abort(comm, code);
}
