/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_COMMANDS_H
#define LB_SIM_COMMANDS_COMMANDS_H

/*
 * The commands of lbsim. Each takes its own arguments (argv[0] is the command's name), prints
 * results to standard output and everything else to standard error, and returns the exit code: 0
 * done, 2 the command line or an input file is wrong, 1 anything else, 130 interrupted.
 */
int command_run(int argc, char **argv); /* lbsim SCENARIO.json ...: argv[1] is the scenario */
int command_merge(int argc, char **argv);
int command_graph(int argc, char **argv);
int command_solve(int argc, char **argv);
int command_schema(int argc, char **argv);
int command_metrics(int argc, char **argv);
int command_compare(int argc, char **argv);   /* also 3: --fail-if-worse held */
int command_reproduce(int argc, char **argv); /* also 3: --fail-if-differs held */
int command_gain(int argc, char **argv);
int command_replay(int argc, char **argv); /* also 1: decisions differ */
int command_show(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_journal(int argc, char **argv);

#endif
