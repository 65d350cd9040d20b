/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_RUNTIME_START_H
#define LB_REAL_RUNTIME_START_H

#include "real/runtime/process.h"

/* Start everything; ends the job with a message where it cannot. Collective over the job. */
void process_start(struct process *p, int *argc, char ***argv);

/* End everything, and MPI if it is ours. Collective over the job. */
void process_stop(struct process *p);

/* Helpers: serve until the job ends, then end the process. */
_Noreturn void process_serve(struct process *p);

#endif
