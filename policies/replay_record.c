/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of a decision log, decided again. What is read is checked before a policy sees it: a
 * policy may trust its host, a log may come from anywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/replay_impl.h"
#include "policies/state.h"

enum { CORES_MAX = 1 << 16, TASKS_MAX = INT32_MAX };
static const double busy_max = CORES_MAX;

void replay_out_of_memory(struct replay_line *line)
{
        if (!line->broken)
                lb_error_fail(line->err, "out of memory for %s", line->file);
        line->broken = true;
}

/* A count of numbers that this line still holds. */
int32_t replay_read_count(struct replay_line *line)
{
        return (int32_t)replay_int(line, 1, line->length / 2);
}

void replay_unknown_policy(struct replay_line *line, const char *kind, const char *name)
{
        char text[160];
        snprintf(text, sizeof(text), "this program has no %s policy \"%.60s\"", kind, name);
        replay_complain(line, text);
}

/* ---- Parameters ---- */

/* New parameters go to the end of a table, with a default that is as it was without them: a log of
 * before has fewer. */
static size_t read_nparam(struct replay_line *line, const struct lb_param *table)
{
        return (size_t)replay_int(line, 0, (int64_t)lb_param_count(table));
}

static void read_params(struct replay_line *line, const struct lb_param *table, size_t count,
                        double *param)
{
        struct lb_error err;
        char text[sizeof(err.text) + 80];
        for (size_t i = 0; i < lb_param_count(table) && !line->broken; i++) {
                param[i] = i < count ? replay_number(line, -1e300, 1e300) : table[i].fallback;
                if (line->broken || lb_param_check(&table[i], param[i], &err) == 0)
                        continue;
                snprintf(text, sizeof(text), "parameter %s: %s", table[i].name, err.text);
                replay_complain(line, text);
        }
}

double *replay_read_params(struct replay_line *line, const struct lb_param *table)
{
        size_t count = read_nparam(line, table);
        double *param = calloc(lb_param_count(table) + 1, sizeof(double));
        if (param)
                read_params(line, table, count, param);
        else
                replay_out_of_memory(line);
        return param;
}

/* ---- Allocation ---- */

static int take_alloc(struct replay_alloc *a, const struct lb_shape *shape)
{
        size_t nworker = (size_t)shape->nworker, nparam = lb_param_count(a->type->params);
        size_t nint = 2 * (size_t)shape->nnode + (size_t)shape->napprank + 2 + 6 * nworker;
        a->memory = calloc(1, (nparam + nworker) * sizeof(double) + 2 * nworker * sizeof(int64_t) +
                                  nint * sizeof(int32_t) + 2 * nworker * sizeof(bool));
        if (!a->memory)
                return -1;
        a->param = a->memory;
        a->busy_cores = a->param + nparam;
        a->answer = (int64_t *)(a->busy_cores + nworker);
        a->owned_cores = (int32_t *)(a->answer + 2 * nworker);
        a->now = a->owned_cores + nworker;
        a->then = a->now + nworker;
        return 0;
}

const bool *replay_read_switches(struct replay_line *line, bool *value, int32_t count)
{
        for (int32_t i = 0; i < count; i++)
                value[i] = replay_int(line, 0, 1) != 0;
        return value;
}

/* The shape's arrays, behind those that take_alloc() has laid out. */
static void read_shape(struct replay_line *line, struct replay_alloc *a)
{
        struct lb_shape *s = &a->shape;
        int32_t *at = a->then + s->nworker, nworker = s->nworker;
        s->cores = replay_ints(line, at, s->nnode, CORES_MAX);
        at += s->nnode;
        s->apprank_first = replay_ints(line, at, s->napprank + 1, nworker);
        at += s->napprank + 1;
        s->worker_node = replay_ints(line, at, nworker, s->nnode - 1);
        at += nworker;
        s->worker_apprank = replay_ints(line, at, nworker, s->napprank - 1);
        at += nworker;
        s->worker_home = replay_read_switches(line, (bool *)(at + s->nnode + 1 + nworker), nworker);
        s->node_first = replay_ints(line, at, s->nnode + 1, nworker);
        at += s->nnode + 1;
        s->node_worker = replay_ints(line, at, nworker, nworker - 1);
}

/* Where any worker may own no core, it says so last. */
static void read_talk_only(struct replay_line *line, struct lb_shape *s)
{
        bool *at = (bool *)(s->node_worker + s->nworker) + s->nworker;
        if (!line->broken && *line->at != '\0' && *line->at != '=')
                s->talk_only = replay_read_switches(line, at, s->nworker);
}

static bool appranks_fit(const struct lb_shape *s)
{
        if (s->apprank_first[0] != 0 || s->apprank_first[s->napprank] != s->nworker)
                return false;
        for (int32_t a = 0; a < s->napprank; a++) {
                if (s->apprank_first[a] >= s->apprank_first[a + 1])
                        return false;
                for (int32_t w = s->apprank_first[a]; w < s->apprank_first[a + 1]; w++)
                        if (s->worker_apprank[w] != a)
                                return false;
        }
        return true;
}

static bool nodes_fit(const struct lb_shape *s)
{
        if (s->node_first[0] != 0 || s->node_first[s->nnode] != s->nworker)
                return false;
        for (int32_t n = 0; n < s->nnode; n++) {
                if (s->cores[n] < 1 || s->node_first[n] > s->node_first[n + 1])
                        return false;
                for (int32_t i = s->node_first[n]; i < s->node_first[n + 1]; i++)
                        if (s->worker_node[s->node_worker[i]] != n ||
                            (i > s->node_first[n] && s->node_worker[i] <= s->node_worker[i - 1]))
                                return false;
        }
        return true;
}

static void check_shape(struct replay_line *line, const struct replay_alloc *a)
{
        const struct lb_shape *s = &a->shape;
        if (line->broken)
                return;
        if (!appranks_fit(s) || !nodes_fit(s))
                replay_complain(line, "its workers, appranks and nodes do not fit together");
        else if (a->type->scope == ALLOC_SCOPE_NODE && s->nnode != 1)
                replay_complain(line, "a policy of one node is given several");
}

static void make_alloc_state(struct replay_line *line, struct replay_alloc *a)
{
        struct lb_error err;
        if (line->broken)
                return;
        a->state = state_make_alloc(a->type, &a->shape, a->param, &err);
        a->begun = a->state != NULL;
        if (!a->begun)
                replay_complain(line, err.text);
}

/* What makes a policy's state; `a` is zeroed. */
static void read_alloc(struct replay *replay, struct replay_line *line, struct replay_alloc *a)
{
        const char *name = replay_word(line);
        a->type = (replay->find_alloc ? replay->find_alloc : alloc_find)(name);
        if (!a->type)
                replay_unknown_policy(line, "allocation", name);
        a->shape.nnode = replay_read_count(line);
        a->shape.napprank = replay_read_count(line);
        a->shape.nworker = replay_read_count(line);
        a->shape.poll_s = replay_number(line, 0.001, 3600);
        if (line->broken)
                return;
        size_t nparam = read_nparam(line, a->type->params);
        if (take_alloc(a, &a->shape) < 0) {
                replay_out_of_memory(line);
                return;
        }
        read_shape(line, a);
        read_params(line, a->type->params, nparam, a->param);
        read_talk_only(line, &a->shape);
}

void replay_begin_alloc(struct replay *replay, struct replay_line *line,
                        struct replay_worker *worker)
{
        struct replay_alloc *a = &worker->alloc;
        if (a->memory)
                replay_complain(line, "the worker's allocation policy is made a second time");
        if (!line->broken)
                read_alloc(replay, line, a);
        if (line->broken)
                return;
        replay_end(line);
        check_shape(line, a);
        make_alloc_state(line, a);
        replay_count(replay, REPLAY_ALLOC, a->type->name)->states += a->begun;
}

static void finish_alloc(struct replay_alloc *a)
{
        if (a->begun) {
                called_begin(a->type->name, "release");
                a->type->release(a->state);
                called_end();
        }
        free(a->state);
        free(a->memory);
}

/* Workers of before by their numbers now, into before->now[], which is free between decisions. */
static void read_numbers(struct replay_line *line, const struct replay_alloc *before,
                         const struct replay_alloc *a)
{
        replay_equals(line);
        for (int32_t w = 0; w < before->shape.nworker && !line->broken; w++)
                before->now[w] = (int32_t)replay_int(line, -1, a->shape.nworker - 1);
        replay_end(line);
}

void replay_regraph(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        struct replay_alloc a = { 0 }, *before = &worker->alloc;
        if (!before->begun)
                replay_complain(line, "the worker's allocation policy has not been made before");
        if (!line->broken)
                read_alloc(replay, line, &a);
        if (!line->broken && a.type != before->type)
                replay_complain(line, "another policy than before");
        if (!line->broken)
                read_numbers(line, before, &a);
        check_shape(line, &a);
        make_alloc_state(line, &a);
        if (a.begun && a.type->carry) {
                called_begin(a.type->name, "carry");
                a.type->carry(a.state, before->state, before->now);
                called_end();
        }
        if (!a.begun) {
                finish_alloc(&a);
                return;
        }
        finish_alloc(before);
        *before = a;
        replay_count(replay, REPLAY_ALLOC, a.type->name)->states++;
}

static struct alloc_view read_alloc_view(struct replay_line *line, struct replay_alloc *a)
{
        if (!a->begun)
                replay_complain(line, "the worker's allocation policy has not been made before");
        struct alloc_view view = {
                .time_ns = replay_int(line, 0, INT64_MAX),
                .interval_ns = replay_int(line, 0, INT64_MAX),
                .busy_cores = a->busy_cores,
                .owned_cores = a->owned_cores,
        };
        for (int32_t w = 0; w < a->shape.nworker && !line->broken; w++)
                a->busy_cores[w] = replay_number(line, 0, busy_max);
        replay_ints(line, a->owned_cores, a->shape.nworker, CORES_MAX);
        if (!line->broken && *line->at != '=' && *line->at != '\0')
                view.iteration_ns = replay_int(line, 1, INT64_MAX);
        return view;
}

void replay_observe(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        struct replay_alloc *a = &worker->alloc;
        struct alloc_view view = read_alloc_view(line, a);
        replay_end(line);
        if (line->broken)
                return;
        called_begin(a->type->name, "observe");
        a->type->observe(a->state, &view);
        called_end();
        replay_count(replay, REPLAY_ALLOC, a->type->name)->observations++;
}

void replay_decide(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        struct replay_alloc *a = &worker->alloc;
        struct alloc_view view = read_alloc_view(line, a);
        int32_t count = a->shape.nworker;
        replay_equals(line);
        for (int32_t w = 0; w < count && !line->broken; w++)
                a->then[w] = (int32_t)replay_int(line, INT32_MIN, INT32_MAX);
        replay_end(line);
        if (line->broken)
                return;
        called_begin(a->type->name, "decide");
        a->type->decide(a->state, &view, a->now);
        called_end();
        for (int32_t w = 0; w < count; w++) {
                a->answer[w] = a->now[w];
                a->answer[count + w] = a->then[w];
        }
        struct replay_answer answer = { view.time_ns, "cores from its worker", count, a->answer,
                                        a->answer + count };
        replay_compare(replay, line, replay_count(replay, REPLAY_ALLOC, a->type->name), &answer);
}

/* ---- Lending ---- */

/* The rest of a record that makes a state; `nfigure` arrays of a worker's figures are made too. */
static void read_small(struct replay_line *line, struct replay_small *s,
                       const struct lb_param *table, size_t nfigure)
{
        s->nworker = replay_read_count(line);
        size_t nparam = read_nparam(line, table);
        if (line->broken)
                return;
        s->figure = calloc(nfigure * (size_t)s->nworker, sizeof(int32_t));
        s->param = calloc(lb_param_count(table) + 1, sizeof(double));
        if (!s->figure || !s->param) {
                replay_out_of_memory(line);
                return;
        }
        read_params(line, table, nparam, s->param);
        replay_end(line);
}

/* Arrays number first .. end - 1, of numbers up to max. */
static void read_figures(struct replay_line *line, struct replay_small *s, int32_t first,
                         int32_t end, int32_t max)
{
        for (int32_t i = first; i < end; i++)
                replay_ints(line, s->figure + (size_t)i * (size_t)s->nworker, s->nworker, max);
}

void replay_begin_lend(struct replay *replay, struct replay_line *line,
                       struct replay_worker *worker)
{
        struct replay_small *s = &worker->lend;
        struct lb_error err;
        const char *name = replay_word(line);
        if (s->lend)
                replay_complain(line, "the worker's lending policy is made a second time");
        const struct lend_type *type = lend_find(name);
        if (!type)
                replay_unknown_policy(line, "lending", name);
        if (line->broken)
                return;
        s->lend = type;
        read_small(line, s, type->params, 9);
        if (line->broken)
                return;
        s->state = state_make(STATE_COUNTED(type), s->nworker, s->param, &err);
        if (!s->state)
                replay_complain(line, err.text);
        replay_count(replay, REPLAY_LEND, type->name)->states++;
}

static struct lend_view read_lend_view(struct replay_line *line, struct replay_small *s)
{
        if (!s->state)
                replay_complain(line, "the worker's lending policy has not been made before");
        struct lend_view view = { .nworker = s->nworker };
        view.time_ns = replay_int(line, 0, INT64_MAX);
        view.occasion = (enum lend_occasion)replay_int(line, LEND_OWNED_IDLE, LEND_POLLED);
        int64_t nobody = view.occasion == LEND_CORE_LENT ? -1 : 0;
        view.worker = (int32_t)replay_int(line, nobody, s->nworker - 1);
        view.pool = (int32_t)replay_int(line, 0, CORES_MAX);
        if (line->broken)
                return view;
        read_figures(line, s, 0, 4, CORES_MAX);
        read_figures(line, s, 4, 8, TASKS_MAX);
        memset(s->figure + 8 * (size_t)s->nworker, 0, (size_t)s->nworker * sizeof(int32_t));
        if (!line->broken && *line->at != '=' && *line->at != '\0')
                read_figures(line, s, 8, 9, INT32_MAX);
        const int32_t **array[] = { &view.owned_cores,    &view.lent_cores,
                                    &view.borrowed_cores, &view.reclaiming_cores,
                                    &view.running_tasks,  &view.tasks,
                                    &view.ready_tasks,    &view.held_tasks_known,
                                    &view.task_us };
        for (size_t i = 0; i < sizeof(array) / sizeof(array[0]); i++)
                *array[i] = s->figure + i * (size_t)s->nworker;
        return view;
}

void replay_lending(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        struct replay_small *s = &worker->lend;
        struct lend_view view = read_lend_view(line, s);
        int64_t then[3];
        replay_equals(line);
        for (int32_t i = 0; i < 3; i++)
                then[i] = replay_int(line, INT32_MIN, INT32_MAX);
        replay_end(line);
        if (line->broken)
                return;
        struct lend_decision decision;
        called_begin(s->lend->name, "decide");
        s->lend->decide(s->state, &view, &decision);
        called_end();
        int64_t now[3] = { (int64_t)decision.action, decision.borrower, decision.count };
        struct replay_answer answer = { view.time_ns, "action, borrower, count from number", 3, now,
                                        then };
        replay_compare(replay, line, replay_count(replay, REPLAY_LEND, s->lend->name), &answer);
}

/* ---- Placement ---- */

void replay_begin_place(struct replay *replay, struct replay_line *line,
                        struct replay_worker *worker)
{
        struct replay_small *s = &worker->place;
        struct lb_error err;
        const char *name = replay_word(line);
        if (s->place)
                replay_complain(line, "the worker's placement policy is made a second time");
        const struct place_type *type = place_find(name);
        if (!type)
                replay_unknown_policy(line, "placement", name);
        if (line->broken)
                return;
        s->place = type;
        read_small(line, s, type->params, 5);
        if (line->broken)
                return;
        s->state = state_make(STATE_COUNTED(type), s->nworker, s->param, &err);
        if (!s->state)
                replay_complain(line, err.text);
        replay_count(replay, REPLAY_PLACE, type->name)->states++;
}

static struct place_view read_place_view(struct replay_line *line, struct replay_small *s)
{
        if (!s->state)
                replay_complain(line, "the worker's placement policy has not been made before");
        struct place_view view = { .nworker = s->nworker };
        view.time_ns = replay_int(line, 0, INT64_MAX);
        view.occasion = (enum place_occasion)replay_int(line, PLACE_READY, PLACE_WAITING);
        view.worker = (int32_t)replay_int(line, 0, s->nworker - 1);
        view.data_worker = (int32_t)replay_int(line, 0, s->nworker - 1);
        view.held_tasks = replay_int(line, 0, INT64_MAX / 2);
        if (line->broken)
                return view;
        read_figures(line, s, 0, 1, TASKS_MAX);
        read_figures(line, s, 1, 4, CORES_MAX);
        view.tasks = s->figure;
        view.owned_cores = view.tasks + s->nworker;
        view.target_cores = view.owned_cores + s->nworker;
        view.usable_cores = view.target_cores + s->nworker;
        if (place_is_asked(&view))
                view.asked_cores = (int32_t)replay_int(line, 0, CORES_MAX);
        bool *talk_only = (bool *)(s->figure + 4 * (size_t)s->nworker);
        view.costs = s->has_costs ? &s->costs : NULL;
        s->has_costs = false;
        if (!line->broken && *line->at != '=')
                view.talk_only = replay_read_switches(line, talk_only, s->nworker);
        return view;
}

/* A call of either kind, up to what was decided. */
static struct place_view read_place_call(struct replay_line *line, struct replay_small *s,
                                         int64_t *then)
{
        struct place_view view = read_place_view(line, s);
        replay_equals(line);
        *then = replay_int(line, INT64_MIN, INT64_MAX);
        replay_end(line);
        return view;
}

void replay_placing(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        struct replay_small *s = &worker->place;
        int64_t now, then;
        struct place_view view = read_place_call(line, s, &then);
        if (line->broken)
                return;
        called_begin(s->place->name, "place");
        now = s->place->place(s->state, &view);
        called_end();
        struct replay_answer answer = { view.time_ns, "place of a task, number", 1, &now, &then };
        replay_compare(replay, line, replay_count(replay, REPLAY_PLACE, s->place->name), &answer);
}

static void take_held(struct replay *replay, struct replay_line *line, struct replay_small *s,
                      int64_t finished_ns)
{
        int64_t now, then;
        struct place_view view = read_place_call(line, s, &then);
        view.finished_ns = finished_ns;
        if (line->broken)
                return;
        called_begin(s->place->name, "refill");
        now = s->place->refill(s->state, &view);
        called_end();
        struct replay_answer answer = { view.time_ns, "tasks taken, number", 1, &now, &then };
        replay_compare(replay, line, replay_count(replay, REPLAY_PLACE, s->place->name), &answer);
}

void replay_refill(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        take_held(replay, line, &worker->place, 0);
}

void replay_costs(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        struct replay_small *s = &worker->place;
        (void)replay;
        if (!s->state)
                replay_complain(line, "the worker's placement policy has not been made before");
        if (!line->broken && !s->assigned)
                s->assigned = calloc((size_t)s->nworker, sizeof(*s->assigned));
        if (!line->broken && !s->assigned)
                replay_complain(line, "out of memory for costs");
        s->costs = (struct place_costs){ .assigned = s->assigned };
        s->costs.held = replay_number(line, -1e300, 1e300);
        s->costs.next = replay_number(line, 0, 1e300);
        s->costs.finished = replay_number(line, 0, 1e300);
        for (int32_t w = 0; !line->broken && w < s->nworker; w++)
                s->assigned[w] = replay_number(line, -1e300, 1e300);
        replay_end(line);
        s->has_costs = !line->broken;
}

void replay_finished(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        int64_t finished_ns = replay_int(line, 1, INT64_MAX);
        take_held(replay, line, &worker->place, finished_ns);
}

/* ---- End ---- */

static void finish_small(struct replay_small *s)
{
        free(s->figure);
        free(s->assigned);
        free(s->param);
        free(s->state);
}

void replay_worker_finish(struct replay_worker *worker)
{
        finish_alloc(&worker->alloc);
        finish_small(&worker->lend);
        finish_small(&worker->place);
        replay_processes_finish(&worker->dpb);
        replay_processes_finish(&worker->pack);
        replay_migrate_finish(&worker->migrate);
        replay_grow_finish(&worker->grow);
}
