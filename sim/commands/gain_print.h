/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_GAIN_PRINT_H
#define LB_SIM_COMMANDS_GAIN_PRINT_H

#include <stdint.h>

#include "plots/table.h"
#include "sim/sweep/sweep.h"

/* What lbsim gain prints (private to this room). */

/* Into what an apprank's work of an iteration is divided: nothing but a task can go elsewhere. */
enum gain_division {
        GAIN_UNKNOWN = 0, /* a range of numbers is simulated, and no verdict given */
        GAIN_MEASURED,    /* as many tasks as were counted */
        GAIN_SERIAL,      /* not at all */
        GAIN_THREADS,     /* a part for each thread of the rank */
        GAIN_TASKS,       /* as many tasks as the user says */
};

/* The program that was measured, and its nodes. */
struct gain_program {
        const char *file;
        int32_t napprank, appranks_per_node, nnode, cores, niteration;
        double iteration_s;         /* bound: mean work of an iteration / all cores */
        double imbalance_iteration; /* mean over the iterations of max / mean */
        double imbalance_total;     /* max / mean of the appranks' work of all iterations */
        double tasks;               /* mean of an apprank and iteration, where measured */
        enum gain_division division;
        int32_t parts; /* GAIN_THREADS, GAIN_TASKS: how many */
};

/* What to say of so few iterations, measured of a program; "" where they are enough. */
const char *gain_few(int64_t niteration);

/* One row per system and degree, the least time first; for people, what to make of it as well. */
int gain_print(const struct sweep *sweep, const struct gain_program *program,
               enum table_format format, struct lb_error *err) LB_MUST_CHECK;

/* How long each iteration took, in the same order, as CSV: tasks (where they are not known),
 * system, degree, iteration, time_s. The file appears whole or not at all. */
int gain_write_iterations(const struct sweep *sweep, const struct gain_program *program,
                          const char *file, struct lb_error *err) LB_MUST_CHECK;

#endif
