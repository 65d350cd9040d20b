/* SPDX-License-Identifier: BSD-3-Clause */
/* The run: one iteration after the other. */
#include <math.h>
#include <string.h>

#include "sim/engine/measure.h"
#include "sim/systems/packing/packing.h"

/* Times are cut here, 36 years, so that a few of them add up. */
static const int64_t time_max_ns = INT64_C(1) << 60;

/* ---- Calculating ---- */

static int64_t scaled(const struct process *process, int64_t ns)
{
        double time_ns = (double)ns / process->speed;
        return time_ns < (double)time_max_ns ? llround(time_ns) : time_max_ns;
}

/* Where to put the next task: the core that is free first. */
static int32_t first_free(const int64_t *free_ns, int32_t cores)
{
        int32_t first = 0;
        for (int32_t c = 1; c < cores; c++)
                if (free_ns[c] < free_ns[first])
                        first = c;
        return first;
}

static void run_tasks(struct packing *p, int32_t i)
{
        struct process *process = &p->process[i];
        int64_t last_ns = 0;
        memset(p->core_free_ns, 0, (size_t)p->cores * sizeof(*p->core_free_ns));
        for (int64_t t = 0; t < p->work[i].ntask; t++) {
                int64_t drawn_ns = workload_task_ns(p->spec->workload, i, p->iteration, t);
                int64_t ns = scaled(process, drawn_ns);
                process->drawn_ns += drawn_ns;
                int32_t core = p->cores > 1 ? first_free(p->core_free_ns, p->cores) : 0;
                p->core_free_ns[core] += ns;
                process->useful_ns += ns;
                if (p->core_free_ns[core] > last_ns)
                        last_ns = p->core_free_ns[core];
        }
        process->work_ns = last_ns;
}

/* Its serial part, then its tasks on its cores, in order, each on the core that is free first. */
static void calculate(struct packing *p, int32_t i)
{
        struct process *process = &p->process[i];
        const struct work *work = &p->work[i];
        process->useful_ns = process->work_ns = process->drawn_ns = 0;
        if (!workload_alike(p->spec->workload)) {
                run_tasks(p, i);
        } else {
                int64_t rounds = (work->ntask + p->cores - 1) / p->cores;
                process->work_ns = scaled(process, rounds * work->task_ns);
                process->drawn_ns = work->ntask * work->task_ns;
                process->useful_ns = scaled(process, process->drawn_ns);
        }
        process->wait_ns = scaled(process, work->start_ns - work->serial_ns);
        process->work_ns += scaled(process, work->serial_ns);
        process->drawn_ns += work->serial_ns;
        process->useful_ns += scaled(process, work->serial_ns);
}

/* All processes of a CPU, until each has arrived. */
static void run_cpu(struct packing *p, int32_t cpu)
{
        int32_t first = p->cpu_first[cpu], count = p->cpu_first[cpu + 1] - first;
        for (int32_t k = 0; k < count; k++) {
                const struct process *process = &p->process[p->on_cpu[first + k]];
                p->job[k] = (struct share_job){ .ready_ns = process->ready_ns + process->wait_ns,
                                                .left_ns = process->cpu_ns };
        }
        p->switches += share_run(p->job, count, &p->cost, packing_tracing_cpu(p, cpu));
        for (int32_t k = 0; k < count; k++)
                p->process[p->on_cpu[first + k]].arrival_ns = p->job[k].end_ns;
}

/* ---- Iterations ---- */

static void run_iteration(struct packing *p)
{
        int64_t slowest_ns = 0;
        if (workload_nodes_change(p->spec->workload, p->iteration)) {
                packing_set_speeds(p);
                measure_nodes(p->ledger, p->spec, p->iteration);
        }
        workload_iteration(p->spec->workload, p->iteration, p->work);
        for (int32_t i = 0; i < p->nprocess; i++)
                calculate(p, i);
        packing_exchange(p);
        for (int32_t cpu = 0; cpu < p->nprocess; cpu++)
                run_cpu(p, cpu);
        for (int32_t i = 0; i < p->nprocess; i++)
                if (p->process[i].arrival_ns > slowest_ns)
                        slowest_ns = p->process[i].arrival_ns;
        packing_measure_work(p);
        if (p->traced)
                packing_tracing_work(p);
        packing_decide(p, slowest_ns);
        int64_t end_ns = packing_meet(p);
        packing_measure_iteration(p, end_ns);
        packing_tracing_places(p, p->start_ns + end_ns);
        p->start_ns += end_ns;
}

static bool asked_to_stop(const volatile int *stop)
{
        return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}

static int run_iterations(struct packing *p, const volatile int *stop, struct lb_error *err)
{
        int32_t niteration = workload_niteration(p->spec->workload);
        for (p->iteration = 0; p->iteration < niteration; p->iteration++) {
                if (asked_to_stop(stop))
                        return lb_error_stop(err, "interrupted");
                run_iteration(p);
                if (p->failed)
                        return sim_decisions_blame(err, p->start_ns, p->iteration, p->policy->name);
                if (p->start_ns > time_max_ns)
                        return lb_error_set(err, "iteration %d: the run takes longer than 36 years",
                                            p->iteration);
        }
        return 0;
}

static int packing_run(const struct sim_spec *spec, struct sim_result *result,
                       const volatile int *stop, struct lb_error *err)
{
        memset(result, 0, sizeof(*result));
        struct packing *p = packing_create(spec, err);
        if (!p)
                return -1;
        int status = packing_tracing_start(p, err);
        if (status == 0)
                status = run_iterations(p, stop, err);
        if (status == 0)
                status = measure_result(p->ledger, result, err);
        if (status == 0)
                status = packing_tracing_close(p, result, err);
        packing_destroy(p);
        return status;
}

static const struct lb_param *const tables[] = { [PACKING_TABLE_HOST] = packing_params,
                                                 [PACKING_TABLE_WHEN] = pack_when_params,
/* from PACKING_TABLE_PACK on */
#define TABLE(type, name) pack_##type##_params,
                                                 PACK_TYPES(TABLE) NULL };

/* What is measured scatters. */
#define NUMBER_TEXT(number) #number
#define TEXT(number) NUMBER_TEXT(number)
static const struct sim_host_live live[] = {
        { "system.pack_tolerance", TEXT(PACK_LIVE_TOLERANCE) },
        { NULL, NULL },
};

const struct sim_host sim_host_packing = {
        .name = "packing",
        .tables = tables,
        .run = packing_run,
        .live = live,
};
