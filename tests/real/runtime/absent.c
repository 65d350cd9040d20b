/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What neither parts_world.c nor late_world.c has: reductions, loops, workers that ask (all three
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

bool control_asked(const struct control *control)
{
        (void)control;
        return false;
}

bool control_gives_waiting(const struct control *c, int64_t given)
{
        (void)c;
        (void)given;
        return false;
}

int64_t control_give_waiting(struct control *c, int64_t now_ns, const int32_t *tasks,
                             int64_t waiting, int32_t place, int64_t given)
{
        (void)c, (void)now_ns, (void)tasks, (void)waiting, (void)place, (void)given;
        return 0;
}

void control_answer(struct control *control, int32_t place, int64_t given)
{
        (void)control;
        (void)place;
        (void)given;
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
