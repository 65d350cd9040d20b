/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "real/control/job.h"
#include "real/launch/command.h"
#include "real/launch/plan.h"
#include "real/launch/words.h"

/*
 * MPICH's hydra (checked with 4.0): "-hosts n0:3,n1:3" is filled in order. The environment is
 * passed on whole. On this machine alone no remote shell is needed, nor Slurm's.
 */
static void add_hosts(const struct plan *plan, struct words *words)
{
        struct words hosts = { 0 };
        for (int32_t n = 0; n < plan->nodes.nnode; n++)
                words_add_format(&hosts, "%s:%" PRId32, plan->nodes.name[n],
                                 command_ranks(plan, n));
        words_add_joined(words, &hosts);
        words_finish(&hosts);
}

static void build(const struct plan *plan, const struct options *options, struct words *words)
{
        command_add_options(options, words);
        if (plan->nodes.virtual_nodes) {
                words_add(words, "-launcher");
                words_add(words, "fork");
        }
        words_add(words, "-hosts");
        if (plan->nodes.virtual_nodes)
                words_add(words, "localhost");
        else
                add_hosts(plan, words);
        words_add(words, "-n");
        words_add_format(words, "%" PRId32, plan->job->nworker);
        command_add_program(plan, options, words);
}

const struct command_type command_mpich = {
        .mpi = MPI_MPICH,
        .mpirun = "mpirun.mpich",
        .mpiexec = "mpiexec.mpich",
        .version = "HYDRA",
        .packages = "MPICH (Debian: mpich)",
        .build = build,
};
