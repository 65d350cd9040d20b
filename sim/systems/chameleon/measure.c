/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ledger is told, at marks. Cores are the platform's, that of the communication thread
 * among them, which is never busy with the program's work.
 */
#include <math.h>

#include "sim/engine/measure.h"
#include "sim/systems/chameleon/chameleon.h"

struct ledger *cham_measure_create(const struct cham *c, struct lb_error *err)
{
        struct ledger *l = measure_ledger(c->spec,
                                          &(struct measure_shape){
                                              .host = METRIC_OF_CHAMELEON,
                                              .nnode = c->nnode,
                                              .nworker = c->nrank,
                                          },
                                          err);
        for (int32_t i = 0; l && i < c->nrank; i++)
                l->owned[i] = c->rank[i].local.nthread;
        if (l && c->param[CHAM_COMM_CORE] == COMM_CORE_EXTRA)
                l->extra_cores = c->nrank;
        return l;
}

static void tell_busy(struct cham *c)
{
        struct ledger *l = c->ledger;
        for (int32_t n = 0; n < c->nnode; n++)
                l->node_busy_ns[n] = 0;
        for (int32_t i = 0; i < c->nrank; i++) {
                l->worker_busy_ns[i] = (double)cham_busy_ns(c, &c->rank[i]);
                l->node_busy_ns[c->rank[i].node] += l->worker_busy_ns[i];
        }
}

void cham_measure_iteration(struct cham *c)
{
        struct ledger *l = c->ledger;
        if (c->iteration == 0) {
                cham_set_own(c, CHAM_SAMPLE, l->spec.sample_ns);
                return;
        }
        l->now.tasks = l->now.home_tasks = l->now.useful_ns = l->now.work_ns = 0;
        for (int32_t i = 0; i < c->nrank; i++) {
                const struct cham_rank *r = &c->rank[i];
                ledger_created(l, i, work_meant_ns(&c->work[i]));
                l->now.tasks += (double)r->executed;
                l->now.home_tasks += (double)r->executed_home;
                l->now.useful_ns += (double)r->useful_ns;
                l->now.work_ns += (double)r->work_ns;
        }
        tell_busy(c);
        ledger_iteration(l, c->now_ns);
}

/* A task may be pushed to any node. */
static double least_factor(const void *host, int32_t apprank, int32_t iteration)
{
        const struct cham *c = host;
        double least = measure_time_factor(c->spec, c->rank[apprank].node, iteration);
        for (int32_t n = 0; n < c->nnode; n++)
                least = fmin(least, measure_time_factor(c->spec, n, iteration));
        return least;
}

int cham_measure_finish(struct cham *c, struct sim_result *result, struct lb_error *err)
{
        if (measure_chain(c->ledger, c->spec, least_factor, c, err) < 0)
                return -1;
        return measure_result(c->ledger, result, err);
}

void cham_measure_sample(struct cham *c)
{
        tell_busy(c);
        ledger_sample(c->ledger);
        cham_set_own(c, CHAM_SAMPLE, c->now_ns + c->ledger->spec.sample_ns);
}
