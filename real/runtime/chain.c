/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chains of tasks that wait for each other, as the run had them: no division of the work among
 * cores makes an iteration shorter than its longest one.
 *
 * - A task comes after all that its creator had waited for when it was created, and after the one
 *   that released it, the last of those that it waited for. So what is found is a chain of the
 *   program, though not always its longest.
 * - A task lasts as it would on the fastest node; one that has children until the last of them
 * ends. What is executed at once (light.c), and what the main program does itself, lasts nothing.
 * - Times count from the job's start, of a task that was sent here from its own begin.
 */
#include "real/runtime/process.h"

void chain_start(struct process *p)
{
        for (int32_t n = 0; n < p->job->nnode; n++)
                if (p->job->speed[n] > p->fastest)
                        p->fastest = p->job->speed[n];
}

/* Another rank may say anything. */
int64_t chain_after(const struct task *task, int64_t lasts_ns)
{
        int64_t end_ns;
        return __builtin_add_overflow(task->chain_ns, lasts_ns, &end_ns) ? INT64_MAX : end_ns;
}

int64_t chain_end_ns(const struct process *p, const struct task *task)
{
        if (task->end_ns > 0)
                return task->end_ns > task->chain_ns ? task->end_ns : task->chain_ns;
        int32_t node = place_node(p, task->place);
        double speed = p->job->speed[node];
        return chain_after(task, speed == p->fastest
                                     ? task->wall_ns
                                     : (int64_t)((double)task->wall_ns * speed / p->fastest));
}

void chain_follow(struct task *task, int64_t end_ns)
{
        if (end_ns > task->chain_ns)
                task->chain_ns = end_ns;
}

void chain_ended(struct task *parent, const struct task *task, int64_t end_ns)
{
        if (end_ns > parent->end_ns)
                parent->end_ns = end_ns;
        if (task->is_wait)
                chain_follow(parent, end_ns);
}

double chain_pass_s(struct process *p)
{
        int64_t now_ns = p->root.end_ns > p->root.chain_ns ? p->root.end_ns : p->root.chain_ns;
        double passed_s = 1e-9 * (double)(now_ns - p->chain_ns);
        p->chain_ns = now_ns;
        return passed_s;
}
