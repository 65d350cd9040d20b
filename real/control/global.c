/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decider's part of a poll: a global policy observes what all leaders have told, decides every
 * period_s, and its targets go to the leaders, who act on them at their next polls.
 */
#include "real/control/control_impl.h"

#include <string.h>

int control_global_create(struct control *c, struct lb_error *err)
{
        if (!c->decides)
                return 0;
        c->global_alloc.ask.shape = c->job->shape;
        int status = job_grows(c->job) ? control_grow_create(c, err)
                                       : control_host_alloc(c, &c->global_alloc, err);
        if (status < 0)
                return -1;
        size_t bytes = (size_t)c->job->nworker * sizeof(int32_t);
        memcpy(c->global_alloc.owned_cores, c->initial, bytes);
        return 0;
}

void control_global_told(struct control *c, int32_t worker, double busy_cores, int32_t owned)
{
        struct allocating *a = &c->global_alloc;
        a->busy_cores[worker] = busy_cores;
        a->owned_cores[worker] = owned;
        a->ntold += !a->told[worker];
        a->told[worker] = true;
}

static void publish(struct control *c)
{
        for (int32_t n = 0; n < c->job->nnode; n++)
                if (n != c->node && c->job->shape.node_first[n + 1] > c->job->shape.node_first[n])
                        control_mail_targets(c, n, c->global_alloc.target);
        for (int32_t l = 0; l < c->nlocal; l++)
                c->measuring.published[l] = c->global_alloc.target[c->node_worker[l]];
        c->measuring.has_published = true;
}

static int64_t period_ns(const struct control *c)
{
        return alloc_period_ns(c->alloc, c->job->nnode, c->iteration_ns, c->job->alloc_param);
}

void control_iteration(struct control *c, int64_t now_ns)
{
        if (c->iterated_ns > 0)
                c->iteration_ns = node_iteration_ns(c->iteration_ns, now_ns - c->iterated_ns);
        atomic_store(&c->own->iteration_ns, c->iteration_ns);
        c->iterated_ns = now_ns;
        control_ask_iteration(c);
}

/*
 * Polls are never quite on time: one that is less than half a poll early counts as due. Nothing is
 * observed until all nodes have told: one that starts later is not idle.
 */
void control_global_poll(struct control *c, int64_t now_ns)
{
        struct allocating *a = &c->global_alloc;
        if (a->ntold < c->job->nworker)
                return;
        struct alloc_view view = {
                .time_ns = now_ns,
                .interval_ns = a->observed_ns ? now_ns - a->observed_ns : c->poll_ns,
                .busy_cores = a->busy_cores,
                .owned_cores = a->owned_cores,
                .iteration_ns = c->iteration_ns,
        };
        int32_t *target = a->target;
        control_grow_poll(c, now_ns, view.interval_ns);
        view = control_grow_view(c, &view, &target);
        ask_observe(&a->ask, &view);
        if (a->observed_ns == 0)
                node_solved(&c->solves, now_ns - c->poll_ns, period_ns(c));
        a->observed_ns = now_ns;
        if (!node_solve_is_due(&c->solves, now_ns, period_ns(c), c->poll_ns / 2))
                return;
        struct lb_error err;
        c->figures.decisions++;
        if (ask_decide(&a->ask, &view, target, &err) < 0)
                control_refuse(c, c->alloc->name, "%s", err.text);
        control_grow_spread(c);
        node_solved(&c->solves, now_ns, period_ns(c));
        publish(c);
}
