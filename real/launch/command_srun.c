/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "real/control/job.h"
#include "real/launch/command.h"
#include "real/launch/options.h"
#include "real/launch/plan.h"
#include "real/launch/words.h"

/*
 * Slurm's srun (checked with 22.05), within an allocation: ranks are numbered node by node. Where
 * nodes have alike many that is "-m block"; else it is what "-m arbitrary" makes of a list with
 * each node as often as it has ranks (MPICH then takes each rank for alone on its node, and sends
 * by the network). All share the step's processors (--overcommit) and the allocation with other
 * steps (--overlap), such as an interactive shell.
 */
static void add_list(const struct plan *plan, bool each, struct words *words)
{
        struct words list = { 0 };
        for (int32_t n = 0; n < plan->nodes.nnode; n++)
                for (int32_t k = 0; k < (each ? command_ranks(plan, n) : 1); k++)
                        words_add(&list, plan->nodes.name[n]);
        words_add_joined(words, &list);
        words_finish(&list);
}

static bool is_even(const struct plan *plan)
{
        for (int32_t n = 1; n < plan->nodes.nnode; n++)
                if (command_ranks(plan, n) != command_ranks(plan, 0))
                        return false;
        return true;
}

static void add_nodes(const struct plan *plan, struct words *words)
{
        bool even = is_even(plan);
        words_add(words, "-N");
        words_add_format(words, "%" PRId32, plan->nodes.nnode);
        words_add(words, "-n");
        words_add_format(words, "%" PRId32, plan->job->nworker);
        words_add(words, "-m");
        words_add(words, even ? "block" : "arbitrary");
        if (even)
                words_add_format(words, "--ntasks-per-node=%" PRId32, command_ranks(plan, 0));
        words_add(words, "-w");
        add_list(plan, !even, words);
}

/* What Open MPI's mpirun is told by its own options. */
static void add_environment(const struct plan *plan, const struct options *options,
                            struct words *words)
{
        if (plan->program.mpi != MPI_OPENMPI)
                return;
        const char *crashes = command_asks_for_handler(options) ? "" : ",OMPI_MCA_opal_signal=";
        words_add_format(words, "--export=ALL,OMPI_MCA_mpi_yield_when_idle=1%s", crashes);
}

void command_build_srun(const struct plan *plan, const struct options *options, struct words *words)
{
        static const char *const common[] = { "--overlap", "--overcommit", "--cpu-bind=none",
                                              "--kill-on-bad-exit=1" };
        words_add(words, plan->program.mpi == MPI_OPENMPI ? "--mpi=pmix" : "--mpi=pmi2");
        for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
                words_add(words, common[i]);
        add_environment(plan, options, words);
        command_add_options(options, words);
        add_nodes(plan, words);
        command_add_program(plan, options, words);
}
