/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/systems/offload/ready.h"

#include "base/apart.h"
#include "models/taskgraph.h"

/* Ready tasks of one worker: a count, and where tasks are not alike what next_task() says of each.
 */
LB_APART bool ready_grow(struct machine *m, struct worker *w, int32_t count)
{
        uint32_t size = w->ready_size ? 2 * w->ready_size : 16;
        int64_t *ring = memory_take(&m->ready, size * sizeof(*ring));
        if (!ring) {
                machine_fail(m, "out of memory for ready tasks");
                return false;
        }
        for (uint32_t i = 0; i < (uint32_t)count; i++)
                ring[i] = w->ready_task[(w->ready_head + i) & (w->ready_size - 1)];
        memory_give(&m->ready, w->ready_task, w->ready_size * sizeof(*ring));
        w->ready_task = ring;
        w->ready_size = size;
        w->ready_head = 0;
        return true;
}

/* An explicit task starts: what it lasts at speed 1. */
static inline int64_t explicit_ns(struct machine *m, const struct worker *w, int64_t task)
{
        dependencies_start(m, w, task);
        return m->explicit[w->apprank].graph->task_ns[task];
}

LB_APART int64_t ready_too_long(struct machine *m, int64_t total_ns)
{
        machine_fail(m, "a task lasts longer than %.1f hours",
                     (double)queue_span_ns(&m->queue) * 1e-9 / 3600);
        return total_ns;
}

LB_APART int64_t ready_begin_numbered(struct machine *m, struct worker *w, struct core *core)
{
        int64_t task;
        if (m->urgent) {
                task = urgent_take(m, w);
        } else {
                task = w->ready_task[w->ready_head];
                ready_pop(w);
        }
        m->core_task[core - m->core] = (int32_t)task;
        int64_t ns = m->explicit ? explicit_ns(m, w, task) : m->priced[w->apprank].task_ns[task];
        return ready_begin_for(m, w, core, ns, ready_at_speed(w, ns));
}

/* ---- Tasks that wait at home for a core, which nobody has begun ---- */

/* The place in a ring of the i-th. */
static uint32_t waiting_at(const struct worker *home, int32_t i)
{
        return (home->ready_head + (uint32_t)i) & (home->ready_size - 1);
}

static bool is_bound(const struct machine *m, const struct worker *home, int32_t i)
{
        if (!m->explicit)
                return false;
        int64_t task = home->ready_task[waiting_at(home, i)];
        return !taskgraph_moves(m->explicit[home->apprank].graph, (int32_t)task);
}

int32_t ready_count_free(const struct machine *m, const struct worker *home)
{
        int32_t count = home->ready;
        if (m->urgent)
                return count - urgent_staying(m, home);
        for (int32_t i = 0; m->explicit && i < home->ready; i++)
                count -= is_bound(m, home, i);
        return count;
}

/* The last of a ring. Those that stay move up. */
static int64_t take_last(const struct machine *m, struct worker *home)
{
        int32_t last = home->ready - 1;
        while (is_bound(m, home, last))
                last--;
        int64_t task = m->alike ? 0 : home->ready_task[waiting_at(home, last)];
        for (; m->explicit && last < home->ready - 1; last++)
                home->ready_task[waiting_at(home, last)] =
                    home->ready_task[waiting_at(home, last + 1)];
        return task;
}

int64_t ready_take_last(struct machine *m, struct worker *home)
{
        int64_t task = m->urgent ? urgent_take_last(m, home) : take_last(m, home);
        home->ready--;
        return task;
}
