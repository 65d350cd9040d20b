/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads and the cores they run on. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "real/node/cpu_order.h"
#include "real/runtime/process.h"

static _Thread_local struct thread *current_thread;

struct thread *thread_current(void)
{
        return current_thread;
}

void thread_set_current(struct thread *t)
{
        current_thread = t;
        pthread_setspecific(lbrun_process.thread_key, t);
}

/* Of a thread that is still in use; its task would never be complete. */
static _Noreturn void on_thread_exit(void *thread)
{
        (void)thread;
        fail("pthread_exit", "called in a task, or before lbrun_stop()");
}

int64_t now_ns(void)
{
        return clock_ns();
}

/* ---- The lock ---- */

void unlock(struct process *p)
{
        struct thread *signal[SIGNALS_MAX];
        int32_t count = p->nsignal;
        for (int32_t i = 0; i < count; i++)
                signal[i] = p->signal[i];
        p->nsignal = 0;
        atomic_store_explicit(&p->holder, NULL, memory_order_release);
        pthread_mutex_unlock(&p->lock);
        for (int32_t i = 0; i < count; i++)
                pthread_cond_signal(&signal[i]->wake);
}

/* A thread that is woken finds the lock free, in most cases. */
void thread_signal(struct process *p, struct thread *t)
{
        if (p->nsignal == SIGNALS_MAX)
                pthread_cond_signal(&t->wake);
        else
                p->signal[p->nsignal++] = t;
}

void thread_sleep(struct process *p, struct thread *t)
{
        for (int32_t i = 0; i < p->nsignal; i++)
                pthread_cond_signal(&p->signal[i]->wake);
        p->nsignal = 0;
        wait_unlocked(p, &t->wake);
}

/* ---- Figures ---- */

static void put(_Atomic int32_t *figure, int64_t value)
{
        atomic_store_explicit(figure, (int32_t)value, memory_order_relaxed);
}

void threads_tell(struct process *p)
{
        put(&p->self->running, p->running);
        put(&p->self->ready, p->ready.count + (p->resume != NULL));
        put(&p->self->tasks, p->here);
}

void threads_publish_cpu(struct process *p, bool exact)
{
        int64_t cpu = p->cpu_ns + (exact ? run_cpu_ns(p) : 0);
        if (cpu > p->self->cpu_ns)
                p->self->cpu_ns = cpu;
}

/* Sums over what runs now hold minus its start, so that adding the present gives the time so far.
 */
void threads_publish(struct process *p)
{
        int64_t now = now_ns();
        threads_tell(p);
        p->self->busy_ns = p->busy_ns + p->running * now;
        p->self->useful_ns = p->useful_ns + p->useful_running * now;
        threads_publish_cpu(p, p->loads_are_cpu);
        p->self->at_ns = now;
}

static void set_busy(struct process *p, bool busy)
{
        p->running += busy ? 1 : -1;
        p->busy_ns += busy ? -now_ns() : now_ns();
        put(&p->self->running, p->running);
}

/* ---- Cores ---- */

static void add_idle(struct process *p, int32_t core)
{
        timeline_free(p, core, now_ns());
        p->nidle += !p->idle[core];
        p->idle[core] = true;
}

static void remove_idle(struct process *p, int32_t core)
{
        p->nidle -= p->idle[core];
        p->idle[core] = false;
}

/* Where there is a choice, the one that the thread was on before. */
static int32_t take_idle(struct process *p, int32_t before)
{
        if (before >= 0 && p->idle[before]) {
                remove_idle(p, before);
                return before;
        }
        for (int32_t c = 0; p->nidle > 0 && c < p->ncore; c++)
                if (p->idle[c]) {
                        remove_idle(p, c);
                        return c;
                }
        return -1;
}

/* Control may have lent or dropped some: count again. */
static void recount(struct process *p)
{
        p->nidle = 0;
        for (int32_t c = 0; c < p->ncore; c++)
                p->nidle += p->idle[c];
}

void threads_gain(struct process *p, int32_t count)
{
        recount(p);
        for (int32_t i = 0; i < count; i++)
                if (p->gained[i] >= 0)
                        add_idle(p, p->gained[i]);
}

/* Nobody wants it here: lend it, return it or keep it. */
static void settle(struct process *p, int32_t core)
{
        int64_t now = now_ns();
        if (!p->idle[core] || !control_core_idle(p->control, now, core))
                return;
        remove_idle(p, core);
        timeline_free(p, core, now);
}

void threads_settle(struct process *p)
{
        threads_tell(p);
        for (int32_t c = 0; c < p->ncore && p->nidle > 0; c++)
                settle(p, c);
}

/* The caller may run on the CPUs of these cores. */
static bool run_on(const struct process *p, int32_t first, int32_t count)
{
        cpu_set_t set;
        CPU_ZERO(&set);
        for (int32_t c = first; c < first + count; c++)
                CPU_SET((size_t)p->cpu[c], &set);
        return pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0;
}

static void pin(struct process *p, struct thread *t)
{
        if (p->virtual_cores || t->pinned == t->core)
                return;
        if (run_on(p, t->core, 1))
                t->pinned = t->core;
}

void thread_unpin(const struct process *p)
{
        cpus_leave(p);
        if (!p->virtual_cores)
                run_on(p, 0, p->ncore);
}

/* ---- Waking ---- */

static struct thread *new_thread(struct process *p)
{
        struct thread **grown = realloc(p->thread, (size_t)(p->nthread + 1) * sizeof(*p->thread));
        struct thread *t = calloc(1, sizeof(*t));
        if (!grown || !t)
                fail("lbrun", "out of memory for a thread");
        p->thread = grown;
        t->core = t->pinned = -1;
        t->last_ns = INT64_MAX; /* measure its first task */
        pthread_cond_init(&t->wake, NULL);
        p->thread[p->nthread++] = t;
        int why = pthread_create(&t->id, NULL, thread_main, t);
        if (why)
                fail("lbrun",
                     "cannot start thread %d: %s (ulimit -u; a task that waits for its children "
                     "holds one)",
                     p->nthread, strerror(why));
        pthread_getcpuclockid(t->id, &t->clock);
        return t;
}

static struct thread *take_resumer(struct process *p)
{
        struct thread *t = p->resume;
        p->resume = t->next;
        if (!p->resume)
                p->resume_last = NULL;
        return t;
}

/* Any will do, except that to move to another virtual CPU takes longer than to start a thread. */
static struct thread *take_parked(struct process *p, int32_t core)
{
        struct thread **at = &p->parked;
        while (p->cpus && *at && (*at)->pinned != core)
                at = &(*at)->next;
        struct thread *t = *at;
        if (t)
                *at = t->next;
        return t ? t : new_thread(p);
}

/* To somebody who has something to do on a core: those that go on after a wait first. */
static void hand_out(struct process *p, int32_t core)
{
        struct thread *t = p->resume ? take_resumer(p) : take_parked(p, core);
        p->coming += !t->wants_core;
        t->core = core;
        control_core_taken(p->control, core);
        thread_signal(p, t);
}

static bool has_work(const struct process *p)
{
        return p->resume || run_waiting_tasks(p) > p->coming;
}

static bool may_get_cores(const struct process *p)
{
        return p->job->lewi &&
               (p->self->lent > p->self->reclaiming || p->cores_type->pool(p->cores) > 0);
}

bool threads_may_get_cores(const struct process *p)
{
        return p->nidle > 0 || may_get_cores(p);
}

/* Cores from the node for what is ready; false where there is none to be had now. */
static bool get_cores(struct process *p)
{
        if (!may_get_cores(p))
                return false;
        threads_publish(p);
        int32_t count = control_needs_cores(p->control, now_ns(), LEND_NEEDS_CORES, p->gained);
        if (count == 0 && p->resume)
                count = control_needs_one(p->control, p->gained);
        threads_gain(p, count);
        return count > 0;
}

/*
 * The thread that looks for messages executes what they have brought, where that is over before
 * another has woken, as far as can be told by the tasks before. Where they last after all the
 * transport's thread sees that it does not look: threads_overdue().
 */
static bool is_left_to_attendant(const struct process *p)
{
        return p->attendant && !p->resume && p->short_row >= ROW &&
               run_waiting_tasks(p) * p->last_ns < WORTH_WAKING_NS &&
               transport_is_attended(p->transport);
}

static bool is_left(const struct process *p)
{
        return is_left_to_attendant(p) || (p->stands_by && run_left_to_main(p));
}

void threads_overdue(void *process)
{
        struct process *p = process;
        lock(p);
        p->attendant = NULL;
        threads_dispatch(p);
        unlock(p);
}

void threads_dispatch(struct process *p)
{
        while (has_work(p) && !p->stopping && !is_left(p)) {
                int32_t core = take_idle(p, p->resume ? p->resume->pinned : -1);
                if (core >= 0)
                        hand_out(p, core);
                else if (!get_cores(p))
                        break;
        }
        if (p->resume || run_waiting_tasks(p) > 0)
                atomic_store_explicit(&p->news, true, memory_order_relaxed);
}

/* ---- Gaining and losing a core ---- */

static void lose_core(struct process *p, struct thread *t)
{
        cpus_count(p, t);
        set_busy(p, false);
        t->core = -1;
        thread_interrupted(t);
        migrate_look(p, false);
        if (p->attendant == t)
                p->attendant = NULL;
        if (p->transport && transport_is_attended(p->transport))
                transport_leave(p->transport);
}

/* Nobody is on it any more. */
static void free_core(struct process *p, int32_t core)
{
        timeline_free(p, core, now_ns());
        add_idle(p, core);
        threads_dispatch(p);
        if (!p->idle[core])
                return;
        threads_tell(p);
        settle(p, core);
}

void thread_release(struct process *p, struct thread *t)
{
        int32_t core = t->core;
        int64_t end = now_ns();
        lose_core(p, t);
        if (control_core_boundary(p->control, end, core))
                timeline_free(p, core, end);
        else
                free_core(p, core);
}

void thread_regain(struct process *p, struct thread *t)
{
        t->wants_core = true;
        t->next = NULL;
        if (p->resume_last)
                p->resume_last->next = t;
        else
                p->resume = t;
        p->resume_last = t;
        threads_dispatch(p);
        while (t->core < 0)
                thread_sleep(p, t);
        t->wants_core = false;
        thread_begin(p, t);
}

void thread_begin(struct process *p, struct thread *t)
{
        pin(p, t);
        cpus_enter(p, t);
        set_busy(p, true);
        timeline_busy(p, t->core, t->task == &p->root);
}

/* The core may have to go to its owner, or to one who was running before. */
bool thread_keeps_core(struct process *p, struct thread *t)
{
        int64_t now = t->end_ns ? t->end_ns : now_ns();
        int32_t core = t->core;
        bool gone = control_core_boundary(p->control, now, core);
        if (!gone && !p->resume)
                return true;
        lose_core(p, t);
        timeline_free(p, core, now);
        if (!gone)
                hand_out(p, core);
        threads_dispatch(p);
        return false;
}

/* ---- Start and stop ---- */

static void find_processors(struct process *p)
{
        enum cpu_hint hint = (enum cpu_hint)p->job->param[JOB_HINT];
        int32_t before = 0, cpu[CPU_SETSIZE];
        for (int32_t node = 0; p->job->bound && node < p->node; node++)
                before += p->job->shape.cores[node];
        int32_t needed = before + p->ncore;
        int32_t found =
            needed > CPU_SETSIZE ? CPU_SETSIZE : cpu_order(CPU_ORDER_SYSTEM, hint, cpu, needed);
        if (found < needed)
                fail("lbrun_start",
                     "this process may use %d %s of its node, which gives the job %d cores by the "
                     "host file, the allocation or --cores: give no more than there are, and let "
                     "MPI not bind its ranks",
                     found, hint == CPU_HINT_CORE ? "physical cores (--hint core)" : "processors",
                     needed);
        memcpy(p->cpu, cpu + before, (size_t)p->ncore * sizeof(*cpu));
        if (p->job->bound)
                run_on(p, 0, p->ncore); /* here, and what inherits it */
}

/* Where nobody gives jobs CPUs of their own, each takes the first. One of a node's ranks says so.
 */
static void look_for_others(const struct process *p)
{
        int32_t first, shared = p->local == 0 ? cpu_claim(p->cpu, p->ncore, &first) : 0;
        char host[256] = "";
        if (shared == 0)
                return;
        gethostname(host, sizeof(host) - 1);
        fprintf(
            stderr,
            "lbrun: another job runs on %d of the %d processors that this one takes on host %s, "
            "such as processor %d: give each its own (an allocation, taskset)\n",
            (int)shared, (int)p->ncore, host, (int)first);
}

static int32_t find_comm_core(const struct process *p)
{
        int32_t core = p->ncore - 1;
        if (!p->migration || p->job->param[JOB_COMM_CORE] != JOB_COMM_CORE_TAKEN)
                return -1;
        while (core >= 0 && !p->cores_type->usable(p->cores, core))
                core--;
        return core;
}

void threads_prepare(struct process *p)
{
        p->idle = calloc((size_t)p->ncore, sizeof(*p->idle));
        p->gained = calloc((size_t)p->ncore, sizeof(*p->gained));
        p->cpu = calloc((size_t)p->ncore, sizeof(*p->cpu));
        if (!p->idle || !p->gained || !p->cpu)
                fail("lbrun_start", "out of memory");
        if (!p->virtual_cores)
                find_processors(p);
        if (!p->job->virtual_nodes)
                look_for_others(p);
        p->comm_core = find_comm_core(p);
}

/* It inherits where its creator may run. */
void threads_transport(struct process *p, bool begins)
{
        if (p->comm_core >= 0 && !p->virtual_cores)
                run_on(p, begins ? p->comm_core : 0, begins ? 1 : p->ncore);
}

void threads_start(struct process *p)
{
        for (int32_t c = 0; c < p->ncore; c++)
                if (c != p->comm_core && p->cores_type->usable(p->cores, c))
                        add_idle(p, c);
        p->loads_are_cpu = (enum job_load)p->job->param[JOB_LOAD] == JOB_LOAD_CPU;
        p->last_ns = p->away_ns = p->bare_ns = INT64_MAX;
        p->spin_ns = (int64_t)(p->job->param[JOB_SPIN_US] * 1e3);
        p->main_thread =
            (struct thread){ .id = pthread_self(), .core = -1, .pinned = -1, .task = &p->root };
        p->main_thread.last_ns = INT64_MAX; /* as of others: measure its first task */
        pthread_cond_init(&p->main_thread.wake, NULL);
        pthread_getcpuclockid(p->main_thread.id, &p->main_thread.clock);
        if (pthread_key_create(&p->thread_key, on_thread_exit) != 0)
                fail("lbrun_start", "no key is left for data of threads");
        thread_set_current(&p->main_thread);
        guard_thread_start(&p->main_thread);
        if (p->home)
                thread_regain(p, &p->main_thread);
}

void threads_stop(struct process *p)
{
        lock(p);
        p->stopping = true;
        atomic_store(&p->news, true);
        for (int32_t i = 0; i < p->nthread; i++)
                pthread_cond_signal(&p->thread[i]->wake);
        unlock(p);
        for (int32_t i = 0; i < p->nthread; i++)
                pthread_join(p->thread[i]->id, NULL);
        thread_unpin(p);
}

void threads_finish(struct process *p)
{
        guard_thread_stop(&p->main_thread);
        for (int32_t i = 0; i < p->nthread; i++) {
                pthread_cond_destroy(&p->thread[i]->wake);
                free(p->thread[i]);
        }
        pthread_key_delete(p->thread_key);
        free(p->thread);
        free(p->idle);
        free(p->gained);
        free(p->cpu);
        queue_finish(&p->ready);
}
