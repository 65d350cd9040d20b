/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/host/ledger_impl.h"

/* Convergence is judged on node imbalance over this time, long enough to bridge the end of an
 * iteration, and below this. */
static const double TRAILING_S = 2, CONVERGED = 1.1;

struct ledger_samples {
        int32_t nsample;       /* settled */
        int32_t room;          /* of imbalance[], and of the series' rows where kept */
        int32_t nrecent;       /* samples in TRAILING_S */
        int32_t last_bad;      /* + 1 */
        double rebound;        /* largest of TRAILING_S since low; 0: never was */
        int32_t nopen;         /* rows of open[] in use */
        int32_t open_room;     /* and there */
        double *imbalance;     /* [room] */
        double *open;          /* [open_room][nnode] from sample nsample on: busy core time, ns */
        double *recent;        /* [nrecent][nnode] rows that are settled, the latest ones */
        double *trailing;      /* [nnode] their sum */
        double *node_before;   /* [nnode] node_busy_ns at the last sample */
        double *worker_before; /* [nworker], where kept; likewise: */
        int32_t *known;        /* [nworker] samples with the owned cores filled in */
        float *busy_cores;     /* [room][nworker] */
        int32_t *owned_cores;
        bool failed;
};

struct ledger_samples *ledger_samples_create(const struct ledger_spec *spec)
{
        struct ledger_samples *s = calloc(1, sizeof(*s));
        if (!s)
                return NULL;
        size_t nnode = (size_t)spec->nnode, nworker = (size_t)spec->nworker + 1;
        int64_t nrecent = (int64_t)(TRAILING_S * 1e9 / (double)spec->sample_ns + 0.5);
        s->nrecent = nrecent < 1 ? 1 : nrecent < INT32_MAX ? (int32_t)nrecent : INT32_MAX;
        s->recent = calloc((size_t)s->nrecent * nnode, sizeof(*s->recent));
        s->trailing = calloc(nnode, sizeof(*s->trailing));
        s->node_before = calloc(nnode, sizeof(*s->node_before));
        s->worker_before = calloc(nworker, sizeof(*s->worker_before));
        s->known = calloc(nworker, sizeof(*s->known));
        if (s->recent && s->trailing && s->node_before && s->worker_before && s->known)
                return s;
        ledger_samples_destroy(s);
        return NULL;
}

void ledger_samples_destroy(struct ledger_samples *s)
{
        if (!s)
                return;
        free(s->imbalance);
        free(s->open);
        free(s->recent);
        free(s->trailing);
        free(s->node_before);
        free(s->worker_before);
        free(s->known);
        free(s->busy_cores);
        free(s->owned_cores);
        free(s);
}

/* ---- Room ---- */

/* The array with `to` elements, the new ones 0. False: it is as it was. */
static bool grow(void **array, size_t from, size_t to, size_t size)
{
        char *larger = realloc(*array, to * size);
        if (!larger)
                return false;
        memset(larger + from * size, 0, (to - from) * size);
        *array = larger;
        return true;
}

static int64_t doubled(int64_t room, int64_t least, int64_t need)
{
        room = room > 0 ? room : least;
        while (room < need)
                room *= 2;
        return room;
}

/* Samples 0 .. count-1 have a place. */
static bool make_room(struct ledger_samples *s, const struct ledger_spec *spec, int64_t count)
{
        if (s->failed || count <= s->room)
                return !s->failed;
        int64_t room = doubled(s->room, 256, count);
        size_t from = (size_t)s->room, to = (size_t)room, nworker = (size_t)spec->nworker;
        s->failed = room > INT32_MAX ||
                    !grow((void **)&s->imbalance, from, to, sizeof(*s->imbalance)) ||
                    (spec->keep && (!grow((void **)&s->busy_cores, from * nworker, to * nworker,
                                          sizeof(*s->busy_cores)) ||
                                    !grow((void **)&s->owned_cores, from * nworker, to * nworker,
                                          sizeof(*s->owned_cores))));
        if (!s->failed)
                s->room = (int32_t)room;
        return !s->failed;
}

/* Sample `last` is open. */
static bool open_until(struct ledger_samples *s, const struct ledger_spec *spec, int64_t last)
{
        int64_t need = last - s->nsample + 1;
        if (!make_room(s, spec, last + 1))
                return false;
        if (need > s->open_room) {
                int64_t room = doubled(s->open_room, 1, need);
                size_t nnode = (size_t)spec->nnode;
                s->failed = !grow((void **)&s->open, (size_t)s->open_room * nnode,
                                  (size_t)room * nnode, sizeof(*s->open));
                if (s->failed)
                        return false;
                s->open_room = (int32_t)room;
        }
        s->nopen = need > s->nopen ? (int32_t)need : s->nopen;
        return true;
}

/* ---- Settling ---- */

static void settle_one(struct ledger_samples *s, const double *row, int32_t nnode)
{
        double *old = s->recent + (size_t)(s->nsample % s->nrecent) * (size_t)nnode;
        for (int32_t n = 0; n < nnode; n++) {
                s->trailing[n] = fmax(0, s->trailing[n] + row[n] - old[n]);
                old[n] = row[n];
        }
        s->imbalance[s->nsample++] = ledger_max_over_mean(row, nnode);
        double recent = ledger_max_over_mean(s->trailing, nnode);
        if (recent >= CONVERGED)
                s->last_bad = s->nsample;
        if (s->rebound > 0 || (recent < CONVERGED && s->nsample >= s->nrecent))
                s->rebound = fmax(s->rebound, recent);
}

/* Samples of a worker up to `count` have the cores that it owns. */
static void fill_owned(struct ledger *l, int32_t worker, int32_t count)
{
        struct ledger_samples *s = l->samples;
        for (int32_t i = s->known[worker]; i < count; i++)
                s->owned_cores[(size_t)i * (size_t)l->spec.nworker + (size_t)worker] =
                    l->owned[worker];
        s->known[worker] = count;
}

/* The rows of the samples before `end`, which are open, are done with. */
static void settle(struct ledger *l, int64_t end)
{
        struct ledger_samples *s = l->samples;
        size_t nnode = (size_t)l->spec.nnode;
        int32_t count = (int32_t)(end - s->nsample);
        for (int32_t i = 0; i < count; i++)
                settle_one(s, s->open + (size_t)i * nnode, l->spec.nnode);
        s->nopen -= count;
        memmove(s->open, s->open + (size_t)count * nnode,
                (size_t)s->nopen * nnode * sizeof(*s->open));
        memset(s->open + (size_t)s->nopen * nnode, 0, (size_t)count * nnode * sizeof(*s->open));
        for (int32_t w = 0; l->spec.keep && w < l->spec.nworker; w++)
                fill_owned(l, w, s->nsample);
}

void ledger_samples_settle(struct ledger *l, int64_t time_ns)
{
        struct ledger_samples *s = l->samples;
        int64_t end = time_ns / l->spec.sample_ns;
        if (end > s->nsample && open_until(s, &l->spec, end - 1))
                settle(l, end);
}

/* ---- Observations ---- */

void ledger_sample(struct ledger *l)
{
        struct ledger_samples *s = l->samples;
        if (!s || !open_until(s, &l->spec, s->nsample))
                return;
        for (int32_t n = 0; n < l->spec.nnode; n++) {
                s->open[n] = l->node_busy_ns[n] - s->node_before[n];
                s->node_before[n] = l->node_busy_ns[n];
        }
        float *row =
            l->spec.keep ? s->busy_cores + (size_t)s->nsample * (size_t)l->spec.nworker : NULL;
        for (int32_t w = 0; row && w < l->spec.nworker; w++) {
                double busy_ns = l->worker_busy_ns[w] - s->worker_before[w];
                row[w] = (float)(busy_ns / (double)l->spec.sample_ns);
                s->worker_before[w] = l->worker_busy_ns[w];
        }
        settle(l, s->nsample + 1);
}

void ledger_restart(struct ledger *l, int32_t worker)
{
        if (l->samples)
                l->samples->worker_before[worker] = 0;
        if (l->worker_busy_ns)
                l->worker_busy_ns[worker] = 0;
}

static void add(struct ledger *l, int32_t node, int32_t worker, int64_t sample, double busy_ns)
{
        struct ledger_samples *s = l->samples;
        s->open[(size_t)(sample - s->nsample) * (size_t)l->spec.nnode + (size_t)node] += busy_ns;
        if (l->spec.keep)
                s->busy_cores[(size_t)sample * (size_t)l->spec.nworker + (size_t)worker] +=
                    (float)(busy_ns / (double)l->spec.sample_ns);
}

void ledger_busy(struct ledger *l, int32_t node, int32_t worker, int64_t from_ns, int64_t until_ns,
                 double busy_ns)
{
        const int64_t sample_ns = l->spec.sample_ns;
        l->node_busy_ns[node] += busy_ns;
        if (!l->samples || until_ns <= from_ns ||
            !open_until(l->samples, &l->spec, until_ns / sample_ns))
                return;
        double rate = busy_ns / (double)(until_ns - from_ns);
        for (int64_t s = from_ns / sample_ns; from_ns < until_ns; s++) {
                int64_t end_ns = (s + 1) * sample_ns < until_ns ? (s + 1) * sample_ns : until_ns;
                add(l, node, worker, s, rate * (double)(end_ns - from_ns));
                from_ns = end_ns;
        }
}

void ledger_owns(struct ledger *l, int64_t time_ns, int32_t worker, int32_t cores)
{
        if (!l->spec.keep)
                return;
        int64_t ended = time_ns / l->spec.sample_ns;
        if (make_room(l->samples, &l->spec, ended))
                fill_owned(l, worker, (int32_t)ended);
        l->owned[worker] = cores;
}

/* ---- Results ---- */

struct ledger_summary ledger_samples_summary(const struct ledger_samples *s, double sample_s,
                                             double steady_s)
{
        struct ledger_summary summary = { .peak = 1, .rebound = 1 };
        if (!s)
                return summary;
        summary.nsample = s->nsample;
        summary.rebound = fmax(1, s->rebound);
        summary.last_bad = s->last_bad;
        for (int32_t i = 0; i < s->nsample; i++) {
                summary.peak = fmax(summary.peak, s->imbalance[i]);
                if ((i + 1) * sample_s <= steady_s)
                        continue;
                summary.steady_sum += s->imbalance[i];
                if (summary.nsteady++ > 0)
                        summary.change_sum += fabs(s->imbalance[i] - s->imbalance[i - 1]);
        }
        return summary;
}

int ledger_status(struct ledger *l, struct lb_error *err)
{
        if (l->samples && l->samples->failed)
                return lb_error_fail(err, "out of memory for the time series");
        return 0;
}

struct ledger_series ledger_take_series(struct ledger *l)
{
        struct ledger_samples *s = l->samples;
        struct ledger_series series = { .nsample = 0 };
        if (!s || !l->spec.keep)
                return series;
        series = (struct ledger_series){
                .nsample = s->nsample,
                .imbalance = s->imbalance,
                .busy_cores = s->busy_cores,
                .owned_cores = s->owned_cores,
        };
        s->imbalance = NULL;
        s->busy_cores = NULL;
        s->owned_cores = NULL;
        s->nsample = s->room = 0;
        return series;
}
