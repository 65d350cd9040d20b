/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Weak accesses: a task begins before the data of its children is there. For each such access there
 * is a gate, a task that nobody executes: it stands among the tasks of the parent with the access,
 * and among the task's own children, before all of them, as if it wrote. What the first one waits
 * for, the children wait for, and who comes later waits for the task:
 *
 *      earlier tasks <-- gate | gate <-- children          later tasks --> gate, task
 *
 * The task itself touches nothing of it, so it needs no data, and its children may go where they
 * are best, as children of the main program.
 */
#include "real/runtime/process.h"

bool weak_is(const struct lbrun_access *access)
{
        return (access->mode & LBRUN_WEAK) && access->bytes > 0;
}

void weak_take(struct process *p, struct task *task)
{
        struct task **last = &task->gate;
        int32_t kept = 0;
        for (int32_t i = 0; i < task->naccess; i++) {
                if (!(task->access[i].mode & LBRUN_WEAK)) {
                        task->access[kept++] = task->access[i];
                        continue;
                }
                if (!weak_is(&task->access[i]))
                        continue;
                struct task *gate = task_take(p);
                task_set_accesses(gate, 1, &task->access[i]);
                gate->gate_of = task;
                *last = gate;
                last = &gate->next;
        }
        *last = NULL;
        task->naccess = kept;
}

static void stand(struct process *p, struct task *gate, struct task *parent)
{
        const struct lbrun_access *a = gate->access;
        struct access range = { (uintptr_t)a->address, a->bytes, ACCESS_INOUT };
        bool blocked;
        gate->weak = parent == &p->root ? WEAK_ALL : weak_part(parent, a);
        task_order(gate, gate->gate_of, &range, 1, &blocked);
        gate->inside = gate->order;
        range.mode = (enum access_mode)(a->mode & LBRUN_INOUT);
        record_gate(p, gate, parent, &range);
        task_order(gate, parent, &range, 1, &blocked);
        gate->gate_of->shut++;
        if (!blocked)
                weak_open(p, gate);
}

void weak_create(struct process *p, struct task *task, struct task *parent)
{
        for (struct task *gate = task->gate; gate; gate = gate->next)
                stand(p, gate, parent);
}

/* Its children are released here; where there is nothing else that it waits for, it is complete,
 * but not within the completion of the one that opened the gate. */
void weak_open(struct process *p, struct task *gate)
{
        struct task *task = gate->gate_of;
        task_release(p, task, gate->inside, gate->chain_ns);
        gate->inside = NULL;
        if (--task->shut > 0 || task->unfinished > 0 || !task->body_done)
                return;
        task->next = p->opened;
        p->opened = task;
}

void weak_complete(struct process *p, struct task *task, int64_t end_ns)
{
        for (struct task *gate = task->gate, *next; gate; gate = next) {
                next = gate->next;
                task_release(p, task->parent, gate->order, end_ns);
                task_put(p, gate);
        }
}

void weak_complete_opened(struct process *p)
{
        for (struct task *task; (task = p->opened);) {
                p->opened = task->next;
                task_body_done(p, task);
        }
}

/* ---- Its children ---- */

static uintptr_t reach(const struct task *parent, enum lbrun_mode mode, uintptr_t begin,
                       enum weak_part least)
{
        uintptr_t end = begin;
        for (const struct task *gate = parent->gate; gate; gate = gate->next)
                if (gate->weak >= least)
                        end = task_reach(gate->access, mode, begin, end);
        return end;
}

uintptr_t weak_reach(const struct task *parent, enum lbrun_mode mode, uintptr_t begin)
{
        return reach(parent, mode, begin, WEAK_NONE);
}

enum weak_part weak_part(const struct task *parent, const struct lbrun_access *access)
{
        uintptr_t begin = (uintptr_t)access->address, end = begin + access->bytes, at = begin;
        bool any = false;
        for (const struct task *gate = parent->gate; gate; gate = gate->next) {
                uintptr_t first = (uintptr_t)gate->access->address;
                any |=
                    gate->weak != WEAK_NONE && first < end && begin < first + gate->access->bytes;
        }
        for (uintptr_t next; at < end; at = next) {
                next = reach(parent, (enum lbrun_mode)0, at, WEAK_ALL);
                if (next == at)
                        return any ? WEAK_SOME : WEAK_NONE;
        }
        return WEAK_ALL;
}
