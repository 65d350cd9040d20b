/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/host/observe.h"

#include <math.h>
#include <stdlib.h>

const char *const observed_figure_names[OBSERVED_NFIGURE] = {
        [OBSERVED_OWNED_CORES] = "Owned cores",
        [OBSERVED_BORROWED_CORES] = "Borrowed cores",
        [OBSERVED_BUSY_CORES] = "Busy cores",
        [OBSERVED_HELD_TASKS] = "Held tasks",
        [OBSERVED_OFFLOADED_TASKS] = "Offloaded tasks",
        [OBSERVED_NODE_IMBALANCE] = "Node imbalance, thousandths",
        [OBSERVED_ITERATION] = "Iteration",
        [OBSERVED_MOVED_BYTES] = "Bytes moved in the iteration",
        [OBSERVED_SHARED_BY] = "Processes on the CPU",
};

/* What was told of a core last. */
struct told {
        int32_t owner, user;
        enum observed_state state;
};

struct observer {
        struct observer_sink sink;
        int32_t nnode, ncore, nworker;
        int32_t *worker_node;
        struct told *told; /* [nnode][ncore] */
        bool derives;
        int64_t last_ns;    /* of the last iteration's end */
        int32_t *owned;     /* [nworker] cores; where derived, likewise: */
        double *busy_ns;    /* [nworker] since the last iteration: + at stop, - at start */
        double *busy;       /* [nworker] cores, as told last */
        double *node_cores; /* [nnode] scratch */
};

struct observer *observer_create(const struct observer_sink *sink, int32_t nnode,
                                 int32_t cores_per_node, int32_t nworker,
                                 const int32_t *worker_node, struct lb_error *err)
{
        struct observer *o = calloc(1, sizeof(*o));
        size_t ncell = (size_t)nnode * (size_t)cores_per_node;
        if (!o)
                goto error;
        o->sink = *sink;
        o->nnode = nnode;
        o->ncore = cores_per_node;
        o->nworker = nworker;
        o->worker_node = calloc((size_t)nworker + 1, sizeof(*o->worker_node));
        o->told = calloc(ncell + 1, sizeof(*o->told));
        o->owned = calloc((size_t)nworker + 1, sizeof(*o->owned));
        o->busy_ns = calloc((size_t)nworker + 1, sizeof(*o->busy_ns));
        o->node_cores = calloc((size_t)nnode + 1, sizeof(*o->node_cores));
        o->busy = calloc((size_t)nworker + 1, sizeof(*o->busy));
        if (!o->worker_node || !o->told || !o->owned || !o->busy_ns || !o->busy || !o->node_cores)
                goto error;
        for (int32_t w = 0; w < nworker; w++)
                o->worker_node[w] = worker_node[w];
        for (size_t i = 0; i < ncell; i++)
                o->told[i] = (struct told){ OBSERVED_NOBODY, OBSERVED_NOBODY, OBSERVED_ABSENT };
        return o;
error:
        observer_destroy(o);
        lb_error_fail(err, "out of memory for the trace");
        return NULL;
}

void observer_destroy(struct observer *o)
{
        if (!o)
                return;
        free(o->worker_node);
        free(o->told);
        free(o->owned);
        free(o->busy_ns);
        free(o->busy);
        free(o->node_cores);
        free(o);
}

void observer_derives(struct observer *o)
{
        o->derives = true;
}

void observe_figure(struct observer *o, int64_t time_ns, int32_t worker,
                    enum observed_figure figure, double number)
{
        if (figure == OBSERVED_BUSY_CORES)
                o->busy[worker] = number;
        o->sink.figure(o->sink.sink, time_ns, worker, figure, llround(number));
}

int64_t observed_imbalance(const double *node_busy, int32_t nnode)
{
        double sum = 0, most = 0;
        for (int32_t n = 0; n < nnode; n++) {
                sum += node_busy[n];
                most = fmax(most, node_busy[n]);
        }
        return sum > 0 ? (int64_t)llround(1000 * most * nnode / sum) : 1000;
}

void observe_imbalance(struct observer *o, int64_t time_ns)
{
        for (int32_t n = 0; n < o->nnode; n++)
                o->node_cores[n] = 0;
        for (int32_t w = 0; w < o->nworker; w++)
                o->node_cores[o->worker_node[w]] += o->busy[w];
        observe_figure(o, time_ns, 0, OBSERVED_NODE_IMBALANCE,
                       (double)observed_imbalance(o->node_cores, o->nnode));
}

/* ---- Cores ---- */

static void show(struct observer *o, int64_t time_ns, int32_t worker, int32_t core,
                 enum observed_state state)
{
        if (worker != OBSERVED_NOBODY)
                o->sink.core(o->sink.sink, time_ns, worker, core, state);
}

void observe_sight(struct observer *o, int64_t time_ns, int32_t worker, int32_t core,
                   enum observed_state state)
{
        show(o, time_ns, worker, core, state);
}

static void add_owned(struct observer *o, int64_t time_ns, int32_t worker, int32_t count)
{
        if (worker == OBSERVED_NOBODY)
                return;
        o->owned[worker] += count;
        observe_figure(o, time_ns, worker, OBSERVED_OWNED_CORES, o->owned[worker]);
}

static int32_t who_has(const struct told *told)
{
        return told->user != OBSERVED_NOBODY ? told->user : told->owner;
}

/* Who runs something there, or nobody. */
static int32_t who_runs(const struct told *told)
{
        bool runs = told->state == OBSERVED_TASK || told->state == OBSERVED_MAIN;
        return runs ? who_has(told) : OBSERVED_NOBODY;
}

static void derive(struct observer *o, int64_t time_ns, const struct told *before,
                   const struct told *now)
{
        int32_t ran = who_runs(before), runs = who_runs(now);
        double since = (double)(time_ns - o->last_ns);
        if (ran != OBSERVED_NOBODY)
                o->busy_ns[ran] += since;
        if (runs != OBSERVED_NOBODY)
                o->busy_ns[runs] -= since;
        if (before->owner == now->owner)
                return;
        add_owned(o, time_ns, before->owner, -1);
        add_owned(o, time_ns, now->owner, 1);
}

void observe_core(struct observer *o, int64_t time_ns, int32_t node, int32_t core, int32_t owner,
                  int32_t user, enum observed_state state)
{
        struct told *before = &o->told[(size_t)node * (size_t)o->ncore + (size_t)core];
        struct told now = { owner, user == owner ? OBSERVED_NOBODY : user, state };
        if (before->owner == now.owner && before->user == now.user && before->state == now.state)
                return;
        if (before->user != now.user && before->user != now.owner)
                show(o, time_ns, before->user, core, OBSERVED_ABSENT);
        if (before->owner != now.owner && before->owner != now.user)
                show(o, time_ns, before->owner, core, OBSERVED_ABSENT);
        show(o, time_ns, now.owner, core, now.user == OBSERVED_NOBODY ? state : OBSERVED_LENT);
        show(o, time_ns, now.user, core, state);
        if (o->derives)
                derive(o, time_ns, before, &now);
        *before = now;
}

/* ---- Iterations ---- */

/* Means of busy cores since the last iteration, those that still are included. */
static void tell_means(struct observer *o, int64_t time_ns)
{
        double length_ns = (double)(time_ns - o->last_ns);
        for (int32_t i = 0; i < o->nnode * o->ncore; i++) {
                int32_t runs = who_runs(&o->told[i]);
                if (runs != OBSERVED_NOBODY)
                        o->busy_ns[runs] += length_ns;
        }
        for (int32_t w = 0; w < o->nworker; w++) {
                double cores = length_ns > 0 ? o->busy_ns[w] / length_ns : 0;
                observe_figure(o, time_ns, w, OBSERVED_BUSY_CORES, cores);
                o->busy_ns[w] = 0;
        }
        observe_imbalance(o, time_ns);
        o->last_ns = time_ns;
}

void observe_iteration(struct observer *o, int64_t time_ns, int32_t next, double moved_bytes)
{
        observe_figure(o, time_ns, 0, OBSERVED_ITERATION, next);
        if (next > 0)
                observe_figure(o, time_ns, 0, OBSERVED_MOVED_BYTES, moved_bytes);
        if (o->derives && time_ns > o->last_ns)
                tell_means(o, time_ns);
}
