/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The definitions of all metrics (policies/host/metrics.h). Efficiencies multiply: parallel
 * efficiency = load balance x transfer efficiency x runtime efficiency, per core of equal time
 * (POP's definitions, nodes in place of processes).
 */
#include <math.h>
#include <stddef.h>

#include "policies/host/ledger_impl.h"

/* What happened in the last third. */
struct part {
        int32_t count; /* iterations */
        double time_ns, work_ns, useful_ns;
        double busy_ns;         /* core time of all nodes */
        double most_ns;         /* of the busiest, for as many cores as the mean node has */
        double cores, mean;     /* of the platform; of a node */
        double speed;           /* of all of them, in cores of speed 1 */
        double idle_of_fastest; /* share of the core time of the fastest nodes */
};

double ledger_max_over_mean(const double *value, int32_t count)
{
        double sum = 0, most = 0;
        for (int32_t i = 0; i < count; i++) {
                sum += value[i];
                most = fmax(most, value[i]);
        }
        return sum > 0 ? most * count / sum : 1;
}

/* Max over mean; where they have unequal cores, as if each had the mean of them. */
static double imbalance_since(const double *now, const double *from, int32_t count,
                              const double *cores, double mean_cores)
{
        double sum = 0, most = 0;
        for (int32_t i = 0; i < count; i++) {
                double x = now[i] - from[i];
                x *= cores ? mean_cores / cores[i] : 1;
                sum += x;
                most = fmax(most, x);
        }
        return sum > 0 ? most * count / sum : 1;
}

static double share(double part, double whole, double otherwise)
{
        return whole > 0 ? part / whole : otherwise;
}

double ledger_speed(const struct ledger_spec *spec, int32_t node)
{
        return spec->node_speed[node] / spec->node_slowdown[node];
}

double ledger_fastest_speed(const struct ledger_spec *spec)
{
        double fastest = 0;
        for (int32_t n = 0; n < spec->nnode; n++)
                fastest = fmax(fastest, ledger_speed(spec, n));
        return fastest;
}

static void add_nodes(struct part *p, const struct ledger *l)
{
        const struct ledger_spec *spec = &l->spec;
        double fastest = ledger_fastest_speed(spec), fast_busy_ns = 0, fast_ns = 0;
        for (int32_t n = 0; n < spec->nnode; n++) {
                double busy_ns = l->node_busy_ns[n] - l->from_busy_ns[n];
                p->busy_ns += busy_ns;
                p->most_ns = fmax(p->most_ns, busy_ns * (p->mean / spec->node_cores[n]));
                p->speed += spec->node_cores[n] * spec->node_speed[n] / spec->node_slowdown[n];
                if (ledger_speed(spec, n) < fastest)
                        continue;
                fast_busy_ns += busy_ns;
                fast_ns += p->time_ns * spec->node_cores[n];
        }
        p->idle_of_fastest = fast_ns > 0 ? 1 - fast_busy_ns / fast_ns : 0;
}

static struct part last_third(const struct ledger *l)
{
        struct part p = {
                .count = l->iteration - l->first_steady,
                .time_ns = (double)(l->time_ns - l->from_ns),
                .work_ns = l->now.work_ns - l->from.work_ns,
                .useful_ns = l->now.useful_ns - l->from.useful_ns,
        };
        for (int32_t n = 0; n < l->spec.nnode; n++)
                p.cores += l->spec.node_cores[n];
        p.mean = p.cores / l->spec.nnode;
        add_nodes(&p, l);
        if (l->capacity > 0)
                p.speed = share(p.work_ns, l->least_ns, p.speed);
        return p;
}

static void fill_times(const struct ledger *l, const struct part *p, double *metric)
{
        double chain_ns = l->chain_ns * p->count;
        metric[METRIC_TIME_PER_ITERATION_S] = p->time_ns * 1e-9 / p->count;
        metric[METRIC_OPTIMAL_S] = p->work_ns * 1e-9 / p->speed / p->count;
        metric[METRIC_RATIO_TO_OPTIMAL] = share(p->time_ns * p->speed, p->work_ns, NAN);
        if (chain_ns > p->work_ns / p->speed) {
                metric[METRIC_OPTIMAL_S] = chain_ns * 1e-9 / p->count;
                metric[METRIC_RATIO_TO_OPTIMAL] = p->time_ns / chain_ns;
        }
        metric[METRIC_FIRST_ITERATION_S] = l->iteration_s[0];
        metric[METRIC_TOTAL_S] = (double)l->time_ns * 1e-9;
        metric[METRIC_WITHOUT_BALANCING_S] =
            l->spec.apprank_speed ? l->slowest_own_s / p->count : NAN;
}

/* What lies between the bound and the time that no policy is to blame for. */
static void fill_limits(const struct ledger *l, const struct part *p, double *metric)
{
        const struct ledger_limits *limits = &l->limits;
        double perfect_s = p->work_ns * 1e-9 / p->speed / p->count;
        metric[METRIC_FLOOR_S] = limits->floor * perfect_s;
        metric[METRIC_FLOOR_BLIND_S] = limits->floor_blind * perfect_s;
        metric[METRIC_CUT_S] = limits->cut * perfect_s;
        double least_s =
            fmax(metric[METRIC_OPTIMAL_S], fmax(metric[METRIC_FLOOR_S], metric[METRIC_CUT_S]));
        metric[METRIC_RATIO_TO_POSSIBLE] =
            isnan(limits->floor) ? NAN : share(metric[METRIC_TIME_PER_ITERATION_S], least_s, NAN);
}

static void fill_balance(const struct ledger *l, const struct part *p, double *metric)
{
        const double nnode = l->spec.nnode, node_ns = p->time_ns * p->mean;
        metric[METRIC_APPRANK_IMBALANCE] =
            imbalance_since(l->apprank_work_ns, l->from_work_ns, l->spec.napprank, NULL, 0);
        metric[METRIC_NODE_IMBALANCE] = imbalance_since(l->node_busy_ns, l->from_busy_ns,
                                                        l->spec.nnode, l->spec.node_cores, p->mean);
        metric[METRIC_PARALLEL_EFFICIENCY] = share(p->useful_ns, node_ns * nnode, 1);
        metric[METRIC_LOAD_BALANCE] = share(p->busy_ns, p->most_ns * nnode, 1);
        metric[METRIC_TRANSFER_EFFICIENCY] = share(p->most_ns, node_ns, 1);
        metric[METRIC_COMMUNICATION_EFFICIENCY] = metric[METRIC_TRANSFER_EFFICIENCY];
        metric[METRIC_RUNTIME_EFFICIENCY] = share(p->useful_ns, p->busy_ns, 1);
        metric[METRIC_IMBALANCE_FRACTION] =
            isnan(l->alone_imbalance) ? p->idle_of_fastest : l->alone_imbalance;
        metric[METRIC_CORES_USED] = l->used_cores / p->count;
        metric[METRIC_FREED_FRACTION] = l->freed / p->count;
        metric[METRIC_MPI_FRACTION] =
            share(l->now.mpi_ns - l->from.mpi_ns, p->time_ns * l->spec.napprank, 0);
}

static void fill_convergence(const struct ledger *l, double *metric)
{
        double sample_s = (double)l->spec.sample_ns * 1e-9, from_s = (double)l->from_ns * 1e-9;
        struct ledger_summary s = ledger_samples_summary(l->samples, sample_s, from_s);
        bool never = s.last_bad == s.nsample;
        metric[METRIC_CONVERGED_S] = never ? metric[METRIC_TOTAL_S] : s.last_bad * sample_s;
        metric[METRIC_PEAK_NODE_IMBALANCE] = s.nsample > 0 ? s.peak : metric[METRIC_NODE_IMBALANCE];
        metric[METRIC_STEADY_NODE_IMBALANCE] =
            s.nsteady > 0 ? s.steady_sum / s.nsteady : metric[METRIC_NODE_IMBALANCE];
        metric[METRIC_OVERSHOOT] = s.rebound;
        metric[METRIC_OSCILLATION] = s.nsteady > 1 ? s.change_sum / (s.nsteady - 1) : 0;
}

static double away_share(double tasks, double home_tasks)
{
        return tasks > 0 ? (tasks - home_tasks) / tasks : 0;
}

/* Those of the whole run, whether or not an iteration has ended. */
static void fill_counts(const struct ledger *l, double *metric)
{
        const struct ledger_totals *now = &l->now;
        metric[METRIC_TASKS] = now->tasks;
        metric[METRIC_OFFLOADED_TASKS] = now->tasks - now->home_tasks;
        metric[METRIC_OFFLOADED_FRACTION] = away_share(now->tasks, now->home_tasks);
        metric[METRIC_OFFLOADED_BYTES] = now->bytes;
        metric[METRIC_BORROWED_CORE_S] = now->borrowed_ns * 1e-9;
        metric[METRIC_OWNERSHIP_CHANGES] = now->moved_cores;
        metric[METRIC_DECISIONS] = now->decisions;
        metric[METRIC_EVENTS] = now->events;
        metric[METRIC_PROCESS_STARTS] = now->starts;
        metric[METRIC_CORES_LENT] = now->cores_lent;
        metric[METRIC_CORES_BORROWED] = now->cores_borrowed;
        metric[METRIC_CORES_RECLAIMED] = now->cores_reclaimed;
        metric[METRIC_LOAD_GAP] = l->load_gap;
        metric[METRIC_MESSAGE_CORE_S] = now->message_ns * 1e-9;
        metric[METRIC_POLL_CORE_S] = now->poll_ns * 1e-9;
        metric[METRIC_DECISION_CORE_S] = now->decision_ns * 1e-9;
}

static void fill_processes(const struct ledger *l, const struct part *p, double *metric)
{
        const struct ledger_totals *now = &l->now, *from = &l->from;
        metric[METRIC_STEADY_OFFLOADED_FRACTION] =
            away_share(now->tasks - from->tasks, now->home_tasks - from->home_tasks);
        metric[METRIC_HELPER_RANKS] =
            p->time_ns > 0 ? (now->helper_ns - from->helper_ns) / p->time_ns : l->helpers;
}

/*
 * An estimate of the energy that the cores take for an iteration:
 *
 *   cores:  busy | waiting: one per process polls, others are idle | freed: off
 *
 * A process that waits for messages polls on one core; cores that its runtime keeps for tasks are
 * idle then. Memory, network and what a node draws besides are not in it.
 */
static void fill_energy(const struct ledger *l, const struct part *p, double *metric)
{
        const struct ledger_power *w = &l->spec.power;
        double overhead = metric[METRIC_RUNTIME_EFFICIENCY];
        double busy = p->cores * metric[METRIC_PARALLEL_EFFICIENCY] / (overhead > 0 ? overhead : 1);
        double waiting = fmax(metric[METRIC_CORES_USED] - busy, 0);
        double processes = l->spec.napprank + metric[METRIC_HELPER_RANKS];
        double polling = fmin(waiting, processes);
        double off = fmax(p->cores - metric[METRIC_CORES_USED], 0);
        metric[METRIC_ENERGY_PER_ITERATION_J] =
            metric[METRIC_TIME_PER_ITERATION_S] *
            (busy * w->busy + polling * w->polling + (waiting - polling) * w->idle + off * w->off);
}

void ledger_metrics(const struct ledger *l, double metric[static METRIC_ALL])
{
        for (int m = 0; m < METRIC_ALL; m++)
                metric[m] = NAN;
        fill_counts(l, metric);
        if (l->iteration > l->first_steady) {
                struct part p = last_third(l);
                fill_times(l, &p, metric);
                fill_limits(l, &p, metric);
                fill_balance(l, &p, metric);
                fill_convergence(l, metric);
                fill_processes(l, &p, metric);
                fill_energy(l, &p, metric);
        }
        for (int m = 0; m < METRIC_ALL; m++)
                if (!(metric_table[m].hosts & (unsigned)l->spec.host))
                        metric[m] = NAN;
}
