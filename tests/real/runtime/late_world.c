/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/runtime/late_world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct late_world *world; /* the one that is */

static struct { /* who runs */
        struct process *process;
        struct task *task;
} now;

/* As real/runtime/start.c has them. */
static const transport_handler handlers[TRANSPORT_KIND_MAX] = {
        [MESSAGE_TASK] = offload_on_task,       [MESSAGE_FINISHED] = offload_on_finished,
        [MESSAGE_COPY] = copies_on_copy,        [MESSAGE_DATA] = copies_on_data,
        [MESSAGE_LOAD] = migrate_on_load,       [MESSAGE_OUTPUT] = offload_on_output,
        [MESSAGE_OFFER] = replicate_on_offer,   [MESSAGE_TAKE] = replicate_on_take,
        [MESSAGE_CANCEL] = replicate_on_cancel, [MESSAGE_GONE] = replicate_on_gone,
};

void late_die(const char *format, ...)
{
        va_list args;
        fprintf(stderr, "seed %llu, rank %d: ", (unsigned long long)world->spec.seed,
                now.process ? now.process->rank : -1);
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        fprintf(stderr, "\n");
        abort();
}

static uint64_t below(uint64_t bound)
{
        return lb_random_below(&world->random, bound);
}

static bool chance(double share)
{
        return lb_random_unit(&world->random) < share;
}

/* ---- What is under it: threads, clocks, reports ---- */

int64_t now_ns(void)
{
        return world->now_ns;
}

void fail(const char *call, const char *format, ...)
{
        if (world->gives)
                longjmp(world->refused, 1);
        late_die("%s failed: %s", call, format);
}

bool late_give(struct late_world *w, const struct transport_message *message, int32_t rank)
{
        struct process *p = &w->rank[rank].process;
        bool taken = false;
        now.process = p;
        simulated_become(rank);
        w->gives = true;
        if (setjmp(w->refused) == 0) {
                handlers[message->kind](p, message);
                taken = true;
        }
        w->gives = false;
        now.process = NULL;
        return taken;
}

/* Cores look for tasks by themselves. */
void threads_dispatch(struct process *p)
{
        (void)p;
}

void threads_tell(struct process *p)
{
        (void)p;
}

/* A keeper looks by itself, sooner or later. */
void board_wake(struct board *board, int32_t worker)
{
        (void)board;
        (void)worker;
}

int64_t polite_mpi_ns(void)
{
        return 0;
}

struct thread *thread_current(void)
{
        return NULL;
}

void thread_signal(struct process *p, struct thread *t)
{
        (void)p;
        (void)t;
}

void account_task(struct process *p, const struct task *task)
{
        (void)p;
        (void)task;
}

int32_t check_place(struct process *p, const struct task *task)
{
        (void)p;
        (void)task;
        return 0;
}

bool memory_spans(const struct memory *memory, uintptr_t begin, size_t bytes)
{
        (void)memory;
        uintptr_t first = (uintptr_t)simulated_memory();
        size_t all = (size_t)world->spec.napprank * WORK_WORDS * sizeof(uint64_t);
        return begin >= first && bytes <= all && begin - first <= all - bytes;
}

/* ---- Policies: anything that they may decide ---- */

struct control {
        int32_t unused;
};

void control_costs(struct control *control, const struct place_costs *costs)
{
        (void)control;
        (void)costs;
}

int32_t control_place(struct control *control, int64_t now_is, const int32_t *tasks, int64_t held,
                      int32_t data_place)
{
        (void)control;
        (void)now_is;
        (void)tasks;
        (void)held;
        if (chance(0.3))
                return PLACE_HOLD;
        return chance(0.3) ? data_place : (int32_t)below((uint64_t)now.process->nplace);
}

int64_t control_refill(struct control *control, int64_t now_is, const int32_t *tasks, int64_t held,
                       int32_t place, enum place_occasion occasion)
{
        (void)control;
        (void)now_is;
        (void)tasks;
        (void)place;
        return occasion == PLACE_IDLE ? 1 : (int64_t)below((uint64_t)held + 1) / 2;
}

/* A helper asks: where none is held, for what waits. */
bool control_asked(const struct control *control)
{
        (void)control;
        return world->asks;
}

bool control_gives_waiting(const struct control *control, int64_t given)
{
        (void)control;
        (void)given;
        return true;
}

int64_t control_give_waiting(struct control *control, int64_t now_is, const int32_t *tasks,
                             int64_t waiting, int32_t place, int64_t given)
{
        (void)control, (void)now_is, (void)tasks, (void)place, (void)given;
        return (int64_t)below((uint64_t)waiting + 1);
}

void control_answer(struct control *control, int32_t place, int64_t given)
{
        (void)control;
        (void)place;
        world->given += given;
}

int32_t control_mail_arrived(struct control *control, const void *body, size_t bytes)
{
        (void)control;
        (void)body;
        (void)bytes;
        late_die("a mail, which nobody sends");
}

struct control_load control_load(struct control *control, const struct migrate_local *local,
                                 int64_t outstanding)
{
        (void)control;
        world->rank[now.process->rank].outstanding = outstanding;
        return (struct control_load){ local->queued + local->received, outstanding };
}

void control_load_told(struct control *control, int32_t apprank, const struct control_load *load)
{
        (void)control;
        (void)apprank;
        (void)load;
}

int32_t control_migrate(struct control *control, int64_t now_is, bool replicates,
                        const struct migrate_local *local, const int64_t *under_way,
                        const int32_t *sending, const struct migrate_move **move)
{
        static struct migrate_move one;
        (void)control;
        (void)now_is;
        (void)under_way;
        (void)sending;
        one.rank = (int32_t)below((uint64_t)world->spec.napprank);
        one.ntask = 1 + (int64_t)below((uint64_t)local->queued + 1) / 2;
        *move = &one;
        if (one.rank == now.process->apprank || local->queued == 0 || chance(0.6))
                return 0;
        one.ntask = one.ntask < local->queued ? one.ntask : local->queued;
        (void)replicates;
        return 1;
}

/* ---- Tasks ---- */

void work_task(const struct work *work, int32_t priority, uint32_t flags)
{
        struct lbrun_access access[WORK_ACCESSES];
        struct process *p = now.process;
        work_accesses(work, access);
        lock(p);
        struct task *task = task_take(p);
        task->function = work_run;
        task->urgency = costs_urgency(priority, 0);
        task_set_argument(task, work, sizeof(*work));
        task_set_accesses(task, work->nrange, access);
        weak_take(p, task);
        task->offloadable = !task->gate && !(flags & LBRUN_HERE);
        task_create(p, task, now.task);
        unlock(p);
}

/* A function here is over in no time: `more` is not drawn. */
void work_wait(void)
{
        late_die("a task waits");
}

static int64_t later(int64_t most_ns)
{
        return world->now_ns + 1 + (int64_t)below((uint64_t)most_ns);
}

/* As run_next() (real/runtime/run.c), which has more to do with threads than with this. */
static struct task *take_task(struct process *p)
{
        struct task *task = queue_pop(&p->ready);
        if (!task && p->nheld > 0 && place_help_oneself(p))
                task = queue_pop(&p->ready);
        if (!task && p->ncopies > 0)
                task = replicate_next(p);
        return task;
}

static void begin_task(struct process *p, struct late_core *core)
{
        lock(p);
        struct task *task = take_task(p);
        if (task) {
                *core = (struct late_core){ .task = task, .call_ns = later(20) };
                core->end_ns = core->call_ns + (int64_t)below(20);
                p->running++;
                p->begun++;
                p->useful_running++;
        }
        unlock(p);
}

static void call_task(struct late_rank *rank, struct late_core *core)
{
        now.task = core->task;
        core->called = true;
        rank->executed++;
        core->task->function(core->task->argument);
}

static void end_task(struct process *p, struct late_core *core)
{
        lock(p);
        p->running--;
        p->useful_running--;
        core->task->wall_ns += 1;
        task_body_done(p, core->task);
        core->task = NULL;
        unlock(p);
}

static void act_core(struct late_rank *rank, struct late_core *core)
{
        struct process *p = &rank->process;
        if (!core->task && chance(0.7))
                begin_task(p, core);
        else if (core->task && !core->called && core->call_ns <= world->now_ns)
                call_task(rank, core);
        else if (core->task && core->called && core->end_ns <= world->now_ns)
                end_task(p, core);
}

/* ---- The main program ---- */

static void begin_round(struct late_rank *rank)
{
        for (int32_t i = 0; i < WORK_WORDS; i += 17) /* it writes, too */
                rank->live[i] = rank->serial[i] = work_mix(rank->live[i], (uint64_t)rank->round);
        rank->created = 0;
        rank->phase = LATE_CREATES;
}

static void create_one(struct late_rank *rank)
{
        struct work w = work_draw(&world->random, rank->live);
        w.more = 0;
        now.task = &rank->process.root;
        work_task(&w, (int32_t)below(3), chance(0.1) ? LBRUN_HERE : 0);
        w.base = rank->serial;
        work_serial = rank->serial;
        work_run(&w);
        work_serial = NULL;
        if (++rank->created == world->spec.ntask)
                rank->phase = LATE_ENDS;
        else if (chance(0.05))
                rank->phase = LATE_PAUSES;
}

/* As a taskwait's beginning (real/runtime/wait.c). */
static void look_around(struct process *p)
{
        migrate_replicate(p);
        migrate_look(p, true);
}

static void compare(const struct late_rank *rank)
{
        for (int32_t i = 0; i < WORK_WORDS; i++)
                if (rank->live[i] != rank->serial[i])
                        late_die("round %d: word %d is %llx, serially %llx", rank->round, i,
                                 (unsigned long long)rank->live[i],
                                 (unsigned long long)rank->serial[i]);
}

static void end_round(struct late_rank *rank)
{
        if (rank->process.nplace > 1)
                where_forget_others(rank->process.where);
        compare(rank);
        rank->round++;
        rank->phase = rank->round == world->spec.rounds ? LATE_DONE : LATE_BEGINS;
}

static void wait_on(struct late_rank *rank)
{
        struct process *p = &rank->process;
        bool waited = p->root.unfinished == 0;
        if (rank->phase == LATE_PAUSES && waited) {
                rank->phase = LATE_CREATES;
        } else if (rank->phase == LATE_ENDS && waited) {
                record_wait(p, &p->root);
                rank->phase = LATE_BRINGS;
                if (p->nplace > 1)
                        copies_bring_home(p);
        } else if (rank->phase == LATE_BRINGS && p->home_missing == 0) {
                end_round(rank);
        } else if ((!waited || rank->outstanding > 0) && chance(0.1)) {
                look_around(p);
        }
}

static void act_main(struct late_rank *rank)
{
        if (!chance(0.5))
                return;
        if (rank->phase == LATE_BEGINS)
                begin_round(rank);
        if (rank->phase == LATE_CREATES) {
                create_one(rank);
                return;
        }
        lock(&rank->process);
        wait_on(rank);
        unlock(&rank->process);
}

/* Cores elsewhere are free for more. */
static void refill(const struct late_rank *rank, struct process *p)
{
        int32_t place = (int32_t)below((uint64_t)p->nplace);
        lock(p);
        p->main_waits = rank->phase == LATE_PAUSES || rank->phase == LATE_ENDS;
        world->asks = place > 0 && chance(0.3);
        if (place > 0)
                place_told(p, place);
        else
                place_refill(p, place, PLACE_REFRESHED);
        unlock(p);
}

/* ---- Steps ---- */

static void act(struct late_rank *rank)
{
        struct process *p = &rank->process;
        if (chance(0.6)) /* it gets no processor */
                return;
        now.process = p;
        simulated_become(p->rank);
        for (int32_t c = 0; c < world->spec.ncore; c++)
                act_core(rank, &rank->core[c]);
        for (int i = 0; p->home && i < 3; i++)
                act_main(rank);
        if (p->home && !p->migration && chance(0.3))
                refill(rank, p);
        if (chance(0.3)) { /* its keeper */
                lock(p);
                migrate_poll(p);
                unlock(p);
        }
        if (chance(0.8))
                simulated_lap(p->rank, p->transport);
        now.process = NULL;
}

void late_step(struct late_world *w)
{
        w->now_ns++;
        for (int32_t r = 0; r < w->nrank; r++)
                act(&w->rank[r]);
        simulated_step();
}

static bool rests(const struct late_rank *rank)
{
        const struct process *p = &rank->process;
        bool works = false;
        for (int32_t c = 0; c < world->spec.ncore; c++)
                works |= rank->core[c].task != NULL;
        return !works && p->here == 0 && p->nheld == 0 && p->ncopies == 0 &&
               rank->outstanding == 0 && simulated_rests(p->transport) &&
               (!p->home || rank->phase == LATE_DONE);
}

bool late_is_over(const struct late_world *w)
{
        bool over = simulated_quiet();
        for (int32_t r = 0; over && r < w->nrank; r++)
                over = rests(&w->rank[r]);
        return over;
}

void late_describe(const struct late_world *w)
{
        for (int32_t r = 0; r < w->nrank; r++) {
                const struct process *p = &w->rank[r].process;
                fprintf(stderr,
                        "rank %d, apprank %d, place %d: phase %d of round %d, %lld unfinished, "
                        "%lld here, %lld ready, %lld held, %lld copies, %lld missing at home, "
                        "%lld outstanding\n",
                        r, p->apprank, p->place, (int)w->rank[r].phase, w->rank[r].round,
                        (long long)p->root.unfinished, (long long)p->here,
                        (long long)p->ready.count, (long long)p->nheld, (long long)p->ncopies,
                        (long long)p->home_missing, (long long)w->rank[r].outstanding);
        }
}

/* ---- Life ---- */

static void make_job(struct late_world *w)
{
        int32_t first[LATE_RANKS + 1], node[LATE_RANKS];
        struct lb_error err;
        w->job = job_create(&err);
        if (!w->job || job_set_system(w->job, w->spec.migrates ? "chameleon" : "local", &err) < 0)
                late_die("%s", err.text);
        w->job->nnode = w->job->napprank = w->spec.napprank;
        w->job->cores_per_node = LATE_RANKS;
        int32_t nplace = w->spec.migrates ? 1 : w->spec.nplace;
        for (int32_t a = 0; a < w->spec.napprank; a++) {
                first[a] = a * nplace;
                for (int32_t k = 0; k < nplace; k++)
                        node[a * nplace + k] = (a + k) % w->spec.napprank;
        }
        first[w->spec.napprank] = w->nrank;
        snprintf(w->job->id, sizeof(w->job->id), "late");
        snprintf(w->job->tasks, sizeof(w->job->tasks), "recorded");
        if (job_set_edges(w->job, first, node, &err) < 0)
                late_die("%s", err.text);
}

static struct transport *make_transport(struct process *p)
{
        struct transport_spec spec = {
                .sent = p->migration ? migrate_on_sent : NULL,
                .user = p,
        };
        memcpy(spec.handler, handlers, sizeof(handlers));
        return simulated_transport(p->rank, &spec);
}

static struct task *spare; /* tasks are never given back */

static void make_home(struct late_rank *rank)
{
        struct process *p = &rank->process;
        size_t n = (size_t)p->nplace;
        size_t bytes = WORK_WORDS * sizeof(uint64_t);
        p->where = where_create(p->nplace);
        p->held = calloc(n, sizeof(*p->held));
        p->tasks = calloc(n, sizeof(*p->tasks));
        p->assigned_cost = calloc(n, sizeof(*p->assigned_cost));
        p->place_costs.assigned = p->assigned_cost;
        rank->live = (uint64_t *)(void *)(simulated_memory() + (size_t)p->apprank * bytes);
        rank->serial = calloc(WORK_WORDS, sizeof(*rank->serial));
        if (!p->where || !p->held || !p->tasks || !rank->serial)
                late_die("out of memory");
}

static void make_rank(struct late_world *w, int32_t r)
{
        static struct control control;
        struct late_rank *rank = &w->rank[r];
        struct process *p = &rank->process;
        now.process = p;
        pthread_mutex_init(&p->lock, NULL);
        p->job = w->job;
        chain_start(p);
        p->control = &control;
        p->self = &rank->self;
        p->self->owned = p->ncore = w->spec.ncore;
        p->comm_core = -1;
        p->rank = r;
        p->worker = w->job->rank_worker[r];
        p->apprank = w->job->shape.worker_apprank[p->worker];
        p->place = p->worker - w->job->shape.apprank_first[p->apprank];
        p->nplace = w->spec.migrates ? w->spec.napprank : w->spec.nplace;
        p->home = p->place == 0;
        record_start(p);
        p->spare = spare;
        spare = NULL;
        if (p->home)
                make_home(rank);
        copies_start(p);
        if (w->spec.migrates)
                migrate_start(p);
        p->transport = make_transport(p);
        now.process = NULL;
}

struct late_world *late_create(const struct late_spec *spec)
{
        world = calloc(1, sizeof(*world));
        if (!world)
                abort();
        world->spec = *spec;
        world->nrank = spec->napprank * (spec->migrates ? 1 : spec->nplace);
        if (world->nrank > LATE_RANKS)
                late_die("%d ranks, allowed are %d", world->nrank, LATE_RANKS);
        lb_random_init(&world->random, spec->seed, LB_RANDOM_TEST, 5);
        make_job(world);
        size_t words = (size_t)spec->napprank * WORK_WORDS * sizeof(uint64_t);
        simulated_begin(spec->seed, world->nrank, (words + 4095) / 4096 * 4096);
        for (int32_t r = 0; r < world->nrank; r++)
                make_rank(world, r);
        return world;
}

static void keep_spare(struct task *list)
{
        struct task **end = &list;
        while (*end)
                end = &(*end)->next;
        *end = spare;
        spare = list;
}

static void finish_rank(struct late_rank *rank)
{
        struct process *p = &rank->process;
        now.process = p;
        simulated_become(p->rank);
        simulated_close(p->transport);
        for (int32_t k = 0; p->home && k < p->nplace; k++)
                if (p->tasks[k] != 0)
                        late_die("%d tasks are still counted at place %d", (int)p->tasks[k],
                                 (int)k);
        if (p->here != 0 || p->begun != 0 || p->nested != 0 || p->root.unfinished != 0)
                late_die("tasks are still counted");
        if (p->home)
                place_stop(p);
        if (p->home)
                late_check_record(p);
        record_stop(p);
        access_domain_destroy(p->root.domain);
        where_destroy(p->where);
        migrate_stop(p);
        copies_stop(p);
        queue_finish(&p->ready);
        keep_spare(p->spare);
        free(p->tasks);
        free(p->assigned_cost);
        free(rank->serial);
        pthread_mutex_destroy(&p->lock);
        now.process = NULL;
}

void late_destroy(struct late_world *w)
{
        for (int32_t r = 0; r < w->nrank; r++)
                finish_rank(&w->rank[r]);
        simulated_end();
        job_destroy(w->job);
        free(w);
        world = NULL;
}
