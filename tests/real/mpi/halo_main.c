/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_main STEPS INNER CONVERGES OUTPUT: a run of halo.h, to record. */
#include <mpi.h>
#include <stdlib.h>

#include "halo.h"

int main(int argc, char **argv)
{
        MPI_Init(&argc, &argv);
        if (argc == 5) {
                struct halo halo = { atoi(argv[1]), atoi(argv[2]), atoi(argv[3]) != 0,
                                     atoi(argv[4]) };
                halo_run(&halo);
        }
        MPI_Finalize();
        return argc != 5;
}
