/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads and the cores they run on. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "real/runtime/process.h"

static _Thread_local struct thread *current_thread;

struct thread *thread_current(void)
{
        return current_thread;
}

int64_t now_ns(void)
{
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t cpu_now_ns(void)
{
        struct timespec t;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* ---- Figures ---- */

/* Sums over what runs now hold minus its start, so that adding the present gives the time so far.
 */
void threads_publish(struct process *p)
{
        int64_t now = now_ns();
        p->self->busy_ns = p->busy_ns + p->running * now;
        p->self->useful_ns = p->useful_ns + p->useful_running * now;
        p->self->cpu_ns = p->cpu_ns;
        p->self->at_ns = now;
        p->self->running = (int32_t)p->running;
        p->self->ready = (int32_t)(p->ready.count + (p->resume != NULL));
        p->self->tasks = (int32_t)p->here;
}

static void set_busy(struct process *p, bool busy)
{
        p->running += busy ? 1 : -1;
        p->busy_ns += busy ? -now_ns() : now_ns();
        p->self->running = (int32_t)p->running;
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

static int32_t take_idle(struct process *p)
{
        for (int32_t c = 0; p->nidle > 0 && c < p->ncore; c++)
                if (p->idle[c]) {
                        remove_idle(p, c);
                        return c;
                }
        return -1;
}

void threads_gain(struct process *p, int32_t count)
{
        for (int32_t i = 0; i < count; i++)
                if (p->gained[i] >= 0)
                        add_idle(p, p->gained[i]);
}

/* Control has lent or dropped some: count again. */
static void recount(struct process *p)
{
        p->nidle = 0;
        for (int32_t c = 0; c < p->ncore; c++)
                p->nidle += p->idle[c];
}

void threads_settle(struct process *p)
{
        recount(p);
        threads_publish(p);
        for (int32_t c = 0; c < p->ncore && p->nidle > 0; c++)
                if (p->idle[c] && control_core_idle(p->control, now_ns(), c))
                        remove_idle(p, c);
}

static void pin(struct process *p, struct thread *t)
{
        if (p->virtual_cores || t->pinned == t->core)
                return;
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)p->cpu[t->core], &set);
        if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0)
                t->pinned = t->core;
}

/* ---- Waking ---- */

static void *work(void *argument);

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
        int why = pthread_create(&t->id, NULL, work, t);
        if (why)
                fail("lbrun", "cannot start a thread: %s", strerror(why));
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

/* Somebody who has something to do on a core: those that go on after a wait first. */
static struct thread *take_thread(struct process *p)
{
        if (p->resume)
                return take_resumer(p);
        struct thread *t = p->parked;
        if (t)
                p->parked = t->next;
        return t ? t : new_thread(p);
}

static bool has_work(const struct process *p)
{
        return p->resume || p->ready.count > p->waking;
}

static bool may_get_cores(const struct process *p)
{
        return p->job->lewi &&
               (p->self->lent > p->self->reclaiming || cores_builtin.pool(p->cores) > 0);
}

void threads_dispatch(struct process *p)
{
        while (has_work(p) && !p->stopping) {
                int32_t core = take_idle(p);
                if (core < 0) {
                        if (!may_get_cores(p))
                                return;
                        threads_publish(p);
                        int32_t count =
                            control_needs_cores(p->control, now_ns(), LEND_NEEDS_CORES, p->gained);
                        if (count == 0)
                                return;
                        threads_gain(p, count);
                        continue;
                }
                struct thread *t = take_thread(p);
                p->waking += !t->wants_core;
                t->core = core;
                pthread_cond_signal(&t->wake);
        }
}

/* ---- Waiting ---- */

void thread_release(struct process *p, struct thread *t)
{
        int32_t core = t->core;
        set_busy(p, false);
        t->core = -1;
        threads_publish(p);
        int64_t end = now_ns();
        if (control_core_boundary(p->control, end, core)) {
                timeline_free(p, core, end);
                return;
        }
        add_idle(p, core);
        threads_dispatch(p);
        if (p->idle[core] && control_core_idle(p->control, now_ns(), core))
                remove_idle(p, core);
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
                pthread_cond_wait(&t->wake, &p->lock);
        t->wants_core = false;
        pin(p, t);
        set_busy(p, true);
        timeline_busy(p, t->core, t->task == &p->root);
}

void thread_wait(struct process *p, struct thread *t, const int64_t *count)
{
        if (*count == 0)
                return;
        bool computes = t->task != &p->root;
        if (computes) {
                t->task->wall_ns += now_ns() - t->start_ns;
                p->useful_running--;
                p->useful_ns += now_ns();
        }
        thread_release(p, t);
        while (*count > 0)
                pthread_cond_wait(&t->wake, &p->lock);
        thread_regain(p, t);
        if (computes) {
                t->start_ns = now_ns();
                p->useful_running++;
                p->useful_ns -= t->start_ns;
        }
}

/* ---- Running ---- */

static void run(struct process *p, struct thread *t, struct task *task)
{
        enum { WORTH_MEASURING_NS = 20000 };
        bool measure = t->last_ns > WORTH_MEASURING_NS;
        struct task *outer = t->task;
        t->task = task;
        t->start_ns = now_ns();
        p->useful_running++;
        p->useful_ns -= t->start_ns;
        unlock(p);
        int64_t cpu_start = measure ? cpu_now_ns() : 0;
        task->function(task->argument);
        int64_t cpu = measure ? cpu_now_ns() - cpu_start : 0;
        lock(p);
        t->end_ns = now_ns();
        p->useful_running--;
        p->useful_ns += t->end_ns;
        t->last_ns = t->end_ns - t->start_ns;
        task->wall_ns += t->last_ns;
        cpu = measure ? cpu : t->last_ns;
        task->cpu_ns += cpu;
        p->cpu_ns += cpu;
        t->task = outer;
        task_body_done(p, task);
}

/* The next task for a thread that has a core, if any. */
static struct task *seek(struct process *p)
{
        struct task *task = task_next(p);
        if (!task && p->home && p->held.count > 0 && place_help_oneself(p))
                task = task_next(p);
        return task;
}

/* After a task: does the thread still have its core? */
static bool keeps_core(struct process *p, struct thread *t)
{
        if (p->resume) { /* somebody who was running before goes first */
                add_idle(p, t->core);
                t->core = -1;
                threads_dispatch(p);
                return false;
        }
        if (!control_core_boundary(p->control, t->end_ns, t->core))
                return true;
        timeline_free(p, t->core, t->end_ns);
        t->core = -1;
        return false;
}

static void took_task(struct process *p)
{
        if (!p->job->lewi || p->self->held_known == 0 || cores_builtin.pool(p->cores) == 0)
                return;
        threads_publish(p);
        threads_gain(p, control_needs_cores(p->control, now_ns(), LEND_TOOK_TASK, p->gained));
}

/* Tasks one after another, until there is none or the core must go. */
static void use_core(struct process *p, struct thread *t)
{
        pin(p, t);
        struct task *task = seek(p);
        if (task) {
                set_busy(p, true);
                timeline_busy(p, t->core, false);
        }
        bool was_busy = task != NULL, has_core = true;
        while (task && has_core) {
                took_task(p);
                run(p, t, task);
                has_core = keeps_core(p, t);
                task = has_core ? seek(p) : NULL;
        }
        if (was_busy)
                set_busy(p, false);
        if (!has_core) {
                threads_dispatch(p);
                return;
        }
        int32_t core = t->core;
        t->core = -1;
        add_idle(p, core);
        threads_dispatch(p);
        threads_publish(p);
        if (p->idle[core] && control_core_idle(p->control, now_ns(), core))
                remove_idle(p, core);
}

static void *work(void *argument)
{
        struct process *p = &lbrun_process;
        struct thread *t = argument;
        current_thread = t;
        lock(p);
        while (!p->stopping) {
                if (t->core >= 0) {
                        p->waking--;
                        use_core(p, t);
                        if (t->core < 0 && !p->stopping) {
                                t->next = p->parked;
                                p->parked = t;
                        }
                        continue;
                }
                pthread_cond_wait(&t->wake, &p->lock);
        }
        unlock(p);
        return NULL;
}

/* ---- Start and stop ---- */

static void find_processors(struct process *p)
{
        cpu_set_t set;
        int32_t found = 0;
        CPU_ZERO(&set);
        sched_getaffinity(0, sizeof(set), &set);
        for (int c = 0; c < CPU_SETSIZE && found < p->ncore; c++)
                if (CPU_ISSET((size_t)c, &set))
                        p->cpu[found++] = c;
        if (found < p->ncore)
                fail("lbrun_start",
                     "this process may use %d processors of its node, its job has %d cores a node; "
                     "start it with lbrun, or let MPI not bind its ranks",
                     found, p->ncore);
}

void threads_start(struct process *p)
{
        p->idle = calloc((size_t)p->ncore, sizeof(*p->idle));
        p->gained = calloc((size_t)p->ncore, sizeof(*p->gained));
        p->cpu = calloc((size_t)p->ncore, sizeof(*p->cpu));
        if (!p->idle || !p->gained || !p->cpu)
                fail("lbrun_start", "out of memory");
        if (!p->virtual_cores)
                find_processors(p);
        for (int32_t c = 0; c < p->ncore; c++)
                if (cores_builtin.usable(p->cores, c))
                        add_idle(p, c);
        p->main_thread =
            (struct thread){ .id = pthread_self(), .core = -1, .pinned = -1, .task = &p->root };
        pthread_cond_init(&p->main_thread.wake, NULL);
        current_thread = &p->main_thread;
        if (p->home)
                thread_regain(p, &p->main_thread);
}

void threads_stop(struct process *p)
{
        lock(p);
        p->stopping = true;
        for (int32_t i = 0; i < p->nthread; i++)
                pthread_cond_signal(&p->thread[i]->wake);
        unlock(p);
        for (int32_t i = 0; i < p->nthread; i++) {
                pthread_join(p->thread[i]->id, NULL);
                pthread_cond_destroy(&p->thread[i]->wake);
                free(p->thread[i]);
        }
        free(p->thread);
        free(p->idle);
        free(p->gained);
        free(p->cpu);
}
