/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/host/ledger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/host/ledger_impl.h"

int32_t ledger_first_steady(int32_t niteration)
{
        int32_t first = (int32_t)((2 * (int64_t)niteration + 2) / 3);
        return first < niteration || niteration == 0 ? first : niteration - 1;
}

/* ---- Life ---- */

static const double *copy_of(const double *from, int32_t count, double otherwise)
{
        double *copy = calloc((size_t)count + 1, sizeof(*copy));
        for (int32_t i = 0; copy && i < count; i++)
                copy[i] = from ? from[i] : otherwise;
        return copy;
}

static int allocate(struct ledger *l)
{
        struct ledger_spec *spec = &l->spec;
        size_t nnode = (size_t)spec->nnode + 1, napprank = (size_t)spec->napprank + 1;
        size_t nworker = (size_t)spec->nworker + 1;
        const double *own = spec->apprank_speed;
        spec->node_speed = copy_of(spec->node_speed, spec->nnode, 1);
        spec->node_slowdown = copy_of(spec->node_slowdown, spec->nnode, 1);
        spec->node_cores = copy_of(spec->node_cores, spec->nnode, spec->ncore);
        spec->apprank_speed = own ? copy_of(own, spec->napprank, 1) : NULL;
        l->node_busy_ns = calloc(nnode, sizeof(double));
        l->from_busy_ns = calloc(nnode, sizeof(double));
        l->node_freed = calloc(nnode, sizeof(*l->node_freed));
        l->apprank_work_ns = calloc(napprank, sizeof(double));
        l->from_work_ns = calloc(napprank, sizeof(double));
        l->before_work_ns = calloc(napprank, sizeof(double));
        l->worker_busy_ns = calloc(nworker, sizeof(double));
        l->owned = calloc(nworker, sizeof(*l->owned));
        l->iteration_s = calloc((size_t)spec->niteration + 1, sizeof(double));
        if (spec->sample_ns > 0)
                l->samples = ledger_samples_create(spec);
        bool all = spec->node_speed && spec->node_slowdown && spec->node_cores &&
                   (!own || spec->apprank_speed) && l->node_busy_ns && l->from_busy_ns &&
                   l->node_freed && l->apprank_work_ns && l->from_work_ns && l->before_work_ns &&
                   l->worker_busy_ns && l->owned && l->iteration_s &&
                   (l->samples || spec->sample_ns <= 0);
        return all ? 0 : -1;
}

struct ledger *ledger_create(const struct ledger_spec *spec, struct lb_error *err)
{
        struct ledger *l = calloc(1, sizeof(*l));
        if (l) {
                l->spec = *spec;
                l->limits = (struct ledger_limits){ NAN, NAN, NAN };
                l->first_steady = ledger_first_steady(spec->niteration);
                l->alone_imbalance = NAN;
        }
        if (l && allocate(l) == 0)
                return l;
        ledger_destroy(l);
        lb_error_fail(err, "out of memory for measurements");
        return NULL;
}

void ledger_destroy(struct ledger *l)
{
        if (!l)
                return;
        free((void *)(uintptr_t)l->spec.node_speed);
        free((void *)(uintptr_t)l->spec.node_slowdown);
        free((void *)(uintptr_t)l->spec.node_cores);
        free((void *)(uintptr_t)l->spec.apprank_speed);
        free(l->node_busy_ns);
        free(l->from_busy_ns);
        free(l->node_freed);
        free(l->apprank_work_ns);
        free(l->from_work_ns);
        free(l->before_work_ns);
        free(l->worker_busy_ns);
        free(l->owned);
        free(l->iteration_s);
        ledger_samples_destroy(l->samples);
        free(l);
}

double *ledger_take_iterations(struct ledger *l)
{
        double *iteration_s = l->iteration_s;
        l->iteration_s = NULL;
        return iteration_s;
}

/* ---- Marks ---- */

void ledger_arrivals(struct ledger *l, const int64_t *arrival_ns)
{
        double fastest = ledger_fastest_speed(&l->spec), most = 0, sum = 0, count = 0;
        for (int32_t a = 0; a < l->spec.napprank; a++) {
                most = fmax(most, (double)arrival_ns[a]);
                if (ledger_speed(&l->spec, a / l->spec.appranks_per_node) < fastest)
                        continue;
                sum += (double)arrival_ns[a];
                count++;
        }
        l->alone_imbalance = most > 0 ? 1 - sum / (most * count) : 0;
}

static double cores_used(const struct ledger *l)
{
        double used = l->extra_cores;
        for (int32_t n = 0; n < l->spec.nnode; n++)
                used += l->spec.node_cores[n] - l->node_freed[n];
        return used;
}

static double freed_share(const struct ledger *l)
{
        double fastest = ledger_fastest_speed(&l->spec), freed = 0, all = 0;
        for (int32_t n = 0; n < l->spec.nnode; n++) {
                if (ledger_speed(&l->spec, n) < fastest)
                        continue;
                freed += l->node_freed[n];
                all += l->shared_cores > 0 ? l->shared_cores : l->spec.node_cores[n];
        }
        return freed / all;
}

static double slowest_own_s(const struct ledger *l)
{
        double slowest_s = 0;
        for (int32_t a = 0; l->spec.apprank_speed && a < l->spec.napprank; a++) {
                double work_s = (l->apprank_work_ns[a] - l->before_work_ns[a]) * 1e-9;
                slowest_s = fmax(slowest_s, work_s / l->spec.apprank_speed[a]);
        }
        return slowest_s;
}

static void begin_last_third(struct ledger *l)
{
        l->from = l->now;
        l->from_ns = l->time_ns;
        memcpy(l->from_busy_ns, l->node_busy_ns, (size_t)l->spec.nnode * sizeof(double));
        memcpy(l->from_work_ns, l->apprank_work_ns, (size_t)l->spec.napprank * sizeof(double));
}

void ledger_iteration(struct ledger *l, int64_t time_ns)
{
        if (l->iteration == l->spec.niteration)
                return;
        l->iteration_s[l->iteration] = (double)(time_ns - l->time_ns) * 1e-9;
        if (l->iteration >= l->first_steady) {
                l->used_cores += cores_used(l);
                l->freed += freed_share(l);
                l->slowest_own_s += slowest_own_s(l);
                if (l->capacity > 0)
                        l->least_ns += (l->now.work_ns - l->before_all_ns) / l->capacity;
        }
        memcpy(l->before_work_ns, l->apprank_work_ns, (size_t)l->spec.napprank * sizeof(double));
        if (l->observer)
                observe_iteration(l->observer, time_ns, l->iteration + 1,
                                  l->now.bytes - l->before_bytes);
        l->before_bytes = l->now.bytes;
        l->before_all_ns = l->now.work_ns;
        l->time_ns = time_ns;
        if (++l->iteration == l->first_steady)
                begin_last_third(l);
        if (l->spec.hindsight && l->samples)
                ledger_samples_settle(l, time_ns);
}
