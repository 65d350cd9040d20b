/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The main program waits in MPI: its core is free for tasks meanwhile.
 *
 * - In waits that are polite (real/mpi/polite.c) from when they sleep on.
 * - With migration others' tasks may come to a rank whose only core the main program has, and their
 *   owners wait for them: where it waits for these by MPI's own means (a fence, a file), or by
 *   polling, none would go on. So it gives its core away for all of such a call, and, once it has
 *   polled in vain for a while, at each poll that finds nothing while such tasks are here.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "real/interpose/interpose.h"
#include "real/mpi/transport.h"
#include "real/runtime/process.h"

/* One per process by nature: MPI calls have no argument for it. But for `on` the main thread's. */
static struct {
        atomic_bool on;
        int64_t polls_ns; /* it polls in vain since then; 0: it does not */
} serve;

static void waits(void)
{
        struct process *p = &lbrun_process;
        lock(p);
        if (!p->stopping && p->main_thread.task == &p->root && p->main_thread.core >= 0)
                thread_release(p, &p->main_thread);
        unlock(p);
}

static void goes_on(void)
{
        struct process *p = &lbrun_process;
        lock(p);
        if (!p->stopping && p->main_thread.task == &p->root && p->main_thread.core < 0) {
                int64_t over = now_ns();
                thread_regain(p, &p->main_thread);
                account_core_wait(p, now_ns() - over);
                migrate_waits(p);
        }
        unlock(p);
}

/* After a call whose time is known already. */
static void goes_on_later(void)
{
        int64_t over_ns = now_ns();
        goes_on();
        record_main_waited(&lbrun_process, now_ns() - over_ns);
}

/* Of the main program, where others' tasks may be here with no core but its own? */
static bool concerns(void)
{
        const struct process *p = &lbrun_process;
        return atomic_load_explicit(&serve.on, memory_order_relaxed) &&
               thread_current() == &p->main_thread && p->main_thread.task == &p->root;
}

/* MPI_Put() and its like return soon. */
static bool waits_by_itself(const struct interpose_call *call)
{
        switch ((int)call->name) {
        case INTERPOSE_Put:
        case INTERPOSE_Get:
        case INTERPOSE_Accumulate:
        case INTERPOSE_Get_accumulate:
        case INTERPOSE_Fetch_and_op:
        case INTERPOSE_Compare_and_swap:
#if MPI_VERSION >= 4
        case INTERPOSE_Put_c:
        case INTERPOSE_Get_c:
        case INTERPOSE_Accumulate_c:
        case INTERPOSE_Get_accumulate_c:
#endif
                return false;
        default:
                return call->kind == INTERPOSE_WAITS || call->kind == INTERPOSE_COLLECTIVE;
        }
}

void serve_call(const struct interpose_call *call)
{
        if (!concerns())
                return;
        if (!call->found)
                serve.polls_ns = 0;
        else if (serve.polls_ns == 0)
                serve.polls_ns = now_ns();
        if (waits_by_itself(call))
                waits();
}

static void serve_poll(struct process *p)
{
        if (now_ns() - serve.polls_ns < p->spin_ns)
                return;
        lock(p);
        bool awaited = migrate_is_awaited(p);
        unlock(p);
        if (!awaited)
                return;
        waits();
        goes_on_later();
}

static void serve_over(const struct interpose_call *call)
{
        if (!concerns())
                return;
        if (waits_by_itself(call))
                goes_on_later();
        if (call->found && *call->found)
                serve.polls_ns = 0;
        else if (call->found && serve.polls_ns > 0)
                serve_poll(&lbrun_process);
}

void serve_start(struct process *p)
{
        polite_set_hooks(waits, goes_on);
        lock(p);
        bool on = migrate_has_one_core(p);
        unlock(p);
        if (on)
                polite_set_over(serve_over);
        atomic_store(&serve.on, on);
}

/* Who leaves first will not return a core any more. */
void serve_stop(void)
{
        atomic_store(&serve.on, false);
        polite_set_hooks(NULL, NULL);
}
