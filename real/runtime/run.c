/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads execute tasks. */
#include <sched.h>

#include "base/clock.h"
#include "policies/host/node.h"
#include "real/node/slice.h"
#include "real/runtime/process.h"

/* ---- Time in tasks ---- */

static int64_t cpu_now_ns(const struct thread *t)
{
        return clock_of_ns(t->clock);
}

/* The caller's. */
static struct moment moment_at(const struct process *p, const struct thread *t, int64_t now)
{
        struct moment moment = { .now_ns = now };
        if (t->measures)
                moment.cpu_ns = cpu_now_ns(t);
        if (t->measures && p->cpus)
                moment.delay_ns = cpu_times_now().delay_ns;
        return moment;
}

/*
 * To read a thread's processor time is a call of the kernel, 0.5 us, two a task. Of tasks one after
 * the other, each as long as the last, nobody was without a processor: it is read where one takes
 * longer, or after READ_NS; what was lost since the last time is of that one. Where CPUs are
 * virtual it is always read.
 */
enum { READ_NS = 1000000 };

static struct moment begin_at(const struct process *p, struct thread *t, int64_t now)
{
        int64_t ago_ns = now - t->read.now_ns;
        if (!t->measures)
                return (struct moment){ .now_ns = now };
        if (t->read.now_ns == 0 || ago_ns > READ_NS || p->cpus)
                return t->read = moment_at(p, t, now);
        return (struct moment){ .now_ns = now, .cpu_ns = t->read.cpu_ns + ago_ns };
}

/* What was lost may have been more. */
static int64_t since_ns(int64_t begin_ns, int64_t end_ns)
{
        return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

static struct moment end_at(const struct process *p, struct thread *t, int64_t now)
{
        int64_t wall_ns = now - t->start.now_ns;
        if (!t->measures)
                return (struct moment){ .now_ns = now };
        if (wall_ns <= t->regular_ns && !p->cpus)
                return (struct moment){ .now_ns = now, .cpu_ns = t->start.cpu_ns + wall_ns };
        t->read = moment_at(p, t, now);
        t->regular_ns = (t->read.cpu_ns - t->start.cpu_ns) / 8 * 9;
        return t->read;
}

static void compute(struct process *p, struct thread *t, int64_t now)
{
        t->computes = true;
        t->start = begin_at(p, t, now);
        p->useful_running++;
        p->useful_ns -= now;
}

/*
 * Where it is not measured, a task takes all of its core. A virtual CPU runs at full speed until
 * its quota is used up, and then not at all: short tasks have their ends before that, and what
 * comes between them has the waits. So there a task takes what it would on a CPU as slow as that.
 */
static void stop_computing(struct process *p, struct thread *t, struct moment end)
{
        int64_t wall = end.now_ns - t->start.now_ns, cpu = wall, length = wall;
        if (t->measures)
                cpu = since_ns(t->start.cpu_ns, end.cpu_ns);
        if (t->measures && p->cpus) {
                int64_t asleep = wall - cpu - (end.delay_ns - t->start.delay_ns);
                cpu = cpus_slowed_ns(p, cpu);
                length = cpu + (asleep > 0 ? asleep : 0);
        }
        t->computes = false;
        p->useful_running--;
        p->useful_ns += t->start.now_ns + length;
        p->cpu_ns += cpu;
        t->task->wall_ns += length;
        t->task->cpu_ns += cpu;
}

bool run_pause(struct process *p, struct thread *t)
{
        bool computes = t->computes;
        light_count(p, t);
        if (computes)
                stop_computing(p, t, moment_at(p, t, now_ns()));
        return computes;
}

void run_resume(struct process *p, struct thread *t, bool computes)
{
        thread_interrupted(t);
        timeline_busy(p, t->core, !computes);
        if (computes)
                compute(p, t, now_ns());
}

/* Of what tasks have used, what is not in their process's sum yet. For polls: it is slow. */
int64_t run_cpu_ns(struct process *p)
{
        int64_t sum = 0, now = now_ns();
        for (int32_t i = -1; i < p->nthread; i++) {
                const struct thread *t = i < 0 ? &p->main_thread : p->thread[i];
                if (t->computes && t->measures)
                        sum += cpus_slowed_ns(p, since_ns(t->start.cpu_ns, cpu_now_ns(t)));
                else if (t->computes)
                        sum += now - t->start.now_ns;
        }
        return sum;
}

/* Not by t->task, which a light task changes without the lock. The main program does not compute.
 */
int64_t run_oldest_ns(const struct process *p)
{
        int64_t oldest = 0;
        for (int32_t i = -1; i < p->nthread; i++) {
                const struct thread *t = i < 0 ? &p->main_thread : p->thread[i];
                if (t->computes && (!oldest || t->start.now_ns < oldest))
                        oldest = t->start.now_ns;
        }
        return oldest;
}

/* ---- A task ---- */

static void took_task(struct process *p)
{
        if (!p->job->lewi || p->self->held_known == 0 || p->cores_type->pool(p->cores) == 0)
                return;
        threads_publish(p);
        threads_gain(p, control_needs_cores(p->control, now_ns(), LEND_TOOK_TASK, p->gained));
}

static bool attends(const struct process *p)
{
        return p->nplace > 1 && p->comm_core < 0;
}

/*
 * To wake the transport's thread for a message takes it the processor of whoever executes a task,
 * and switches of threads: where tasks are short, and all cores are taken, so that no message could
 * start one at once, who executes them looks in between.
 */
static bool may_glance(const struct process *p)
{
        return attends(p) && !threads_may_get_cores(p);
}

static void glance(struct process *p, int64_t wall_ns)
{
        enum { GLANCE_NS = 200000 };
        if (wall_ns < GLANCE_NS)
                transport_glance(p->transport, wall_ns);
}

void run_task(struct process *p, struct thread *t, struct task *task)
{
        enum { WORTH_MEASURING_NS = 20000 };
        struct task *outer = t->task;
        bool outer_measures = t->measures;
        took_task(p);
        bool glances = may_glance(p);
        p->begun++;
        t->task = task;
        t->measures = t->last_ns > cpus_slowed_ns(p, WORTH_MEASURING_NS);
        timeline_busy(p, t->core, false);
        compute(p, t, t->end_ns ? t->end_ns : now_ns());
        migrate_look(p, false);
        bool looks = t->last_ns < SHORT_NS && t->ntask++ % ROW == 0;
        unlock(p);
        int64_t begin = looks ? now_ns() : 0;
        if (p->check)
                check_begin(p, task);
        if (task->loop)
                task->loop(task->loop_begin, task->loop_end, task->argument);
        else
                task->function(task->argument);
        if (p->check)
                check_end(p);
        int64_t now = now_ns();
        struct moment end = end_at(p, t, now);
        if (glances)
                glance(p, now - t->start.now_ns);
        lock(p);
        stop_computing(p, t, end);
        p->self->task_us = node_task_us(p->self->task_us, task->wall_ns);
        t->last_ns = task->wall_ns;
        atomic_store_explicit(&p->last_ns, task->wall_ns, memory_order_relaxed);
        if (looks || task->wall_ns >= SHORT_NS)
                p->bare_ns = looks ? now - begin : task->wall_ns;
        p->short_row = task->wall_ns < SHORT_NS ? p->short_row + 1 : 0;
        t->end_ns = p->nplace == 1 && task->wall_ns < SHORT_NS ? now : 0;
        t->task = outer;
        t->measures = outer_measures;
        run_step(p, t);
        p->not_left -= p->not_left > 0;
        task_body_done(p, task);
}

struct task *run_next(struct process *p)
{
        struct task *task = queue_pop(&p->ready);
        if (!task && p->nheld > 0 && place_help_oneself(p))
                task = queue_pop(&p->ready);
        if (!task && p->ncopies > 0)
                task = replicate_next(p);
        if (!task)
                migrate_look(p, false);
        threads_tell(p);
        return task;
}

/* The creator of very many short tasks executes some: memory is in caches, and does not run out. */
void run_throttle(struct process *p, struct thread *t)
{
        enum { UNFINISHED_MAX = 4096 };
        bool far_more = t->task->unfinished > UNFINISHED_MAX;
        bool is_short = p->last_ns < SHORT_NS || (far_more && p->last_ns == INT64_MAX);
        if ((!far_more && run_waiting_tasks(p) <= run_enough_tasks(p)) || !is_short || t->core < 0)
                return;
        bool computes = run_pause(p, t), is_main = t->task == &p->root;
        struct task *task = is_main ? run_next(p) : queue_pop_child(&p->ready, t->task);
        if (is_main)
                record_main_stops(p);
        if (task)
                run_task(p, t, task);
        if (!thread_keeps_core(p, t))
                thread_regain(p, t);
        if (is_main)
                record_main_goes_on(p);
        run_resume(p, t, computes);
}

/* ---- Between tasks ---- */

/*
 * Parking and waking cost as much as a short task: where tasks are short, a thread that has none
 * keeps its core and looks for a while, also for messages, where these may bring it something: then
 * nobody need be woken for them. After the time that an answer takes it yields its processor
 * meanwhile, so that nobody waits for it; and where processors may be few, one looks for all.
 */
static bool has_news(const struct process *p)
{
        return atomic_load_explicit(&p->news, memory_order_relaxed);
}

/* Who waits goes on soon when something has come, though somebody computes. */
static void give_way(struct thread *t)
{
        if (!t->short_slices)
                slice_shorten();
        t->short_slices = true;
        sched_yield();
}

/* Did something move? */
static bool look_for_messages(const struct process *p)
{
        enum { LOOKS = 8 };
        bool moved = false;
        for (int i = 0; i < LOOKS && !has_news(p); i++)
                moved |= transport_look(p->transport);
        return moved;
}

static bool look_for_news(struct process *p, struct thread *t)
{
        enum { ANSWER_NS = 10000 };
        bool moved = false, messages = attends(p);
        int64_t now = now_ns(), until = now + p->spin_ns, polite = messages ? now + ANSWER_NS : now;
        p->coming++;
        p->spinning++;
        p->attendant = messages ? t : NULL;
        atomic_store_explicit(&p->news, false, memory_order_relaxed);
        unlock(p);
        if (messages)
                transport_attend(p->transport);
        for (; !has_news(p) && now < until; now = now_ns()) {
                moved |= messages && look_for_messages(p);
                if (now >= polite && !has_news(p))
                        give_way(t);
        }
        lock(p);
        p->coming--;
        p->spinning--;
        return moved;
}

/* Ready tasks of the node's other workers, which could have the core. */
static bool others_wait(const struct process *p)
{
        const struct lb_shape *shape = &p->job->shape;
        int32_t count = shape->node_first[p->node + 1] - shape->node_first[p->node];
        for (int32_t i = 0; p->job->lewi && i < count; i++) {
                const struct board_worker *other = board_worker(p->board, i);
                if (i != p->local && atomic_load_explicit(&other->ready, memory_order_relaxed) > 0)
                        return true;
        }
        return false;
}

static bool spin(struct process *p, struct thread *t, const int64_t *count)
{
        bool takes_any = !t->task || t->task == &p->root;
        bool is_short = p->last_ns <= p->spin_ns || p->away_ns <= p->spin_ns;
        if (!takes_any || p->stopping || !is_short)
                return false;
        bool looks = p->spinning < (p->virtual_cores ? 1 : p->ncore);
        bool moved = looks && look_for_news(p, t);
        if (p->stopping || *count == 0)
                return false;
        if (p->resume || run_waiting_tasks(p) > 0 || (moved && !others_wait(p)))
                return true;
        if (looks && attends(p))
                transport_leave(p->transport);
        return false;
}

bool run_spin(struct process *p, struct thread *t, const int64_t *count)
{
        thread_interrupted(t);
        bool goes_on = spin(p, t, count);
        if (!goes_on && p->attendant == t)
                p->attendant = NULL;
        return goes_on;
}

/* Does the main program still go through its tasks, one after the other? */
static bool main_moves(const struct process *p)
{
        enum { STEP_NS = 10000, MOST_NS = 50000 };
        int64_t now = now_ns(), until = now + MOST_NS, steps, moved = 2;
        while (moved > 1 && now < until) {
                steps = atomic_load_explicit(&p->main_steps, memory_order_relaxed);
                for (int64_t next = now + STEP_NS; now < next; now = now_ns())
                        ;
                moved = atomic_load_explicit(&p->main_steps, memory_order_relaxed) - steps;
                sched_yield();
        }
        return moved > 1;
}

/*
 * While it does, one of the other threads looks. False: the caller's core is given back, since
 * another does that, or gone.
 */
static bool stand_by(struct process *p, struct thread *t)
{
        bool keeps = true;
        if (!run_left_to_main(p))
                return true;
        if (p->stands_by) {
                thread_release(p, t);
                return false;
        }
        p->stands_by = true;
        p->coming++;
        while (keeps && run_left_to_main(p)) {
                unlock(p);
                bool moves = main_moves(p);
                lock(p);
                if (moves)
                        keeps = thread_keeps_core(p, t);
                else
                        p->not_left = ROW;
        }
        p->coming--;
        p->stands_by = false;
        threads_dispatch(p);
        return keeps;
}

/* Tasks one after another, until there is none or the core must go. */
static void use_core(struct process *p, struct thread *t)
{
        static const int64_t never_zero = 1;
        while (stand_by(p, t)) {
                struct task *task = run_next(p);
                if (task)
                        run_task(p, t, task);
                else if (!run_spin(p, t, &never_zero)) {
                        thread_release(p, t);
                        return;
                }
                if (!thread_keeps_core(p, t))
                        return;
        }
}

void *thread_main(void *thread)
{
        struct process *p = &lbrun_process;
        struct thread *t = thread;
        thread_set_current(t);
        guard_thread_start(t);
        lock(p);
        while (!p->stopping) {
                if (t->core < 0) {
                        thread_sleep(p, t);
                        continue;
                }
                p->coming--;
                thread_begin(p, t);
                use_core(p, t);
                t->next = p->parked;
                p->parked = t;
        }
        unlock(p);
        guard_thread_stop(t);
        thread_set_current(NULL);
        return NULL;
}
