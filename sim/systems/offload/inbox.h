/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_OFFLOAD_INBOX_H
#define LB_SIM_SYSTEMS_OFFLOAD_INBOX_H

#include "sim/systems/offload/machine.h"

/* The inbox of a worker: messages on their way, seen in the order they were sent, at its looks. */

/* See struct message: each on its own, since all in one would go through the stack. */
void inbox_send(struct machine *m, struct worker *w, int64_t arrival_ns, int64_t task,
                int64_t executed_ns);

/* The worker's event slot is set as its inbox has it. */
void inbox_watch(struct machine *m, const struct worker *w);

#endif
