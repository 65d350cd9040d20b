/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "real/control/job.h"
#include "real/launch/command.h"
#include "real/launch/options.h"
#include "real/launch/plan.h"
#include "real/launch/words.h"

/*
 * Open MPI (checked with 4.1): one application context per node, "--host NODE:k -np k PROGRAM",
 * with ':' between them; ranks are numbered in their order. Slots are no limit (--oversubscribe):
 * how many ranks fit a node is lbrun's business. Waits yield, since ranks outnumber processors.
 */
static void add_context(const struct plan *plan, const struct options *options, const char *host,
                        int32_t nrank, struct words *words)
{
        char name[JOB_PART_NAME_SIZE];
        for (int32_t i = 0; i < job_text_parts(plan->job_text); i++) {
                words_add(words, "-x");
                words_add(words, job_part_name(i, name));
        }
        if (getenv("LBRUN_DLB_LIB")) {
                words_add(words, "-x");
                words_add(words, "LBRUN_DLB_LIB");
        }
        words_add(words, "--host");
        words_add_format(words, "%s:%" PRId32, host, nrank);
        words_add(words, "-np");
        words_add_format(words, "%" PRId32, nrank);
        command_add_program(plan, options, words);
}

/*
 * Open MPI prints its own account of a crash, in the signal's handler and in its launcher too,
 * where it may wait for a lock for ever: the process has to die instead. Which rank did and of what
 * is lbrun's to say. A user who asks for the handler has it.
 */
static void leave_crashes_alone(const struct options *options, struct words *words)
{
        if (command_asks_for_handler(options))
                return;
        words_add(words, "--mca");
        words_add(words, "opal_signal");
        words_add(words, "");
}

static void build(const struct plan *plan, const struct options *options, struct words *words)
{
        static const char *const common[] = { "--oversubscribe",
                                              "--bind-to",
                                              "none",
                                              "--mca",
                                              "mpi_yield_when_idle",
                                              "1",
                                              "--mca",
                                              "orte_forward_job_control",
                                              "1" };
        for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
                words_add(words, common[i]);
        leave_crashes_alone(options, words);
        command_add_options(options, words);
        if (plan->nodes.virtual_nodes)
                add_context(plan, options, "localhost", plan->job->nworker, words);
        for (int32_t n = 0; !plan->nodes.virtual_nodes && n < plan->nodes.nnode; n++) {
                if (n > 0)
                        words_add(words, ":");
                add_context(plan, options, plan->nodes.name[n], command_ranks(plan, n), words);
        }
}

const struct command_type command_openmpi = {
        .mpi = MPI_OPENMPI,
        .mpirun = "mpirun.openmpi",
        .mpiexec = "mpiexec.openmpi",
        .version = "Open",
        .packages = "Open MPI (Debian: openmpi-bin)",
        .build = build,
};
