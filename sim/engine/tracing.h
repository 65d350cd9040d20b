/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_ENGINE_TRACING_H
#define LB_SIM_ENGINE_TRACING_H

#include "plots/trace.h"
#include "sim/engine/sim.h"

/*
 * From a simulated run to a trace (plots/trace.h): the file that the spec asks for, whose observer
 * hosts tell what happens. The same for all hosts.
 */
struct tracing_shape {
        int32_t nnode, nworker;
        const int32_t *worker_node, *worker_apprank; /* [nworker], apprank by apprank, home first */
        bool derives; /* figures follow from states: observer_derives() */
};

/* NULL with err->kind LB_ERROR_NONE: no trace is asked for. */
struct trace *tracing_open(const struct sim_spec *spec, const struct tracing_shape *shape,
                           struct lb_error *err);

/* The run is over: put the trace in place and free it, if there is one. Where that fails the result
 * is empty. */
int tracing_close(struct trace **trace, int64_t end_ns, struct sim_result *result,
                  struct lb_error *err) LB_MUST_CHECK;

#endif
