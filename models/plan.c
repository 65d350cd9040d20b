/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/plan.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "models/taskgraph.h"

const double plan_task_ms_max = 3.6e6;

int plan_init(struct plan *plan, int32_t nstep, int32_t napprank, struct lb_error *err)
{
        assert(nstep >= 1 && napprank >= 1);
        size_t npart = (size_t)nstep * (size_t)napprank;
        *plan = (struct plan){
                .nstep = nstep,
                .napprank = napprank,
                .each = nstep > PLAN_STEP_MAX,
                .lasts = { 1, 1 },
                .task_bytes = -1,
                .result_bytes = -1,
                .part = malloc(npart * sizeof(*plan->part)),
                .load = calloc((size_t)napprank, sizeof(*plan->load)),
        };
        if (!plan->part || !plan->load) {
                plan_finish(plan);
                return lb_error_fail(err, "out of memory for %d appranks", napprank);
        }
        for (size_t i = 0; i < npart; i++)
                plan->part[i] = (struct plan_part){ .first = PLAN_ALIKE };
        return 0;
}

void plan_finish(struct plan *plan)
{
        free(plan->part);
        free(plan->task_ns);
        free(plan->load);
        free(plan->region);
        free(plan->message_bytes);
        taskgraph_destroy(plan->own_graph);
        *plan = (struct plan){ 0 };
}

static struct plan_part *part_of(struct plan *plan, int32_t step, int32_t apprank)
{
        assert(step >= 0 && step < plan->nstep && apprank >= 0 && apprank < plan->napprank);
        return &plan->part[(int64_t)step * plan->napprank + apprank];
}

static int check_duration(int32_t apprank, double task_ms, struct lb_error *err)
{
        if (task_ms >= 0 && task_ms <= plan_task_ms_max)
                return 0;
        return lb_error_set(err,
                            "apprank %d: found tasks of %.10g ms on average, allowed is 0 to %.10g "
                            "ms",
                            apprank, task_ms, plan_task_ms_max);
}

int plan_alike(struct plan *plan, int32_t step, int32_t apprank, int64_t ntask, double task_ms,
               struct lb_error *err)
{
        if (check_duration(apprank, task_ms, err) != 0)
                return -1;
        plan->load[apprank] += (double)ntask * task_ms;
        *part_of(plan, step, apprank) = (struct plan_part){
                .ntask = ntask,
                .task_ns = llround(task_ms * 1e6),
                .first = PLAN_ALIKE,
        };
        return 0;
}

int plan_serial(struct plan *plan, int32_t step, int32_t apprank, double serial_ms, double start_ms,
                struct lb_error *err)
{
        struct plan_part *part = part_of(plan, step, apprank);
        assert(start_ms >= serial_ms);
        if (!(serial_ms >= 0 && start_ms <= plan_task_ms_max))
                return lb_error_set(err,
                                    "apprank %d: found a serial part of %.10g ms, allowed is 0 to "
                                    "%.10g ms",
                                    apprank, start_ms, plan_task_ms_max);
        plan->load[apprank] += serial_ms;
        part->serial_ns = llround(serial_ms * 1e6);
        part->start_ns = llround(start_ms * 1e6);
        return 0;
}

static int make_room(struct plan *plan, int64_t ntask, struct lb_error *err)
{
        int64_t size = plan->size > 0 ? plan->size : 1024;
        while (size < plan->ntask + ntask)
                size *= 2;
        int64_t *larger = realloc(plan->task_ns, (size_t)size * sizeof(*larger));
        if (!larger)
                return lb_error_fail(err, "out of memory for %lld tasks", (long long)size);
        plan->task_ns = larger;
        plan->size = size;
        return 0;
}

int plan_tasks(struct plan *plan, int32_t step, int32_t apprank, int64_t ntask,
               const double *task_ms, struct lb_error *err)
{
        if (make_room(plan, ntask, err) != 0)
                return -1;
        double sum_ms = 0;
        for (int64_t i = 0; i < ntask; i++) {
                if (check_duration(apprank, task_ms[i], err) != 0)
                        return -1;
                plan->task_ns[plan->ntask + i] = llround(task_ms[i] * 1e6);
                sum_ms += task_ms[i];
        }
        plan->load[apprank] += sum_ms;
        *part_of(plan, step, apprank) = (struct plan_part){
                .ntask = ntask,
                .task_ns = ntask > 0 ? llround(sum_ms * 1e6 / (double)ntask) : 0,
                .first = plan->ntask,
        };
        plan->ntask += ntask;
        return 0;
}

int plan_graph(struct plan *plan, int32_t napprank, const struct taskgraph *graph,
               struct lb_error *err)
{
        double bytes = 0, ntask = taskgraph_ntask(graph);
        int32_t nstep = taskgraph_niteration(graph);
        if (plan_init(plan, nstep, napprank, err) != 0)
                return -1;
        for (int64_t p = 0; p < (int64_t)nstep * napprank; p++) {
                int32_t step = (int32_t)(p / napprank), a = (int32_t)(p % napprank);
                const struct taskgraph_part *tasks = taskgraph_part(graph, step, a);
                double work_ms = (double)tasks->work_ns * 1e-6;
                double mean_ms = tasks->ntask > 0 ? work_ms / tasks->ntask : 0;
                bytes += tasks->bytes_of_all;
                if (plan_alike(plan, step, a, tasks->ntask, mean_ms, err) == 0)
                        continue;
                plan_finish(plan);
                return -1;
        }
        plan->task_bytes = plan->result_bytes = ntask > 0 ? llround(bytes / ntask) : 0;
        plan->graph = graph;
        return 0;
}

static int make_region_room(struct plan *plan, int32_t nregion, struct lb_error *err)
{
        int64_t size = plan->region_size > 0 ? plan->region_size : 64;
        while (size < (int64_t)plan->nregion + nregion)
                size *= 2;
        if (size > INT32_MAX)
                return lb_error_fail(err, "too many regions");
        int64_t *larger = realloc(plan->region, (size_t)size * sizeof(*larger));
        if (!larger)
                return lb_error_fail(err, "out of memory for %lld regions", (long long)size);
        plan->region = larger;
        plan->region_size = (int32_t)size;
        return 0;
}

int plan_regions(struct plan *plan, int32_t step, int32_t apprank, int32_t nregion,
                 const int64_t *region, struct lb_error *err)
{
        if (make_region_room(plan, nregion, err) != 0)
                return -1;
        struct plan_part *part = part_of(plan, step, apprank);
        int64_t ntask = 0;
        for (int32_t r = 0; r < nregion; r++)
                ntask += plan->region[plan->nregion + r] = region[r];
        assert(ntask == part->ntask);
        (void)ntask;
        part->first_region = plan->nregion;
        part->nregion = nregion;
        plan->nregion += nregion;
        return 0;
}

static int32_t sum(const int32_t *lasts, int32_t from, int32_t until)
{
        int32_t count = 0;
        for (int32_t s = from; s < until; s++)
                count += lasts[s];
        return count;
}

const struct plan_part *plan_at(const struct plan *plan, int32_t iteration, int32_t apprank)
{
        assert(iteration >= 0 && apprank >= 0 && apprank < plan->napprank);
        if (plan->each)
                return &plan->part[(int64_t)(iteration % plan->nstep) * plan->napprank + apprank];
        int32_t before = sum(plan->lasts, 0, plan->again);
        if (iteration >= before)
                iteration =
                    before + (iteration - before) % sum(plan->lasts, plan->again, plan->nstep);
        int32_t step = 0;
        while (iteration >= plan->lasts[step])
                iteration -= plan->lasts[step++];
        return &plan->part[(int64_t)step * plan->napprank + apprank];
}
