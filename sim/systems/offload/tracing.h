/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_OFFLOAD_TRACING_H
#define LB_SIM_SYSTEMS_OFFLOAD_TRACING_H

#include <stdint.h>

#include "base/error.h"

struct machine;
struct tracing;
struct sim_trace;

/*
 * From the simulated machine to a trace (plots/trace.h), whose workers are numbered as the edges of
 * machine.columns. Private to this room.
 */
struct tracing *tracing_create(const struct machine *m, const struct sim_trace *spec,
                               struct lb_error *err);

/* The state, owner or user of a core (its slot) may have changed. */
void tracing_core(const struct machine *m, int32_t core);

/* A node has been polled: the figures of its workers. */
void tracing_node(const struct machine *m, int32_t node);

/* A helper is about to go: it owns, borrows and uses nothing from now on. */
void tracing_gone(const struct machine *m, int32_t worker);

/* Put the trace in place and free it. */
int tracing_close(const struct machine *m, struct lb_error *err) LB_MUST_CHECK;
void tracing_abandon(struct tracing *tracing); /* takes NULL */

#endif
