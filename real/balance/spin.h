/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_SPIN_H
#define LB_REAL_BALANCE_SPIN_H

/*
 * Waits that are MPI's own, made polite. Nothing can wait in place of MPI_Win_lock or
 * MPI_File_open, nor of MPI_Bcast where only some ranks would: MPI looks for what comes again and
 * again, and keeps a CPU that others need. So it rests between its looks, as polite waits do
 * (real/mpi/polite.c):
 *
 *      MPI_Win_lock ---> MPI ---> its function that looks once, entered by its name
 *                                 (opal_progress(), UCX's ucp_worker_progress()) ---> rest
 *
 * - The program's call is made as it is, and no message is another than without.
 * - Both functions have a name that a preloaded library may have before MPI: exported here, beside
 *   those of MPI. An MPICH that was not built on UCX spins as before.
 * - A transfer that MPI does in pieces, some each time that it looks, rests too, at most as long as
 *   polite waits of the same age.
 */

/* In this thread a call begins in which MPI itself waits, and ends. */
void spin_begin(void);
/* All are there already, so it is short, as long as those for whom it waits have a CPU: ranks that
 * share one take turns. */
void spin_begin_met(void);
void spin_end(void);

#endif
