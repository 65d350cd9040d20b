/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound of tasks that wait for each other: of each iteration its work or its longest chain. */
#include <math.h>
#include <stdlib.h>

#include "models/taskgraph.h"
#include "sim/engine/measure.h"

struct chain {
        const struct sim_spec *spec;
        const struct taskgraph *graph;
        int32_t napprank;
        double *factor; /* [napprank] the least one, in the iteration at hand */
};

/* The longest that tasks that wait for each other take at least, ns. */
static double longest_ns(const struct chain *c, int32_t iteration)
{
        double longest_ns = 0;
        for (int32_t a = 0; a < c->napprank; a++) {
                const struct taskgraph_part *tasks = taskgraph_part(c->graph, iteration, a);
                longest_ns = fmax(longest_ns, (double)tasks->path_ns * c->factor[a]);
        }
        return longest_ns;
}

/* All tasks of an iteration over the speed of all cores, ns. */
static double perfect_ns(const struct chain *c, const struct ledger *l, int32_t iteration)
{
        double work_ns = 0, capacity = 0;
        for (int32_t a = 0; a < c->napprank; a++)
                work_ns += (double)taskgraph_part(c->graph, iteration, a)->work_ns;
        for (int32_t n = 0; n < l->spec.nnode; n++)
                capacity += l->spec.node_cores[n] / measure_time_factor(c->spec, n, iteration);
        return work_ns / capacity;
}

static void set_factors(struct chain *c, measure_least *least, const void *host, int32_t iteration)
{
        for (int32_t a = 0; a < c->napprank; a++)
                c->factor[a] = least(host, a, iteration);
}

int measure_chain(struct ledger *l, const struct sim_spec *spec, measure_least *least,
                  const void *host, struct lb_error *err)
{
        const struct workload *w = spec->workload;
        struct chain c = { spec, workload_graph_of(w), workload_napprank(w), NULL };
        int32_t count = workload_niteration(w), first = ledger_first_steady(count);
        if (!c.graph)
                return 0;
        c.factor = malloc((size_t)c.napprank * sizeof(*c.factor));
        if (!c.factor)
                return lb_error_fail(err, "out of memory for %d appranks", c.napprank);
        set_factors(&c, least, host, first);
        l->chain_ns = longest_ns(&c, first);
        /* Where iterations differ, or nodes change, one may last as long as its chain and another
         * as its work. */
        double sum_ns = 0;
        bool alike = taskgraph_niteration(c.graph) == 1 && !workload_nodes_vary(w);
        for (int32_t i = first; !alike && i < count; i++) {
                if (workload_nodes_change(w, i))
                        set_factors(&c, least, host, i);
                sum_ns += fmax(longest_ns(&c, i), perfect_ns(&c, l, i));
        }
        if (!alike)
                l->chain_ns = sum_ns / (count - first);
        free(c.factor);
        return 0;
}
