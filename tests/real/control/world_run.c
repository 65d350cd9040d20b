/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/control/world_impl.h"

static void tell(struct world *world, int32_t worker)
{
        struct world_worker *w = &world->worker[worker];
        struct board_worker *row = board_worker(w->board, world_local(world->job, worker));
        if (w->silent)
                return;
        row->busy_ns = row->useful_ns = w->busy_ns;
        row->cpu_ns = w->cpu_ns;
        row->at_ns = world->now_ns;
        row->running = w->running;
        row->ready = w->ready;
        row->tasks = w->tasks;
}

static void seek(struct world *world, int32_t worker);

static void assign(struct world *world, int32_t apprank, int32_t place)
{
        int32_t worker = world->job->shape.apprank_first[apprank] + place;
        world->tasks[worker]++;
        world->worker[worker].tasks++;
        world->worker[worker].ready++;
        world->noffloaded += place > 0;
        if (place > 0)
                control_task_came(world->worker[worker].control);
        tell(world, worker);
}

static void refill(struct world *world, int32_t worker, enum place_occasion occasion)
{
        const struct lb_shape *s = &world->job->shape;
        int32_t apprank = s->worker_apprank[worker], home = s->apprank_first[apprank];
        int64_t count =
            control_refill(world->worker[home].control, world->now_ns, &world->tasks[home],
                           world->held[apprank], worker - home, occasion);
        assert_in_range(count, 0, world->held[apprank]);
        world->held[apprank] -= count;
        for (; count > 0; count--)
                assign(world, apprank, worker - home);
        if (storm_acts(world->storm, worker, world->now_ns))
                seek(world, worker);
}

static void start(struct world *world, int32_t worker, int32_t core)
{
        struct world_worker *w = &world->worker[worker];
        assert_true(w->ready > 0 && type->usable(w->cores, core) && w->task_left_ms[core] == 0);
        w->idle[core] = false;
        control_core_taken(w->control, core);
        w->task_left_ms[core] = world->spec.task_ms[world->job->shape.worker_apprank[worker]];
        w->ready--;
        w->running++;
        tell(world, worker);
}

static void take(struct world *world, int32_t worker, const int32_t *gained, int32_t count)
{
        struct world_worker *w = &world->worker[worker];
        for (int32_t i = 0; i < count; i++) {
                assert_true(type->usable(w->cores, gained[i]));
                assert_true(w->task_left_ms[gained[i]] == 0 && !w->idle[gained[i]]);
                w->idle[gained[i]] = true;
        }
}

static void run_on_idle(struct world *world, int32_t worker)
{
        struct world_worker *w = &world->worker[worker];
        int32_t gained[WORLD_CORE_MAX];
        for (int32_t core = 0; core < world->spec.ncore && w->ready > 0; core++) {
                if (!w->idle[core])
                        continue;
                start(world, worker, core);
                take(world, worker, gained,
                     control_needs_cores(w->control, world->now_ns, LEND_TOOK_TASK, gained));
        }
}

static void seek(struct world *world, int32_t worker)
{
        struct world_worker *w = &world->worker[worker];
        int32_t gained[WORLD_CORE_MAX], count = 1;
        run_on_idle(world, worker);
        while (w->ready > 0 && count > 0) {
                count = control_needs_cores(w->control, world->now_ns, LEND_NEEDS_CORES, gained);
                take(world, worker, gained, count);
                run_on_idle(world, worker);
        }
}

/* Cores that have nothing to run: lend, return or keep. */
static void settle(struct world *world, int32_t worker, int32_t core)
{
        struct world_worker *w = &world->worker[worker];
        w->idle[core] = !control_core_idle(w->control, world->now_ns, core);
}

static void finish(struct world *world, int32_t worker, int32_t core)
{
        const struct lb_shape *s = &world->job->shape;
        struct world_worker *w = &world->worker[worker];
        int32_t apprank = s->worker_apprank[worker], home = s->apprank_first[apprank];
        w->running--;
        w->tasks--;
        world->tasks[worker]--;
        world->left[apprank]--;
        tell(world, worker);
        w->idle[core] = !control_core_boundary(w->control, world->now_ns, core);
        control_finished(world->worker[home].control,
                         (int64_t)(world->spec.task_ms[apprank] * 1000000));
        refill(world, worker, PLACE_FINISHED);
        if (w->idle[core] && worker == home)
                refill(world, worker, PLACE_IDLE);
        seek(world, worker);
        if (w->idle[core])
                settle(world, worker, core);
}

/* Idle cores of the node ask for tasks; at home for its own held ones. */
static void ask(struct world *world, int32_t worker)
{
        const struct lb_shape *s = &world->job->shape;
        int32_t apprank = s->worker_apprank[worker];
        bool home = worker == s->apprank_first[apprank];
        if (control_ask(world->worker[worker].control) == 0 || !home || world->held[apprank] == 0)
                return;
        refill(world, worker, PLACE_ASKED);
        seek(world, worker);
}

/* As if woken: cores that have come back, others that are to go back. */
static void collect(struct world *world, int32_t worker)
{
        struct world_worker *w = &world->worker[worker];
        int32_t gained[WORLD_CORE_MAX], count;
        count = control_needs_cores(w->control, world->now_ns, LEND_OCCASION_NONE, gained);
        take(world, worker, gained, count);
        seek(world, worker);
        for (int32_t i = 0; i < count; i++)
                if (w->idle[gained[i]])
                        settle(world, worker, gained[i]);
        for (int32_t core = 0; core < world->spec.ncore; core++)
                if (w->idle[core] && type->must_return(w->cores, core))
                        settle(world, worker, core);
        ask(world, worker);
}

static void keep_busy(struct world *world, int32_t worker, double cores)
{
        struct world_worker *w = &world->worker[worker];
        w->busy_ns += (int64_t)(cores * STEP_NS);
        w->cpu_ns += (int64_t)(cores * STEP_NS * w->cpu_share);
        tell(world, worker);
}

static void step_worker(struct world *world, int32_t worker)
{
        struct world_worker *w = &world->worker[worker];
        if (!storm_acts(world->storm, worker, world->now_ns))
                return;
        keep_busy(world, worker, w->running);
        for (int32_t core = 0; core < world->spec.ncore; core++)
                if (w->task_left_ms[core] > 0 && --w->task_left_ms[core] == 0)
                        finish(world, worker, core);
        if (!storm_wakes(world->storm))
                return;
        collect(world, worker);
        seek(world, worker);
}

static void poll(struct world *world, int32_t worker)
{
        struct world_worker *w = &world->worker[worker];
        int32_t gained[WORLD_CORE_MAX];
        if (control_due_ns(w->control, world->now_ns) > world->now_ns ||
            !storm_polls(world->storm, worker, world->now_ns))
                return;
        world->npoll++;
        bool before[WORLD_CORE_MAX];
        memcpy(before, w->idle, sizeof(before));
        take(world, worker, gained, control_poll(w->control, world->now_ns, w->idle, gained));
        control_refresh(w->control);
        for (int32_t core = 0; core < world->spec.ncore; core++)
                assert_true(!before[core] || w->idle[core] == type->usable(w->cores, core));
        const struct lb_shape *s = &world->job->shape;
        if (worker == s->apprank_first[s->worker_apprank[worker]])
                refill(world, worker, PLACE_REFRESHED);
        seek(world, worker);
        for (int32_t core = 0; core < world->spec.ncore; core++)
                if (w->idle[core])
                        settle(world, worker, core);
        take(world, worker, gained,
             control_needs_cores(w->control, world->now_ns, LEND_POLLED, gained));
        seek(world, worker);
}

static void deliver_one(struct world *world, const struct world_mail *m)
{
        const struct lb_shape *s = &world->job->shape;
        int32_t place =
            control_mail_arrived(world->worker[m->destination].control, m->body, m->bytes);
        if (place < 0)
                return;
        int32_t apprank = s->worker_apprank[m->destination];
        struct control *home = world->worker[s->apprank_first[apprank]].control;
        int64_t held = world->held[apprank];
        bool asked = control_asked(home);
        refill(world, s->apprank_first[apprank] + place, asked ? PLACE_ASKED : PLACE_REFRESHED);
        if (asked)
                control_answer(home, place, held - world->held[apprank]);
}

/* Those for a worker that stands still stay where they are. */
static void deliver(struct world *world)
{
        struct world_mail **at = &world->mail;
        while (*at && (*at)->arrival_ns <= world->now_ns) {
                struct world_mail *m = *at;
                if (!storm_acts(world->storm, m->destination, world->now_ns)) {
                        at = &m->next;
                        continue;
                }
                *at = m->next;
                deliver_one(world, m);
                free(m);
                at = &world->mail; /* it may have made others */
        }
}

static void create_tasks(struct world *world, int32_t apprank)
{
        int32_t home = world->job->shape.apprank_first[apprank];
        world->left[apprank] += world->spec.ntask[apprank];
        for (int32_t i = 0; i < world->spec.ntask[apprank]; i++) {
                int32_t place = control_place(world->worker[home].control, world->now_ns,
                                              &world->tasks[home], world->held[apprank], 0);
                if (place == PLACE_HOLD)
                        world->held[apprank]++;
                else
                        assign(world, apprank, place);
        }
}

int32_t world_tasks_left(const struct world *world)
{
        int32_t left = 0;
        for (int32_t a = 0; a < world->spec.napprank; a++)
                left += world->left[a];
        return left;
}

/* Polls, then what must hold of every node. */
static void step_controls(struct world *world)
{
        for (int32_t w = 0; w < world->job->nworker; w++)
                poll(world, w);
        for (int32_t n = 0; n < world->spec.nnode; n++)
                world_check_node(world, n);
}

void world_drive(struct world *world, const double *busy_cores, double seconds)
{
        int64_t end_ns = world->now_ns + (int64_t)(seconds * 1e9);
        while (world->now_ns < end_ns) {
                world->now_ns += STEP_NS;
                deliver(world);
                for (int32_t w = 0; w < world->job->nworker; w++) {
                        world->worker[w].silent = busy_cores[w] < 0;
                        keep_busy(world, w, busy_cores[w] < 0 ? 0 : busy_cores[w]);
                }
                step_controls(world);
        }
}

void world_step(struct world *world)
{
        world->now_ns += STEP_NS;
        deliver(world);
        for (int32_t w = 0; w < world->job->nworker; w++)
                step_worker(world, w);
        step_controls(world);
}

void world_create_tasks(struct world *world)
{
        for (int32_t a = 0; a < world->spec.napprank; a++)
                create_tasks(world, a);
        for (int32_t w = 0; w < world->job->nworker; w++)
                if (storm_acts(world->storm, w, world->now_ns))
                        seek(world, w);
}

int32_t world_iterate(struct world *world)
{
        int32_t ms = 0;
        world_create_tasks(world);
        for (; world_tasks_left(world) > 0 && ms < 60000; ms++)
                world_step(world);
        assert_int_equal(world_tasks_left(world), 0);
        return ms;
}

double world_ratio(struct world *world, int32_t count)
{
        double work_ms = 0, time_ms = 0;
        for (int32_t a = 0; a < world->spec.napprank; a++)
                work_ms += world->spec.ntask[a] * world->spec.task_ms[a];
        for (int32_t i = 0; i < count; i++) {
                int32_t ms = world_iterate(world);
                if (i >= count - count / 3)
                        time_ms += ms;
        }
        return time_ms / (count / 3) / (work_ms / (world->spec.nnode * world->spec.ncore));
}

struct control_figures world_figures(const struct world *world)
{
        struct control_figures sum = { 0 };
        for (int32_t w = 0; w < world->job->nworker; w++) {
                struct control_figures f = control_figures(world->worker[w].control);
                sum.lent += f.lent;
                sum.borrowed += f.borrowed;
                sum.reclaimed += f.reclaimed;
                sum.ownership_changes += f.ownership_changes;
                sum.decisions += f.decisions;
                sum.wakes += f.wakes;
                sum.retirements += f.retirements;
                if (f.max_load_gap > sum.max_load_gap)
                        sum.max_load_gap = f.max_load_gap;
        }
        return sum;
}

double world_ratio_of(const struct world_spec *spec, struct control_figures *figures)
{
        struct world *world = world_create(spec);
        double ratio = world_ratio(world, 18);
        *figures = world_figures(world);
        world_destroy(world);
        return ratio;
}
