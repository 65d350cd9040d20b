/* SPDX-License-Identifier: BSD-3-Clause */
/* A process through its iteration: serial part, regions, MPI. */
#include <math.h>

#include "sim/systems/dpb/processors.h"

/* The queue sees no further than its span: a long phase is waited for in steps. */
static void wait_for_end(struct smp *m, int32_t process)
{
        int64_t end_ns = m->process[process].end_ns,
                most_ns = m->now_ns + queue_span_ns(&m->queue) / 4;
        queue_set(&m->queue, process, end_ns < most_ns ? end_ns : most_ns);
}

static void set_end(struct smp *m, int32_t process, double length_ns)
{
        m->process[process].end_ns = m->now_ns + llround(length_ns);
        wait_for_end(m, process);
}

static void trace(struct smp *m, int32_t process)
{
        if (m->tracing)
                smp_tracing_process(m, process);
}

static double fork_ns(const struct smp *m)
{
        return m->param[SMP_FORK_US] * 1e3;
}

/* What its region takes on the processors that it has. */
static void set_region(struct smp *m, int32_t process)
{
        struct process *p = &m->process[process];
        p->region_ns = smp_region_ns(m, process, &p->work_ns);
        p->useful_ns = p->work_ns * m->time_factor[p->node];
}

static void begin_region(struct smp *m, int32_t process)
{
        struct process *p = &m->process[process];
        smp_edge(m, process);
        p->phase = PHASE_REGION;
        p->begin_ns = m->now_ns;
        set_region(m, process);
        set_end(m, process, p->region_ns + fork_ns(m));
        trace(m, process);
}

static void begin_mpi(struct smp *m, int32_t process)
{
        struct process *p = &m->process[process];
        int64_t bytes = workload_message_bytes(m->spec->workload, process);
        int64_t through_ns = m->now_ns;
        if (bytes > 0)
                through_ns += m->network.latency_ns +
                              llround(network_bytes_ns(&m->network, p->node, p->node, bytes));
        p->phase = PHASE_MPI;
        p->begin_ns = m->now_ns;
        queue_clear(&m->queue, process);
        trace(m, process);
        smp_edge(m, process);
        if (through_ns > m->barrier_ns)
                m->barrier_ns = through_ns;
        if (--m->waiting == 0)
                queue_set(&m->queue, smp_barrier_slot(m),
                          m->barrier_ns + network_barrier_ns(&m->network, m->nprocess));
}

static void next(struct smp *m, int32_t process)
{
        struct process *p = &m->process[process];
        if (p->region < p->nregion)
                begin_region(m, process);
        else
                begin_mpi(m, process);
}

void smp_begin(struct smp *m, int32_t process)
{
        struct process *p = &m->process[process];
        const struct work *work = &m->work[process];
        p->nregion = workload_nregion(m->spec->workload, process, m->iteration);
        p->region = 0;
        p->first_task = 0;
        p->work_ns = (double)work->ntask * (double)work->task_ns * m->param[SMP_SERIAL] +
                     (double)work->serial_ns;
        p->useful_ns = p->work_ns * m->time_factor[p->node];
        double length_ns =
            p->useful_ns + (double)(work->start_ns - work->serial_ns) * m->time_factor[p->node];
        if (!(length_ns > 0)) {
                next(m, process);
                return;
        }
        p->phase = PHASE_SERIAL;
        p->begin_ns = m->now_ns;
        set_end(m, process, length_ns);
        trace(m, process);
}

/* The serial part or a region is over. */
void smp_process_event(struct smp *m, int32_t process)
{
        struct process *p = &m->process[process];
        double overhead_ns = 0;
        if (m->now_ns < p->end_ns) {
                wait_for_end(m, process);
                return;
        }
        if (p->phase == PHASE_REGION) {
                overhead_ns = fork_ns(m) * p->cpus;
                p->first_task +=
                    workload_region_tasks(m->spec->workload, process, m->iteration, p->region);
                p->region++;
        }
        smp_measure_busy(m, process, overhead_ns);
        p->phase = PHASE_SERIAL; /* at the exit of the region */
        next(m, process);
}

/* In a region, what is left of it lasts as the same part of the whole would on the new number. */
void smp_resize(struct smp *m, int32_t process, int32_t cpus)
{
        struct process *p = &m->process[process];
        if (p->cpus == cpus)
                return;
        p->cpus = cpus;
        ledger_owns(m->ledger, m->now_ns, process, cpus);
        trace(m, process);
        if (p->phase != PHASE_REGION || !(p->region_ns > 0))
                return;
        double left = fmin(1, (double)(p->end_ns - m->now_ns) / p->region_ns);
        set_region(m, process);
        set_end(m, process, left * p->region_ns);
}
