/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/launched.h"

#include <stdbool.h>
#include <stdlib.h>

/* Not SLURM_NTASKS: a batch script has that as well, and is not one of the tasks. */
static const struct {
        const char *size, *rank;
} launchers[] = {
        { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" }, /* Open MPI's mpirun */
        { "PMI_SIZE", "PMI_RANK" },                         /* MPICH's, Intel's, Cray's mpiexec */
        { "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK" },   /* MVAPICH's mpirun_rsh */
        { "SLURM_STEP_NUM_TASKS", "SLURM_PROCID" },         /* srun, with or without an MPI */
};

static bool read_number(const char *text, int32_t *number)
{
        char *end;
        long value = strtol(text, &end, 10);
        *number = (int32_t)value;
        return end != text && *end == '\0' && value >= 0 && value <= 100000000;
}

int ranks_find(struct ranks *ranks, struct lb_error *err)
{
        *ranks = (struct ranks){ .rank = 0, .size = 1 };
        for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
                const char *size = getenv(launchers[i].size), *rank = getenv(launchers[i].rank);
                if (!size || !rank)
                        continue;
                if (read_number(size, &ranks->size) && read_number(rank, &ranks->rank) &&
                    ranks->rank < ranks->size)
                        return 0;
                return lb_error_set(err,
                                    "environment variables %s=%.20s and %s=%.20s, must be a rank "
                                    "and how many there are; --alone ignores them",
                                    launchers[i].rank, rank, launchers[i].size, size);
        }
        return 0;
}
