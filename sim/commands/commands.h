/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_COMMANDS_H
#define LB_SIM_COMMANDS_COMMANDS_H

#include "base/option.h"
#include "plots/table.h"

/*
 * The commands of lbsim (base/option.h). Each prints results to standard output and everything else
 * to standard error, and returns the exit code: 0 done, 2 the command line or an input file is
 * wrong, 1 anything else, 130 interrupted. compare and reproduce also 3: their --fail-if held.
 */
extern const struct lb_program lbsim_program;
extern const struct lb_command command_run; /* lbsim SCENARIO.json ... */
extern const struct lb_command command_merge, command_graph, command_solve, command_schema,
    command_metrics, command_compare, command_reproduce, command_gain, command_replay, command_show,
    command_trace, command_journal, command_calibrate, command_init, command_explain,
    command_contest;

/* Options that several commands have. */
#define OPTION_TABLE_FORMAT(structure)                                                             \
        {                                                                                          \
                "format", LB_OPTION_CHOICE, .help = "what is printed",                             \
                                            LB_OPTION_TO(structure, format), .min = TABLE_TEXT,    \
                                            .choices = table_format_names, .fallback = "table"     \
        }
#define OPTION_SET(structure)                                                                      \
        {                                                                                          \
                "set", LB_OPTION_LIST, "PATH=VALUE",                                               \
                    "change the scenario (lbsim params), as graph.degree=4; may be repeated",      \
                    LB_OPTION_TO(structure, set)                                                   \
        }
#define OPTION_SEED(structure)                                                                     \
        {                                                                                          \
                "seed", LB_OPTION_TEXT, "S", "the scenario's seed", LB_OPTION_TO(structure, seed)  \
        }
#define OPTION_JOBS(structure, member)                                                             \
        {                                                                                          \
                "jobs", LB_OPTION_WHOLE,                                                           \
                    .help = "threads; default one per core, and one under mpirun or srun. Where "  \
                            "runs are fewer, large ones are divided (runtime.looks=together). "    \
                            "Results do not depend on it",                                         \
                    LB_OPTION_TO(structure, member), .min = 1, .max = COMMAND_JOBS_MAX             \
        }
#define OPTION_HUNG(structure)                                                                     \
        {                                                                                          \
                "hung-s", LB_OPTION_NUMBER, "S",                                                   \
                    "end where a call of a policy lasts S seconds; without, it is named after 10 " \
                    "s and waited for",                                                            \
                    LB_OPTION_TO(structure, hung_s), .min = 0.1, .max = 1e6                        \
        }
#define OPTION_HTML(structure, checked)                                                            \
        {                                                                                          \
                "html", LB_OPTION_FILE, "PAGE",                                                    \
                    "write one HTML page to send: the verdict, figures, tables that sort, every "  \
                    "parameter, how to repeat it",                                                 \
                    LB_OPTION_TO(structure, html), .read = checked, .written = true                \
        }
#define OPTION_FIGURE_SIZE(structure)                                                              \
        {                                                                                          \
                "figure-size", LB_OPTION_CHOICE,                                                   \
                    .help = "width of figures: two columns of a page (18 cm), or one (9 cm)",      \
                    LB_OPTION_TO(structure, figure_size), .choices = figure_sizes,                 \
                    .fallback = "two"                                                              \
        }
enum { COMMAND_JOBS_MAX = 1024 };

/* The cores of this machine, as threads to start: 1 to COMMAND_JOBS_MAX. */
int32_t command_cores(void);

#endif
