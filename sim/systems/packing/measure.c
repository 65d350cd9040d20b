/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics as the main host defines them (sim/systems/offload/measure.c), over the last third of the
 * iterations. Busy is calculating and handling messages; the load-imbalance fraction is of the last
 * iteration in which every process had a CPU to itself, since only then are its times known.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/systems/packing/packing.h"

struct packing_steady {
        int32_t niteration, first;
        double *iteration_s; /* [niteration] */
        double *node_busy;   /* [nnode] core time, ns; all that follow: of the last third */
        double *work;        /* [nprocess] at speed 1, ns */
        double useful_ns, work_ns, time_ns;
        double used;       /* sum over iterations of cores not freed */
        double freed;      /* likewise, share of the fastest nodes' CPUs */
        double imbalance;  /* fraction; of the whole run */
        double tasks;      /* likewise */
        double fastest;    /* speed */
        int64_t packed_ns; /* when processes last moved */
};

struct packing_steady *packing_steady_create(const struct packing *p, struct lb_error *err)
{
        struct packing_steady *s = calloc(1, sizeof(*s));
        if (!s)
                goto error;
        s->niteration = workload_niteration(p->spec->workload);
        s->first = (2 * s->niteration + 2) / 3;
        if (s->first >= s->niteration)
                s->first = s->niteration - 1;
        s->iteration_s = calloc((size_t)s->niteration, sizeof(double));
        s->node_busy = calloc((size_t)p->spec->graph->nnode, sizeof(double));
        s->work = calloc((size_t)p->nprocess, sizeof(double));
        for (int32_t i = 0; i < p->nprocess; i++)
                s->fastest = fmax(s->fastest, p->process[i].speed);
        if (s->iteration_s && s->node_busy && s->work)
                return s;
error:
        packing_steady_destroy(s);
        lb_error_fail(err, "out of memory for measurements");
        return NULL;
}

void packing_steady_destroy(struct packing_steady *s)
{
        if (!s)
                return;
        free(s->iteration_s);
        free(s->node_busy);
        free(s->work);
        free(s);
}

/* 1 - equation 5, over the processes of the fastest nodes; t_max is the whole job's. */
static double imbalance(const struct packing *p)
{
        double most = 0, sum = 0, count = 0;
        for (int32_t i = 0; i < p->nprocess; i++) {
                const struct process *process = &p->process[i];
                most = fmax(most, (double)process->arrival_ns);
                if (process->speed < p->steady->fastest)
                        continue;
                sum += (double)process->arrival_ns;
                count++;
        }
        return most > 0 ? 1 - sum / (most * count) : 0;
}

static double freed(const struct packing *p)
{
        double count = 0, empty = 0;
        for (int32_t c = 0; c < p->nprocess; c++) {
                if (p->process[c].speed < p->steady->fastest)
                        continue;
                count++;
                empty += p->cpu_first[c + 1] == p->cpu_first[c];
        }
        return empty / count;
}

static double cores_used(const struct packing *p)
{
        double unused = 0;
        for (int32_t m = 0; m < p->nmachine; m++)
                unused += p->machine[m].count - p->machine[m].used;
        return (double)p->spec->graph->nnode * p->spec->cores_per_node - unused * p->cores;
}

static void add_work(struct packing *p, struct packing_steady *s)
{
        for (int32_t i = 0; i < p->nprocess; i++) {
                const struct process *process = &p->process[i];
                double useful_ns = (double)process->useful_ns;
                s->work[i] += useful_ns * process->speed;
                s->work_ns += useful_ns * process->speed;
                s->useful_ns += useful_ns;
                s->node_busy[process->node] +=
                    useful_ns + (double)(process->cpu_ns - process->work_ns);
        }
}

void packing_measure(struct packing *p, bool alone, int64_t end_ns)
{
        struct packing_steady *s = p->steady;
        for (int32_t i = 0; i < p->nprocess; i++)
                s->tasks += (double)p->work[i].ntask;
        if (alone)
                s->imbalance = imbalance(p);
        s->iteration_s[p->iteration] = (double)end_ns * 1e-9;
        if (p->moved > p->moved_before)
                s->packed_ns = p->start_ns + end_ns;
        p->moved_before = p->moved;
        if (p->iteration < s->first)
                return;
        add_work(p, s);
        s->time_ns += (double)end_ns;
        s->used += cores_used(p);
        s->freed += freed(p);
}

static double most_over_sum(const double *value, int32_t count, double *sum)
{
        double most = 0;
        *sum = 0;
        for (int32_t i = 0; i < count; i++) {
                most = fmax(most, value[i]);
                *sum += value[i];
        }
        return most;
}

static double total_speed(const struct packing *p)
{
        double sum = 0;
        for (int32_t n = 0; n < p->spec->graph->nnode; n++)
                sum += p->spec->cores_per_node * p->spec->node_speed[n] /
                       workload_node_factor(p->spec->workload, n);
        return sum;
}

static void fill_efficiencies(const struct packing *p, double *metric)
{
        const struct packing_steady *s = p->steady;
        int32_t nnode = p->spec->graph->nnode;
        double cores = p->spec->cores_per_node, busy_ns;
        double most_ns = most_over_sum(s->node_busy, nnode, &busy_ns);
        double all_ns = s->time_ns * cores * nnode;
        metric[METRIC_NODE_IMBALANCE] = busy_ns > 0 ? most_ns * nnode / busy_ns : 1;
        metric[METRIC_STEADY_NODE_IMBALANCE] = metric[METRIC_NODE_IMBALANCE];
        metric[METRIC_PEAK_NODE_IMBALANCE] = metric[METRIC_NODE_IMBALANCE];
        metric[METRIC_PARALLEL_EFFICIENCY] = all_ns > 0 ? s->useful_ns / all_ns : 1;
        metric[METRIC_LOAD_BALANCE] = most_ns > 0 ? busy_ns / (most_ns * nnode) : 1;
        metric[METRIC_TRANSFER_EFFICIENCY] = s->time_ns > 0 ? most_ns / (s->time_ns * cores) : 1;
        metric[METRIC_RUNTIME_EFFICIENCY] = busy_ns > 0 ? s->useful_ns / busy_ns : 1;
}

static void fill_times(const struct packing *p, double *metric)
{
        const struct packing_steady *s = p->steady;
        int32_t count = s->niteration - s->first;
        double speed = total_speed(p), work_ns;
        double most_ns = most_over_sum(s->work, p->nprocess, &work_ns);
        metric[METRIC_TIME_PER_ITERATION_S] = s->time_ns * 1e-9 / count;
        metric[METRIC_OPTIMAL_S] = s->work_ns * 1e-9 / speed / count;
        metric[METRIC_RATIO_TO_OPTIMAL] = s->work_ns > 0 ? s->time_ns * speed / s->work_ns : 1;
        metric[METRIC_APPRANK_IMBALANCE] = work_ns > 0 ? most_ns * p->nprocess / work_ns : 1;
        metric[METRIC_FIRST_ITERATION_S] = s->iteration_s[0];
        metric[METRIC_TOTAL_S] = (double)p->start_ns * 1e-9;
        metric[METRIC_CORES_USED] = s->used / count;
        metric[METRIC_FREED_FRACTION] = s->freed / count;
}

void packing_result(struct packing *p, struct sim_result *result)
{
        struct packing_steady *s = p->steady;
        double *metric = result->metric;
        fill_times(p, metric);
        fill_efficiencies(p, metric);
        metric[METRIC_TASKS] = s->tasks;
        metric[METRIC_OWNERSHIP_CHANGES] = (double)p->moved * p->cores;
        metric[METRIC_DECISIONS] = (double)p->decisions;
        metric[METRIC_CONVERGED_S] = (double)s->packed_ns * 1e-9;
        metric[METRIC_EVENTS] = (double)p->switches;
        metric[METRIC_IMBALANCE_FRACTION] = s->imbalance;
        result->niteration = s->niteration;
        result->iteration_s = s->iteration_s;
        s->iteration_s = NULL;
}
