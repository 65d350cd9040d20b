/* SPDX-License-Identifier: BSD-3-Clause */
/* At home: which worker a ready task goes to, and who takes held ones. */
#include "real/runtime/process.h"

/* Where most bytes of its data are; the first of equals, so home where it has none. */
static int32_t data_place(const struct process *p, const struct task *task)
{
        int64_t bytes[WHERE_PLACE_MAX] = { 0 };
        int32_t best = 0;
        for (int32_t i = 0; i < task->naccess; i++)
                where_locate(p->where, (uintptr_t)task->access[i].address, task->access[i].bytes,
                             bytes);
        for (int32_t k = 1; k < p->nplace; k++)
                if (bytes[k] > bytes[best])
                        best = k;
        return best;
}

/* Its data is ordered, and it is no longer the policy's. */
static void assign(struct process *p, struct task *task, int32_t place)
{
        const uint64_t *piece = NULL;
        int32_t npiece = 0;
        task->place = place;
        p->tasks[place]++;
        if (p->nplace > 1)
                npiece = copies_order(p, task, &piece);
        if (place > 0) {
                offload_send(p, task, piece, npiece);
                return;
        }
        p->here++;
        copies_expect(p, task, piece, npiece);
        if (task->missing == 0)
                task_runnable(p, task);
}

static void hold(struct process *p, struct task *task)
{
        task->next = NULL;
        if (p->held.last)
                p->held.last->next = task;
        else
                p->held.first = task;
        p->held.last = task;
        p->held.count++;
}

static struct task *take_held(struct process *p)
{
        struct task *task = p->held.first;
        p->held.first = task->next;
        if (!p->held.first)
                p->held.last = NULL;
        p->held.count--;
        return task;
}

void place_task(struct process *p, struct task *task)
{
        int32_t place = 0;
        if (task->offloadable && p->nplace > 1)
                place = control_place(p->control, now_ns(), p->tasks, p->held.count,
                                      data_place(p, task));
        if (place == PLACE_HOLD)
                hold(p, task);
        else
                assign(p, task, place);
}

void place_refill(struct process *p, int32_t place, enum place_occasion occasion)
{
        if (p->held.count == 0)
                return;
        int64_t count =
            control_refill(p->control, now_ns(), p->tasks, p->held.count, place, occasion);
        for (; count > 0 && p->held.count > 0; count--)
                assign(p, take_held(p), place);
}

bool place_help_oneself(struct process *p)
{
        place_refill(p, 0, PLACE_IDLE);
        if (p->ready.count == 0)
                return false;
        for (int32_t place = 1; place < p->nplace; place++)
                place_refill(p, place, PLACE_REFRESHED);
        return true;
}
