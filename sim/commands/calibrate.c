/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/self.h"
#include "sim/commands/commands.h"

/* lbsim has no MPI: lbrun, which is beside it, measures. */

struct calibrate_options {
        const char *out, *mpi;
};

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        const struct calibrate_options *options = given;
        char path[LB_SELF_SIZE];
        const char **word = calloc((size_t)call->nword + 8, sizeof(*word));
        int32_t n = 0;
        if (!word)
                return lb_error_fail(err, "out of memory");
        word[n++] = "lbrun";
        word[n++] = "calibrate";
        if (options->out) {
                word[n++] = "--out";
                word[n++] = options->out;
        }
        if (options->mpi) {
                word[n++] = "--mpi";
                word[n++] = options->mpi;
        }
        word[n++] = "--";
        for (int32_t i = 0; i < call->nword; i++)
                word[n++] = call->word[i];
        execvp(lb_self_sister("lbrun", path), (char *const *)(const void *)word);
        free(word);
        return lb_error_fail(err, "'lbrun', which measures, cannot be run: %s", strerror(errno));
}

static const struct lb_option options_table[] = {
        { "out", LB_OPTION_FILE, "FILE",
          "the machine; default LBSIM_MACHINE, else ~/.config/lbsim/machine.json, which lbsim gain "
          "uses",
          LB_OPTION_TO(struct calibrate_options, out), .read = lb_option_written },
        { "mpi", LB_OPTION_TEXT, "MPI",
          "openmpi or mpich, where the launcher's name does not tell (srun)",
          LB_OPTION_TO(struct calibrate_options, mpi) },
        { .name = NULL },
};

const struct lb_command command_calibrate = {
        .program = &lbsim_program,
        .name = "calibrate",
        .summary = "measure this machine's constants (lbrun calibrate)",
        .usage = "[OPTION]... [-- LAUNCHER ...]",
        .about =
            "Measure what tasks, messages and the network cost, with lbrun calibrate, whose "
            "help says more, and write them as a machine: scenarios name it by \"include\", and "
            "lbsim gain uses it.",
        .options = options_table,
        .size = sizeof(struct calibrate_options),
        .word_min = 0,
        .word_max = INT32_MAX,
        .in_order = true,
        .run = run,
};
