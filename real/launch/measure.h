/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_MEASURE_H
#define LB_REAL_LAUNCH_MEASURE_H

#include "base/option.h"

/*
 * lbrun measure [--out DIR] [--mpi openmpi|mpich] -- LAUNCHER ... PROGRAM: run a program that
 * nobody recompiled under its own launcher, with a library preloaded into its ranks, and say what
 * each rank did (real/measure). The launch line is handed on as it is, but for what makes the
 * launcher preload.
 *
 * The exit code: the launcher's; 2 for a wrong command line; 125 where the program ended well and
 * there is no measurement of it, with a message.
 */
extern const struct lb_command measure_command;

/* lbrun advise: the same, then what follows from it (advise.h). */
extern const struct lb_command advise_command;

#endif
