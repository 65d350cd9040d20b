/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "sim/commands/commands.h"
#include "sim/output/results.h"
#include "sim/scenario/scenario.h"

/* lbsim schema: the JSON Schemas of scenarios and results, for editors and other programs.
 * lbsim metrics: what the columns of results are. */

static int refuse(const char *command, const char *argument, const char *allowed)
{
        fprintf(stderr, "lbsim %s: unexpected argument '%s', allowed is %s\n", command, argument,
                allowed);
        return 2;
}

int command_schema(int argc, char **argv)
{
        bool results = argc == 2 && strcmp(argv[1], "results") == 0;
        bool scenario = argc == 1 || (argc == 2 && strcmp(argv[1], "scenario") == 0);
        if (argc == 2 && strcmp(argv[1], "--help") == 0) {
                puts("Usage: lbsim schema [scenario|results]\n"
                     "\n"
                     "Print the JSON Schema (draft-07) of scenarios, or of results.json.");
                return 0;
        }
        if (!results && !scenario)
                return refuse("schema", argv[argc > 2 ? 2 : 1], "scenario, results or --help");
        if ((results ? results_print_schema(stdout) : scenario_print_schema(stdout)) == 0)
                return 0;
        fprintf(stderr, "lbsim schema: it cannot be written\n");
        return 1;
}

int command_metrics(int argc, char **argv)
{
        if (argc == 2 && strcmp(argv[1], "--help") == 0) {
                puts("Usage: lbsim metrics\n"
                     "\n"
                     "Print what is measured of a run, as a Markdown table: the columns of\n"
                     "results.csv and the figures of lbrun's report, how each is defined, where\n"
                     "the definition is from, and for which systems it has a meaning. Where it\n"
                     "has none it is empty, never 0.");
                return 0;
        }
        if (argc > 1)
                return refuse("metrics", argv[1], "--help");
        results_print_metrics(stdout);
        return 0;
}
