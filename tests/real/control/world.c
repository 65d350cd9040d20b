/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/control/world_impl.h"

/* ---- Making one ---- */

struct world_spec world_skewed(const char *system)
{
        return (struct world_spec){
                .system = system,
                .nnode = 4,
                .ncore = 8,
                .napprank = 4,
                .degree = 3,
                .ntask = { 400, 400, 400, 400 },
                .task_ms = { 40, 20, 13, 7 },
        };
}

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
void world_check_node(const struct world *world, int32_t node)
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
