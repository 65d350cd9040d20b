/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_POLICIES_HOST_LEDGER_REFERENCE_H
#define LB_TESTS_POLICIES_HOST_LEDGER_REFERENCE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "policies/host/ledger.h"

/* A random run, and what its metrics are by their definitions, the slow way. */

enum { NODES = 4, WORKERS = 8, ITERATIONS = 9, INTERVALS = 400, CORES = 4 };

/* A worker kept a core busy; one of `tasks` executed there, of useful_ns. */
struct interval {
        int32_t worker;
        int64_t from_ns, until_ns;
        double useful_ns;
};

/* All that happened. */
struct stream {
        struct ledger_spec spec;
        double speed[NODES], slowdown[NODES], own_speed[WORKERS];
        int32_t worker_node[WORKERS];
        int64_t end_ns[ITERATIONS]; /* of iterations */
        struct interval interval[INTERVALS];
        int32_t count;
        double drawn_ns[ITERATIONS][WORKERS]; /* appranks' work */
        double tasks[ITERATIONS], home[ITERATIONS], work_ns[ITERATIONS], bytes[ITERATIONS];
        double moved[ITERATIONS], helper_ns[ITERATIONS], mpi_ns[ITERATIONS],
            borrowed_ns[ITERATIONS];
        int32_t freed[ITERATIONS][NODES];
        int32_t owned[ITERATIONS][WORKERS]; /* from the beginning of the iteration on */
};

static inline int64_t below(struct lb_random *random, int64_t n)
{
        return (int64_t)lb_random_below(random, (uint64_t)n);
}

static inline void make_interval(struct stream *s, struct lb_random *random, int32_t i)
{
        int64_t from = i > 0 ? s->end_ns[i - 1] : 0, length = s->end_ns[i] - from;
        struct interval *x = &s->interval[s->count++];
        x->worker = (int32_t)below(random, s->spec.nworker);
        x->from_ns = from + below(random, length + 1);
        x->until_ns = x->from_ns + below(random, s->end_ns[i] - x->from_ns + 1);
        x->useful_ns = (double)(x->until_ns - x->from_ns) * 0.9;
}

static inline void make_iteration(struct stream *s, struct lb_random *random, int32_t i)
{
        int64_t before = i > 0 ? s->end_ns[i - 1] : 0;
        s->end_ns[i] = before + 1 + below(random, 4 * 1000 * 1000 * 1000LL);
        for (int64_t n = below(random, INTERVALS / ITERATIONS); n > 0; n--)
                make_interval(s, random, i);
        for (int32_t a = 0; a < s->spec.napprank; a++)
                s->drawn_ns[i][a] = (double)below(random, 1000000000);
        s->tasks[i] = (double)below(random, 100);
        s->home[i] = s->tasks[i] > 0 ? (double)below(random, (int64_t)s->tasks[i]) : 0;
        s->work_ns[i] = (double)below(random, 10000000000LL);
        s->bytes[i] = (double)below(random, 1000);
        s->moved[i] = (double)below(random, 3);
        s->helper_ns[i] = (double)below(random, 1000000000);
        s->mpi_ns[i] = (double)below(random, 1000000000);
        s->borrowed_ns[i] = (double)below(random, 1000000000);
        for (int32_t n = 0; n < s->spec.nnode; n++)
                s->freed[i][n] = (int32_t)below(random, s->spec.ncore);
        for (int32_t w = 0; w < s->spec.nworker; w++)
                s->owned[i][w] = (int32_t)below(random, 5);
}

static inline void make_stream(struct stream *s, uint64_t seed, enum metric_host host,
                               bool hindsight)
{
        struct lb_random random;
        memset(s, 0, sizeof(*s));
        lb_random_init(&random, seed, LB_RANDOM_PHASE, 0);
        int32_t nnode = 1 + (int32_t)below(&random, NODES);
        s->spec = (struct ledger_spec){
                .host = host,
                .nnode = nnode,
                .napprank = nnode,
                .nworker = nnode + (int32_t)below(&random, WORKERS - nnode),
                .ncore = 1 + (int32_t)below(&random, CORES),
                .appranks_per_node = 1,
                .node_speed = s->speed,
                .node_slowdown = s->slowdown,
                .apprank_speed = s->own_speed,
                .power = { 4, 3, 2, 1 },
                .niteration = 1 + (int32_t)below(&random, ITERATIONS),
                .sample_ns = 1 + below(&random, 700000000),
                .keep = below(&random, 2) == 1,
                .hindsight = hindsight,
        };
        for (int32_t n = 0; n < nnode; n++) {
                s->speed[n] = 0.5 + 0.5 * (double)below(&random, 2);
                s->slowdown[n] = 1 + (double)below(&random, 2);
        }
        for (int32_t w = 0; w < WORKERS; w++) {
                s->worker_node[w] = w % nnode;
                s->own_speed[w] = 0.5 + lb_random_unit(&random);
        }
        for (int32_t i = 0; i < s->spec.niteration; i++)
                make_iteration(s, &random, i);
}

/* ---- The reference ---- */

static inline double overlap(const struct interval *x, int64_t from, int64_t until)
{
        int64_t begin = x->from_ns > from ? x->from_ns : from;
        int64_t end = x->until_ns < until ? x->until_ns : until;
        return end > begin ? (double)(end - begin) : 0;
}

static inline double node_busy(const struct stream *s, int32_t node, int64_t from, int64_t until)
{
        double sum = 0;
        for (int32_t i = 0; i < s->count; i++)
                if (s->worker_node[s->interval[i].worker] == node)
                        sum += overlap(&s->interval[i], from, until);
        return sum;
}

static inline double worker_busy(const struct stream *s, int32_t worker, int64_t from,
                                 int64_t until)
{
        double sum = 0;
        for (int32_t i = 0; i < s->count; i++)
                if (s->interval[i].worker == worker)
                        sum += overlap(&s->interval[i], from, until);
        return sum;
}

/* Max / mean over nodes of what was busy between two times. */
static inline double imbalance(const struct stream *s, int64_t from, int64_t until)
{
        double most = 0, sum = 0;
        for (int32_t n = 0; n < s->spec.nnode; n++) {
                double busy = node_busy(s, n, from, until);
                most = fmax(most, busy);
                sum += busy;
        }
        return sum > 0 ? most / (sum / s->spec.nnode) : 1;
}

static inline int64_t start_of(const struct stream *s, int32_t iteration)
{
        return iteration > 0 ? s->end_ns[iteration - 1] : 0;
}

static inline double sum_of(const double *value, int32_t from, int32_t until)
{
        double sum = 0;
        for (int32_t i = from; i < until; i++)
                sum += value[i];
        return sum;
}

static inline double speed_of(const struct stream *s, int32_t node)
{
        return s->speed[node] / s->slowdown[node];
}

static inline bool is_fastest(const struct stream *s, int32_t node)
{
        for (int32_t n = 0; n < s->spec.nnode; n++)
                if (speed_of(s, n) > speed_of(s, node))
                        return false;
        return true;
}

/* Imbalance over the 2 s that sample i ends. */
static inline double over_2_s(const struct stream *s, int32_t i)
{
        int64_t sample = s->spec.sample_ns, back = (int64_t)(2e9 / (double)sample + 0.5) * sample;
        int64_t until = (i + 1) * sample;
        back = back > 0 ? back : sample;
        return imbalance(s, until > back ? until - back : 0, until);
}

/* The largest imbalance over 2 s since it first was low over whole 2 s. */
static inline double overshoot(const struct stream *s, int32_t nsample)
{
        int32_t whole = (int32_t)(2e9 / (double)s->spec.sample_ns + 0.5),
                i = whole > 0 ? whole - 1 : 0;
        double most = 1;
        while (i < nsample && over_2_s(s, i) >= 1.1)
                i++;
        for (; i < nsample; i++)
                most = fmax(most, over_2_s(s, i));
        return most;
}

/* The first sample from which on none has an imbalance of 1.1 or more over 2 s. */
static inline double converged_s(const struct stream *s, int32_t nsample, double total_s)
{
        int64_t sample = s->spec.sample_ns;
        for (int32_t first = 0; first < nsample; first++) {
                bool low = true;
                for (int32_t i = first; low && i < nsample; i++)
                        low = over_2_s(s, i) < 1.1;
                if (low)
                        return (double)first * ((double)sample * 1e-9);
        }
        return total_s;
}

static inline void reference_samples(const struct stream *s, int64_t from, int64_t until, double *x)
{
        int64_t sample = s->spec.sample_ns;
        int32_t nsample = (int32_t)(until / sample), count = 0;
        double sum = 0, peak = 1, change = 0, before = 0;
        for (int32_t i = 0; i < nsample; i++) {
                double now = imbalance(s, i * sample, (i + 1) * sample);
                peak = fmax(peak, now);
                if ((i + 1) * sample > from) {
                        sum += now;
                        change += count++ > 0 ? fabs(now - before) : 0;
                }
                before = now;
        }
        x[METRIC_OVERSHOOT] = overshoot(s, nsample);
        x[METRIC_OSCILLATION] = count > 1 ? change / (count - 1) : 0;
        x[METRIC_CONVERGED_S] = converged_s(s, nsample, (double)until * 1e-9);
        x[METRIC_PEAK_NODE_IMBALANCE] = nsample > 0 ? peak : imbalance(s, from, until);
        x[METRIC_STEADY_NODE_IMBALANCE] = count > 0 ? sum / count : imbalance(s, from, until);
}

static inline void reference_work(const struct stream *s, int32_t first, double *x)
{
        double most = 0, sum = 0, slowest_s = 0;
        for (int32_t a = 0; a < s->spec.napprank; a++) {
                double work = 0;
                for (int32_t i = first; i < s->spec.niteration; i++)
                        work += s->drawn_ns[i][a];
                most = fmax(most, work);
                sum += work;
        }
        x[METRIC_APPRANK_IMBALANCE] = sum > 0 ? most * s->spec.napprank / sum : 1;
        for (int32_t i = first; i < s->spec.niteration; i++) {
                double slowest = 0;
                for (int32_t a = 0; a < s->spec.napprank; a++)
                        slowest = fmax(slowest, s->drawn_ns[i][a] * 1e-9 / s->own_speed[a]);
                slowest_s += slowest;
        }
        x[METRIC_WITHOUT_BALANCING_S] = slowest_s / (s->spec.niteration - first);
}

static inline void reference_cores(const struct stream *s, int32_t first, double *x)
{
        double used = 0, freed = 0, nfast = 0, busy_of_fast = 0, part_s = 0;
        int32_t count = s->spec.niteration - first;
        int64_t from = start_of(s, first), until = s->end_ns[s->spec.niteration - 1];
        part_s = (double)(until - from);
        for (int32_t n = 0; n < s->spec.nnode; n++) {
                for (int32_t i = first; i < s->spec.niteration; i++) {
                        used += s->spec.ncore - s->freed[i][n];
                        freed += is_fastest(s, n) ? s->freed[i][n] : 0;
                }
                nfast += is_fastest(s, n);
                busy_of_fast += is_fastest(s, n) ? node_busy(s, n, from, until) : 0;
        }
        x[METRIC_CORES_USED] = used / count;
        x[METRIC_FREED_FRACTION] = freed / (nfast * s->spec.ncore * count);
        x[METRIC_IMBALANCE_FRACTION] = 1 - busy_of_fast / (nfast * s->spec.ncore * part_s);
}

static inline void reference_efficiency(const struct stream *s, int64_t from, int64_t until,
                                        double *x)
{
        double most = 0, busy = 0, useful = 0, cores = (double)s->spec.ncore * s->spec.nnode;
        for (int32_t n = 0; n < s->spec.nnode; n++) {
                double here = node_busy(s, n, from, until);
                most = fmax(most, here);
                busy += here;
        }
        for (int32_t i = 0; i < s->count; i++)
                useful += s->interval[i].until_ns <= from ? 0 : s->interval[i].useful_ns;
        double time = (double)(until - from);
        x[METRIC_PARALLEL_EFFICIENCY] = useful / (time * cores);
        x[METRIC_LOAD_BALANCE] = most > 0 ? busy / s->spec.nnode / most : 1;
        x[METRIC_TRANSFER_EFFICIENCY] = x[METRIC_COMMUNICATION_EFFICIENCY] =
            most / (time * s->spec.ncore);
        x[METRIC_RUNTIME_EFFICIENCY] = busy > 0 ? useful / busy : 1;
}

/* By platform.power: busy, polling (a core of each process), idle, off. */
static inline void reference_energy(const struct stream *s, int64_t from, int64_t until, double *x)
{
        double cores = (double)s->spec.ncore * s->spec.nnode, busy = 0;
        for (int32_t n = 0; n < s->spec.nnode; n++)
                busy += node_busy(s, n, from, until) / (double)(until - from);
        if (!(x[METRIC_RUNTIME_EFFICIENCY] > 0))
                busy = 0;
        double waiting = fmax(x[METRIC_CORES_USED] - busy, 0);
        double polling = fmin(waiting, s->spec.napprank + x[METRIC_HELPER_RANKS]);
        x[METRIC_ENERGY_PER_ITERATION_J] =
            x[METRIC_TIME_PER_ITERATION_S] *
            (4 * busy + 3 * polling + 2 * (waiting - polling) + cores - x[METRIC_CORES_USED]);
}

static inline void reference(const struct stream *s, double *x)
{
        int32_t n = s->spec.niteration, first = 2 * n % 3 > 0 ? 2 * n / 3 + 1 : 2 * n / 3;
        first = first < n ? first : n - 1;
        int64_t from = start_of(s, first), until = s->end_ns[n - 1];
        double time = (double)(until - from), speed = 0;
        for (int32_t i = 0; i < s->spec.nnode; i++)
                speed += speed_of(s, i) * s->spec.ncore;
        double work = sum_of(s->work_ns, first, n), tasks = sum_of(s->tasks, 0, n);
        double home = sum_of(s->home, 0, n), late = sum_of(s->tasks, first, n);
        x[METRIC_TIME_PER_ITERATION_S] = time * 1e-9 / (n - first);
        x[METRIC_OPTIMAL_S] = work * 1e-9 / speed / (n - first);
        x[METRIC_RATIO_TO_OPTIMAL] =
            work > 0 ? x[METRIC_TIME_PER_ITERATION_S] / x[METRIC_OPTIMAL_S] : 1;
        x[METRIC_NODE_IMBALANCE] = imbalance(s, from, until);
        x[METRIC_OFFLOADED_FRACTION] = tasks > 0 ? 1 - home / tasks : 0;
        x[METRIC_STEADY_OFFLOADED_FRACTION] = late > 0 ? 1 - sum_of(s->home, first, n) / late : 0;
        x[METRIC_TASKS] = tasks;
        x[METRIC_OFFLOADED_TASKS] = tasks - home;
        x[METRIC_FIRST_ITERATION_S] = (double)s->end_ns[0] * 1e-9;
        x[METRIC_TOTAL_S] = (double)until * 1e-9;
        x[METRIC_OFFLOADED_BYTES] = sum_of(s->bytes, 0, n);
        x[METRIC_BORROWED_CORE_S] = sum_of(s->borrowed_ns, 0, n) * 1e-9;
        x[METRIC_OWNERSHIP_CHANGES] = sum_of(s->moved, 0, n);
        x[METRIC_DECISIONS] = n;
        x[METRIC_EVENTS] = 77;
        x[METRIC_HELPER_RANKS] = sum_of(s->helper_ns, first, n) / time;
        x[METRIC_PROCESS_STARTS] = 5;
        x[METRIC_MPI_FRACTION] = sum_of(s->mpi_ns, first, n) / (time * s->spec.napprank);
        x[METRIC_CORES_LENT] = 6;
        x[METRIC_CORES_BORROWED] = 7;
        x[METRIC_CORES_RECLAIMED] = 8;
        x[METRIC_MESSAGE_CORE_S] = 2;
        x[METRIC_POLL_CORE_S] = 3;
        x[METRIC_DECISION_CORE_S] = 4;
        x[METRIC_LOAD_GAP] = 0.25;
        x[METRIC_FLOOR_S] = 1.25 * x[METRIC_OPTIMAL_S];
        x[METRIC_FLOOR_BLIND_S] = 1.5 * x[METRIC_OPTIMAL_S];
        x[METRIC_CUT_S] = 1.75 * x[METRIC_OPTIMAL_S];
        x[METRIC_RATIO_TO_POSSIBLE] = work > 0 ? x[METRIC_RATIO_TO_OPTIMAL] / 1.75 : 1;
        reference_work(s, first, x);
        reference_cores(s, first, x);
        reference_efficiency(s, from, until, x);
        reference_samples(s, from, until, x);
        reference_energy(s, from, until, x);
}

#endif
