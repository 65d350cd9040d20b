/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_GAIN_PRINT_H
#define LB_SIM_COMMANDS_GAIN_PRINT_H

#include <stdint.h>

#include "plots/table.h"
#include "sim/commands/gain_program.h"
#include "sim/commands/gain_scenario.h"

/* What lbsim gain prints (private to this room). */

/* What to say of so few iterations, measured of a program; "" where they are enough. */
const char *gain_few(int64_t niteration);

/* One row per system and degree, the least time first; for people, what to make of it as well, and
 * `costs`, a line about the machine's constants. */
int gain_print(const struct gain_runs *runs, const struct gain_program *program, const char *costs,
               enum table_format format, struct lb_error *err) LB_MUST_CHECK;

/* How long each iteration took, in the same order, as CSV: tasks (where they are not known),
 * system, degree, iteration, time_s. The file appears whole or not at all. */
int gain_write_iterations(const struct gain_runs *runs, const struct gain_program *program,
                          const char *file, struct lb_error *err) LB_MUST_CHECK;

#endif
