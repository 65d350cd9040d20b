/* SPDX-License-Identifier: BSD-3-Clause */
/* At home: which worker a ready task goes to, and who takes held ones. */
#include <stdlib.h>
#include <string.h>

#include "real/runtime/process.h"

int32_t place_worker(const struct process *p, int32_t place)
{
        const struct lb_shape *shape = &p->job->shape;
        if (!p->migration)
                return shape->apprank_first[p->apprank] + place;
        return shape->apprank_first[(p->apprank + place) % shape->napprank];
}

int32_t place_node(const struct process *p, int32_t place)
{
        return p->job->shape.worker_node[place_worker(p, place)];
}

int32_t place_rank(const struct process *p, int32_t place)
{
        return p->job->worker_rank[place_worker(p, place)];
}

/* Where most bytes of its data are; the first of equals, so home where it has none. */
static int32_t data_place(const struct process *p, const struct task *task)
{
        int64_t bytes[WHERE_PLACE_MAX];
        int32_t best = 0;
        memset(bytes, 0, (size_t)p->nplace * sizeof(*bytes));
        for (int32_t i = 0; i < task->naccess; i++)
                if (access_touches(&task->access[i]))
                        where_locate(p->where, (uintptr_t)task->access[i].address,
                                     task->access[i].bytes, bytes);
        for (int32_t k = 1; k < p->nplace; k++)
                if (bytes[k] > bytes[best])
                        best = k;
        return best;
}

/* Its data is ordered, and it is no longer the policy's. */
static void assign(struct process *p, struct task *task, int32_t place)
{
        struct copies copies = { 0 };
        task->place = place;
        p->tasks[place] +=
            !task->gate; /* as it may wait for others that are held: theirs is the room */
        p->assigned_cost[place] += task->gate ? 0 : task->expected;
        if (p->nplace > 1)
                copies = copies_order(p, task, true);
        if (place > 0) {
                offload_send(p, task, 0, &copies);
                return;
        }
        p->here++;
        copies_expect(p, task, copies.piece, copies.npiece);
        if (task->missing == 0)
                task_runnable(p, task);
}

/* ---- Held tasks ---- */

static void hold(struct process *p, struct task *task, int32_t place)
{
        queue_push(&p->held[place], task);
        p->nheld++;
        p->place_costs.held += task->expected;
}

static struct task *unhold(struct process *p, struct task *task)
{
        p->nheld -= task != NULL;
        p->place_costs.held -= task ? task->expected : 0;
        if (p->nheld == 0)
                p->place_costs.held = 0; /* and what rounding left */
        return task;
}

/* Where the one is held that a place is to take: the most urgent; among these one whose data is at
 * the place already, else the first place's that has any. */
static int32_t held_at(const struct process *p, int32_t place)
{
        const struct task *best = queue_first(&p->held[place]);
        int32_t from = place;
        for (int32_t k = 0; k < p->nplace; k++) {
                const struct task *task = queue_first(&p->held[k]);
                if (!task || (best && task->urgency <= best->urgency))
                        continue;
                best = task;
                from = k;
        }
        return from;
}

static struct task *take_held(struct process *p, int32_t place)
{
        return unhold(p, queue_pop(&p->held[held_at(p, place)]));
}

static void tell_costs(struct process *p)
{
        control_costs(p->control, costs_known(&p->costs) ? &p->place_costs : NULL);
}

void place_task(struct process *p, struct task *task)
{
        task->expected = costs_of(&p->costs, task->cost);
        if (!task->offloadable || p->nplace == 1) {
                assign(p, task, 0);
                return;
        }
        if (p->check) {
                assign(p, task, check_place(p, task));
                return;
        }
        if (p->migration) {
                hold(p, task, 0);
                threads_dispatch(p);
                migrate_look(p, false);
                return;
        }
        int32_t data = data_place(p, task);
        tell_costs(p);
        int32_t place = control_place(p->control, now_ns(), p->tasks, p->nheld, data);
        if (place == PLACE_HOLD)
                hold(p, task, data);
        else
                assign(p, task, place);
}

void place_refill(struct process *p, int32_t place, enum place_occasion occasion)
{
        bool learns = occasion == PLACE_FINISHED && p->control && control_learns(p->control);
        if ((p->nheld == 0 && !learns) || p->migration)
                return;
        if (costs_known(&p->costs) && p->nheld > 0)
                p->place_costs.next = queue_first(&p->held[held_at(p, place)])->expected;
        tell_costs(p);
        int64_t count = control_refill(p->control, now_ns(), p->tasks, p->nheld, place, occasion);
        for (; count > 0 && p->nheld > 0; count--)
                assign(p, take_held(p, place), place);
}

static void unassign(struct process *p, const struct task *task)
{
        if (--p->tasks[task->place] == 0)
                p->assigned_cost[task->place] = 0; /* and what rounding left */
        else
                p->assigned_cost[task->place] -= task->expected;
}

void place_left(struct process *p, const struct task *task)
{
        if (task->gate)
                return;
        unassign(p, task);
        p->place_costs.finished = task->expected;
}

void place_finished(struct process *p, int32_t place, int64_t executed_ns)
{
        if (p->control)
                control_finished(p->control, executed_ns);
        place_refill(p, place, PLACE_FINISHED);
}

/* ---- Tasks that wait at home for a core ---- */

/* As it is placed, its data is at home and has not been touched: nothing but the order to have it
 * there has to be given again. */
static bool may_go(const struct process *p, const struct task *task)
{
        return task->is_placed && task->offloadable && task->parent == &p->root && !task->gate &&
               !task->gate_of && !task->is_ours && !task->replica;
}

static int64_t count_waiting(const struct process *p)
{
        int64_t count = 0;
        for (const struct task *task = queue_last(&p->ready); task;
             task = queue_before(&p->ready, task))
                count += may_go(p, task);
        return count;
}

/* The last first: what would begin latest. */
static void give_last(struct process *p, int32_t place, int64_t count)
{
        for (struct task *task = queue_last(&p->ready), *before; count > 0; task = before) {
                before = queue_before(&p->ready, task);
                if (!may_go(p, task))
                        continue;
                queue_remove(&p->ready, task);
                unassign(p, task);
                p->here--;
                assign(p, task, place);
                count--;
        }
}

/* None is held, and a helper asks: as tasks_give_waiting() in sim/systems/offload/tasks.c. */
static int64_t give_waiting(struct process *p, int32_t place, int64_t given)
{
        if (p->nheld > 0 || !p->main_waits || costs_known(&p->costs) ||
            !control_gives_waiting(p->control, given))
                return 0;
        int64_t waiting = count_waiting(p);
        p->tasks[0] -= (int32_t)waiting;
        int64_t count = control_give_waiting(p->control, now_ns(), p->tasks, waiting, place, given);
        p->tasks[0] += (int32_t)waiting;
        give_last(p, place, count);
        threads_tell(p);
        return count;
}

void place_told(struct process *p, int32_t place)
{
        int64_t before = p->nheld;
        bool asked = control_asked(p->control);
        place_refill(p, place, asked ? PLACE_ASKED : PLACE_REFRESHED);
        if (!asked)
                return;
        int64_t given = before - p->nheld;
        control_answer(p->control, place, given + give_waiting(p, place, given));
}

void place_ask(struct process *p)
{
        if (p->migration || control_ask(p->control) == 0 || !p->home || p->nheld == 0)
                return;
        place_refill(p, 0, PLACE_ASKED);
        threads_dispatch(p);
}

static struct task *pop_last_held(struct process *p)
{
        return unhold(p, queue_pop_last(&p->held[0]));
}

bool place_send_held(struct process *p, int32_t place)
{
        struct task *task = pop_last_held(p);
        if (task)
                assign(p, task, place);
        return task != NULL;
}

bool place_copy_held(struct process *p, int32_t place)
{
        struct task *task = pop_last_held(p);
        if (task)
                replicate_task(p, task, place);
        return task != NULL;
}

struct task *place_at_home(struct process *p, struct task *task)
{
        assign(p, task, 0);
        return queue_pop(&p->ready);
}

bool place_help_oneself(struct process *p)
{
        if (p->migration) {
                assign(p, take_held(p, 0), 0);
                return p->ready.count > 0;
        }
        place_refill(p, 0, PLACE_IDLE);
        if (p->ready.count == 0)
                return false;
        for (int32_t place = 1; place < p->nplace; place++)
                place_refill(p, place, PLACE_REFRESHED);
        return true;
}

void place_stop(struct process *p)
{
        for (int32_t place = 0; place < p->nplace; place++)
                queue_finish(&p->held[place]);
        free(p->held);
}
