/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics and time series, by the definitions of sim/systems/offload/measure.c. A thread is busy
 * with its chunks and with fork and join; one that waits at the end of a region is not.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/systems/dpb/processors.h"

static const double SAMPLE_S = 0.5;  /* where no time series is asked for */
static const double TRAILING_S = 2;  /* convergence is judged over this */
static const double CONVERGED = 1.1; /* and below this */

/* From the start of the run; differences give intervals. */
struct totals {
        int64_t time_ns;
        double useful_ns, work_ns;
        double *node_busy_ns; /* [nnode] */
};

struct record {
        int32_t niteration, first_steady;
        double *iteration_s; /* [niteration] */
        int64_t last_ns;     /* end of the last iteration */
        struct totals now, steady;
        double *process_work; /* [nprocess] ns at speed 1, of the last third */
        int64_t changes, decisions, tasks;

        int64_t sample_ns;
        int32_t nsample, capacity;
        bool keep, failed;
        double *node_busy;    /* [nsample][nnode] busy core time in the sample's interval, ns */
        float *busy_cores;    /* [nsample][nprocess], where kept */
        int32_t *owned_cores; /* the same */
        int32_t *known;       /* [nprocess] samples with the owned cores filled in */
};

struct record *record_create(const struct smp *m, struct lb_error *err)
{
        struct record *r = calloc(1, sizeof(*r));
        if (!r)
                goto error;
        size_t nnode = (size_t)m->nnode, nprocess = (size_t)m->nprocess;
        double series_s = m->spec->series_s;
        r->niteration = workload_niteration(m->spec->workload);
        r->first_steady = (2 * r->niteration + 2) / 3;
        if (r->first_steady >= r->niteration)
                r->first_steady = r->niteration - 1;
        r->keep = series_s > 0;
        r->sample_ns = llround((r->keep ? series_s : SAMPLE_S) * 1e9);
        r->sample_ns = r->sample_ns > 0 ? r->sample_ns : 1;
        r->iteration_s = calloc((size_t)r->niteration, sizeof(double));
        r->now.node_busy_ns = calloc(nnode, sizeof(double));
        r->steady.node_busy_ns = calloc(nnode, sizeof(double));
        r->process_work = calloc(nprocess, sizeof(double));
        r->known = calloc(nprocess, sizeof(*r->known));
        if (r->iteration_s && r->now.node_busy_ns && r->steady.node_busy_ns && r->process_work &&
            r->known)
                return r;
error:
        record_destroy(r);
        lb_error_fail(err, "out of memory for measurements");
        return NULL;
}

void record_destroy(struct record *r)
{
        if (!r)
                return;
        free(r->iteration_s);
        free(r->now.node_busy_ns);
        free(r->steady.node_busy_ns);
        free(r->process_work);
        free(r->node_busy);
        free(r->busy_cores);
        free(r->owned_cores);
        free(r->known);
        free(r);
}

void record_moved(struct smp *m, int32_t count)
{
        m->record->changes += count;
}

void record_decision(struct smp *m)
{
        m->record->decisions++;
}

/* ---- Time series ---- */

static void *grown(void *array, size_t from, size_t to, size_t size)
{
        char *larger = realloc(array, to * size);
        for (size_t i = from * size; larger && i < to * size; i++)
                larger[i] = 0;
        return larger;
}

static bool grow(struct record *r, size_t nnode, size_t nprocess, int32_t capacity)
{
        size_t from = (size_t)r->capacity, to = (size_t)capacity;
        double *node = grown(r->node_busy, from * nnode, to * nnode, sizeof(*node));
        r->node_busy = node ? node : r->node_busy;
        if (!node || !r->keep)
                return node != NULL;
        float *busy = grown(r->busy_cores, from * nprocess, to * nprocess, sizeof(*busy));
        r->busy_cores = busy ? busy : r->busy_cores;
        int32_t *owned = grown(r->owned_cores, from * nprocess, to * nprocess, sizeof(*owned));
        r->owned_cores = owned ? owned : r->owned_cores;
        return busy && owned;
}

/* Make sample `last` be there. False: it is not, and the run fails in the end. */
static bool make_room(struct smp *m, int64_t last)
{
        struct record *r = m->record;
        int64_t capacity = r->capacity > 0 ? r->capacity : 64;
        while (capacity <= last)
                capacity *= 2;
        if (capacity == r->capacity)
                return true;
        r->failed = r->failed || capacity > INT32_MAX ||
                    !grow(r, (size_t)m->nnode, (size_t)m->nprocess, (int32_t)capacity);
        if (!r->failed)
                r->capacity = (int32_t)capacity;
        return !r->failed;
}

static void add_to_sample(struct smp *m, int32_t process, int64_t sample, double busy_ns)
{
        struct record *r = m->record;
        r->node_busy[sample * m->nnode + m->process[process].node] += busy_ns;
        if (r->keep)
                r->busy_cores[sample * m->nprocess + process] +=
                    (float)(busy_ns / (double)r->sample_ns);
}

void record_busy(struct smp *m, int32_t process, int64_t from_ns, int64_t until_ns, double busy_ns,
                 double useful_ns)
{
        struct record *r = m->record;
        int32_t node = m->process[process].node;
        r->now.useful_ns += useful_ns;
        r->now.work_ns += useful_ns / m->time_factor[node];
        r->now.node_busy_ns[node] += busy_ns;
        if (until_ns <= from_ns || !make_room(m, until_ns / r->sample_ns))
                return;
        double rate = busy_ns / (double)(until_ns - from_ns);
        for (int64_t s = from_ns / r->sample_ns; from_ns < until_ns; s++) {
                int64_t end_ns =
                    (s + 1) * r->sample_ns < until_ns ? (s + 1) * r->sample_ns : until_ns;
                add_to_sample(m, process, s, rate * (double)(end_ns - from_ns));
                from_ns = end_ns;
        }
}

/* All samples that ended by now have the processors that the process still has. */
void record_cpus(struct smp *m, int32_t process)
{
        struct record *r = m->record;
        int64_t ended = m->now_ns / r->sample_ns;
        if (!r->keep || !make_room(m, ended))
                return;
        for (int32_t s = r->known[process]; s < ended; s++)
                r->owned_cores[(int64_t)s * m->nprocess + process] = m->process[process].cpus;
        r->known[process] = (int32_t)ended;
}

/* ---- Iterations ---- */

void record_iteration(struct smp *m)
{
        struct record *r = m->record;
        r->iteration_s[m->iteration] = (double)(m->now_ns - r->last_ns) * 1e-9;
        r->last_ns = m->now_ns;
        r->now.time_ns = m->now_ns;
        for (int32_t a = 0; a < m->nprocess; a++) {
                r->tasks += m->work[a].ntask;
                if (m->iteration >= r->first_steady)
                        r->process_work[a] += (double)m->work[a].ntask * (double)m->work[a].task_ns;
        }
        if (m->iteration + 1 != r->first_steady)
                return;
        double *node_busy_ns = r->steady.node_busy_ns;
        r->steady = r->now;
        r->steady.node_busy_ns = node_busy_ns;
        for (int32_t n = 0; n < m->nnode; n++)
                node_busy_ns[n] = r->now.node_busy_ns[n];
}

/* ---- Results ---- */

static double total_speed(const struct smp *m)
{
        double sum = 0;
        for (int32_t n = 0; n < m->nnode; n++)
                sum += m->ncore / m->time_factor[n];
        return sum;
}

static double max_over_mean(const double *value, int32_t count)
{
        double sum = 0, most = 0;
        for (int32_t i = 0; i < count; i++) {
                sum += value[i];
                most = fmax(most, value[i]);
        }
        return sum > 0 ? most * count / sum : 1;
}

static void fill_steady(const struct smp *m, double *metric)
{
        struct record *r = m->record;
        double *node_ns = r->steady.node_busy_ns; /* from here on: what came after */
        double time_ns = (double)(r->now.time_ns - r->steady.time_ns);
        double work_ns = r->now.work_ns - r->steady.work_ns;
        double useful_ns = r->now.useful_ns - r->steady.useful_ns, busy_ns = 0, most_ns = 0;
        int32_t count = r->niteration - r->first_steady;
        for (int32_t n = 0; n < m->nnode; n++) {
                node_ns[n] = r->now.node_busy_ns[n] - node_ns[n];
                busy_ns += node_ns[n];
                most_ns = fmax(most_ns, node_ns[n]);
        }
        double all_ns = time_ns * m->ncore * m->nnode;
        metric[METRIC_TIME_PER_ITERATION_S] = time_ns * 1e-9 / count;
        metric[METRIC_OPTIMAL_S] = work_ns * 1e-9 / total_speed(m) / count;
        metric[METRIC_RATIO_TO_OPTIMAL] = work_ns > 0 ? time_ns * total_speed(m) / work_ns : 1;
        metric[METRIC_NODE_IMBALANCE] = max_over_mean(node_ns, m->nnode);
        metric[METRIC_PARALLEL_EFFICIENCY] = all_ns > 0 ? useful_ns / all_ns : 1;
        metric[METRIC_LOAD_BALANCE] = most_ns > 0 ? busy_ns / (most_ns * m->nnode) : 1;
        metric[METRIC_TRANSFER_EFFICIENCY] = time_ns > 0 ? most_ns / (time_ns * m->ncore) : 1;
        metric[METRIC_RUNTIME_EFFICIENCY] = busy_ns > 0 ? useful_ns / busy_ns : 1;
}

static void fill_counts(const struct smp *m, double *metric)
{
        const struct record *r = m->record;
        metric[METRIC_APPRANK_IMBALANCE] = max_over_mean(r->process_work, m->nprocess);
        metric[METRIC_TASKS] = (double)r->tasks;
        metric[METRIC_FIRST_ITERATION_S] = r->iteration_s[0];
        metric[METRIC_TOTAL_S] = (double)r->now.time_ns * 1e-9;
        metric[METRIC_OWNERSHIP_CHANGES] = (double)r->changes;
        metric[METRIC_DECISIONS] = (double)r->decisions;
        metric[METRIC_CORES_USED] = (double)m->nnode * m->ncore;
        metric[METRIC_IMBALANCE_FRACTION] = metric[METRIC_FREED_FRACTION] = NAN; /* not measured */
}

/* Node imbalance of each sample, and of what lies `nrecent` samples back until it. */
static void fill_convergence(const struct smp *m, double *imbalance, double *metric)
{
        const struct record *r = m->record;
        double sample_s = (double)r->sample_ns * 1e-9, sum = 0;
        double steady_s = (double)r->steady.time_ns * 1e-9;
        int32_t nrecent = (int32_t)(TRAILING_S / sample_s + 0.5), count = 0, last_bad = 0;
        double *trailing = r->now.node_busy_ns; /* scratch from here on */
        for (int32_t n = 0; n < m->nnode; n++)
                trailing[n] = 0;
        nrecent = nrecent > 0 ? nrecent : 1;
        for (int32_t s = 0; s < r->nsample; s++) {
                const double *node = r->node_busy + (int64_t)s * m->nnode;
                const double *old = node - (int64_t)nrecent * m->nnode;
                for (int32_t n = 0; n < m->nnode; n++)
                        trailing[n] = fmax(0, trailing[n] + node[n] - (s >= nrecent ? old[n] : 0));
                last_bad = max_over_mean(trailing, m->nnode) >= CONVERGED ? s + 1 : last_bad;
                imbalance[s] = max_over_mean(node, m->nnode);
                if ((s + 1) * sample_s > steady_s) {
                        sum += imbalance[s];
                        count++;
                }
        }
        bool never = last_bad == r->nsample;
        metric[METRIC_CONVERGED_S] = never ? metric[METRIC_TOTAL_S] : last_bad * sample_s;
        metric[METRIC_STEADY_NODE_IMBALANCE] = count ? sum / count : metric[METRIC_NODE_IMBALANCE];
}

static void move_series(struct smp *m, double *imbalance, struct sim_result *result)
{
        struct record *r = m->record;
        result->niteration = r->niteration;
        result->iteration_s = r->iteration_s;
        r->iteration_s = NULL;
        if (!r->keep) {
                free(imbalance);
                return;
        }
        result->series = (struct sim_series){
                .nsample = r->nsample,
                .nworker = m->nprocess,
                .nnode = m->nnode,
                .interval_s = (double)r->sample_ns * 1e-9,
                .node_imbalance = imbalance,
                .busy_cores = r->busy_cores,
                .owned_cores = r->owned_cores,
        };
        r->busy_cores = NULL;
        r->owned_cores = NULL;
}

int record_result(struct smp *m, struct sim_result *result, struct lb_error *err)
{
        struct record *r = m->record;
        make_room(m, m->now_ns / r->sample_ns);
        r->nsample = (int32_t)(m->now_ns / r->sample_ns);
        for (int32_t a = 0; a < m->nprocess && !r->failed; a++)
                record_cpus(m, a);
        double *imbalance = calloc((size_t)r->nsample + 1, sizeof(*imbalance));
        if (!imbalance || r->failed) {
                free(imbalance);
                return lb_error_fail(err, "out of memory for the time series");
        }
        fill_steady(m, result->metric);
        fill_counts(m, result->metric);
        fill_convergence(m, imbalance, result->metric);
        move_series(m, imbalance, result);
        return 0;
}
