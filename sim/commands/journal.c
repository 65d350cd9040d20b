/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "sim/commands/commands.h"
#include "sim/sweep/journal_print.h"

/* lbsim journal: what a directory of results keeps of its runs, for people and other programs. */

int command_journal(int argc, char **argv)
{
        struct lb_error err;
        if (argc == 2 && strcmp(argv[1], "--help") == 0) {
                puts("Usage: lbsim journal DIR\n"
                     "\n"
                     "Print DIR/runs.journal as lines of JSON: what it is of, which builds of\n"
                     "lbsim wrote it with which libraries, and a line for each finished run, with\n"
                     "its metrics in the order that the first line names. Ends with 2 where the\n"
                     "file is damaged, and says where.");
                return 0;
        }
        if (argc != 2 || argv[1][0] == '-') {
                fprintf(stderr, "lbsim journal: one directory of results is needed, see --help\n");
                return 2;
        }
        if (journal_print(argv[1], stdout, &err) == 0)
                return 0;
        fprintf(stderr, "lbsim journal: %s\n", err.text);
        return lb_error_exit_code(&err);
}
