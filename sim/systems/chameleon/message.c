/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between communication threads (docs/facts.md C1, C3). Tasks: metadata, which the
 * receiver finds by probing and has complete one turn later; then it asks for the inputs. Results:
 * the owner finds them by probing. Short data leaves with the sender's call, long data when the
 * receiver has asked. Each thread probes for tasks once a turn, and handles results_per_turn
 * results.
 */
#include "sim/systems/chameleon/chameleon.h"

#include <assert.h>
#include <stdlib.h>

/* Of the metadata: 4 bytes, and per task 36 and 24 for each of its arguments, taken as the five of
 * a matrix product. */
enum { METADATA_BYTES = 4, METADATA_TASK_BYTES = 36 + 5 * 24, CONTROL_BYTES = 4 };

/* ---- What is to come, earliest first ---- */

static bool before(const struct cham_message *a, const struct cham_message *b)
{
        return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->number < b->number);
}

static void show_earliest(struct cham *c)
{
        cham_set_own(c, CHAM_MESSAGE, c->heap.count > 0 ? c->heap.item[0].time_ns : CHAM_NEVER);
}

static bool make_room(struct cham_heap *heap)
{
        if (heap->count < heap->size)
                return true;
        size_t size = heap->size ? 2 * heap->size : 64;
        struct cham_message *item = realloc(heap->item, size * sizeof(*item));
        if (!item)
                return false;
        heap->item = item;
        heap->size = size;
        return true;
}

static void put(struct cham *c, struct cham_message message)
{
        struct cham_heap *heap = &c->heap;
        if (!make_room(heap)) {
                cham_fail(c, "out of memory for messages");
                return;
        }
        message.number = heap->number++;
        size_t at = heap->count++;
        for (; at > 0 && before(&message, &heap->item[(at - 1) / 2]); at = (at - 1) / 2)
                heap->item[at] = heap->item[(at - 1) / 2];
        heap->item[at] = message;
        if (at == 0)
                show_earliest(c);
}

static struct cham_message take(struct cham_heap *heap)
{
        struct cham_message first = heap->item[0], last = heap->item[--heap->count];
        size_t at = 0;
        for (;;) {
                size_t child = 2 * at + 1;
                if (child + 1 < heap->count && before(&heap->item[child + 1], &heap->item[child]))
                        child++;
                if (child >= heap->count || !before(&heap->item[child], &last))
                        break;
                heap->item[at] = heap->item[child];
                at = child;
        }
        heap->item[at] = last;
        return first;
}

/* ---- Time ---- */

/* The first turn at or after a time that has room for one more. */
static int64_t take_turn(const struct cham *c, struct cham_turns *turns, int64_t time_ns,
                         int32_t per_turn)
{
        int64_t turn = cham_turn(c, time_ns);
        if (turn > turns->turn_ns) {
                *turns = (struct cham_turns){ turn, 1 };
                return turn;
        }
        if (turns->used == per_turn)
                *turns = (struct cham_turns){ turns->turn_ns + c->turn_ns, 0 };
        turns->used++;
        return turns->turn_ns;
}

/* Move data from one rank to another, not before a time; returns when it is there. */
static int64_t transfer(struct cham *c, int32_t from, int32_t to, int64_t bytes, int64_t time_ns)
{
        ledger_message(c->ledger, (double)bytes);
        return cham_move(c, from, to, cham_transfer_ns(c, from, to, bytes), time_ns);
}

/* A thread that executes tasks does it where it shares its core with the messages. */
static void copies(const struct cham *c, struct cham_rank *r, int64_t bytes)
{
        if (c->param[CHAM_COMM_CORE] == COMM_CORE_SHARED)
                r->owed_ns = network_owed_ns(&c->network, r->owed_ns, bytes);
}

static bool is_eager(const struct cham *c, int64_t bytes)
{
        return (double)bytes <= c->param[CHAM_EAGER_BYTES];
}

/* ---- Tasks ---- */

static int64_t input_bytes(const struct cham *c, const struct cham_message *message)
{
        if (c->ordered)
                return cham_ordered_bytes(c, message->from, message->task.task, message->ntask);
        return message->ntask * c->work[message->from].task_bytes;
}

static void send_metadata(struct cham *c, struct cham_message message)
{
        int64_t bytes = METADATA_BYTES + METADATA_TASK_BYTES * message.ntask;
        int64_t arrival = c->now_ns + cham_transfer_ns(c, message.from, message.to, bytes);
        int64_t inputs = input_bytes(c, &message);
        c->sending[(int64_t)message.from * c->nrank + message.to]++;
        ledger_message(c->ledger, (double)bytes);
        if (is_eager(c, inputs)) {
                message.end_ns = transfer(c, message.from, message.to, inputs, c->now_ns);
                message.step = STEP_SENT;
                message.time_ns = lb_later(cham_turn(c, message.end_ns), c->now_ns + c->turn_ns);
                put(c, message);
        }
        message.step = STEP_METADATA;
        message.time_ns = c->turn_ns + take_turn(c, &c->rank[message.to].tasks_in, arrival, 1);
        put(c, message);
}

void cham_send_tasks(struct cham *c, int32_t from, const struct migrate_move *move)
{
        struct cham_rank *r = &c->rank[from];
        struct cham_message message = {
                .from = from,
                .to = move->rank,
                .ntask = move->ntask,
                .task = { from, CHAM_NONE, r->head },
        };
        r->head += move->ntask;
        r->local.queued -= move->ntask;
        r->local.sent += move->ntask;
        cham_under_way_sent(c, from, move->rank, move->ntask);
        if (c->tracing)
                cham_tracing_sent(c, from);
        send_metadata(c, message);
        cham_changed(c, from);
}

static bool make_copies(struct cham_rank *r, int64_t count)
{
        if (r->ncopy + count <= r->copy_size)
                return true;
        int64_t size = r->ncopy + count;
        struct cham_copy *copy =
            size <= INT32_MAX ? realloc(r->copy, (size_t)size * sizeof(*copy)) : NULL;
        if (!copy)
                return false;
        r->copy = copy;
        r->copy_size = (int32_t)size;
        return true;
}

/* One message a task. Until it has arrived it counts as outstanding here. */
void cham_send_replicas(struct cham *c, int32_t from, const struct migrate_move *move)
{
        struct cham_rank *r = &c->rank[from];
        if (!make_copies(r, move->ntask)) {
                cham_fail(c, "out of memory for replicated tasks");
                return;
        }
        for (int64_t i = 0; i < move->ntask; i++) {
                r->copy[r->ncopy] = (struct cham_copy){ .task = r->head, .rank = move->rank };
                struct cham_message message = {
                        .from = from,
                        .to = move->rank,
                        .ntask = 1,
                        .task = { from, r->ncopy++, r->head++ },
                };
                r->own_left++;
                r->local.queued--;
                r->local.copies++;
                send_metadata(c, message);
        }
        r->copy_top = r->ncopy;
        cham_changed(c, from);
}

static void ask_for_inputs(struct cham *c, struct cham_message message)
{
        if (message.task.copy == CHAM_NONE)
                c->rank[message.to].foreign_left += message.ntask;
        bool waits = message.end_ns == 0;
        if (waits)
                message.end_ns =
                    transfer(c, message.from, message.to, input_bytes(c, &message), c->now_ns);
        message.time_ns = lb_later(cham_turn(c, message.end_ns), c->now_ns + c->turn_ns);
        if (waits) {
                message.step = STEP_SENT;
                put(c, message);
        }
        message.step = STEP_TASKS;
        put(c, message);
        cham_changed(c, message.to);
}

/* The sender may send to this rank again. */
static void sent(struct cham *c, const struct cham_message *message)
{
        c->sending[(int64_t)message->from * c->nrank + message->to]--;
        cham_decide(c, message->from);
}

static void receive_copy(struct cham *c, const struct cham_message *message)
{
        struct cham_rank *owner = &c->rank[message->from], *r = &c->rank[message->to];
        struct cham_copy *copy = &owner->copy[message->task.copy];
        owner->own_left--;
        cham_touch(c, message->from);
        if (copy->cancelled)
                return;
        copy->waits_there = true;
        r->foreign_left++;
        cham_push(c, &r->replicas, message->task);
}

static void receive_tasks(struct cham *c, const struct cham_message *message)
{
        copies(c, &c->rank[message->to], input_bytes(c, message));
        if (message->task.copy != CHAM_NONE) {
                receive_copy(c, message);
        } else {
                struct cham_task task = message->task;
                c->rank[message->to].local.received += message->ntask;
                cham_under_way_arrived(c, message->from, message->to, message->ntask);
                for (int64_t i = 0; i < message->ntask; i++, task.task++)
                        cham_push(c, &c->rank[message->to].received, task);
        }
        cham_changed(c, message->to);
        cham_seek(c, message->to);
}

/* ---- Results ---- */

void cham_send_result(struct cham *c, int32_t from, const struct cham_task *task)
{
        int32_t per_turn = (int32_t)c->param[CHAM_RESULTS_PER_TURN];
        struct cham_message message = {
                .step = STEP_RESULT_SENT,
                .from = from,
                .to = task->owner,
                .task = *task,
                .time_ns = take_turn(c, &c->rank[from].results_out, c->now_ns, per_turn),
        };
        put(c, message);
}

static void result_leaves(struct cham *c, struct cham_message message)
{
        struct cham_rank *owner = &c->rank[message.to];
        int64_t bytes = c->ordered ? cham_ordered_bytes(c, message.to, message.task.task, 1)
                                   : c->work[message.to].result_bytes;
        copies(c, &c->rank[message.from], bytes);
        int64_t seen = take_turn(c, &owner->results_in,
                                 c->now_ns + cham_transfer_ns(c, message.from, message.to, 0),
                                 (int32_t)c->param[CHAM_RESULTS_PER_TURN]);
        message.end_ns =
            transfer(c, message.from, message.to, bytes, is_eager(c, bytes) ? c->now_ns : seen);
        message.time_ns = lb_later(cham_turn(c, message.end_ns), seen + c->turn_ns);
        message.step = STEP_RESULT;
        put(c, message);
}

static void result_is_back(struct cham *c, const struct cham_message *message)
{
        struct cham_rank *owner = &c->rank[message->to];
        c->rank[message->from].foreign_left--;
        if (message->task.copy != CHAM_NONE) {
                cham_copy_done(c, message->to, message->task.copy);
        } else {
                owner->own_left--;
                owner->local.sent--;
                if (c->tracing)
                        cham_tracing_sent(c, message->to);
                if (c->ordered)
                        cham_ordered_done(c, message->to, message->task.task);
        }
        cham_touch(c, message->from);
        cham_changed(c, message->to);
        if (c->ordered)
                cham_seek(c, message->to);
}

/* ---- Cancelling ---- */

void cham_send_cancel(struct cham *c, int32_t from, int32_t copy)
{
        struct cham_message message = {
                .step = STEP_CANCEL,
                .from = from,
                .to = c->rank[from].copy[copy].rank,
                .task = { from, copy, c->rank[from].copy[copy].task },
        };
        message.time_ns =
            cham_turn(c, c->now_ns + cham_transfer_ns(c, from, message.to, CONTROL_BYTES));
        ledger_message(c->ledger, CONTROL_BYTES);
        put(c, message);
}

/* Does it wait there? Then it is not outstanding any more; if it has yet to arrive it never will
 * be. */
static void cancel(struct cham *c, const struct cham_message *message)
{
        struct cham_copy *copy = &c->rank[message->from].copy[message->task.copy];
        copy->cancelled = true;
        if (!copy->waits_there)
                return;
        copy->waits_there = false;
        c->rank[message->to].foreign_left--;
        cham_changed(c, message->to);
}

void cham_messages(struct cham *c)
{
        while (c->heap.count > 0 && c->heap.item[0].time_ns == c->now_ns) {
                struct cham_message message = take(&c->heap);
                switch (message.step) {
                case STEP_METADATA:
                        ask_for_inputs(c, message);
                        break;
                case STEP_SENT:
                        sent(c, &message);
                        break;
                case STEP_TASKS:
                        receive_tasks(c, &message);
                        break;
                case STEP_RESULT_SENT:
                        result_leaves(c, message);
                        break;
                case STEP_RESULT:
                        result_is_back(c, &message);
                        break;
                case STEP_CANCEL:
                        cancel(c, &message);
                        break;
                }
        }
        show_earliest(c);
}
