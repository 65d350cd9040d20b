/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/command.h"
#include "real/launch/exports.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "real/control/job.h"
#include "real/launch/options.h"
#include "real/launch/plan.h"

static const struct command_type *const types[] = { &command_openmpi, &command_mpich };

int32_t command_ranks(const struct plan *plan, int32_t node)
{
        const int32_t *first = plan->job->shape.node_first;
        return first[node + 1] - first[node];
}

void command_add_options(const struct options *options, struct words *words)
{
        for (int32_t i = 0; i < options->mpi_option.count; i++)
                words_add(words, options->mpi_option.text[i]);
}

void command_add_program(const struct plan *plan, const struct options *options,
                         struct words *words)
{
        words_add(words, plan->keeper);
        words_add(words, plan->probes ? "--probe" : "--keep");
        words_add(words, plan->program.path);
        for (char **word = options->program + 1; *word; word++)
                words_add(words, *word);
}

bool command_asks_for_handler(const struct options *options)
{
        bool asked = getenv("OMPI_MCA_opal_signal") != NULL;
        for (int32_t i = 0; i < options->mpi_option.count; i++)
                asked |= strstr(options->mpi_option.text[i], "opal_signal") != NULL;
        return asked;
}

/* Does `mpirun --version` say that it is of this type? Its name has no odd characters. */
static bool is_of(const struct command_type *type, const char *mpirun)
{
        char command[64], text[4096];
        snprintf(command, sizeof(command), "%s --version 2>/dev/null </dev/null", mpirun);
        FILE *in = popen(command, "r");
        if (!in)
                return false;
        size_t size = fread(text, 1, sizeof(text) - 1, in);
        text[size] = '\0';
        pclose(in);
        return strstr(text, type->version) != NULL;
}

static const char *find(const struct command_type *type, const char *own, const char *const *common)
{
        char path[PROGRAM_PATH_SIZE];
        struct lb_error why;
        if (program_locate(own, path, &why) == 0)
                return own;
        for (; *common; common++)
                if (program_locate(*common, path, &why) == 0 && is_of(type, *common))
                        return *common;
        return NULL;
}

const char *command_find_mpirun(const struct command_type *type)
{
        static const char *const common[] = { "mpirun", "mpiexec", NULL };
        return find(type, type->mpirun, common);
}

static const char *find_mpiexec(const struct command_type *type)
{
        static const char *const common[] = { "mpiexec", NULL };
        return find(type, type->mpiexec, common);
}

/* Within an allocation of Slurm. */
static const char *find_srun(const struct command_type *type)
{
        char path[PROGRAM_PATH_SIZE];
        struct lb_error why;
        (void)type;
        return getenv("SLURM_JOB_ID") && program_locate("srun", path, &why) == 0 ? "srun" : NULL;
}

static int no_launcher(const struct command_type *type, enum launcher launcher,
                       struct lb_error *err)
{
        const char *title = mpi_title(type->mpi);
        if (launcher == LAUNCHER_SRUN)
                return lb_error_set(err, "--launcher: srun is for an allocation of Slurm (salloc, "
                                         "sbatch) and has to be on PATH");
        if (launcher == LAUNCHER_MPIEXEC)
                return lb_error_set(err, "--launcher: neither '%s' nor an mpiexec of %s is on PATH",
                                    type->mpiexec, title);
        return lb_error_fail(err,
                             "the program needs %s, but neither '%s' nor an mpirun of %s is on "
                             "PATH: install %s, or add its directory to PATH",
                             title, type->mpirun, title, type->packages);
}

/* The launcher's name, as asked for; where nothing is, mpirun, or srun where there is no mpirun. */
static const char *choose(const struct command_type *type, enum launcher asked)
{
        typedef const char *find_launcher(const struct command_type *type);
        static find_launcher *const finders[] = {
                [LAUNCHER_AUTO] = command_find_mpirun,
                [LAUNCHER_MPIRUN] = command_find_mpirun,
                [LAUNCHER_MPIEXEC] = find_mpiexec,
                [LAUNCHER_SRUN] = find_srun,
        };
        const char *name = finders[asked](type);
        return name || asked != LAUNCHER_AUTO ? name : find_srun(type);
}

/* Both mpiruns take a ':' of its own for the beginning of another program. */
static int check_arguments(char *const *word, struct lb_error *err)
{
        for (; *word; word++)
                if (strcmp(*word, ":") == 0)
                        return lb_error_set(err, "the program's argument ':' cannot be passed on "
                                                 "by mpirun");
        return 0;
}

static const char *const root_variables[] = { "OMPI_ALLOW_RUN_AS_ROOT",
                                              "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM" };

bool command_is_root_refused(void)
{
        return geteuid() == 0 && !(getenv(root_variables[0]) && getenv(root_variables[1]));
}

/* Where lbrun itself is a rank of some job, another MPI's variables say which: ranks of ours would
 * be taken for that one. Each launcher sets its own anew. */
static void forget_rank(void)
{
        static const char *const names[] = { "OMPI_COMM_WORLD_RANK",
                                             "OMPI_COMM_WORLD_SIZE",
                                             "PMIX_RANK",
                                             "PMI_RANK",
                                             "PMI_SIZE",
                                             "PMI_FD" };
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                unsetenv(names[i]);
}

int command_ready(void)
{
        forget_rank();
        for (size_t i = 0; i < 2 && geteuid() == 0; i++)
                if (setenv(root_variables[i], "1", 0) < 0)
                        return -1;
        return 0;
}

/* Where lbrun itself is a step of Slurm, that has the processors, and the step that mpirun starts
 * by srun would wait for its end, which waits for it. --overlap of either is enough. */
int command_ready_slurm(void)
{
        if (getenv("SLURM_JOB_ID") && setenv("SLURM_OVERLAP", "1", 0) < 0)
                return -1;
        return exports_all();
}

int command_ready_virtual(void)
{
        return setenv("OMP_WAIT_POLICY", "passive", 0);
}

bool command_is_srun(const struct plan *plan)
{
        return plan->command.count > 0 && strcmp(plan->command.word[0], "srun") == 0;
}

int command_build(struct plan *plan, const struct options *options, struct lb_error *err)
{
        const struct command_type *type = NULL;
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
                if (types[i]->mpi == plan->program.mpi)
                        type = types[i];
        const char *launcher = choose(type, options->launcher);
        if (!launcher)
                return no_launcher(type, options->launcher, err);
        words_add(&plan->command, launcher);
        bool slurm = command_is_srun(plan);
        if (slurm && plan->nodes.virtual_nodes)
                return lb_error_set(err, "--launcher: srun starts ranks on the nodes of an "
                                         "allocation, and virtual nodes are on this machine");
        if (!slurm && check_arguments(options->program, err) < 0)
                return -1;
        (slurm ? command_build_srun : type->build)(plan, options, &plan->command);
        return plan->command.failed ? lb_error_fail(err, "out of memory") : 0;
}
