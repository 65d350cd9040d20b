/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "sim/commands/commands.h"
#include "sim/scenario/scenario.h"

/* lbsim schema: the JSON Schema of scenarios, for editors and other programs. */

int command_schema(int argc, char **argv)
{
        if (argc == 2 && strcmp(argv[1], "--help") == 0) {
                puts("Usage: lbsim schema\n"
                     "\n"
                     "Print the JSON Schema (draft-07) of scenarios.");
                return 0;
        }
        if (argc > 1) {
                fprintf(stderr, "lbsim schema: unexpected argument '%s', allowed is --help\n",
                        argv[1]);
                return 2;
        }
        if (scenario_print_schema(stdout) == 0)
                return 0;
        fprintf(stderr, "lbsim schema: it cannot be written\n");
        return 1;
}
