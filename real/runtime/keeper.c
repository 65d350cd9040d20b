/* SPDX-License-Identifier: BSD-3-Clause */
/* The keeper: a thread that polls the policies in time, and is woken when cores come and go. */
#include "real/runtime/process.h"

/* Cores that came back, ready tasks that may now have one, idle cores that others may want. */
static void look_around(struct process *p)
{
        threads_publish(p);
        int32_t gained;
        int64_t now = now_ns();
        bool due = now >= control_due_ns(p->control, now);
        if (due) {
                threads_publish_cpu(p, true);
                gained = control_poll(p->control, now, p->idle, p->gained);
                threads_gain(p, gained);
                control_refresh(p->control);
                timeline_poll(p);
                account_publish(p);
                if (p->home)
                        place_refill(p, 0, PLACE_REFRESHED);
        } else {
                gained = control_needs_cores(p->control, now, LEND_OCCASION_NONE, p->gained);
                threads_gain(p, gained);
        }
        threads_dispatch(p);
        if (gained > 0 || due)
                threads_settle(p);
        if (due)
                threads_gain(p, control_needs_cores(p->control, now, LEND_POLLED, p->gained));
        if (due)
                threads_dispatch(p);
        place_ask(p);
}

static void look_for_death(struct process *p)
{
        int32_t dead = board_dead(p->board);
        if (dead < 0 || p->stopping)
                return;
        const struct lb_shape *shape = &p->job->shape;
        int32_t worker = shape->node_worker[shape->node_first[p->node] + dead];
        fail_for("lbrun", "rank %d (apprank %d%s on node %d) has died", p->job->worker_rank[worker],
                 shape->worker_apprank[worker], shape->worker_home[worker] ? "" : ", helper",
                 p->node);
}

static void *keep(void *argument)
{
        static const int64_t look_max_ns = INT64_C(10000000000); /* whatever the polls' period */
        struct process *p = argument;
        thread_unpin(p);
        lock(p);
        while (!p->stopping) {
                uint32_t ticket = board_ticket(p->board);
                look_around(p);
                look_for_death(p);
                save_poll(p);
                atomic_store(&lifeline_own()->task_ns, run_oldest_ns(p));
                int64_t now = now_ns(), due = control_due_ns(p->control, now),
                        save = save_due_ns(p);
                int64_t wait = (save && save < due ? save : due) - now;
                unlock(p);
                if (wait > 0)
                        board_wait(p->board, ticket, wait < look_max_ns ? wait : look_max_ns);
                lock(p);
        }
        unlock(p);
        return NULL;
}

void keeper_start(struct process *p)
{
        if (pthread_create(&p->keeper, NULL, keep, p) != 0)
                fail("lbrun_start", "cannot start a thread");
}

void keeper_stop(struct process *p)
{
        lock(p);
        p->stopping = true;
        unlock(p);
        board_wake(p->board, p->local);
        pthread_join(p->keeper, NULL);
        atomic_store(&lifeline_own()->task_ns, 0);
}
