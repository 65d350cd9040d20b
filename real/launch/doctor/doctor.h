/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_DOCTOR_DOCTOR_H
#define LB_REAL_LAUNCH_DOCTOR_DOCTOR_H

#include "base/option.h"

/*
 * lbrun doctor [PROGRAM] [--format table|json]: what is there for live runs, what lbrun would use,
 * and what to change. Both MPIs are really started, with two ranks that ask for the thread level
 * that the runtime needs; nothing of PROGRAM is run.
 *
 * The exit code: 0 where a live run (of PROGRAM, if given) will work, 1 where not, 2 for a wrong
 * command line.
 */
extern const struct lb_command doctor_command;

/*
 * lbrun --probe PROGRAM LIBRARY...: one rank of a start of MPI, with the first of these libraries
 * that can be loaded; PROGRAM is what is to be the same on all nodes, or "-". Prints lines: what
 * the node lets it do (sample.h); "<thread level> <ranks> <version>"; rank 0 "talked HOST <clock's
 * offset in s>" for each that answered; "done HOST" behind MPI_Finalize(). Returns the exit code.
 */
int doctor_probe_main(char *const *word);

#endif
