/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_WATCH_H
#define LB_REAL_LAUNCH_WATCH_H

#include "base/error.h"

struct exchange;
struct legacy;
struct plan;

/*
 * Start the plan's command and stay with it to its end.
 *
 *      lbrun ---- mpirun ---- keeper ---- program        one keeper (real/launch/keeper.h) a rank
 *        ^                      |
 *        +-------- news --------+
 *
 * - SIGINT, SIGTERM and SIGHUP go to the ranks of this machine, which write what there is and end;
 *   seconds later, or where there are none, to mpirun, which runs in a process group of its own, as
 *   does SIGQUIT. What is not gone seconds after that, or at a second signal, is killed.
 * - The first rank to fail is named (real/launch/blame.h). mpirun then ends the others; where it
 *   has not within seconds, they are killed.
 * - A start that does not come on (real/launch/roster.h) is given up, with exit code 125. A
 *   rank that is hung, or long in a task, is named. An MPI_Finalize() that does not return is left
 *   by the ranks themselves (real/mpi/life.c); from then on only the program's exit codes count.
 * - When mpirun has ended, whatever is left of its processes is killed: there are no orphans. Where
 *   lbrun itself is killed, mpirun gets SIGTERM, and the janitor sees to the rest.
 * - SIGTSTP (Ctrl-Z) stops all of the job, and SIGCONT lets it go on.
 * - What the job prints, messages too, goes through lbrun (real/launch/outlet.h).
 * - Nothing is polled, but for the start, once a second.
 *
 * `exchange`: with the job's other nodes, NULL where all is on this machine; it is closed. A node
 * that is lost is named, and ends the job. `legacy` has what ranks of this machine leave, and why
 * the job was ended, where it was.
 *
 * Returns the exit code: that of the first rank to fail, else mpirun's; 128 + N where signal N
 * ended that rank or lbrun; 125 where its output could not be written; -1 where nothing could be
 * started.
 */
int watch_run(const struct plan *plan, struct exchange *exchange, struct legacy *legacy,
              struct lb_error *err) LB_MUST_CHECK;

#endif
