/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/commands.h"
#include "sim/sweep/journal_print.h"

/* lbsim journal: what a directory of results keeps of its runs, for people and other programs. */

static int run(const struct lb_call *call, void *options, struct lb_error *err)
{
        (void)options;
        return journal_print(call->word[0], stdout, err);
}

const struct lb_command command_journal = {
        .program = &lbsim_program,
        .name = "journal",
        .summary = "the finished runs that a folder keeps, as lines of JSON",
        .usage = "DIR",
        .about = "Print DIR/runs.journal as lines of JSON: what it is of, which builds of lbsim "
                 "wrote it with which libraries, and a line for each finished run, with its "
                 "metrics in the order that the first line names. Ends with 2 where the file is "
                 "damaged, and says where.",
        .word = LB_OPTION_FOLDER,
        .word_min = 1,
        .word_max = 1,
        .needed = "one folder of results is needed",
        .run = run,
};
