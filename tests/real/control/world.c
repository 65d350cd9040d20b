/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policies/alloc.h"
#include "policies/host/params.h"
#include "tests/real/control/storm.h"
#include "tests/real/control/world.h"

enum { STEP_NS = 1000000 };

struct world_mail {
        struct world_mail *next;
        int32_t sender, destination;
        int64_t arrival_ns;
        size_t bytes;
        _Alignas(8) char body[];
};

static const struct cores_type *const type = &cores_builtin;

/* ---- Making one ---- */

struct job *world_job(const struct world_spec *spec)
{
        static int number;
        struct lb_error err;
        struct job *job = job_create(&err);
        assert_non_null(job);
        snprintf(job->id, sizeof(job->id), "test-%ld-%d", (long)getpid(), number++);
        assert_int_equal(job_set_system(job, spec->system, &err), 0);
        job->lewi = job->lewi && !spec->no_lewi;
        job->drom = job->drom && !spec->no_drom;
        job->virtual_nodes = true;
        job->nnode = spec->nnode;
        job->cores_per_node = spec->ncore;
        job->napprank = spec->napprank;
        job->degree = spec->degree;
        if (spec->poll_s > 0)
                job->param[JOB_POLL_S] = spec->poll_s;
        job->param[JOB_POLL_ITERATIONS] = spec->poll_iterations;
        job->param[JOB_OWNERSHIP] = spec->boundary ? OWNERSHIP_BOUNDARY : OWNERSHIP_IDLE;
        job->param[JOB_ASK] = spec->asks;
        job->param[JOB_LOAD] = spec->cpu ? JOB_LOAD_CPU : JOB_LOAD_WALL;
        int ahead = lb_param_find(job_policy_params(job, JOB_LEND), "borrow_ahead");
        job->lend_param[ahead] = spec->borrow_ahead;
        int last = lb_param_find(job_policy_params(job, JOB_LEND), "lend_to_last");
        job->lend_param[last] = spec->lend_to_last;
        int counted = lb_param_find(job_policy_params(job, JOB_PLACE), "place_cores");
        job->place_param[counted] = spec->at_hand;
        int tail = lb_param_find(job_policy_params(job, JOB_PLACE), "place_tail");
        job->place_param[tail] = spec->tail;
        int solver = lb_param_find(job_policy_params(job, JOB_ALLOC), "solver");
        if (spec->solver_lp)
                job->alloc_param[solver] = 1;
        if (spec->decisions)
                snprintf(job->decisions, sizeof(job->decisions), "%s", spec->decisions);
        int32_t first[WORLD_APPRANK_MAX + 1], node[WORLD_APPRANK_MAX * 8], nedge = 0;
        for (int32_t a = 0; a < spec->napprank; a++) {
                first[a] = nedge;
                for (int32_t k = 0; k < spec->degree + spec->nsleeper; k++)
                        node[nedge++] = (a * spec->nnode / spec->napprank + k) % spec->nnode;
        }
        first[spec->napprank] = nedge;
        assert_int_equal(job_set_edges(job, first, node, &err), 0);
        return job;
}

int32_t world_local(const struct job *job, int32_t worker)
{
        const struct lb_shape *s = &job->shape;
        int32_t first = s->node_first[s->worker_node[worker]], local = 0;
        while (s->node_worker[first + local] != worker)
                local++;
        return local;
}

struct opening {
        const struct job *job;
        int32_t worker;
        struct board *board;
};

/* Opening waits for all of the node, so each worker needs a thread for it. */
static void *open_board(void *argument)
{
        struct opening *opening = argument;
        const struct lb_shape *s = &opening->job->shape;
        int32_t node = s->worker_node[opening->worker];
        struct lb_error err;
        opening->board = board_open(
            &(struct board_spec){
                .job = opening->job->id,
                .node = node,
                .nworker = s->node_first[node + 1] - s->node_first[node],
                .worker = world_local(opening->job, opening->worker),
                .ncore = s->cores[node],
            },
            30, &err);
        return NULL;
}

static void open_boards(struct world *world)
{
        int32_t nworker = world->job->nworker;
        pthread_t *thread = calloc((size_t)nworker, sizeof(*thread));
        struct opening *opening = calloc((size_t)nworker, sizeof(*opening));
        for (int32_t w = 0; w < nworker; w++) {
                opening[w] = (struct opening){ .job = world->job, .worker = w };
                assert_int_equal(pthread_create(&thread[w], NULL, open_board, &opening[w]), 0);
        }
        for (int32_t w = 0; w < nworker; w++) {
                pthread_join(thread[w], NULL);
                assert_non_null(opening[w].board);
                world->worker[w].board = opening[w].board;
        }
        free(thread);
        free(opening);
}

static void open_cores(struct world *world, int32_t worker, const int32_t *owned)
{
        const struct lb_shape *s = &world->job->shape;
        int32_t node = s->worker_node[worker], nlocal = s->node_first[node + 1];
        int32_t here[WORLD_CORE_MAX];
        bool may_own_none[WORLD_CORE_MAX];
        nlocal -= s->node_first[node];
        for (int32_t l = 0; l < nlocal; l++) {
                int32_t w = s->node_worker[s->node_first[node] + l];
                here[l] = owned[w];
                may_own_none[l] = job_may_own_none(world->job, w);
        }
        struct lb_error err;
        struct cores_spec spec = {
                .board = world->worker[worker].board,
                .job = world->job->id,
                .node = node,
                .ncore = s->cores[node],
                .nworker = nlocal,
                .worker = world_local(world->job, worker),
                .owned = here,
                .may_own_none = may_own_none,
        };
        world->worker[worker].cores = type->open(&spec, &err);
        assert_non_null(world->worker[worker].cores);
}

/* Cores, held tasks and busy cores are told where they differ from what was told last. (What asks
 * for tasks tells its cores again, whatever they are.) The kind is the first word, as
 * real/control/mail.c has it. */
static void check_news(struct world *world, int32_t sender, const struct control_mail *mail)
{
        enum { CORES = 1, BUSY = 3 };
        int32_t kind = *(const int32_t *)mail->body;
        struct world_mail **at = &world->last, *m;
        if (kind < CORES || kind > BUSY || world->spec.asks)
                return;
        while ((m = *at) && (m->sender != sender || m->destination != mail->destination ||
                             *(const int32_t *)(const void *)m->body != kind))
                at = &m->next;
        if (m && m->bytes == mail->bytes && memcmp(m->body, mail->body, m->bytes) == 0)
                fail_msg("worker %d tells worker %d again what it has told: mail of kind %d",
                         (int)sender, (int)mail->destination, (int)kind);
        if (!m) {
                m = *at = calloc(1, sizeof(*m) + mail->bytes);
                m->sender = sender;
                m->destination = mail->destination;
                m->bytes = mail->bytes;
        }
        memcpy(m->body, mail->body, mail->bytes);
}

/* Those of one sender to one worker arrive in order; of others whenever they do. */
static void post(void *user, const struct control_mail *mail)
{
        const struct world_worker *from = user;
        struct world *world = from->world;
        struct world_mail *m = calloc(1, sizeof(*m) + mail->bytes), **at = &world->mail;
        int32_t sender = (int32_t)(from - world->worker);
        assert_in_range(mail->destination, 0, world->job->nworker - 1);
        check_news(world, sender, mail);
        m->destination = mail->destination;
        m->arrival_ns =
            storm_arrival_ns(world->storm, sender, mail->destination, world->now_ns + STEP_NS);
        m->bytes = mail->bytes;
        memcpy(m->body, mail->body, mail->bytes);
        world->nmail_of[*(const int32_t *)mail->body & 7]++;
        while (*at && (*at)->arrival_ns <= m->arrival_ns)
                at = &(*at)->next;
        m->next = *at;
        *at = m;
        world->nmail++;
}

static void open_control(struct world *world, int32_t worker)
{
        struct lb_error err = { 0 };
        struct world_worker *w = &world->worker[worker];
        w->world = world;
        w->control = control_create(
            &(struct control_spec){
                .job = world->job,
                .worker = worker,
                .board = w->board,
                .cores_type = type,
                .cores = w->cores,
                .post = post,
                .user = w,
            },
            &err);
        if (!w->control)
                fail_msg("%s", err.text);
        w->cpu_share = 1;
        for (int32_t core = 0; core < world->spec.ncore; core++)
                w->idle[core] = type->usable(w->cores, core);
}

struct world *world_create(const struct world_spec *spec)
{
        struct world *world = calloc(1, sizeof(*world));
        struct lb_error err;
        world->spec = *spec;
        world->now_ns = 1000000000;
        world->job = world_job(spec);
        int32_t nworker = world->job->nworker, *owned = calloc((size_t)nworker, sizeof(*owned));
        world->worker = calloc((size_t)nworker, sizeof(*world->worker));
        world->tasks = calloc((size_t)nworker, sizeof(int32_t));
        world->storm = spec->storm ? storm_create(spec->storm, nworker) : NULL;
        assert_int_equal(job_initial(world->job, owned, &err), 0);
        open_boards(world);
        for (int32_t w = 0; w < nworker; w++)
                open_cores(world, w, owned);
        for (int32_t w = 0; w < nworker; w++)
                open_control(world, w);
        free(owned);
        return world;
}

static void free_mails(struct world_mail *mail)
{
        for (struct world_mail *next; mail; mail = next) {
                next = mail->next;
                free(mail);
        }
}

void world_destroy(struct world *world)
{
        for (int32_t w = 0; w < world->job->nworker; w++) {
                control_destroy(world->worker[w].control);
                type->close(world->worker[w].cores);
                board_close(world->worker[w].board);
        }
        free_mails(world->mail);
        free_mails(world->last);
        storm_destroy(world->storm);
        job_destroy(world->job);
        free(world->worker);
        free(world->tasks);
        free(world);
}

/* ---- Checking ---- */

int32_t world_owned(const struct world *world, int32_t worker)
{
        int32_t local = world_local(world->job, worker);
        return board_worker(world->worker[worker].board, local)->owned;
}

int32_t world_target(const struct world *world, int32_t worker)
{
        int32_t local = world_local(world->job, worker);
        return board_worker(world->worker[worker].board, local)->target;
}

/* Every core has one owner or none, one user or none; who runs or idles on a core can use it. */
static void check_node(const struct world *world, int32_t node)
{
        const struct lb_shape *s = &world->job->shape;
        int32_t users[WORLD_CORE_MAX] = { 0 }, sum = 0;
        for (int32_t i = s->node_first[node]; i < s->node_first[node + 1]; i++) {
                const struct world_worker *w = &world->worker[s->node_worker[i]];
                struct lb_error err;
                if (type->check(w->cores, &err) < 0)
                        fail_msg("%s", err.text);
                for (int32_t core = 0; core < world->spec.ncore; core++) {
                        bool usable = type->usable(w->cores, core);
                        users[core] += usable;
                        assert_true(usable || (w->task_left_ms[core] == 0 && !w->idle[core]));
                        assert_false(w->task_left_ms[core] > 0 && w->idle[core]);
                        bool known = w->task_left_ms[core] > 0 || w->idle[core];
                        bool own = type->owner(w->cores, core) == i - s->node_first[node];
                        assert_true(!usable || known || own); /* own: it has just come back */
                }
                bool sleeps = job_grows(world->job) && !s->worker_home[s->node_worker[i]];
                assert_in_range(world_owned(world, s->node_worker[i]),
                                sleeps ? 0 : lb_shape_least(s, s->node_worker[i]),
                                world->spec.ncore);
                sum += world_owned(world, s->node_worker[i]);
        }
        for (int32_t core = 0; core < world->spec.ncore; core++)
                assert_in_range(users[core], 0, 1);
        assert_in_range(sum, 0, world->spec.ncore);
}

/* ---- Running ---- */

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
                check_node(world, n);
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
