/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does anything still happen? A placement policy that holds tasks for good, or a lending one that
 * gives who has tasks no core, leaves nothing but polls, and simulated time would run on for ever.
 *
 * Seen at the polls of the first node: no core works, no message (so no data, nor a task) is under
 * way, appranks have not all come to the barrier. What policies decide may end that, so they are
 * given time: STALL_POLLS polls, and STALL_PERIODS of the allocation and of the growth of the
 * graph.
 */
#include "sim/systems/offload/machine.h"

#include "base/text.h"

enum { STALL_POLLS = 1000, STALL_PERIODS = 20 };

static bool is_under_way(const struct machine *m)
{
        if (m->waiting == 0)
                return true;
        for (int32_t w = 0; w < m->nworker; w++)
                if (m->running[w] > 0 || m->worker[w].inbox.count > 0)
                        return true;
        return false;
}

/* Who is at fault, by what waits. */
static void say(struct machine *m)
{
        int64_t waiting = 0;
        for (int32_t a = 0; a < m->napprank; a++) {
                int64_t held = m->apprank[a].view.held_tasks;
                if (held == 0)
                        continue;
                machine_fail(m, "policy '%s' holds %lld task%s of apprank %d and nothing runs",
                             m->place->name, (long long)held, lb_s((double)held), a);
                return;
        }
        for (int32_t w = 0; w < m->nworker; w++)
                waiting += m->worker[w].ready;
        machine_fail(m, "policy '%s': %lld task%s wait%s for a core and nothing runs",
                     m->lewi ? m->spec->lend->name : m->spec->alloc->name, (long long)waiting,
                     lb_s((double)waiting), waiting == 1 ? "s" : "");
}

void stall_look(struct machine *m, int64_t poll_ns, int64_t period_ns)
{
        if (is_under_way(m)) {
                m->still_polls = 0;
                m->still_since_ns = m->now_ns;
                return;
        }
        int64_t least_ns = STALL_POLLS * poll_ns;
        if (STALL_PERIODS * period_ns > least_ns)
                least_ns = STALL_PERIODS * period_ns;
        if (++m->still_polls >= STALL_POLLS && m->now_ns - m->still_since_ns >= least_ns)
                say(m);
}
