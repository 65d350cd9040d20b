/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the observer is told: a rank has its part of the node's cores, a thread on each; the last is
 * the communication thread's, lent to it for good, where it has none beyond the platform's.
 */
#include "sim/systems/chameleon/chameleon.h"

#include <stdlib.h>

/* The first core of a rank. */
static int32_t first_core(const struct cham *c, int32_t rank)
{
        bool taken = c->param[CHAM_COMM_CORE] == COMM_CORE_TAKEN;
        int32_t core = 0;
        for (int32_t i = rank; i % c->spec->appranks_per_node > 0; i--)
                core += c->rank[i - 1].local.nthread + taken;
        return core;
}

static void tell(struct cham *c, int32_t rank, int32_t core, enum observed_state state)
{
        observe_core(c->ledger->observer, c->now_ns, c->rank[rank].node, c->first_core[rank] + core,
                     rank, OBSERVED_NOBODY, state);
}

void cham_tracing_thread(struct cham *c, int32_t rank, int32_t thread)
{
        bool idle = c->rank[rank].runs[thread].owner == CHAM_NONE;
        tell(c, rank, thread, idle ? OBSERVED_IDLE : OBSERVED_TASK);
}

void cham_tracing_rank(struct cham *c, int32_t rank)
{
        const struct cham_rank *r = &c->rank[rank];
        int64_t busy = r->entered ? 0 : r->local.running;
        for (int32_t t = 0; t < r->local.nthread; t++)
                tell(c, rank, t, t < busy ? OBSERVED_MAIN : OBSERVED_IDLE);
}

void cham_tracing_sent(struct cham *c, int32_t rank)
{
        observe_figure(c->ledger->observer, c->now_ns, rank, OBSERVED_OFFLOADED_TASKS,
                       (double)c->rank[rank].local.sent);
}

int cham_tracing_start(struct cham *c, struct lb_error *err)
{
        if (!c->spec->trace)
                return 0;
        int32_t *node = calloc((size_t)c->nrank, sizeof(*node));
        int32_t *apprank = calloc((size_t)c->nrank, sizeof(*apprank));
        c->first_core = calloc((size_t)c->nrank, sizeof(*c->first_core));
        for (int32_t i = 0; node && apprank && c->first_core && i < c->nrank; i++) {
                node[i] = c->rank[i].node;
                apprank[i] = i;
                c->first_core[i] = first_core(c, i);
        }
        if (node && apprank && c->first_core)
                c->tracing = tracing_open(
                    c->spec,
                    &(struct tracing_shape){ c->nnode, c->nrank, node, apprank, .derives = true },
                    err);
        else
                lb_error_fail(err, "out of memory for the trace");
        free(node);
        free(apprank);
        c->ledger->observer = trace_observer(c->tracing);
        for (int32_t i = 0; c->tracing && i < c->nrank; i++) {
                cham_tracing_rank(c, i);
                if (c->param[CHAM_COMM_CORE] == COMM_CORE_TAKEN)
                        tell(c, i, c->rank[i].local.nthread, OBSERVED_LENT);
        }
        return c->tracing ? 0 : -1;
}
