/* SPDX-License-Identifier: BSD-3-Clause */
/* The run: iterations and the event loop; parameters. */
#include "sim/engine/host.h"

#include <string.h>

#include "policies/dpb_params.h"
#include "policies/dpd.h"
#include "sim/engine/measure.h"
#include "sim/systems/dpb/host.h"
#include "sim/systems/dpb/processors.h"

static const char *const starts[] = { "equal", "work", NULL };
static const char *const modes[] = { "synchronous", "asynchronous", NULL };
static const char *const schedules[] = { "static", "dynamic", "ideal", NULL };

const struct lb_param smp_params[] = {
        [SMP_POLICY] = { .name = "processors",
                         .type = LB_PARAM_CHOICE,
                         .choices = dpb_names,
                         .help =
                             "who moves processors among a node's processes: the paper's policy, "
                             "nobody, or all at once in proportion" },
        [SMP_START] = { .name = "processors_start",
                        .type = LB_PARAM_CHOICE,
                        .choices = starts,
                        .help = "processors at the start: equal parts, or in proportion to known "
                                "work, as the benchmarks do themselves" },
        [SMP_MODE] = { .name = "processors_move",
                       .type = LB_PARAM_CHOICE,
                       .choices = modes,
                       .help = "processors move at the edges of parallel regions, or at once" },
        [SMP_PERIODS] = DPB_PARAM_PERIODS,
        [SMP_DISCARD] = DPB_PARAM_DISCARD,
        [SMP_WINDOW] = DPB_PARAM_WINDOW,
        [SMP_CONFIRM] = DPB_PARAM_CONFIRM,
        [SMP_DELAY_MS] = { .name = "dpb_delay_ms",
                           .unit = "ms",
                           .type = LB_PARAM_NUMBER,
                           .max = 1e6,
                           .help = "from the last process's measurement to the decision" },
        [SMP_SCHEDULE] = { .name = "omp_schedule",
                           .type = LB_PARAM_CHOICE,
                           .choices = schedules,
                           .help = "how a region's chunks are divided over threads: blocks, one "
                                   "by one, or as if they could be cut anywhere" },
        [SMP_FORK_US] = { .name = "omp_fork_us",
                          .unit = "us",
                          .type = LB_PARAM_NUMBER,
                          .fallback = 10,
                          .max = 1e6,
                          .help = "fork and join of a parallel region; order of magnitude of 16 "
                                  "threads on an SMP of the paper's time" },
        [SMP_SERIAL] = { .name = "omp_serial",
                         .type = LB_PARAM_NUMBER,
                         .max = 1,
                         .help = "share of a process's work that is outside parallel regions" },
        [SMP_NPARAM] = { .name = NULL },
};

/* After the host's own: one for each of dpb_types[]. */
static const struct lb_param *const tables[] = { smp_params,
#define TABLE(type, name) dpb_##type##_params,
                                                 DPB_TYPES(TABLE) NULL };

/* Looks for a stop request once in so many events. */
enum { STOP_EVENTS = 1 << 10 };

/* The MPI calls of an iteration: an exchange with the neighbours in a ring, and the wait for all.
 * The time is in the last one. */
static void tell_calls(struct smp *m, int32_t process)
{
        enum { CALL_SEND = 1, CALL_RECEIVE, CALL_WAIT };
        struct process *p = &m->process[process];
        int32_t n = m->nprocess;
        int32_t sides[2] = { (process + n - 1) % n, (process + 1) % n };
        for (int s = 0; s < 2 && n > 1; s++) {
                profile_call(p->profile, dpd_value(CALL_SEND, sides[s], 0), p->begin_ns,
                             p->begin_ns);
                profile_call(p->profile, dpd_value(CALL_RECEIVE, sides[s], 0), p->begin_ns,
                             p->begin_ns);
        }
        profile_call(p->profile, dpd_value(CALL_WAIT, -1, 0), p->begin_ns, m->now_ns);
}

/* Nodes may be of another speed than in the iteration before. */
static void set_speeds(struct smp *m)
{
        const struct sim_spec *spec = m->spec;
        measure_nodes(m->ledger, spec, m->iteration);
        for (int32_t n = 0; workload_nodes_change(spec->workload, m->iteration) && n < m->nnode;
             n++)
                m->time_factor[n] = measure_time_factor(spec, n, m->iteration);
}

static void begin_iteration(struct smp *m)
{
        set_speeds(m);
        queue_rebase(&m->queue, m->now_ns);
        m->waiting = m->nprocess;
        m->barrier_ns = m->now_ns;
        workload_iteration(m->spec->workload, m->iteration, m->work);
        for (int32_t a = 0; a < m->nprocess; a++)
                smp_begin(m, a);
}

/* All have met. False when that was the last iteration. */
static bool barrier(struct smp *m)
{
        queue_clear(&m->queue, smp_barrier_slot(m));
        for (int32_t a = 0; a < m->nprocess; a++)
                tell_calls(m, a);
        smp_measure_iteration(m);
        if (++m->iteration == workload_niteration(m->spec->workload))
                return false;
        for (int32_t n = 0; n < m->nnode; n++)
                smp_told(m, n);
        begin_iteration(m);
        return true;
}

static bool event(struct smp *m, int32_t slot)
{
        if (slot == smp_barrier_slot(m))
                return barrier(m);
        if (slot < m->nprocess)
                smp_process_event(m, slot);
        else
                smp_decide(m, slot - m->nprocess);
        return true;
}

static bool asked_to_stop(const volatile int *stop)
{
        return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}

/* Returns how many events, or -1 where a stop was asked for. */
static int64_t loop(struct smp *m)
{
        int64_t nevent = 0;
        bool more = true;
        begin_iteration(m);
        while (more && !m->failed) {
                uint64_t key = queue_top(&m->queue);
                m->now_ns = queue_time(&m->queue, key);
                if (nevent++ % STOP_EVENTS == 0 && asked_to_stop(m->stop))
                        return -1;
                more = event(m, queue_slot(&m->queue, key));
                if (queue_is_half_used(&m->queue, m->now_ns))
                        queue_rebase(&m->queue, m->now_ns);
        }
        return nevent;
}

static int run(const struct sim_spec *spec, struct sim_result *result, const volatile int *stop,
               struct lb_error *err)
{
        memset(result, 0, sizeof(*result));
        struct smp *m = smp_create(spec, err);
        if (!m)
                return -1;
        m->stop = stop;
        int status = smp_tracing_start(m, err);
        int64_t nevent = status == 0 ? loop(m) : 0;
        m->ledger->now.events = (double)nevent;
        if (nevent < 0)
                status = lb_error_stop(err, "interrupted");
        if (m->failed)
                status = sim_decisions_blame(err, m->now_ns, m->iteration, m->policy->name);
        if (status == 0)
                status = measure_result(m->ledger, result, err);
        if (status == 0)
                status = tracing_close(&m->tracing, m->now_ns, result, err);
        smp_destroy(m);
        return status;
}

const struct sim_host sim_host_dpb = {
        .name = "dpb",
        .tables = tables,
        .run = run,
        .regions = true,
};
