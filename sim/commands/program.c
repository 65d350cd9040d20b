/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "policies/plugged.h"
#include "sim/commands/commands.h"
#include "sim/output/results.h"
#include "sim/scenario/scenario.h"

/* lbsim: its commands, and those that need no file of their own. */

int32_t command_cores(void)
{
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        return cores < 1 ? 1 : cores > COMMAND_JOBS_MAX ? COMMAND_JOBS_MAX : (int32_t)cores;
}

static int print_params(const struct lb_call *call, void *options, struct lb_error *err)
{
        (void)call;
        (void)options;
        (void)err;
        scenario_print_help(stdout);
        fputs("\nMetrics, the columns of results (lbsim metrics says more):\n", stdout);
        for (int m = 0; m < METRIC_COUNT; m++)
                printf("  %-26s %s\n", metric_table[m].name, metric_table[m].help);
        return 0;
}

static const struct lb_command command_params = {
        .program = &lbsim_program,
        .name = "params",
        .summary = "all parameters of a scenario",
        .usage = "",
        .about = "Print every parameter of a scenario, with unit, default and range, and the "
                 "metrics of results.",
        .run = print_params,
};

/* Main has loaded what stands there in full; this is for --polic. */
static int read_policy(const char *text, void *to, struct lb_error *err)
{
        (void)to;
        return plugged_load(text, err);
}

static const struct lb_option common[] = {
        { "policy", LB_OPTION_FILE, "FILE.so",
          "a policy of your own, a further system (policies/plugin.h); may be repeated, and stand "
          "before the command",
          .read = read_policy },
        { .name = NULL },
};

static const struct lb_command *const commands[] = {
        &command_run,
        &command_graph,
        &command_solve,
        &command_gain,
        &command_calibrate,
        &command_merge,
        &command_show,
        &command_compare,
        &command_trace,
        &command_replay,
        &command_reproduce,
        &command_journal,
        &command_params,
        &command_metrics,
        &command_schema,
        &command_init,
        &command_explain,
        &command_contest,
        NULL,
};

const struct lb_program lbsim_program = {
        .name = "lbsim",
        .version = LB_VERSION,
        .date = LB_DATE,
        .summary = "simulate dynamic load balancing of MPI programs",
        .common = common,
        .commands = commands,
};
