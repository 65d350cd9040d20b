/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MPI_POLITE_IMPL_H
#define LB_REAL_MPI_POLITE_IMPL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "real/interpose/interpose.h"

/*
 * Polite waits (private to this room): look, spin for a while (yielding the core), then sleep
 * between looks, a part of the time waited so far, so that what a sleep may cost stays small
 * against the wait.
 */

/* Between two looks; since start_ns. */
void polite_rest(int64_t start_ns);

/* How long to sleep between two looks, at most so long; 0: not yet, and others had the core. */
int64_t polite_pause_ns(int64_t start_ns, int64_t most_ns);

/* Wait for one request; in a wait that began at start_ns. */
int polite_wait(MPI_Request *request, MPI_Status *status);
int polite_wait_since(int64_t start_ns, MPI_Request *request, MPI_Status *status);

/* The same, where `code` says that it was started. Returns what MPI has. */
int polite_end(int code, MPI_Request *request, MPI_Status *status);

/* Likewise, unless that is in vain (polite_set_vain()): the request is then left to MPI, which ends
 * it when the others come. The program's own call comes next (polite_set_met()). */
int polite_end_unless_vain(int code, MPI_Request *request, bool *vain);

/* A call of the program begins, and ends. */
void polite_enter(const struct interpose_call *call);
void polite_leave(const struct interpose_call *call);
bool polite_own(const struct interpose_call *call);
void polite_plain(const struct interpose_call *call);

/* ---- MPI begins and ends (life.c): the keeper is told ---- */

int life_init(int *argc, char ***argv);
int life_init_thread(int *argc, char ***argv, int required, int *provided);
int life_finalize(void);
int life_abort(MPI_Comm comm, int code);

/* ---- Messages (polite_message.c), as those of MPI ---- */

int polite_recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                MPI_Status *status);
int polite_mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
                 MPI_Status *status);
int polite_sendrecv(const void *out, int nout, MPI_Datatype tout, int to, int out_tag, void *in,
                    int nin, MPI_Datatype tin, int from, int in_tag, MPI_Comm comm,
                    MPI_Status *status);
int polite_waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int polite_waitany(int count, MPI_Request requests[], int *index, MPI_Status *status);
int polite_waitsome(int count, MPI_Request requests[], int *ndone, int indices[],
                    MPI_Status statuses[]);
int polite_probe(int from, int tag, MPI_Comm comm, MPI_Status *status);
int polite_win_wait(MPI_Win window);
int polite_mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);

/* ---- Collective calls that are not replaced (polite_collective.c) ---- */

/* All ranks of comm are there, or MPI has failed: before calls in which all wait for all. */
int polite_meet(MPI_Comm comm);

/* Likewise the neighbors that send to this rank, of a topology: before calls among neighbors. */
int polite_meet_neighbors(MPI_Comm comm);

/* MPI_Comm_idup() of comm begins. From here on, in all ranks alike, its collective calls are made
 * as the program has them, and nobody polls before. */
void polite_duplicates(MPI_Comm comm);
bool polite_is_duplicated(MPI_Comm comm);

int polite_reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
                  MPI_Comm comm);
int polite_scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int polite_exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm);

#if MPI_VERSION >= 4
int polite_reduce_c(const void *in, void *out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                    int root, MPI_Comm comm);
int polite_scan_c(const void *in, void *out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm);
int polite_exscan_c(const void *in, void *out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm);
#endif

#endif
