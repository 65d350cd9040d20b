/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics and time series, as the main host defines them (sim/systems/offload/measure.c):
 * steady-state figures over the last third of the iterations. Cores are the platform's, that of the
 * communication thread among them, which is never busy with the program's work.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/systems/chameleon/chameleon.h"

/* Convergence is judged on node imbalance over this time. */
static const double TRAILING_S = 2;

/* What is counted from the start of the run; differences give intervals. */
struct totals {
        int64_t time_ns, useful_ns, work_ns;
        int64_t *node_busy_ns; /* [nnode] */
};

struct cham_measure {
        int32_t niteration, first_steady;
        double *iteration_s; /* [niteration] */
        int64_t last_iteration_ns;
        struct totals steady, end; /* at the start of the last third, at the end */
        double *work;              /* [nrank] ns, of the last third */
        int64_t bytes, decisions;

        int64_t sample_ns;
        bool keep;
        int32_t nsample, capacity;
        int32_t nrecent;    /* samples in TRAILING_S */
        int64_t *recent;    /* [nrecent][nnode] node busy time so many samples ago */
        int64_t *node_busy; /* [nnode] at the last sample */
        int64_t *rank_busy; /* [nrank] at the last sample */
        int64_t *now;       /* [nnode] scratch */
        double *imbalance;  /* [nsample] over one interval */
        double *trailing;   /* [nsample] over TRAILING_S */
        float *busy_cores;  /* [nsample][nrank] where kept */
        int32_t *owned;     /* [nsample][nrank] where kept */
};

struct cham_measure *cham_measure_create(const struct cham *c, struct lb_error *err)
{
        struct cham_measure *m = calloc(1, sizeof(*m));
        size_t nnode = (size_t)c->nnode, nrank = (size_t)c->nrank;
        if (!m)
                goto error;
        m->niteration = workload_niteration(c->spec->workload);
        m->first_steady = (2 * m->niteration + 2) / 3;
        if (m->first_steady >= m->niteration)
                m->first_steady = m->niteration - 1;
        m->keep = c->spec->series_s > 0;
        m->sample_ns = (int64_t)((m->keep ? c->spec->series_s : 0.5) * 1e9 + 0.5);
        m->nrecent = (int32_t)(TRAILING_S * 1e9 / (double)m->sample_ns + 0.5);
        m->nrecent = m->nrecent < 1 ? 1 : m->nrecent;
        m->iteration_s = calloc((size_t)m->niteration, sizeof(double));
        m->steady.node_busy_ns = calloc(nnode, sizeof(int64_t));
        m->end.node_busy_ns = calloc(nnode, sizeof(int64_t));
        m->work = calloc(nrank, sizeof(double));
        m->recent = calloc((size_t)m->nrecent * nnode, sizeof(int64_t));
        m->node_busy = calloc(nnode, sizeof(int64_t));
        m->rank_busy = calloc(nrank, sizeof(int64_t));
        m->now = calloc(nnode, sizeof(int64_t));
        if (m->iteration_s && m->steady.node_busy_ns && m->end.node_busy_ns && m->work &&
            m->recent && m->node_busy && m->rank_busy && m->now)
                return m;
error:
        cham_measure_destroy(m);
        lb_error_fail(err, "out of memory for measurements");
        return NULL;
}

void cham_measure_destroy(struct cham_measure *m)
{
        if (!m)
                return;
        free(m->iteration_s);
        free(m->steady.node_busy_ns);
        free(m->end.node_busy_ns);
        free(m->work);
        free(m->recent);
        free(m->node_busy);
        free(m->rank_busy);
        free(m->now);
        free(m->imbalance);
        free(m->trailing);
        free(m->busy_cores);
        free(m->owned);
        free(m);
}

void cham_measure_bytes(struct cham *c, int64_t bytes)
{
        c->measure->bytes += bytes;
}

void cham_measure_decision(struct cham *c)
{
        c->measure->decisions++;
}

static void node_busy(const struct cham *c, int64_t *busy_ns)
{
        for (int32_t n = 0; n < c->nnode; n++)
                busy_ns[n] = 0;
        for (int32_t i = 0; i < c->nrank; i++)
                busy_ns[c->rank[i].node] += cham_busy_ns(c, &c->rank[i]);
}

static void take_totals(const struct cham *c, struct totals *t)
{
        t->time_ns = c->now_ns;
        t->useful_ns = t->work_ns = 0;
        for (int32_t i = 0; i < c->nrank; i++) {
                t->useful_ns += c->rank[i].useful_ns;
                t->work_ns += c->rank[i].work_ns;
        }
        node_busy(c, t->node_busy_ns);
}

void cham_measure_iteration(struct cham *c)
{
        struct cham_measure *m = c->measure;
        if (c->iteration > 0)
                m->iteration_s[c->iteration - 1] =
                    (double)(c->now_ns - m->last_iteration_ns) * 1e-9;
        else
                queue_set(&c->queue, cham_slot(c, CHAM_SLOT_SAMPLE), m->sample_ns);
        for (int32_t i = 0; c->iteration > m->first_steady && i < c->nrank; i++)
                m->work[i] += (double)c->work[i].ntask * (double)c->work[i].task_ns;
        m->last_iteration_ns = c->now_ns;
        if (c->iteration == m->first_steady)
                take_totals(c, &m->steady);
}

/* ---- Samples ---- */

static bool grow(void **array, size_t count, size_t size)
{
        void *larger = realloc(*array, count * size);
        if (larger)
                *array = larger;
        return larger != NULL;
}

static bool make_room(struct cham *c, struct cham_measure *m)
{
        if (m->nsample < m->capacity)
                return true;
        size_t count = m->capacity ? 2 * (size_t)m->capacity : 256;
        size_t cells = m->keep ? count * (size_t)c->nrank : 1;
        if (count > INT32_MAX || !grow((void **)&m->imbalance, count, sizeof(double)) ||
            !grow((void **)&m->trailing, count, sizeof(double)) ||
            !grow((void **)&m->busy_cores, cells, sizeof(float)) ||
            !grow((void **)&m->owned, cells, sizeof(int32_t))) {
                cham_fail(c, "out of memory for the time series");
                return false;
        }
        m->capacity = (int32_t)count;
        return true;
}

static double max_over_mean(const int64_t *value, const int64_t *before, int32_t count)
{
        double sum = 0, most = 0;
        for (int32_t i = 0; i < count; i++) {
                double x = (double)(value[i] - before[i]);
                sum += x;
                most = x > most ? x : most;
        }
        return sum > 0 ? most * count / sum : 1;
}

static void sample_ranks(struct cham *c, struct cham_measure *m)
{
        size_t row = (size_t)m->nsample * (size_t)c->nrank;
        for (int32_t i = 0; i < c->nrank; i++) {
                int64_t busy = cham_busy_ns(c, &c->rank[i]);
                m->busy_cores[row + (size_t)i] =
                    (float)((double)(busy - m->rank_busy[i]) / (double)m->sample_ns);
                m->owned[row + (size_t)i] = c->rank[i].nthread;
                m->rank_busy[i] = busy;
        }
}

void cham_measure_sample(struct cham *c)
{
        struct cham_measure *m = c->measure;
        if (!make_room(c, m))
                return;
        int64_t *recent = &m->recent[(size_t)(m->nsample % m->nrecent) * (size_t)c->nnode];
        node_busy(c, m->now);
        m->imbalance[m->nsample] = max_over_mean(m->now, m->node_busy, c->nnode);
        m->trailing[m->nsample] = max_over_mean(m->now, recent, c->nnode);
        for (int32_t n = 0; n < c->nnode; n++)
                m->node_busy[n] = recent[n] = m->now[n];
        if (m->keep)
                sample_ranks(c, m);
        m->nsample++;
        queue_set(&c->queue, cham_slot(c, CHAM_SLOT_SAMPLE), c->now_ns + m->sample_ns);
}

/* ---- The result ---- */

static double total_speed(const struct cham *c)
{
        double sum = 0;
        for (int32_t n = 0; n < c->nnode; n++)
                sum += c->spec->cores_per_node * c->spec->node_speed[n] /
                       workload_node_factor(c->spec->workload, n);
        return sum;
}

/* Of the platform, and those beyond it where communication threads have cores of their own. */
static double cores_used(const struct cham *c)
{
        double extra = c->param[CHAM_COMM_CORE] == COMM_CORE_EXTRA ? c->nrank : 0;
        return (double)c->nnode * c->spec->cores_per_node + extra;
}

static void fill_steady(const struct cham *c, double *metric)
{
        const struct cham_measure *m = c->measure;
        const struct totals *from = &m->steady, *to = &m->end;
        double time_ns = (double)(to->time_ns - from->time_ns);
        double work_ns = (double)(to->work_ns - from->work_ns);
        double useful_ns = (double)(to->useful_ns - from->useful_ns);
        double ncore = c->spec->cores_per_node, busy_ns = 0, most_ns = 0;
        for (int32_t n = 0; n < c->nnode; n++) {
                double node_ns = (double)(to->node_busy_ns[n] - from->node_busy_ns[n]);
                busy_ns += node_ns;
                most_ns = node_ns > most_ns ? node_ns : most_ns;
        }
        int32_t count = m->niteration - m->first_steady;
        metric[METRIC_TIME_PER_ITERATION_S] = time_ns * 1e-9 / count;
        metric[METRIC_OPTIMAL_S] = work_ns * 1e-9 / total_speed(c) / count;
        metric[METRIC_RATIO_TO_OPTIMAL] = work_ns > 0 ? time_ns * total_speed(c) / work_ns : 1;
        metric[METRIC_NODE_IMBALANCE] =
            max_over_mean(to->node_busy_ns, from->node_busy_ns, c->nnode);
        metric[METRIC_PARALLEL_EFFICIENCY] =
            time_ns > 0 ? useful_ns / (time_ns * ncore * c->nnode) : 1;
        metric[METRIC_LOAD_BALANCE] = most_ns > 0 ? busy_ns / (most_ns * c->nnode) : 1;
        metric[METRIC_TRANSFER_EFFICIENCY] = time_ns > 0 ? most_ns / (time_ns * ncore) : 1;
        metric[METRIC_RUNTIME_EFFICIENCY] = busy_ns > 0 ? useful_ns / busy_ns : 1;
}

static void fill_counts(const struct cham *c, double *metric)
{
        const struct cham_measure *m = c->measure;
        double executed = 0, home = 0, sum = 0, most = 0;
        for (int32_t i = 0; i < c->nrank; i++) {
                executed += (double)c->rank[i].executed;
                home += (double)c->rank[i].executed_home;
                sum += m->work[i];
                most = m->work[i] > most ? m->work[i] : most;
        }
        metric[METRIC_TASKS] = executed;
        metric[METRIC_OFFLOADED_FRACTION] = executed > 0 ? (executed - home) / executed : 0;
        metric[METRIC_APPRANK_IMBALANCE] = sum > 0 ? most * c->nrank / sum : 1;
        metric[METRIC_OFFLOADED_BYTES] = (double)m->bytes;
        metric[METRIC_DECISIONS] = (double)m->decisions;
        metric[METRIC_CORES_USED] = cores_used(c);
        metric[METRIC_IMBALANCE_FRACTION] = metric[METRIC_FREED_FRACTION] = NAN; /* not measured */
        metric[METRIC_FIRST_ITERATION_S] = m->iteration_s[0];
        metric[METRIC_TOTAL_S] = (double)c->now_ns * 1e-9;
}

static void fill_convergence(const struct cham *c, double *metric)
{
        const struct cham_measure *m = c->measure;
        double steady_s = (double)m->steady.time_ns * 1e-9, sample_s = (double)m->sample_ns * 1e-9;
        double sum = 0;
        int32_t count = 0, last_bad = 0;
        for (int32_t i = 0; i < m->nsample; i++) {
                if (m->trailing[i] >= 1.1)
                        last_bad = i + 1;
                if ((i + 1) * sample_s > steady_s) {
                        sum += m->imbalance[i];
                        count++;
                }
        }
        bool never = last_bad == m->nsample;
        metric[METRIC_CONVERGED_S] = never ? metric[METRIC_TOTAL_S] : last_bad * sample_s;
        metric[METRIC_STEADY_NODE_IMBALANCE] = count ? sum / count : metric[METRIC_NODE_IMBALANCE];
}

/* Hand the arrays over. */
static void move_series(struct cham *c, struct sim_result *result)
{
        struct cham_measure *m = c->measure;
        result->niteration = m->niteration;
        result->iteration_s = m->iteration_s;
        m->iteration_s = NULL;
        if (!m->keep)
                return;
        result->series = (struct sim_series){
                .nsample = m->nsample,
                .nworker = c->nrank,
                .nnode = c->nnode,
                .interval_s = (double)m->sample_ns * 1e-9,
                .node_imbalance = m->imbalance,
                .busy_cores = m->busy_cores,
                .owned_cores = m->owned,
        };
        m->imbalance = NULL;
        m->busy_cores = NULL;
        m->owned = NULL;
}

void cham_measure_result(struct cham *c, struct sim_result *result)
{
        take_totals(c, &c->measure->end);
        fill_steady(c, result->metric);
        fill_counts(c, result->metric);
        fill_convergence(c, result->metric);
        move_series(c, result);
}
