/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_SESSIONS_H
#define LB_REAL_MEASURE_SESSIONS_H

#include <stdbool.h>

#include "real/interpose/interpose.h"

/*
 * MPI without MPI_Init, by MPI 4's sessions. Who has ended its last one may begin another, until
 * the process ends. Where MPI has none, nothing happens here. By any thread.
 */

/* A call has ended. Has it begun the first session of this process? */
bool sessions_note(const struct interpose_call *call);

/* Has MPI been used by sessions alone, and have all ended? */
bool sessions_have_ended(void);

/* What rank and size of MPI_COMM_WORLD would be, while there is a session; 0 ranks: not known. */
int sessions_rank(void);
int sessions_size(void);

#endif
