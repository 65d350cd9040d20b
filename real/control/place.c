/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Placement at an apprank's home: views as in lbsim (sim/systems/offload/tasks.c), the home's own
 * cores as they are, its helpers' as they told them last.
 */
#include "real/control/control_impl.h"

int control_place_create(struct control *c, struct lb_error *err)
{
        struct placing *p = &c->placing;
        if (c->place != 0)
                return 0;
        p->owned = control_take(c, (size_t)c->nplace, sizeof(int32_t));
        p->target = control_take(c, (size_t)c->nplace, sizeof(int32_t));
        p->usable = control_take(c, (size_t)c->nplace, sizeof(int32_t));
        if (control_taken(c, err) < 0)
                return -1;
        for (int32_t i = 0; i < c->nplace; i++) {
                int32_t owned = c->initial[c->first + i];
                control_place_know(c, i, &(struct known_cores){ owned, owned, owned });
        }
        p->learns = ask_place_learns(p->type, c->job->place_param);
        p->state = ask_place_make(p->type, c->nplace, c->job->place_param, c->log, err);
        return p->state ? 0 : -1;
}

void control_place_know(struct control *c, int32_t place, const struct known_cores *cores)
{
        c->placing.owned[place] = cores->owned;
        c->placing.target[place] = cores->target;
        c->placing.usable[place] = cores->usable;
}

void control_finished(struct control *c, int64_t executed_ns)
{
        c->placing.finished_ns = executed_ns;
}

bool control_learns(const struct control *c)
{
        return c->placing.learns;
}

void control_costs(struct control *c, const struct place_costs *costs)
{
        c->placing.costs = costs;
}

/* An apprank knows at once what its own process owns and uses. */
static struct place_view look(struct control *c, int64_t now_ns, enum place_occasion occasion,
                              const int32_t *tasks, int64_t held_tasks)
{
        const bool *talk_only = c->job->shape.talk_only;
        struct placing *p = &c->placing;
        p->owned[0] = figure(&c->own->owned);
        p->usable[0] = own_usable(c);
        return (struct place_view){
                .time_ns = now_ns,
                .occasion = occasion,
                .nworker = c->nplace,
                .tasks = tasks,
                .held_tasks = held_tasks,
                .owned_cores = p->owned,
                .target_cores = p->target,
                .usable_cores = p->usable,
                .talk_only = talk_only ? &talk_only[c->first] : NULL,
                .costs = p->costs,
                .finished_ns = occasion == PLACE_FINISHED ? p->finished_ns : 0,
        };
}

int32_t control_place(struct control *c, int64_t now_ns, const int32_t *tasks, int64_t held_tasks,
                      int32_t data_place)
{
        struct place_view view = look(c, now_ns, PLACE_READY, tasks, held_tasks);
        view.data_worker = data_place;
        int32_t to = ask_place(c->placing.type, c->placing.state, &view, c->log);
        if (!ask_place_is_right(&view, to))
                control_refuse(c, c->placing.type->name, "a task goes to place %d, there are %d",
                               to, c->nplace);
        c->placing.held = held_tasks + (to == PLACE_HOLD);
        if (to == PLACE_HOLD)
                control_ask_held(c);
        return to;
}

/* How many of those held worker view->worker takes. */
static int64_t ask_how_many(struct control *c, const struct place_view *view)
{
        int64_t count = ask_refill(c->placing.type, c->placing.state, view, c->log);
        if (count < 0)
                control_refuse(c, c->placing.type->name,
                               "place %d takes %lld held tasks, allowed is 0 or more", view->worker,
                               (long long)count);
        return count;
}

bool control_gives_waiting(const struct control *c, int64_t given)
{
        return c->asking.gives_waiting && c->asking.cores > given;
}

int64_t control_give_waiting(struct control *c, int64_t now_ns, const int32_t *tasks,
                             int64_t waiting, int32_t place, int64_t given)
{
        struct place_view view = look(c, now_ns, PLACE_WAITING, tasks, waiting);
        view.worker = place;
        view.asked_cores = c->asking.cores - (int32_t)given;
        if (waiting == 0)
                return 0;
        int64_t count = ask_how_many(c, &view);
        return count < waiting ? count : waiting;
}

int64_t control_refill(struct control *c, int64_t now_ns, const int32_t *tasks, int64_t held_tasks,
                       int32_t place, enum place_occasion occasion)
{
        c->placing.held = held_tasks;
        if (held_tasks == 0 && !(c->placing.learns && occasion == PLACE_FINISHED))
                return 0;
        struct place_view view = look(c, now_ns, occasion, tasks, held_tasks);
        view.worker = place;
        if (occasion == PLACE_ASKED)
                view.asked_cores = place == 0 ? control_ask(c) : c->asking.cores;
        int64_t count = ask_how_many(c, &view);
        c->placing.held -= count < held_tasks ? count : held_tasks;
        return count;
}
