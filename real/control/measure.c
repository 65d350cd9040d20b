/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The leader's part of a poll: how many cores each worker of the node has kept busy since the last
 * one, and who is to own how many, decided here or by the decider.
 */
#include "real/control/control_impl.h"

static int take_arrays(struct control *c, struct lb_error *err)
{
        struct measuring *m = &c->measuring;
        size_t n = (size_t)c->nlocal;
        m->load_ns = control_take(c, n, sizeof(int64_t));
        m->at_ns = control_take(c, n, sizeof(int64_t));
        m->busy_cores = control_take(c, n, sizeof(double));
        m->measured = control_take(c, n, sizeof(bool));
        m->told_busy = control_take(c, n, sizeof(double));
        m->told_owned = control_take(c, n, sizeof(int32_t));
        m->published = control_take(c, n, sizeof(int32_t));
        m->home = control_take(c, n, sizeof(bool));
        m->talk_only = control_take(c, n, sizeof(bool));
        m->count_up = control_take(c, n + 1, sizeof(int32_t));
        m->zeros = control_take(c, n, sizeof(int32_t));
        return control_taken(c, err);
}

/* This node alone: every worker an apprank of its own. */
static struct lb_shape node_shape(struct control *c)
{
        struct measuring *m = &c->measuring;
        for (int32_t l = 0; l < c->nlocal; l++) {
                m->count_up[l + 1] = l + 1;
                m->home[l] = is_home(c, l);
                m->talk_only[l] = lb_shape_least(&c->job->shape, c->node_worker[l]) == 0;
        }
        m->bounds[1] = c->nlocal;
        return lb_shape_of_node(
            &c->job->shape, c->node,
            &(struct lb_shape_alone){ m->home, m->talk_only, m->count_up, m->zeros, m->bounds });
}

int control_host_arrays(struct control *c, struct allocating *a, struct lb_error *err)
{
        size_t n = (size_t)a->ask.shape.nworker;
        a->busy_cores = control_take(c, n, sizeof(double));
        a->owned_cores = control_take(c, n, sizeof(int32_t));
        a->target = control_take(c, n, sizeof(int32_t));
        a->told = control_take(c, n, sizeof(bool));
        return control_taken(c, err);
}

int control_host_alloc(struct control *c, struct allocating *a, struct lb_error *err)
{
        if (control_host_arrays(c, a, err) < 0)
                return -1;
        a->ask.type = c->alloc;
        a->ask.log = c->log;
        a->ask.state = ask_alloc_make(c->alloc, &a->ask.shape, c->job->alloc_param, c->log, err);
        return a->ask.state ? 0 : -1;
}

int control_measure_create(struct control *c, struct lb_error *err)
{
        if (!c->leads)
                return 0;
        if (take_arrays(c, err) < 0)
                return -1;
        for (int32_t l = 0; l < c->nlocal; l++)
                atomic_store(&row_of(c, l)->target, c->initial[c->node_worker[l]]);
        if (!c->drom || c->alloc->scope != ALLOC_SCOPE_NODE)
                return 0;
        c->node_alloc.ask.shape = node_shape(c);
        return control_host_alloc(c, &c->node_alloc, err);
}

/*
 * A worker's mean over what it has told since the last poll. It writes its figures at its own
 * times, so the interval is its own too; where it has told nothing new, its last mean stands.
 * Before it has written for the first time it was not there (`at_ns` 0).
 */
static void measure_worker(struct control *c, int32_t local)
{
        struct measuring *m = &c->measuring;
        const struct board_worker *row = row_of(c, local);
        bool cpu = (enum job_load)c->job->param[JOB_LOAD] == JOB_LOAD_CPU;
        int64_t at_ns = atomic_load(&row->at_ns);
        int64_t load_ns = atomic_load(cpu ? &row->cpu_ns : &row->busy_ns);
        if (at_ns <= m->at_ns[local])
                return;
        if (m->at_ns[local] > 0) {
                double mean = node_busy_cores(load_ns - m->load_ns[local], at_ns - m->at_ns[local]);
                m->busy_cores[local] = mean < 0 ? 0 : mean > c->ncore ? c->ncore : mean;
                m->measured[local] = true;
        }
        m->load_ns[local] = load_ns;
        m->at_ns[local] = at_ns;
}

/* NULL: those of the start. */
static void write_targets(struct control *c, const int32_t *target)
{
        bool news = false;
        for (int32_t l = 0; l < c->nlocal; l++) {
                int32_t cores = target ? target[l] : c->initial[c->node_worker[l]];
                news = news || target_of(c, l) != cores;
                atomic_store(&row_of(c, l)->target, cores);
        }
        if (!news)
                return;
        atomic_fetch_add(board_epoch(c->spec.board), 1);
        for (int32_t l = 0; l < c->nlocal; l++)
                if (l != c->local)
                        board_wake(c->spec.board, l);
}

static void decide(struct control *c, int64_t now_ns, int64_t interval_ns)
{
        struct allocating *a = &c->node_alloc;
        for (int32_t l = 0; l < c->nlocal; l++)
                a->owned_cores[l] = figure(&row_of(c, l)->owned);
        struct alloc_view view = {
                .time_ns = now_ns,
                .interval_ns = interval_ns,
                .busy_cores = c->measuring.busy_cores,
                .owned_cores = a->owned_cores,
                .iteration_ns = c->iteration_ns,
        };
        struct lb_error err;
        ask_observe(&a->ask, &view);
        c->figures.decisions++;
        if (ask_decide(&a->ask, &view, a->target, &err) < 0)
                control_refuse(c, c->alloc->name, "on node %d: %s", c->node, err.text);
        a->decided = true;
}

/* What was decided last, here or by the decider. */
static void follow(struct control *c)
{
        if (c->holds || !c->leads)
                return;
        if (c->node_alloc.decided)
                write_targets(c, c->node_alloc.target);
        if (c->measuring.has_published)
                write_targets(c, c->measuring.published);
}

void control_hold_owners(struct control *c, bool holds)
{
        c->holds = holds;
        if (holds && c->leads)
                write_targets(c, NULL);
        follow(c);
}

/* Who has told nothing yet is not idle. A helper that sleeps may never tell. */
static bool homes_measured(const struct control *c)
{
        for (int32_t l = 0; l < c->nlocal; l++)
                if (is_home(c, l) && !c->measuring.measured[l])
                        return false;
        return true;
}

static void measure_workers(struct control *c)
{
        for (int32_t l = 0; l < c->nlocal; l++)
                measure_worker(c, l);
}

void control_loads_begin(struct control *c, int64_t now_ns)
{
        c->polled_ns = now_ns;
        if (!c->leads)
                return;
        measure_workers(c);
        c->measuring.begun = true;
        c->measuring.at_poll_ns = now_ns;
}

/* Where nothing has begun, the first poll only notes where everybody is; a further one that comes
 * at once tells nothing. */
void control_measure_poll(struct control *c, int64_t now_ns)
{
        struct measuring *m = &c->measuring;
        int64_t interval_ns = now_ns - m->at_poll_ns;
        if (m->polled && interval_ns < c->poll_ns / 2)
                return;
        measure_workers(c);
        bool known = m->begun && homes_measured(c);
        if (known && c->node_alloc.ask.state)
                decide(c, now_ns, interval_ns);
        follow(c);
        if (known && c->drom && c->alloc->scope == ALLOC_SCOPE_GLOBAL)
                control_mail_busy(c);
        if (known && c->decides)
                control_global_poll(c, now_ns);
        m->begun = m->polled = true;
        m->at_poll_ns = now_ns;
}
