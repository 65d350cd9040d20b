/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/runtime/late_impl.h"

struct late late;

const transport_handler late_handlers[TRANSPORT_KIND_MAX] = {
        [MESSAGE_TASK] = offload_on_task,       [MESSAGE_FINISHED] = offload_on_finished,
        [MESSAGE_COPY] = copies_on_copy,        [MESSAGE_DATA] = copies_on_data,
        [MESSAGE_LOAD] = migrate_on_load,       [MESSAGE_OUTPUT] = offload_on_output,
        [MESSAGE_OFFER] = replicate_on_offer,   [MESSAGE_TAKE] = replicate_on_take,
        [MESSAGE_CANCEL] = replicate_on_cancel, [MESSAGE_GONE] = replicate_on_gone,
};

bool late_give(struct late_world *w, const struct transport_message *message, int32_t rank)
{
        struct process *p = &w->rank[rank].process;
        bool taken = false;
        late.process = p;
        simulated_become(rank);
        w->gives = true;
        if (setjmp(w->refused) == 0) {
                late_handlers[message->kind](p, message);
                taken = true;
        }
        w->gives = false;
        late.process = NULL;
        return taken;
}

/* ---- Tasks ---- */

void work_task(const struct work *work, int32_t priority, uint32_t flags)
{
        struct lbrun_access access[WORK_ACCESSES];
        struct process *p = late.process;
        work_accesses(work, access);
        lock(p);
        struct task *task = task_take(p);
        task->function = work_run;
        task->urgency = costs_urgency(priority, 0);
        task_set_argument(task, work, sizeof(*work));
        task_set_accesses(task, work->nrange, access);
        weak_take(p, task);
        task->offloadable = !task->gate && !(flags & LBRUN_HERE);
        task_create(p, task, late.task);
        unlock(p);
}

/* A function here is over in no time: `more` is not drawn. */
void work_wait(void)
{
        late_die("a task waits");
}

static int64_t later(int64_t most_ns)
{
        return late.world->now_ns + 1 + (int64_t)late_below((uint64_t)most_ns);
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
                core->end_ns = core->call_ns + (int64_t)late_below(20);
                p->running++;
                p->begun++;
                p->useful_running++;
        }
        unlock(p);
}

static void call_task(struct late_rank *rank, struct late_core *core)
{
        late.task = core->task;
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
        if (!core->task && late_chance(0.7))
                begin_task(p, core);
        else if (core->task && !core->called && core->call_ns <= late.world->now_ns)
                call_task(rank, core);
        else if (core->task && core->called && core->end_ns <= late.world->now_ns)
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
        struct work w = work_draw(&late.world->random, rank->live);
        w.more = 0;
        late.task = &rank->process.root;
        work_task(&w, (int32_t)late_below(3), late_chance(0.1) ? LBRUN_HERE : 0);
        w.base = rank->serial;
        work_serial = rank->serial;
        work_run(&w);
        work_serial = NULL;
        if (++rank->created == late.world->spec.ntask)
                rank->phase = LATE_ENDS;
        else if (late_chance(0.05))
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
        rank->phase = rank->round == late.world->spec.rounds ? LATE_DONE : LATE_BEGINS;
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
        } else if ((!waited || rank->outstanding > 0) && late_chance(0.1)) {
                look_around(p);
        }
}

static void act_main(struct late_rank *rank)
{
        if (!late_chance(0.5))
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
        int32_t place = (int32_t)late_below((uint64_t)p->nplace);
        lock(p);
        p->main_waits = rank->phase == LATE_PAUSES || rank->phase == LATE_ENDS;
        late.world->asks = place > 0 && late_chance(0.3);
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
        if (late_chance(0.6)) /* it gets no processor */
                return;
        late.process = p;
        simulated_become(p->rank);
        for (int32_t c = 0; c < late.world->spec.ncore; c++)
                act_core(rank, &rank->core[c]);
        for (int i = 0; p->home && i < 3; i++)
                act_main(rank);
        if (p->home && !p->migration && late_chance(0.3))
                refill(rank, p);
        if (late_chance(0.3)) { /* its keeper */
                lock(p);
                migrate_poll(p);
                unlock(p);
        }
        if (late_chance(0.8))
                simulated_lap(p->rank, p->transport);
        late.process = NULL;
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
        for (int32_t c = 0; c < late.world->spec.ncore; c++)
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
