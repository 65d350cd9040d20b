/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics and time series of a run. Steady-state figures are taken over the last third of the
 * iterations, as the original's scripts do; efficiencies multiply: parallel efficiency = load
 * balance x transfer efficiency x runtime efficiency, per core of equal time (POP's definitions,
 * nodes in place of processes).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/taskgraph.h"
#include "sim/systems/offload/machine.h"

/* What is counted from the start of the run; differences give intervals. */
struct totals {
        int64_t time_ns;
        int64_t helper_ns; /* helpers x time */
        int64_t useful_ns, work_ns;
        int64_t executed, at_home; /* tasks */
        int64_t node_busy_ns[];    /* [nnode] */
};

/* Convergence is judged on node imbalance over this time: long enough to bridge the end of an
 * iteration. */
static const double TRAILING_S = 2;

struct measure {
        int32_t niteration, first_steady;
        double *iteration_s; /* [niteration] */
        int64_t last_iteration_ns;
        struct totals *steady; /* at the start of the last third */
        double *apprank_work;  /* [napprank] ns, of the last third */
        int64_t bytes, changes, decisions;

        int64_t sample_ns; /* interval */
        int32_t nsample, capacity;
        double *imbalance;    /* [nsample] over one interval */
        double *trailing;     /* [nsample] over the last TRAILING_S */
        int32_t nrecent;      /* samples in TRAILING_S */
        int64_t *recent;      /* [nrecent][nnode] node busy time so many samples ago */
        int64_t *node_busy;   /* [nnode] at the last sample */
        int64_t *worker_busy; /* [nworker] at the last sample, by column, as in the series */
        bool keep;
        float *busy_cores; /* [nsample][nworker], where kept */
        int32_t *owned_cores;
};

static int64_t node_busy(const struct machine *m, int32_t node)
{
        const struct node *n = &m->node[node];
        int64_t busy = n->gone_busy_ns;
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker; w++)
                busy += worker_busy_ns(m, w);
        return busy;
}

static void take_totals(const struct machine *m, struct totals *t)
{
        t->time_ns = m->now_ns;
        t->helper_ns = helpers_ns(m);
        t->useful_ns = m->gone.useful_ns;
        t->work_ns = m->gone.work_ns;
        t->executed = m->gone.executed;
        t->at_home = 0;
        for (int32_t w = 0; w < m->nworker; w++) {
                t->useful_ns += m->worker[w].useful_ns;
                t->work_ns += m->worker[w].work_ns;
                t->executed += m->worker[w].executed;
                t->at_home += m->worker[w].home ? m->worker[w].executed : 0;
        }
        for (int32_t n = 0; n < m->nnode; n++)
                t->node_busy_ns[n] = node_busy(m, n);
}

static struct totals *new_totals(const struct machine *m)
{
        return calloc(1, sizeof(struct totals) + (size_t)m->nnode * sizeof(int64_t));
}

struct measure *measure_create(const struct machine *m, struct lb_error *err)
{
        struct measure *s = calloc(1, sizeof(*s));
        if (!s)
                goto error;
        s->niteration = workload_niteration(m->spec->workload);
        s->first_steady = (2 * s->niteration + 2) / 3;
        if (s->first_steady >= s->niteration)
                s->first_steady = s->niteration - 1;
        s->keep = m->spec->series_s > 0;
        s->sample_ns = (int64_t)((s->keep ? m->spec->series_s : 0.5) * 1e9 + 0.5);
        s->iteration_s = calloc((size_t)s->niteration, sizeof(double));
        s->steady = new_totals(m);
        s->apprank_work = calloc((size_t)m->napprank, sizeof(double));
        s->node_busy = calloc((size_t)m->nnode, sizeof(int64_t));
        s->worker_busy = calloc((size_t)m->columns->nedge, sizeof(int64_t));
        s->nrecent = (int32_t)(TRAILING_S * 1e9 / (double)s->sample_ns + 0.5);
        s->nrecent = s->nrecent < 1 ? 1 : s->nrecent;
        s->recent = calloc((size_t)s->nrecent * (size_t)m->nnode, sizeof(int64_t));
        if (s->iteration_s && s->steady && s->apprank_work && s->node_busy && s->worker_busy &&
            s->recent)
                return s;
error:
        measure_destroy(s);
        lb_error_fail(err, "out of memory for measurements");
        return NULL;
}

void measure_destroy(struct measure *s)
{
        if (!s)
                return;
        free(s->iteration_s);
        free(s->steady);
        free(s->apprank_work);
        free(s->imbalance);
        free(s->trailing);
        free(s->recent);
        free(s->node_busy);
        free(s->worker_busy);
        free(s->busy_cores);
        free(s->owned_cores);
        free(s);
}

void measure_ownership_change(struct machine *m)
{
        m->measure->changes++;
}

void measure_decision(struct machine *m)
{
        m->measure->decisions++;
}

void measure_bytes(struct machine *m, int64_t bytes)
{
        m->measure->bytes += bytes;
}

void measure_begin_worker(struct machine *m, int32_t worker)
{
        m->measure->worker_busy[m->worker[worker].column] = 0;
}

void measure_iteration(struct machine *m)
{
        struct measure *s = m->measure;
        if (m->iteration > 0) {
                s->iteration_s[m->iteration - 1] =
                    (double)(m->now_ns - s->last_iteration_ns) * 1e-9;
                for (int32_t a = 0; m->iteration > s->first_steady && a < m->napprank; a++)
                        s->apprank_work[a] +=
                            (double)m->apprank[a].ntask * (double)m->apprank[a].task_ns;
        } else {
                queue_set(&m->queue, machine_slot(m, SLOT_SAMPLE), s->sample_ns);
        }
        s->last_iteration_ns = m->now_ns;
        if (m->iteration == s->first_steady)
                take_totals(m, s->steady);
}

static bool grow(void **array, size_t count, size_t size)
{
        void *larger = realloc(*array, count * size);
        if (larger)
                *array = larger;
        return larger != NULL;
}

static bool make_room(struct machine *m, struct measure *s)
{
        if (s->nsample < s->capacity)
                return true;
        size_t count = s->capacity ? 2 * (size_t)s->capacity : 256;
        size_t cells = s->keep ? count * (size_t)m->columns->nedge : 0;
        if (count > INT32_MAX || !grow((void **)&s->imbalance, count, sizeof(double)) ||
            !grow((void **)&s->trailing, count, sizeof(double)) ||
            (cells > 0 && (!grow((void **)&s->busy_cores, cells, sizeof(float)) ||
                           !grow((void **)&s->owned_cores, cells, sizeof(int32_t))))) {
                machine_fail(m, "out of memory for the time series");
                return false;
        }
        s->capacity = (int32_t)count;
        return true;
}

static double max_over_mean(const int64_t *value, const int64_t *before, int32_t count)
{
        double sum = 0, most = 0;
        for (int32_t i = 0; i < count; i++) {
                double x = (double)(value[i] - (before ? before[i] : 0));
                sum += x;
                most = x > most ? x : most;
        }
        return sum > 0 ? most * count / sum : 1;
}

static void sample_nodes(struct machine *m, struct measure *s)
{
        int64_t *recent = &s->recent[(size_t)(s->nsample % s->nrecent) * (size_t)m->nnode];
        double sum = 0, most = 0, trailing_sum = 0, trailing_most = 0;
        for (int32_t n = 0; n < m->nnode; n++) {
                int64_t now = node_busy(m, n);
                double busy = (double)(now - s->node_busy[n]), trailing = (double)(now - recent[n]);
                s->node_busy[n] = recent[n] = now;
                sum += busy;
                most = busy > most ? busy : most;
                trailing_sum += trailing;
                trailing_most = trailing > trailing_most ? trailing : trailing_most;
        }
        s->imbalance[s->nsample] = sum > 0 ? most * m->nnode / sum : 1;
        s->trailing[s->nsample] = trailing_sum > 0 ? trailing_most * m->nnode / trailing_sum : 1;
}

static void sample_workers(struct machine *m, struct measure *s)
{
        size_t row = (size_t)s->nsample * (size_t)m->columns->nedge;
        memset(&s->busy_cores[row], 0, (size_t)m->columns->nedge * sizeof(float));
        memset(&s->owned_cores[row], 0, (size_t)m->columns->nedge * sizeof(int32_t));
        for (int32_t w = 0; w < m->nworker; w++) {
                int32_t column = m->worker[w].column;
                int64_t busy = worker_busy_ns(m, w);
                double cores = (double)(busy - s->worker_busy[column]) / (double)s->sample_ns;
                s->worker_busy[column] = busy;
                s->busy_cores[row + (size_t)column] = (float)cores;
                s->owned_cores[row + (size_t)column] = m->owned[w];
        }
}

void measure_sample(struct machine *m)
{
        struct measure *s = m->measure;
        if (!make_room(m, s))
                return;
        sample_nodes(m, s);
        if (s->keep)
                sample_workers(m, s);
        s->nsample++;
        queue_set(&m->queue, machine_slot(m, SLOT_SAMPLE), m->now_ns + s->sample_ns);
}

/* Total speed of all cores, in cores of speed 1. */
static double total_speed(const struct machine *m)
{
        double sum = 0;
        for (int32_t n = 0; n < m->nnode; n++)
                sum +=
                    m->ncore * m->spec->node_speed[n] / workload_node_factor(m->spec->workload, n);
        return sum;
}

static double speed_of(const struct machine *m, int32_t node)
{
        return m->spec->node_speed[node] / workload_node_factor(m->spec->workload, node);
}

/* The part of the fastest nodes' core time that is not busy. */
static double idle_of_fastest(const struct machine *m, const struct totals *end, double time_ns)
{
        const struct measure *s = m->measure;
        double fastest = 0, busy_ns = 0, all_ns = 0;
        for (int32_t n = 0; n < m->nnode; n++)
                fastest = speed_of(m, n) > fastest ? speed_of(m, n) : fastest;
        for (int32_t n = 0; n < m->nnode; n++) {
                if (speed_of(m, n) < fastest)
                        continue;
                busy_ns += (double)(end->node_busy_ns[n] - s->steady->node_busy_ns[n]);
                all_ns += time_ns * m->ncore;
        }
        return all_ns > 0 ? 1 - busy_ns / all_ns : 0;
}

/* How fast the fastest node is that an apprank may use. */
static double fastest_of(const struct machine *m, int32_t apprank)
{
        const struct graph *g = m->graph;
        double fastest = 0;
        for (int32_t e = g->apprank_first[apprank]; e < g->apprank_first[apprank + 1]; e++)
                fastest = fmax(fastest, speed_of(m, g->edge_node[e]));
        for (int32_t n = 0; m->helpers && n < m->nnode; n++) /* anywhere, in time */
                fastest = fmax(fastest, speed_of(m, n));
        return fastest;
}

/* The longest that tasks that wait for each other take at least, ns; 0 where none do. */
static double longest_chain_ns(const struct machine *m)
{
        double longest_ns = 0;
        for (int32_t a = 0; m->explicit && a < m->napprank; a++)
                longest_ns =
                    fmax(longest_ns, (double)m->explicit[a].graph->path_ns / fastest_of(m, a));
        return longest_ns;
}

static void fill_steady(const struct machine *m, const struct totals *end, double *metric)
{
        const struct measure *s = m->measure;
        int32_t count = s->niteration - s->first_steady;
        double time_ns = (double)(end->time_ns - s->steady->time_ns);
        double work_ns = (double)(end->work_ns - s->steady->work_ns);
        double useful_ns = (double)(end->useful_ns - s->steady->useful_ns);
        double busy_ns = 0, most_ns = 0, all_ns = time_ns * m->ncore * m->nnode;
        for (int32_t n = 0; n < m->nnode; n++) {
                double node_ns = (double)(end->node_busy_ns[n] - s->steady->node_busy_ns[n]);
                busy_ns += node_ns;
                most_ns = node_ns > most_ns ? node_ns : most_ns;
        }
        metric[METRIC_TIME_PER_ITERATION_S] = time_ns * 1e-9 / count;
        double chain_ns = longest_chain_ns(m) * count;
        bool chained = chain_ns > work_ns / total_speed(m);
        metric[METRIC_OPTIMAL_S] = work_ns * 1e-9 / total_speed(m) / count;
        metric[METRIC_RATIO_TO_OPTIMAL] = work_ns > 0 ? time_ns * total_speed(m) / work_ns : 1;
        if (chained) {
                metric[METRIC_OPTIMAL_S] = chain_ns * 1e-9 / count;
                metric[METRIC_RATIO_TO_OPTIMAL] = time_ns / chain_ns;
        }
        metric[METRIC_NODE_IMBALANCE] =
            max_over_mean(end->node_busy_ns, s->steady->node_busy_ns, m->nnode);
        metric[METRIC_PARALLEL_EFFICIENCY] = all_ns > 0 ? useful_ns / all_ns : 1;
        metric[METRIC_LOAD_BALANCE] = most_ns > 0 ? busy_ns / (most_ns * m->nnode) : 1;
        metric[METRIC_TRANSFER_EFFICIENCY] = time_ns > 0 ? most_ns / (time_ns * m->ncore) : 1;
        metric[METRIC_RUNTIME_EFFICIENCY] = busy_ns > 0 ? useful_ns / busy_ns : 1;
        metric[METRIC_IMBALANCE_FRACTION] = idle_of_fastest(m, end, time_ns);
        metric[METRIC_HELPER_RANKS] = m->nworker - m->napprank;
        if (time_ns > 0)
                metric[METRIC_HELPER_RANKS] =
                    (double)(end->helper_ns - s->steady->helper_ns) / time_ns;
}

static double away_share(int64_t executed, int64_t at_home)
{
        return executed > 0 ? (double)(executed - at_home) / (double)executed : 0;
}

static void fill_counts(const struct machine *m, const struct totals *end, double *metric)
{
        const struct measure *s = m->measure;
        int64_t borrowed_ns = m->gone.borrowed_ns;
        for (int32_t w = 0; w < m->nworker; w++)
                borrowed_ns += worker_borrowed_ns(m, w);
        metric[METRIC_TASKS] = (double)end->executed;
        metric[METRIC_OFFLOADED_FRACTION] = away_share(end->executed, end->at_home);
        metric[METRIC_STEADY_OFFLOADED_FRACTION] =
            away_share(end->executed - s->steady->executed, end->at_home - s->steady->at_home);
        metric[METRIC_BORROWED_CORE_S] = (double)borrowed_ns * 1e-9;
        metric[METRIC_OFFLOADED_BYTES] = (double)s->bytes;
        metric[METRIC_OWNERSHIP_CHANGES] = (double)s->changes;
        metric[METRIC_DECISIONS] = (double)s->decisions;
        metric[METRIC_CORES_USED] = (double)m->nnode * m->ncore;
        metric[METRIC_PROCESS_STARTS] = (double)helpers_starts(m);
        metric[METRIC_FIRST_ITERATION_S] = s->iteration_s[0];
        metric[METRIC_TOTAL_S] = (double)m->now_ns * 1e-9;
        double sum = 0, most = 0;
        for (int32_t a = 0; a < m->napprank; a++) {
                sum += s->apprank_work[a];
                most = s->apprank_work[a] > most ? s->apprank_work[a] : most;
        }
        metric[METRIC_APPRANK_IMBALANCE] = sum > 0 ? most * m->napprank / sum : 1;
}

/* From when on no trailing imbalance is at 1.1 or more, and the mean of the samples of the last
 * third. */
static void fill_convergence(const struct machine *m, double *metric)
{
        const struct measure *s = m->measure;
        double steady_s = (double)s->steady->time_ns * 1e-9, sample_s = (double)s->sample_ns * 1e-9;
        double sum = 0, peak = 1;
        int32_t count = 0, last_bad = 0;
        for (int32_t i = 0; i < s->nsample; i++) {
                if (s->trailing[i] >= 1.1)
                        last_bad = i + 1;
                peak = s->imbalance[i] > peak ? s->imbalance[i] : peak;
                if ((i + 1) * sample_s > steady_s) {
                        sum += s->imbalance[i];
                        count++;
                }
        }
        bool never = last_bad == s->nsample;
        metric[METRIC_CONVERGED_S] = never ? metric[METRIC_TOTAL_S] : last_bad * sample_s;
        metric[METRIC_PEAK_NODE_IMBALANCE] = peak;
        metric[METRIC_STEADY_NODE_IMBALANCE] = count ? sum / count : metric[METRIC_NODE_IMBALANCE];
}

/* Hand the arrays over to the result. */
static void move_series(struct machine *m, struct sim_result *result)
{
        struct measure *s = m->measure;
        result->niteration = s->niteration;
        result->iteration_s = s->iteration_s;
        s->iteration_s = NULL;
        if (!s->keep)
                return;
        result->series = (struct sim_series){
                .nsample = s->nsample,
                .nworker = m->columns->nedge,
                .nnode = m->nnode,
                .interval_s = (double)s->sample_ns * 1e-9,
                .node_imbalance = s->imbalance,
                .busy_cores = s->busy_cores,
                .owned_cores = s->owned_cores,
        };
        s->imbalance = NULL;
        s->busy_cores = NULL;
        s->owned_cores = NULL;
}

int measure_result(struct machine *m, struct sim_result *result, struct lb_error *err)
{
        struct totals *end = new_totals(m);
        if (!end)
                return lb_error_fail(err, "out of memory for measurements");
        take_totals(m, end);
        fill_steady(m, end, result->metric);
        fill_counts(m, end, result->metric);
        fill_convergence(m, result->metric);
        free(end);
        move_series(m, result);
        return 0;
}
