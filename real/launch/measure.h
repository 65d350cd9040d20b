/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_MEASURE_H
#define LB_REAL_LAUNCH_MEASURE_H

#include "base/option.h"
#include "real/launch/words.h"

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

/* ---- Parts, to test ---- */

/* The launch line with what preloads `library` and sets LBRUN_MEASURE=`directory` in the ranks, the
 * way of the MPI ("openmpi", "mpich"). May set variables of this process instead. */
int measure_line(struct words *line, const char *mpi, char *const *launch, const char *library,
                 const char *directory, struct lb_error *err) LB_MUST_CHECK;

/* The MPI of a launcher, by what its path leads to; NULL where it is none or says nothing (srun).
 */
const char *measure_mpi_of(const char *launcher);

#endif
