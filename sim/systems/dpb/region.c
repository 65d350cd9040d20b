/* SPDX-License-Identifier: BSD-3-Clause */
/* A parallel loop on p threads, by schedule. */
#include <math.h>

#include "sim/systems/dpb/processors.h"

struct loop {
        const struct smp *m;
        int32_t process, iteration;
        int64_t first, count;
};

static double chunk_ns(const struct loop *l, int64_t chunk)
{
        if (l->m->alike)
                return (double)l->m->work[l->process].task_ns;
        return (double)workload_task_ns(l->m->spec->workload, l->process, l->iteration,
                                        l->first + chunk);
}

static double sum_ns(const struct loop *l, int64_t from, int64_t until)
{
        double sum = 0;
        if (l->m->alike)
                return (double)(until - from) * chunk_ns(l, 0);
        for (int64_t i = from; i < until; i++)
                sum += chunk_ns(l, i);
        return sum;
}

/* Contiguous blocks, the first ones of one chunk more: schedule(static). */
static double static_ns(const struct loop *l, int32_t nthread)
{
        double most = 0;
        int64_t from = 0;
        if (l->m->alike)
                return sum_ns(l, 0, (l->count + nthread - 1) / nthread);
        for (int32_t t = 0; t < nthread; t++) {
                int64_t until = from + l->count / nthread + (t < l->count % nthread);
                most = fmax(most, sum_ns(l, from, until));
                from = until;
        }
        return most;
}

/* The heap's root got later: back in order. */
static void sift(double *heap, int32_t size)
{
        double value = heap[0];
        int32_t at = 0, child;
        while ((child = 2 * at + 1) < size) {
                child += child + 1 < size && heap[child + 1] < heap[child];
                if (heap[child] >= value)
                        break;
                heap[at] = heap[child];
                at = child;
        }
        heap[at] = value;
}

/* One chunk at a time to the thread that is free first: schedule(dynamic). `free_ns` is scratch. */
static double dynamic_ns(const struct loop *l, int32_t nthread, double *free_ns)
{
        double most = 0;
        if (l->m->alike)
                return static_ns(l, nthread);
        for (int32_t t = 0; t < nthread; t++)
                free_ns[t] = 0;
        for (int64_t i = 0; i < l->count; i++) {
                free_ns[0] += chunk_ns(l, i);
                most = fmax(most, free_ns[0]);
                sift(free_ns, nthread);
        }
        return most;
}

double smp_region_ns(const struct smp *m, int32_t process, double *work_ns)
{
        const struct process *p = &m->process[process];
        const struct workload *workload = m->spec->workload;
        double factor = m->time_factor[p->node] * (1 - m->param[SMP_SERIAL]), ns = 0;
        struct loop loop = {
                .m = m,
                .process = process,
                .iteration = m->iteration,
                .first = p->first_task,
                .count = workload_region_tasks(workload, process, m->iteration, p->region),
        };
        double sum = sum_ns(&loop, 0, loop.count);
        switch ((enum smp_schedule)(int)m->param[SMP_SCHEDULE]) {
        case SMP_STATIC:
                ns = static_ns(&loop, p->cpus);
                break;
        case SMP_DYNAMIC:
                ns = dynamic_ns(&loop, p->cpus, m->thread_ns);
                break;
        case SMP_IDEAL:
                ns = sum / p->cpus;
                break;
        }
        *work_ns = sum * (1 - m->param[SMP_SERIAL]);
        return ns * factor;
}
