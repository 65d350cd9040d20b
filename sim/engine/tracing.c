/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/tracing.h"

#include <stdlib.h>

#include "plots/trace.h"

struct tracing {
        struct trace *trace;
        struct observer *observer;
};

static int open_trace(struct tracing *t, const struct sim_spec *spec,
                      const struct tracing_shape *shape, struct lb_error *err)
{
        t->trace = trace_create(
            &(struct trace_spec){
                .file = spec->trace->file,
                .nnode = shape->nnode,
                .cores_per_node = spec->cores_per_node,
                .napprank = workload_napprank(spec->workload),
                .nworker = shape->nworker,
                .worker_node = shape->worker_node,
                .worker_apprank = shape->worker_apprank,
                .from_ns = spec->trace->from_ns,
                .until_ns = spec->trace->until_ns,
                .core_step = spec->trace->core_step,
            },
            err);
        if (!t->trace)
                return -1;
        struct observer_sink sink = trace_sink(t->trace);
        t->observer = observer_create(&sink, shape->nnode, spec->cores_per_node, shape->nworker,
                                      shape->worker_node, err);
        if (!t->observer)
                return -1;
        if (shape->derives)
                observer_derives(t->observer);
        observe_iteration(t->observer, 0, 0, 0);
        return 0;
}

struct tracing *tracing_open(const struct sim_spec *spec, const struct tracing_shape *shape,
                             struct lb_error *err)
{
        if (!spec->trace)
                return NULL;
        struct tracing *t = calloc(1, sizeof(*t));
        if (!t)
                lb_error_fail(err, "out of memory for the trace");
        if (t && open_trace(t, spec, shape, err) == 0)
                return t;
        tracing_abandon(t);
        return NULL;
}

struct observer *tracing_observer(const struct tracing *tracing)
{
        return tracing ? tracing->observer : NULL;
}

int tracing_close(struct tracing **tracing, int64_t end_ns, struct sim_result *result,
                  struct lb_error *err)
{
        if (!*tracing)
                return 0;
        struct trace *trace = (*tracing)->trace;
        (*tracing)->trace = NULL;
        tracing_abandon(*tracing);
        *tracing = NULL;
        if (trace_close(trace, end_ns, err) == 0)
                return 0;
        sim_result_finish(result);
        return -1;
}

void tracing_abandon(struct tracing *tracing)
{
        if (!tracing)
                return;
        trace_abandon(tracing->trace);
        observer_destroy(tracing->observer);
        free(tracing);
}
