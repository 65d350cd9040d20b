/* SPDX-License-Identifier: BSD-3-Clause */
/* The run: iterations, the barrier between them, and the event loop. */
#include "sim/systems/offload/run.h"

#include <string.h>

#include "sim/engine/measure.h"
#include "sim/systems/offload/event.h"
#include "sim/systems/offload/machine.h"

/* Looks for a stop request once in so many events. */
enum { STOP_EVENTS = 1 << 16 };

/* Nodes may be of another speed than in the iteration before. */
static void set_speeds(struct machine *m)
{
        const struct sim_spec *spec = m->spec;
        measure_nodes(m->ledger, spec, m->iteration);
        for (int32_t i = 0; workload_nodes_change(spec->workload, m->iteration) && i < m->nworker;
             i++) {
                struct worker *w = &m->worker[i];
                w->time_factor = measure_time_factor(spec, w->node, m->iteration);
        }
}

static void begin_iteration(struct machine *m)
{
        set_speeds(m);
        m->iteration_start_ns = m->now_ns;
        m->barrier_ns = m->now_ns;
        m->waiting = m->napprank;
        queue_clear(&m->queue, machine_slot(m, SLOT_START));
        queue_rebase(&m->queue, m->now_ns);
        workload_iteration(m->spec->workload, m->iteration, m->work);
        if (m->parts)
                parts_begin(m);
        for (int32_t a = 0; !m->parts && a < m->napprank; a++)
                tasks_begin(m, a);
}

/* Time at which the data of an apprank's tasks is back at home, if the taskwait asks for it. */
static int64_t write_back_ns(struct machine *m, const struct apprank *a)
{
        int64_t last = m->now_ns;
        int32_t home = m->edge_worker[a->first_edge];
        for (int32_t e = a->first_edge + 1; e < a->first_edge + a->nedge; e++) {
                const struct worker *w = &m->worker[m->edge_worker[e]];
                int64_t bytes = worker_left_bytes(m, w);
                if (bytes == 0)
                        continue;
                int64_t arrival =
                    network_send(&m->network, w->node, m->worker[home].node, bytes, m->now_ns);
                arrival = lb_later(arrival, m->now_ns + network_copy_ns(&m->network, bytes));
                measure_bytes(m, bytes);
                arrival += m->network.latency_ns; /* the request */
                last = arrival > last ? arrival : last;
        }
        return last;
}

/* Where it belongs to a part, that waits for the others. */
void run_apprank_done(struct machine *m, int32_t apprank)
{
        if (m->outbox) {
                parts_post(
                    m, &(struct post){ .time_ns = m->now_ns, .to = apprank, .kind = POST_DONE });
                return;
        }
        int64_t done_ns = m->now_ns;
        if (workload_writeback(m->spec->workload))
                done_ns = write_back_ns(m, &m->apprank[apprank]);
        if (done_ns > m->barrier_ns)
                m->barrier_ns = done_ns;
        if (--m->waiting == 0)
                queue_set(&m->queue, machine_slot(m, SLOT_START),
                          m->barrier_ns + network_barrier_ns(&m->network, m->napprank));
}

/* The barrier is over. False when that was the last iteration. */
static bool next_iteration(struct machine *m)
{
        m->iteration++;
        m->iteration_ns = node_iteration_ns(m->iteration_ns, m->now_ns - m->iteration_start_ns);
        measure_iteration(m);
        if (m->iteration == workload_niteration(m->spec->workload))
                return false;
        begin_iteration(m);
        return true;
}

bool run_machine_event(struct machine *m, int32_t slot)
{
        switch ((enum machine_slot)slot) {
        case SLOT_START:
                return next_iteration(m);
        case SLOT_GROW:
                helpers_event(m);
                break;
        case SLOT_COLLECT:
                control_collect(m);
                break;
        case SLOT_PUBLISH:
                control_publish(m);
                break;
        case SLOT_SAMPLE:
                measure_sample(m);
                break;
        case SLOT_STALL:
                control_stall(m);
                break;
        case NSLOT_MACHINE:
                break;
        }
        return true;
}

/* Written by a signal handler or another thread, hence the atomic read. */
bool run_asked_to_stop(const struct machine *m)
{
        return m->stop && __atomic_load_n(m->stop, __ATOMIC_RELAXED);
}

static bool stopped(const struct machine *m, int64_t nevent)
{
        if (m->failed)
                return true;
        return nevent % STOP_EVENTS == 0 && run_asked_to_stop(m);
}

/* Handle events until the last iteration is over; returns how many. */
static inline int64_t loop(struct machine *m, bool looks_ahead)
{
        int64_t nevent = 0;
        bool more = true;
        while (more) {
                machine_moment(m, SIM_MOMENT_AFTER, 0);
                if (looks_ahead)
                        ahead_ask(m);
                uint64_t key = looks_ahead ? queue_next(&m->queue) : queue_top(&m->queue);
                if (key == QUEUE_IDLE) {
                        machine_fail(m, "no event is pending although tasks are left");
                        break;
                }
                m->now_ns = queue_time(&m->queue, key);
                int32_t slot = queue_slot(&m->queue, key);
                if (looks_ahead)
                        queue_take(&m->queue);
                if (stopped(m, ++nevent))
                        break;
                if (slot < m->first_machine_slot)
                        event_of_node(m, slot);
                else
                        more = run_machine_event(m, slot - m->first_machine_slot);
                event_over(m);
        }
        return nevent;
}

/* Most machines are small: theirs has no instruction for what they do not do. */
static int64_t loop_small(struct machine *m)
{
        return loop(m, false);
}

static int64_t loop_large(struct machine *m)
{
        return loop(m, true);
}

/* After the last event. */
static int finish(struct machine *m, struct sim_result *result, int64_t nevent,
                  struct lb_error *err)
{
        if (m->failed)
                return -1; /* err is filled */
        if (run_asked_to_stop(m) && m->iteration < workload_niteration(m->spec->workload)) {
                lb_error_stop(err, "interrupted");
                return -1;
        }
        if (measure_finish(m, nevent, result, err) < 0)
                return -1;
        return tracing_close(&m->tracing, m->now_ns, result, err);
}

/* All workers that there ever are, given or to be found. */
struct workers {
        const struct graph *given;
        struct graph **found; /* receives their graph, and there is no result; or NULL */
};

static int run_machine(const struct sim_spec *spec, struct workers workers,
                       struct sim_result *result, const volatile int *stop, struct lb_error *err)
{
        memset(result, 0, sizeof(*result));
        struct machine *m = machine_create(spec, workers.given, err);
        if (!m)
                return -1;
        m->stop = stop;
        m->err = err;
        int status = tracing_start(m, err);
        if (status == 0) {
                control_begin(m);
                measure_iteration(m);
                begin_iteration(m);
                status = parts_create(m, err);
        }
        if (status == 0) {
                int64_t nevent = m->parts         ? parts_loop(m)
                                 : m->looks_ahead ? loop_large(m)
                                                  : loop_small(m);
                status = finish(m, result, nevent, err);
        }
        if (status == 0 && workers.found) {
                *workers.found = helpers_columns(m, err);
                sim_result_finish(result);
                status = *workers.found ? 0 : -1;
        }
        machine_destroy(m);
        return status;
}

/*
 * Time series and traces name all workers from the start. Where helpers come and go, a first run
 * finds out which there will be, and the same run once more writes them down.
 */
static int run_growing(const struct sim_spec *spec, struct sim_result *result,
                       const volatile int *stop, struct lb_error *err)
{
        struct sim_spec bare = *spec;
        struct graph *all = NULL;
        bare.series_s = 0;
        bare.trace = NULL;
        int status = run_machine(&bare, (struct workers){ spec->graph, &all }, result, stop, err);
        if (status == 0)
                status = run_machine(spec, (struct workers){ all, NULL }, result, stop, err);
        if (status == 0 && spec->series_s > 0)
                result->series.graph = all;
        else
                graph_destroy(all);
        return status;
}

int offload_run(const struct sim_spec *spec, struct sim_result *result, const volatile int *stop,
                struct lb_error *err)
{
        if (spec->grow && (spec->series_s > 0 || spec->trace))
                return run_growing(spec, result, stop, err);
        return run_machine(spec, (struct workers){ spec->graph, NULL }, result, stop, err);
}
