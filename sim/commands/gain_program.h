/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_GAIN_PROGRAM_H
#define LB_SIM_COMMANDS_GAIN_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* What lbsim gain knows of a program from a file of loads, or of tasks (private to this room). */

/* Into what an apprank's work of an iteration is divided: nothing but a task can go elsewhere. */
enum gain_division {
        GAIN_UNKNOWN = 0, /* a range of numbers is simulated, and no verdict given */
        GAIN_MEASURED,    /* as many tasks as were counted */
        GAIN_SERIAL,      /* not at all */
        GAIN_THREADS,     /* a part for each thread of the rank */
        GAIN_TASKS,       /* as many tasks as the user says */
};

enum { GAIN_LEFT_OUT_SIZE = 320 };

/* The program that was measured, and its nodes. */
struct gain_program {
        const char *file;
        int32_t napprank, appranks_per_node, nnode, cores, niteration;
        double iteration_s;         /* bound: mean work of an iteration / all cores, or, of tasks,
                                       the longest chain where that lasts longer */
        double imbalance_iteration; /* mean over the iterations of max / mean */
        double imbalance_total;     /* max / mean of the appranks' work of all iterations */
        double tasks;               /* mean of an apprank and iteration, where measured */
        enum gain_division division;
        int32_t parts;                     /* GAIN_THREADS, GAIN_TASKS: how many */
        bool ordered;                      /* the file has tasks, which wait for each other */
        char left_out[GAIN_LEFT_OUT_SIZE]; /* which systems are, and why; "" for none */
};

/* The rest of a program of which file, cores, appranks_per_node, division and parts are known. */
int gain_program_read(struct gain_program *program, struct lb_error *err) LB_MUST_CHECK;

#endif
