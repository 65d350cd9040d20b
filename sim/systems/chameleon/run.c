/* SPDX-License-Identifier: BSD-3-Clause */
/* A run: taskwaits one after another, and the event loop. */
#include <string.h>

#include "sim/engine/measure.h"
#include "sim/systems/chameleon/chameleon.h"

/* Looks for a stop request once in so many events. */
enum { STOP_EVENTS = 1 << 16 };

static void empty(struct cham_ring *ring)
{
        ring->head = ring->count = 0;
}

/*
 * All threads of a rank create their part of its tasks; the queue takes one task at a time, and all
 * who do not create one meanwhile wait for it.
 */
static int64_t creation_ns(const struct cham_rank *r, int64_t ntask)
{
        int64_t of_thread = (ntask + r->local.nthread - 1) / r->local.nthread;
        int64_t threads_ns = of_thread * (r->create_ns + r->queue_ns);
        int64_t others = r->local.nthread - 1;
        if (ntask * r->queue_ns < threads_ns) /* the queue is free in between */
                return threads_ns;
        return ntask * (r->queue_ns + others * r->contention_ns);
}

/* What a rank does before its taskwait, until it is over. */
static void prepare(struct cham *c, int32_t rank, int32_t nthread, int64_t ns)
{
        struct cham_rank *r = &c->rank[rank];
        r->local.running = nthread;
        r->busy_ns -= nthread * c->now_ns;
        if (c->tracing)
                cham_tracing_rank(c, rank);
        queue_set(&c->queue, rank * c->stride + c->stride - 1, c->now_ns + ns);
}

/* The threads are busy until all tasks are in the queue. */
static void create_tasks(struct cham *c, int32_t rank)
{
        struct cham_rank *r = &c->rank[rank];
        int64_t ntask = c->rank[rank].own_left; /* those within others are not created here */
        prepare(c, rank, ntask > 0 ? r->local.nthread : 0, creation_ns(r, ntask));
}

static int64_t at_speed(const struct cham_rank *r, int64_t ns)
{
        return (int64_t)((double)ns * r->time_factor + 0.5);
}

static void end_serial(struct cham *c, int32_t rank)
{
        struct cham_rank *r = &c->rank[rank];
        r->busy_ns += c->now_ns;
        r->work_ns += c->work[rank].serial_ns;
        r->useful_ns += at_speed(r, c->work[rank].serial_ns);
        r->prepares = false;
        create_tasks(c, rank);
}

/* Returns when it enters the taskwait. */
static int64_t begin_rank(struct cham *c, int32_t rank)
{
        struct cham_rank *r = &c->rank[rank];
        int64_t ntask = c->work[rank].ntask;
        r->local = (struct migrate_local){ .nthread = r->local.nthread, .queued = ntask };
        r->head = 0;
        r->own_left = ntask;
        r->foreign_left = 0;
        r->ncopy = r->copy_top = 0;
        empty(&r->received);
        empty(&r->replicas);
        r->entered = false;
        r->drawn = -1;
        if (c->ordered)
                cham_ordered_begin(c, rank);
        cham_touch(c, rank);
        int64_t start_ns = at_speed(r, c->work[rank].start_ns);
        r->prepares = start_ns > 0;
        if (r->prepares)
                prepare(c, rank, 1, start_ns);
        else
                create_tasks(c, rank);
        return c->now_ns + start_ns + creation_ns(r, r->own_left);
}

/* Nodes may be of another speed than in the iteration before. */
static void set_speeds(struct cham *c)
{
        const struct sim_spec *spec = c->spec;
        measure_nodes(c->ledger, spec, c->iteration);
        for (int32_t i = 0; workload_nodes_change(spec->workload, c->iteration) && i < c->nrank;
             i++)
                c->rank[i].time_factor = measure_time_factor(spec, c->rank[i].node, c->iteration);
}

static void begin_iteration(struct cham *c)
{
        set_speeds(c);
        c->own_event_ns[CHAM_END] = CHAM_NEVER;
        c->own_event_ns[CHAM_MESSAGE] = CHAM_NEVER; /* late cancellations */
        c->heap.count = 0;
        queue_rebase(&c->queue, c->now_ns);
        workload_iteration(c->spec->workload, c->iteration, c->work);
        c->origin_ns = c->now_ns;
        for (int32_t i = 0; i < c->nrank; i++) {
                int64_t entry_ns = begin_rank(c, i);
                c->origin_ns = entry_ns > c->origin_ns ? entry_ns : c->origin_ns;
        }
        c->nexecuted = 0;
        c->fresh = c->exchanged = false;
        c->changed = c->pending = true;
        cham_set_own(c, CHAM_EXCHANGE, c->origin_ns);
}

/* Every task once, and no result on its way. */
static void check_iteration(struct cham *c)
{
        int64_t ntask = 0, left = 0;
        for (int32_t i = 0; i < c->nrank; i++) {
                const struct cham_rank *r = &c->rank[i];
                ntask += c->work[i].ntask;
                left += r->own_left + r->foreign_left + r->local.sent + r->local.running;
        }
        if (ntask != c->nexecuted || left != 0)
                cham_fail(c, "a taskwait ended with work outstanding");
}

/* False when that was the last iteration. */
static bool next_iteration(struct cham *c)
{
        check_iteration(c);
        c->iteration++;
        cham_measure_iteration(c);
        if (c->iteration == workload_niteration(c->spec->workload))
                return false;
        begin_iteration(c);
        return true;
}

/* False when that was the last iteration. */
static bool own_event(struct cham *c, enum cham_own which)
{
        switch (which) {
        case CHAM_MESSAGE:
                cham_messages(c);
                break;
        case CHAM_EXCHANGE:
                cham_exchange(c);
                break;
        case CHAM_SAMPLE:
                cham_measure_sample(c);
                break;
        case CHAM_END:
                return next_iteration(c);
        case CHAM_NOWN:
                break;
        }
        return true;
}

static void thread_event(struct cham *c, int32_t slot)
{
        int32_t rank = slot >> c->stride_bits, place = slot & (c->stride - 1);
        if (place == c->stride - 1 && c->rank[rank].prepares)
                end_serial(c, rank);
        else if (place == c->stride - 1)
                cham_enter(c, rank);
        else
                cham_finish(c, rank, place);
}

/* The host's event that is next. */
static enum cham_own first_own(const struct cham *c)
{
        enum cham_own first = 0;
        for (int i = 1; i < CHAM_NOWN; i++)
                first = c->own_event_ns[i] < c->own_event_ns[first] ? (enum cham_own)i : first;
        return first;
}

/* Handle the next event; false when there will be no other. */
static bool step(struct cham *c)
{
        uint64_t key = queue_top(&c->queue);
        int64_t thread_ns = key == QUEUE_IDLE ? CHAM_NEVER : queue_time(&c->queue, key);
        if (c->own_ns < thread_ns) {
                enum cham_own own = first_own(c);
                c->own_ns = c->own_event_ns[own];
                if (c->own_ns < thread_ns) {
                        c->now_ns = c->own_ns;
                        return own_event(c, own);
                }
        }
        c->now_ns = thread_ns;
        if (key == QUEUE_IDLE)
                cham_fail(c, "no event is pending although tasks are left");
        else
                thread_event(c, queue_slot(&c->queue, key));
        return true;
}

static bool asked_to_stop(const volatile int *stop)
{
        return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}

/* Handle events until the last iteration is over; returns how many. */
static int64_t loop(struct cham *c)
{
        int64_t nevent = 0;
        bool more = true;
        while (more && !c->failed) {
                if (++nevent % STOP_EVENTS == 0 && asked_to_stop(c->stop))
                        break;
                more = step(c);
                if (queue_is_half_used(&c->queue, c->now_ns))
                        queue_rebase(&c->queue, c->now_ns);
        }
        return nevent;
}

static int run(const struct sim_spec *spec, struct sim_result *result, const volatile int *stop,
               struct lb_error *err)
{
        memset(result, 0, sizeof(*result));
        struct cham *c = cham_create(spec, err);
        if (!c)
                return -1;
        c->err = err;
        c->stop = stop;
        int64_t nevent = 0;
        int status = cham_tracing_start(c, err);
        if (status == 0) {
                cham_measure_iteration(c);
                begin_iteration(c);
                nevent = loop(c);
        }
        if (status < 0 || c->failed)
                status = -1; /* err is filled */
        else if (c->iteration < workload_niteration(spec->workload))
                status = lb_error_stop(err, "interrupted");
        c->ledger->now.events = (double)nevent;
        if (status == 0)
                status = cham_measure_finish(c, result, err);
        if (status == 0)
                status = tracing_close(&c->tracing, c->now_ns, result, err);
        cham_destroy(c);
        return status;
}

static const struct lb_param *const tables[] = {
        [CHAM_TABLE_HOST] = cham_params,
        [CHAM_TABLE_POLICY] = migrate_params,
        NULL,
};

/* lbrun's: its thread for messages sleeps, and loads are told every exchange_us (50) with what has
 * come. */
static const struct sim_host_live live[] = {
        { "system.comm_core", "shared" },
        { "system.exchange_us", "50" },
        { "system.under_way", "true" },
        { NULL, NULL },
};

const struct sim_host sim_host_chameleon = {
        .name = "chameleon",
        .tables = tables,
        .run = run,
        .runtime = 1u << RUNTIME_CREATE_US | 1u << RUNTIME_TASK_US,
        .cores_least = cham_cores_least,
        .live = live,
        .ordered = true,
};
