/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/tracing.h"

struct trace *tracing_open(const struct sim_spec *spec, const struct tracing_shape *shape,
                           struct lb_error *err)
{
        if (!spec->trace)
                return NULL;
        struct trace *trace = trace_create(
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
        if (!trace)
                return NULL;
        if (shape->derives)
                observer_derives(trace_observer(trace));
        observe_iteration(trace_observer(trace), 0, 0, 0);
        return trace;
}

int tracing_close(struct trace **trace, int64_t end_ns, struct sim_result *result,
                  struct lb_error *err)
{
        struct trace *ended = *trace;
        *trace = NULL;
        if (!ended || trace_close(ended, end_ns, err) == 0)
                return 0;
        sim_result_finish(result);
        return -1;
}
