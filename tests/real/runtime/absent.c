/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What neither parts_world.c nor late_world.c has: reductions, loops, when workers ask (all three
 * are in tests/real/control and in live runs), threads that somebody wakes.
 */
#include "real/runtime/process.h"

void unlock(struct process *p)
{
        pthread_mutex_unlock(&p->lock);
}

void reduce_combined(struct process *p, const struct task *task)
{
        (void)p;
        (void)task;
}

void loop_finished(struct process *p, const struct task *task)
{
        (void)p;
        (void)task;
}

int32_t control_ask(struct control *control)
{
        (void)control;
        return 0;
}

void control_task_came(struct control *control)
{
        (void)control;
}

bool control_learns(const struct control *control)
{
        (void)control;
        return false;
}

void control_finished(struct control *control, int64_t executed_ns)
{
        (void)control;
        (void)executed_ns;
}
