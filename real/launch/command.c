/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/command.h"

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
        words_add(words, "--keep");
        words_add(words, plan->program.path);
        for (char **word = options->program + 1; *word; word++)
                words_add(words, *word);
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

const char *command_find_mpirun(const struct command_type *type)
{
        static const char *const common[] = { "mpirun", "mpiexec" };
        char path[PROGRAM_PATH_SIZE];
        struct lb_error why;
        if (program_locate(type->mpirun, path, &why) == 0)
                return type->mpirun;
        for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
                if (program_locate(common[i], path, &why) == 0 && is_of(type, common[i]))
                        return common[i];
        return NULL;
}

static int add_mpirun(const struct command_type *type, struct words *words, struct lb_error *err)
{
        const char *mpirun = command_find_mpirun(type);
        if (!mpirun)
                return lb_error_fail(err,
                                     "the program needs %s, but neither '%s' nor an mpirun of %s "
                                     "is on PATH: install %s, or add its directory to PATH",
                                     mpi_title(type->mpi), type->mpirun, mpi_title(type->mpi),
                                     type->packages);
        words_add(words, mpirun);
        return 0;
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

int command_allow_root(void)
{
        for (size_t i = 0; i < 2 && geteuid() == 0; i++)
                if (setenv(root_variables[i], "1", 0) < 0)
                        return -1;
        return 0;
}

int command_build(struct plan *plan, const struct options *options, struct lb_error *err)
{
        const struct command_type *type = NULL;
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
                if (types[i]->mpi == plan->program.mpi)
                        type = types[i];
        if (check_arguments(options->program, err) < 0 || add_mpirun(type, &plan->command, err) < 0)
                return -1;
        type->build(plan, options, &plan->command);
        return plan->command.failed ? lb_error_fail(err, "out of memory") : 0;
}
