/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `locality` (ICPP'22 5.5): the best node by data locality if it has fewer than
 * two tasks per owned core, else another node with fewer than two, else the task is held; held
 * tasks are taken as tasks finish.
 *
 * The original (docs/facts.md O1) counts max(DROM target, owned - lent + borrowed) cores, sets one
 * of them aside for messages and allows load <= 2 (cores - 1), sends at most two held tasks per
 * finish message, and no more than the remote worker's proportional share. Each is a parameter.
 * Before April 2022 it counted the DROM target alone, and on a finish only the share limited it,
 * also for a helper with one core (`system.as` = published).
 */
#include "policies/place_impl.h"
#include "policies/place_tail.h"

#include <math.h>
#include <string.h>

#include "base/apart.h"
#include "policies/registry.h"

enum {
        TASKS_PER_CORE,
        CORES_COUNTED,
        RESERVE_CORES,
        SHARE_LIMIT,
        FINISH_STOP,
        TALK_CORES,
        TAIL,
        WHOLE,
        SLOW_TASKS,
        SLOW_SOONER,
        SCATTER,
        SCATTER_S,
        MARGIN,
        TRIPS,
        NPARAM
};
enum counted { COUNTED_OWNED, COUNTED_AT_HAND, COUNTED_TARGET };
static const char *const counteds[] = { "owned", "at_hand", "target", NULL };

static const struct lb_param params[] = {
        [TASKS_PER_CORE] = { .name = "place_tasks_per_core",
                             .unit = "tasks",
                             .type = LB_PARAM_NUMBER,
                             .fallback = 2,
                             .min = 1,
                             .max = 1e6,
                             .help = "a worker is sent tasks while it has fewer than so many per "
                                     "core" },
        [CORES_COUNTED] = { .name = "place_cores",
                            .unit = "",
                            .type = LB_PARAM_CHOICE,
                            .fallback = COUNTED_OWNED,
                            .choices = counteds,
                            .help = "cores counted: owned, or the larger of target and at hand "
                                    "(owned - lent + borrowed), or the target alone",
                            .differs = true,
                            .original = COUNTED_AT_HAND },
        [RESERVE_CORES] = { .name = "place_reserve_cores",
                            .unit = "cores",
                            .type = LB_PARAM_INTEGER,
                            .fallback = 0,
                            .max = 64,
                            .help = "cores of each worker that are not counted; where any, a load "
                                    "just at the limit still passes",
                            .differs = true,
                            .original = 1 },
        [SHARE_LIMIT] = { .name = "place_share_limit",
                          .unit = "",
                          .type = LB_PARAM_SWITCH,
                          .fallback = 0,
                          .max = 1,
                          .help = "at most two held tasks per finish message, and no more than a "
                                  "helper's proportional share",
                          .differs = true,
                          .original = 1 },
        [FINISH_STOP] = { .name = "place_finish_stop",
                          .unit = "",
                          .type = LB_PARAM_SWITCH,
                          .fallback = 1,
                          .max = 1,
                          .help =
                              "with place_reserve_cores: a finish message sends held tasks only "
                              "to a helper with more than one core and fewer than "
                              "place_tasks_per_core for each; false: the share alone limits" },
        [TALK_CORES] = { .name = "place_talk_cores",
                         .unit = "cores",
                         .type = LB_PARAM_INTEGER,
                         .fallback = 1,
                         .max = 64,
                         .help = "a talk-only worker counts as having at least so many: its tasks "
                                 "wait for cores that others lend",
                         .differs = true,
                         .original = 0 },
        [TAIL] = { .name = "place_tail",
                   .unit = "",
                   .type = LB_PARAM_SWITCH,
                   .fallback = 0,
                   .max = 1,
                   .help = "near the end of an iteration a worker takes held tasks only as far as "
                           "it ends them no later than all can end; time per task is measured" },
        [WHOLE] = { .name = "place_tail_whole",
                    .unit = "",
                    .type = LB_PARAM_SWITCH,
                    .fallback = 0,
                    .max = 1,
                    .help = "with place_tail: tasks are whole, and a core is free when the one "
                            "that it runs ends" },
        [SLOW_TASKS] = { .name = "place_slow_tasks_per_core",
                         .unit = "tasks",
                         .type = LB_PARAM_NUMBER,
                         .fallback = 0,
                         .max = 1e6,
                         .help = "with place_tail: place_tasks_per_core of a worker where tasks "
                                 "last well longer than elsewhere; 0: the same" },
        [SLOW_SOONER] = { .name = "place_slow_sooner",
                          .unit = "",
                          .type = LB_PARAM_SWITCH,
                          .fallback = 0,
                          .max = 1,
                          .help = "with place_tail: a ready task does not go to a helper where "
                                  "tasks last well longer than elsewhere while another worker "
                                  "would end it sooner; if that one is full, it is held" },
        [SCATTER] = { .name = "place_scatter",
                      .unit = "",
                      .type = LB_PARAM_NUMBER,
                      .fallback = 0,
                      .max = 1000,
                      .help = "with place_tail: where tasks' durations scatter by more than this "
                              "share of their mean, a helper is sent one task less ahead; 0: as "
                              "elsewhere" },
        [SCATTER_S] = { .name = "place_scatter_s",
                        .unit = "s",
                        .type = LB_PARAM_NUMBER,
                        .fallback = 0,
                        .max = 3600,
                        .help = "with place_scatter: only where tasks last at least so long in the "
                                "mean, beside which it is little that a message and its answer "
                                "take" },
        [MARGIN] = { .name = "place_tail_margin",
                     .unit = "tasks",
                     .type = LB_PARAM_NUMBER,
                     .fallback = 0,
                     .max = 1000,
                     .help = "with place_tail_whole: a helper where tasks last well longer than "
                             "elsewhere takes those only that it ends so much sooner than all can "
                             "end, in its own tasks; not where place_scatter holds" },
        [TRIPS] = { .name = "place_trips",
                    .unit = "",
                    .type = LB_PARAM_SWITCH,
                    .fallback = 0,
                    .max = 1,
                    .help =
                        "with place_tail: each core, of home too, is sent as many tasks more as "
                        "it ends while a message to a helper and its answer are under way, "
                        "which is measured" },
        [NPARAM] = { .name = NULL },
};

struct locality_state {
        int64_t whole; /* tasks_per_core where it is a whole number for all workers, else 0 */
        bool plain;    /* `whole` tasks for each core owned, and nothing else counts: mostly what is
                          looked at, so that it is first, in one cache line */
        double tasks_per_core;
        double slow_tasks_per_core; /* 0: no worker's count differs */
        enum counted counted;
        int32_t reserve_cores, talk_cores;
        bool finish_stop;
        bool share_limit, sooner, tail; /* `tail`: a struct tail follows, and cores[nworker] */
};

static size_t locality_size(int32_t nworker, const double *param)
{
        size_t size = sizeof(struct locality_state);
        return param[TAIL] == 0 ? size
                                : size + tail_size(nworker) + (size_t)nworker * sizeof(int32_t);
}

static struct tail *tail_of(struct locality_state *s)
{
        return (struct tail *)(void *)(s + 1);
}

static const struct tail *tail_seen(const struct locality_state *s)
{
        return (const struct tail *)(const void *)(s + 1);
}

static int32_t *cores_of(struct locality_state *s)
{
        return (int32_t *)(void *)&tail_of(s)->worker[tail_of(s)->nworker];
}

static int locality_init(void *state, int32_t nworker, const double *param, struct lb_error *err)
{
        (void)err;
        struct locality_state *s = state;
        s->tasks_per_core = param[TASKS_PER_CORE];
        s->whole = (int64_t)s->tasks_per_core;
        s->counted = (enum counted)param[CORES_COUNTED];
        s->reserve_cores = (int32_t)param[RESERVE_CORES];
        s->talk_cores = (int32_t)param[TALK_CORES];
        s->share_limit = param[SHARE_LIMIT] != 0;
        s->finish_stop = param[FINISH_STOP] != 0;
        s->tail = param[TAIL] != 0;
        s->sooner = s->tail && param[SLOW_SOONER] != 0;
        s->slow_tasks_per_core = s->tail ? param[SLOW_TASKS] : 0;
        if ((double)s->whole != s->tasks_per_core || s->tail)
                s->whole = 0;
        s->plain = s->whole > 0 && s->reserve_cores == 0 && s->counted == COUNTED_OWNED && !s->tail;
        if (s->tail) {
                tail_init(tail_of(s), nworker, param[WHOLE] != 0);
                tail_of(s)->scatter_most = param[SCATTER];
                tail_of(s)->scatter_s = param[SCATTER_S];
                tail_of(s)->margin_tasks = param[MARGIN];
                tail_of(s)->trips = param[TRIPS] != 0;
        }
        return 0;
}

static int32_t larger(int32_t a, int32_t b)
{
        return a > b ? a : b;
}

/* A talk-only worker's tasks wait for cores that others lend. */
static inline int32_t with_talk(const struct locality_state *s, const struct place_view *view,
                                int32_t worker, int32_t cores)
{
        if (view->talk_only && view->talk_only[worker])
                cores = larger(cores, s->talk_cores);
        return cores;
}

static int32_t counted_cores(const struct locality_state *s, const struct place_view *view,
                             int32_t worker)
{
        int32_t cores = view->owned_cores[worker];
        if (s->counted != COUNTED_OWNED) {
                cores = view->target_cores[worker];
                if (s->counted == COUNTED_AT_HAND)
                        cores = larger(cores, view->usable_cores[worker]);
        }
        return with_talk(s, view, worker, cores);
}

static double tasks_per_core(const struct locality_state *s, int32_t worker)
{
        return s->slow_tasks_per_core > 0 && tail_slow(tail_seen(s), worker)
                   ? s->slow_tasks_per_core
                   : s->tasks_per_core;
}

/* What capacity() is where cores are set aside, or tasks per core are not a whole number, or not
 * the same for all workers. */
static LB_APART int64_t fraction_capacity(const struct locality_state *s, int32_t worker,
                                          int32_t cores)
{
        int32_t counted = cores - s->reserve_cores;
        double limit = tasks_per_core(s, worker) * counted;
        if (s->tail)
                limit += (double)tail_under_way(tail_seen(s)) * counted;
        if (s->tail && worker > 0 && tail_seen(s)->scatters)
                limit = fmax(limit - 1, counted); /* a task for each core is not ahead */
        if (s->reserve_cores == 0)
                return (int64_t)ceil(limit);
        return limit < 0 ? 0 : (int64_t)floor(limit) + 1;
}

/*
 * How many tasks a worker may have in all. Without reserve the rule is tasks < limit, so the count
 * may reach ceil(limit); the original's tasks <= limit lets it reach floor(limit) + 1.
 */
static inline int64_t capacity(const struct locality_state *s, const struct place_view *view,
                               int32_t worker)
{
        int32_t cores = counted_cores(s, view, worker);
        if (s->reserve_cores == 0 && s->whole > 0)
                return s->whole * cores;
        return fraction_capacity(s, worker, cores);
}

/* The original counts held tasks as load of the apprank's own worker. */
static int64_t load(const struct locality_state *s, const struct place_view *view, int32_t worker)
{
        bool own = worker == 0 && s->reserve_cores > 0;
        return view->tasks[worker] + (own ? view->held_tasks : 0);
}

/* capacity() - load() where the state is plain. */
static inline int64_t plain_room(const struct locality_state *s, const struct place_view *view,
                                 int32_t worker)
{
        int32_t cores = with_talk(s, view, worker, view->owned_cores[worker]);
        return s->whole * cores - view->tasks[worker];
}

static inline int64_t room_of(const struct locality_state *s, const struct place_view *view,
                              int32_t worker)
{
        return s->plain ? plain_room(s, view, worker)
                        : capacity(s, view, worker) - load(s, view, worker);
}

/* Another worker with room: the one with fewest tasks per core, the first on ties. */
static int32_t emptiest(const struct locality_state *s, const struct place_view *view)
{
        int32_t best = PLACE_HOLD;
        double least = INFINITY;
        for (int32_t w = 0; w < view->nworker; w++) {
                if (room_of(s, view, w) <= 0) /* mostly */
                        continue;
                int32_t cores = counted_cores(s, view, w) - s->reserve_cores;
                double ratio = (double)load(s, view, w) / cores;
                if (cores > 0 && ratio < least) {
                        least = ratio;
                        best = w;
                }
        }
        return best;
}

static int32_t *count_cores(struct locality_state *s, const struct place_view *view)
{
        int32_t *cores = cores_of(s);
        for (int32_t w = 0; w < view->nworker; w++)
                cores[w] = counted_cores(s, view, w);
        return cores;
}

/* Who ends a task sooner than a slow helper, if there is room. */
static int32_t sooner(struct locality_state *s, const struct place_view *view, int32_t to)
{
        int32_t first = tail_sooner(tail_of(s), view, count_cores(s, view), to);
        return first == to || room_of(s, view, first) > 0 ? first : PLACE_HOLD;
}

static int32_t locality_place(void *state, const struct place_view *view)
{
        struct locality_state *s = state;
        int32_t to = view->data_worker;
        if (room_of(s, view, to) <= 0)
                to = emptiest(s, view);
        if (s->sooner && to > 0)
                to = sooner(s, view, to);
        if (s->tail && to != PLACE_HOLD)
                tail_assigned(tail_of(s), view, to, counted_cores(s, view, to), 1);
        return to;
}

/*
 * The original's limit on what one finish message lets through (docs/facts.md O1): with
 * T tasks at home, O offloaded, R remote and L local cores, floor((T/(L-1) - O/R) / (1/R +
 * 1/(L-1))).
 */
static int64_t share(const struct place_view *view, int32_t remote_cores)
{
        int32_t local_cores = view->owned_cores[0];
        if (remote_cores < 1)
                return 0;
        if (local_cores <= 1)
                return 2;
        double at_home = (double)(view->held_tasks + view->tasks[0]);
        double r = 1.0 / remote_cores, l = 1.0 / (local_cores - 1);
        double most = floor((at_home * l - view->tasks[view->worker] * r) / (r + l));
        return most > 2 ? 2 : most < 0 ? 0 : (int64_t)most;
}

/* What the original lets a worker take: at home one task per idle core; a helper two per core at
 * hand. */
static int64_t room_original(const struct locality_state *s, const struct place_view *view)
{
        int32_t w = view->worker, cores = counted_cores(s, view, w);
        if (w == 0)
                return view->tasks[0] <= tasks_per_core(s, w) * cores;
        double room = tasks_per_core(s, w) * cores - view->tasks[w];
        if (view->occasion == PLACE_FINISHED && s->share_limit && !s->finish_stop)
                return share(view, cores);
        if (view->occasion == PLACE_FINISHED && s->share_limit)
                room = cores > 1 ? fmin(room, (double)share(view, cores)) : 0;
        return room < 0 ? 0 : (int64_t)room;
}

/* Of its room, what view->worker ends in time. */
static int64_t in_time(struct locality_state *s, const struct place_view *view, int64_t room)
{
        int32_t *cores = count_cores(s, view), w = view->worker;
        struct tail *tail = tail_of(s);
        if (tail->whole)
                cores[w] += view->asked_cores;
        if (view->occasion == PLACE_FINISHED)
                tail_finished(tail, view, cores[w]);
        int64_t most = room > 0 ? tail_most(tail, view, cores, room) : 0;
        most = most < room ? most : room;
        tail_assigned(tail, view, w, cores[w], most);
        return most;
}

static int64_t room_left(const struct locality_state *s, const struct place_view *view)
{
        return capacity(s, view, view->worker) - view->tasks[view->worker];
}

static int64_t within_held(const struct place_view *view, int64_t room)
{
        if (room > view->held_tasks)
                room = view->held_tasks;
        return room < 0 ? 0 : room;
}

/* Where something else than the room that is left counts. */
static LB_APART int64_t refill_by_rule(struct locality_state *s, const struct place_view *view)
{
        int64_t room = s->reserve_cores > 0 ? room_original(s, view) : room_left(s, view);
        if (place_is_asked(view))
                room = view->asked_cores;
        if (view->occasion == PLACE_WAITING && !(s->tail && tail_near(tail_seen(s))))
                return 0;
        if (!s->tail)
                return within_held(view, room);
        room = in_time(s, view, room < view->held_tasks ? room : view->held_tasks);
        return room < 0 ? 0 : room;
}

static int64_t locality_refill(void *state, const struct place_view *view)
{
        struct locality_state *s = state;
        if (!s->plain || place_is_asked(view))
                return refill_by_rule(s, view);
        return within_held(view, plain_room(s, view, view->worker));
}

static bool locality_learns(const double *param)
{
        return param[TAIL] != 0;
}

const struct place_type place_locality = {
        .name = "locality",
        .help = "best node by data if it has fewer than two tasks per owned core, else another, "
                "else held",
        .params = params,
        .state_size = locality_size,
        .init = locality_init,
        .place = locality_place,
        .refill = locality_refill,
        .learns = locality_learns,
};

POLICY_REGISTRY(place, PLACE_TYPES, POLICY_ENTRY)
