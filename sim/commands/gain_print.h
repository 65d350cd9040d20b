/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_GAIN_PRINT_H
#define LB_SIM_COMMANDS_GAIN_PRINT_H

#include "plots/table.h"
#include "sim/sweep/sweep.h"

/* What lbsim gain prints (private to this room). */

/* The program that was measured, and its nodes. */
struct gain_program {
        int32_t napprank, appranks_per_node, nnode, cores, niteration;
        double iteration_s; /* bound: mean work of an iteration / all cores */
};

/* One row per system and degree, the least time first; for people, what to make of it as well. */
int gain_print(const struct sweep *sweep, const struct gain_program *program,
               enum table_format format, struct lb_error *err) LB_MUST_CHECK;

#endif
