/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks at a rank, in the library's order (docs/facts.md C4): received ones, own ones, own
 * replicated ones (last in, first out), those of others that are replicated here.
 */
#include "sim/systems/chameleon/chameleon.h"

#include <assert.h>
#include <stdlib.h>

#include "base/apart.h"

static bool grow(struct cham_ring *ring)
{
        uint32_t size = ring->size ? 2 * ring->size : 16;
        struct cham_task *item = malloc(size * sizeof(*item));
        if (!item)
                return false;
        for (uint32_t i = 0; i < ring->count; i++)
                item[i] = ring->item[(ring->head + i) & (ring->size - 1)];
        free(ring->item);
        *ring = (struct cham_ring){ .item = item, .size = size, .count = ring->count };
        return true;
}

void cham_push(struct cham *c, struct cham_ring *ring, struct cham_task task)
{
        if (ring->count == ring->size && !grow(ring)) {
                cham_fail(c, "out of memory for migrated tasks");
                return;
        }
        ring->item[(ring->head + ring->count++) & (ring->size - 1)] = task;
}

static struct cham_task pop(struct cham_ring *ring)
{
        struct cham_task task = ring->item[ring->head];
        ring->head = (ring->head + 1) & (ring->size - 1);
        ring->count--;
        return task;
}

/* The latest own copy that nobody has finished; it is then this rank's. */
static bool take_copy(struct cham *c, int32_t rank, struct cham_task *task)
{
        struct cham_rank *r = &c->rank[rank];
        while (r->copy_top > 0) {
                struct cham_copy *copy = &r->copy[--r->copy_top];
                if (copy->done)
                        continue;
                copy->started = true;
                r->local.copies--;
                *task = (struct cham_task){ rank, r->copy_top, copy->task };
                if (c->param[CHAM_CANCEL] != 0)
                        cham_send_cancel(c, rank, r->copy_top);
                return true;
        }
        return false;
}

/* The first copy of another rank that was not cancelled. */
static bool take_replica(struct cham *c, struct cham_rank *r, struct cham_task *task)
{
        while (r->replicas.count > 0) {
                *task = pop(&r->replicas);
                struct cham_copy *copy = &c->rank[task->owner].copy[task->copy];
                if (copy->cancelled)
                        continue;
                copy->waits_there = false;
                return true;
        }
        return false;
}

static bool take(struct cham *c, int32_t rank, struct cham_task *task)
{
        struct cham_rank *r = &c->rank[rank];
        if (r->local.received > 0) {
                r->local.received--;
                *task = pop(&r->received);
                return true;
        }
        if (r->local.queued > 0) {
                r->local.queued--;
                *task = (struct cham_task){ rank, CHAM_NONE, r->head++ };
                return true;
        }
        return take_copy(c, rank, task) || take_replica(c, r, task);
}

static int64_t work_ns(const struct cham *c, const struct cham_task *task)
{
        if (c->alike)
                return c->work[task->owner].task_ns;
        if (c->ordered)
                return cham_ordered_ns(c, task->owner, task->task);
        int64_t block = (int64_t)((uint64_t)task->task / WORKLOAD_BLOCK), *drawn_ns;
        struct cham_rank *owner = &c->rank[task->owner];
        if (block < owner->drawn) /* it was on its way while others were begun */
                return workload_task_ns(c->spec->workload, task->owner, c->iteration, task->task);
        drawn_ns = &c->drawn_ns[(int64_t)task->owner * WORKLOAD_BLOCK];
        if (block > owner->drawn)
                workload_block_ns(c->spec->workload, task->owner, c->iteration, block, drawn_ns);
        owner->drawn = block;
        return drawn_ns[(uint64_t)task->task % WORKLOAD_BLOCK];
}

/* How long a thread has the queue that it gets at a time: the longer the more others wait for it
 * now. */
static int64_t at_queue_ns(const struct cham *c, const struct cham_rank *r, int64_t from_ns)
{
        int64_t others = r->local.nthread - 1, waiting = 0;
        if (from_ns > c->now_ns && r->queue_ns > 0)
                waiting = (from_ns - c->now_ns) / r->queue_ns;
        return r->queue_ns + (waiting < others ? waiting : others) * r->contention_ns;
}

static inline void count(struct cham *c, struct cham_rank *r, const struct cham_spent *spent,
                         bool at_home)
{
        r->executed++;
        r->executed_home += at_home;
        r->useful_ns += spent->useful_ns;
        r->work_ns += spent->work_ns;
        c->nexecuted++;
}

/* What the rank owes for data that was copied, by a task that would end at a time. */
static int64_t pay(struct cham *c, struct cham_rank *r, int64_t end_ns)
{
        int64_t owed_ns = r->owed_ns;
        r->owed_ns = 0;
        if (owed_ns < c->now_ns + queue_span_ns(&c->queue) - end_ns)
                return owed_ns;
        if (owed_ns > 0)
                cham_fail(c, "the data of a rank's tasks takes longer to copy than is simulated");
        return 0;
}

/* After its turn at the lock of the rank's queue. What it takes counts now, unless it may be in
 * vain. */
static inline void start(struct cham *c, int32_t rank, int32_t thread, const struct cham_task *task)
{
        struct cham_rank *r = &c->rank[rank];
        int64_t from = r->queue_free_ns > c->now_ns ? r->queue_free_ns : c->now_ns;
        r->queue_free_ns = from + at_queue_ns(c, r, from);
        r->runs[thread] = *task;
        struct cham_spent spent = { .work_ns = work_ns(c, task) };
        spent.useful_ns = (int64_t)((double)spent.work_ns * r->time_factor + 0.5);
        if (task->copy == CHAM_NONE)
                count(c, r, &spent, task->owner == rank);
        else
                r->copied[thread] = spent;
        r->busy_ns -= c->now_ns;
        r->local.running++;
        if (c->tracing)
                cham_tracing_thread(c, rank, thread);
        int64_t end_ns = r->queue_free_ns + r->overhead_ns + spent.useful_ns;
        queue_set(&c->queue, rank * c->stride + thread, end_ns + pay(c, r, end_ns));
}

void cham_seek(struct cham *c, int32_t rank)
{
        struct cham_rank *r = &c->rank[rank];
        struct cham_task task;
        while (r->entered && r->nidle > 0 && !c->failed && take(c, rank, &task)) {
                start(c, rank, r->idle[--r->nidle], &task);
                cham_changed(c, rank);
        }
}

void cham_enter(struct cham *c, int32_t rank)
{
        struct cham_rank *r = &c->rank[rank];
        queue_clear(&c->queue, rank * c->stride + c->stride - 1);
        r->entered = true;
        r->busy_ns += r->local.running * c->now_ns;
        r->local.running = 0;
        cham_touch(c, rank);
        if (c->tracing)
                cham_tracing_rank(c, rank);
        cham_seek(c, rank);
}

void cham_copy_done(struct cham *c, int32_t owner, int32_t copy)
{
        struct cham_rank *r = &c->rank[owner];
        struct cham_copy *which = &r->copy[copy];
        if (which->done)
                return;
        which->done = true;
        cham_touch(c, owner);
        r->own_left--;
        if (!which->started)
                r->local.copies--;
        if (c->ordered)
                cham_ordered_done(c, owner, which->task);
}

/* A replicated task has been executed: it counts the first time. */
static void count_copy(struct cham *c, int32_t rank, int32_t thread)
{
        struct cham_rank *r = &c->rank[rank];
        const struct cham_task *task = &r->runs[thread];
        struct cham_copy *copy = &c->rank[task->owner].copy[task->copy];
        if (!copy->executed)
                count(c, r, &r->copied[thread], task->owner == rank);
        copy->executed = true;
}

static void rest(struct cham *c, int32_t rank, int32_t thread)
{
        struct cham_rank *r = &c->rank[rank];
        r->runs[thread].owner = CHAM_NONE;
        r->idle[r->nidle++] = thread;
        queue_clear(&c->queue, rank * c->stride + thread);
        if (c->tracing)
                cham_tracing_thread(c, rank, thread);
}

static inline void own_done(struct cham *c, int32_t rank, int64_t task)
{
        c->rank[rank].own_left--;
        if (c->ordered)
                cham_ordered_done(c, rank, task);
}

static inline void over(struct cham *c, int32_t rank, const struct cham_task *task)
{
        if (task->owner != rank)
                cham_send_result(c, rank, task);
        else if (task->copy != CHAM_NONE)
                cham_copy_done(c, rank, task->copy);
        else
                own_done(c, rank, task->task);
}

static LB_APART void ordered_over(struct cham *c, int32_t rank, struct cham_task task)
{
        if (!cham_ordered_goes_on(c, rank, &task))
                over(c, rank, &task);
}

void cham_finish(struct cham *c, int32_t rank, int32_t thread)
{
        struct cham_rank *r = &c->rank[rank];
        const struct cham_task *task = &r->runs[thread];
        r->busy_ns += c->now_ns;
        r->local.running--;
        if (task->copy != CHAM_NONE)
                count_copy(c, rank, thread);
        if (c->ordered)
                ordered_over(c, rank, *task);
        else
                over(c, rank, task);
        cham_changed(c, rank);
        struct cham_task next;
        if (take(c, rank, &next))
                start(c, rank, thread, &next);
        else
                rest(c, rank, thread);
        if (c->ordered) /* several may be ready now */
                cham_seek(c, rank);
}
