/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MPI_POLITE_IMPL_H
#define LB_REAL_MPI_POLITE_IMPL_H

#include <mpi.h>
#include <stdint.h>

/*
 * Polite waits (private to this room): look, spin for a while (yielding the core), then sleep
 * between looks, a part of the time waited so far, so that what a sleep may cost stays small
 * against the wait.
 *
 *      struct polite wait = polite_begin();
 *      return polite_end(&wait, PMPI_Ibarrier(comm, &wait.request));
 */
struct polite {
        int64_t start_ns;
        MPI_Request request;
};

/* Time in MPI begins; and ends, after a wait for wait->request where `code` is MPI_SUCCESS. Returns
 * what MPI has. */
struct polite polite_begin(void);
int polite_end(struct polite *wait, int code);
int polite_end_status(struct polite *wait, int code, MPI_Status *status);

/* For calls that wait by themselves: the time counts, `code` is returned. */
int polite_done(struct polite *wait, int code);

/* Between two looks; since start_ns. */
void polite_rest(int64_t start_ns);

/* Wait for one request; not counted as time in MPI. */
int polite_wait(MPI_Request *request, MPI_Status *status);

/* All ranks of comm are there, or MPI has failed: before collective calls that burn a core. */
int polite_gather_ranks(MPI_Comm comm);

#endif
