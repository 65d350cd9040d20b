/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "sim/commands/commands.h"
#include "sim/output/results.h"
#include "sim/scenario/scenario.h"

/* lbsim schema: the JSON Schemas of scenarios and results, for editors and other programs.
 * lbsim metrics: what the columns of results are. */

static const char *const schemas[] = { "scenario", "results", NULL };

static int print_schema(const struct lb_call *call, void *options, struct lb_error *err)
{
        (void)options;
        bool results = call->nword > 0 && strcmp(call->word[0], "results") == 0;
        if ((results ? results_print_schema(stdout) : scenario_print_schema(stdout)) == 0)
                return 0;
        return lb_error_fail(err, "it cannot be written");
}

const struct lb_command command_schema = {
        .program = &lbsim_program,
        .name = "schema",
        .summary = "the JSON Schema of scenarios, or of results",
        .usage = "[scenario|results]",
        .about = "Print the JSON Schema (draft-07) of scenarios, or of results.json.",
        .choices = schemas,
        .word_max = 1,
        .run = print_schema,
};

static int print_metrics(const struct lb_call *call, void *options, struct lb_error *err)
{
        (void)call;
        (void)options;
        (void)err;
        results_print_metrics(stdout);
        return 0;
}

const struct lb_command command_metrics = {
        .program = &lbsim_program,
        .name = "metrics",
        .summary = "what is measured of a run, and for which systems",
        .usage = "",
        .about = "Print what is measured of a run, as a Markdown table: the columns of results.csv "
                 "and the figures of lbrun's report, how each is defined, where the definition is "
                 "from, and for which systems it has a meaning. Where it has none it is empty, "
                 "never 0.",
        .run = print_metrics,
};
