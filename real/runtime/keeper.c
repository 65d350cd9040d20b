/* SPDX-License-Identifier: BSD-3-Clause */
/* The keeper: a thread that polls the policies in time, and is woken when cores come and go. */
#include <inttypes.h>

#include "policies/system.h"
#include "real/runtime/process.h"

static const int64_t look_max_ns = INT64_C(10000000000); /* whatever the polls' period */

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
        int32_t rank = p->job->worker_rank[worker];
        fail_for(rank, "lbrun", "rank %d (apprank %d%s on node %d) has died", rank,
                 shape->worker_apprank[worker], shape->worker_home[worker] ? "" : ", helper",
                 p->node);
}

/* Home has tasks that may run, none is with any worker, and it has been so for a minute (or hung_s,
 * if that is shorter): only the placement policy keeps them. Time between looks counts as far as we
 * would have slept: the job may have been stopped. */
static void look_at_held(struct process *p)
{
        static const double minute_s = 60;
        struct stall *stall = &p->stall;
        double hung_s = p->job->param[JOB_HUNG_S];
        double limit_s = hung_s > 0 && hung_s < minute_s ? hung_s : minute_s;
        int64_t now = now_ns(), passed = now - stall->at_ns, placed = p->migration != NULL;
        for (int32_t place = 0; place < p->nplace; place++)
                placed += p->tasks[place];
        bool still = p->nheld > 0 && placed == 0 && p->nheld == stall->nheld;
        passed = passed < look_max_ns ? passed : look_max_ns;
        stall->still_ns = still ? stall->still_ns + passed : 0;
        stall->at_ns = now;
        stall->nheld = p->nheld;
        if (stall->said || (double)stall->still_ns < limit_s * 1e9)
                return;
        stall->said = true;
        warn("lbrun",
             "policy '%s' has held all %" PRId64 " tasks that are left for %d s: none runs "
             "or is placed, and the job may wait for ever",
             system_find(p->job->system)->place, p->nheld, (int)limit_s);
}

static int64_t due_ns(const struct process *p, int64_t now)
{
        int64_t due = control_due_ns(p->control, now), save = save_due_ns(p),
                migrate = migrate_due_ns(p);
        due = save && save < due ? save : due;
        return migrate && migrate < due ? migrate : due;
}

static void *keep(void *argument)
{
        struct process *p = argument;
        thread_unpin(p);
        lock(p);
        while (!p->stopping) {
                uint32_t ticket = board_ticket(p->board);
                look_around(p);
                look_for_death(p);
                look_at_held(p);
                save_poll(p);
                migrate_poll(p);
                atomic_store(&lifeline_own()->task_ns, run_oldest_ns(p));
                int64_t now = now_ns(), wait = due_ns(p, now) - now;
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
