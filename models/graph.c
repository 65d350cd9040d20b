/* SPDX-License-Identifier: BSD-3-Clause */
/* Explicit tasks of a file, which begin anew where there are more iterations; see
 * models/taskgraph.h. */
#include "models/taskgraph.h"
#include "models/workload_impl.h"

static int graph_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        int32_t n = workload_spec_napprank(spec);
        if (!spec->graph)
                return lb_error_set(err, "model \"graph\": found no file, allowed is one of tasks");
        if (taskgraph_napprank(spec->graph) > n)
                return lb_error_set(err,
                                    "model \"graph\": found tasks of apprank %d, allowed is at "
                                    "most %d: there are %d appranks",
                                    taskgraph_napprank(spec->graph) - 1, n - 1, n);
        return plan_graph(plan, n, spec->graph, err);
}

static double graph_tasks_of_node(const struct workload_spec *spec)
{
        if (!spec->graph)
                return 0;
        return taskgraph_ntask(spec->graph) / taskgraph_niteration(spec->graph) / spec->nnode;
}

const struct workload_model workload_graph = {
        .reads_file = true,
        .fill = graph_fill,
        .tasks_of_node = graph_tasks_of_node,
};
