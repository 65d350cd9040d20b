/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_KEEPER_H
#define LB_REAL_LAUNCH_KEEPER_H

/*
 * The keeper of a rank: what mpirun starts in its place, "lbrun --keep PROGRAM [ARGUMENTS]". It
 * starts the program, waits, tells lbrun how it ended (real/launch/news.h), and ends likewise.
 *
 * - Only so is it known which rank died first, and by what: MPICH's mpirun kills the others as soon
 *   as a rank's connection to it closes, which may be before the kernel counts that rank as dead,
 *   and mixes their exit codes. The keeper has the connection, too, and closes it last.
 * - Where the rank itself is about to end the job, by MPI_Abort() say, lbrun is told first, and the
 *   rank waits for that: MPICH's mpirun then kills the keepers, too.
 * - Signals are passed on to the program; where the keeper is killed, so is the program.
 * - Where there is no lbrun to tell on this machine, it says itself which rank a signal ended.
 *
 * Returns the exit code: the program's, 128 + N for signal N.
 */
int keeper_main(char *const *program);

#endif
