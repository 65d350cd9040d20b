/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The registry of migration policies, their parameters, and what they share: the default strategy
 * of the CHAMELEON paper, 3.4, as the library has it (docs/facts.md C2) without the choice of the
 * victim.
 *
 *   may:  waiting >= min_local, something changed since the last push,
 *         own - min >= min_abs, (max - min) / max >= min_rel
 *   push: own - victim >= min_abs, (own - victim) / own >= min_rel, nothing under way to the victim
 *         tasks = min(max(1, share x (own - victim)), at_once, waiting)
 *
 * The paper has "absolute or relative", the library asks for both. Defaults are those of 2019, when
 * the paper was written; `system.as = original` is the library of 2022 (docs/facts.md C2).
 */
#include "policies/migrate_impl.h"

#include <math.h>
#include <string.h>

#include "policies/registry.h"

POLICY_REGISTRY(migrate, MIGRATE_TYPES, POLICY_ENTRY_NAMED)

const char *const migrate_names[] = {
#define NAME(type, name) name,
        MIGRATE_TYPES(NAME) NULL
};

static const char *const load_names[] = {
        [MIGRATE_LOAD_QUEUED] = "queued",
        [MIGRATE_LOAD_UNFINISHED] = "unfinished",
        [MIGRATE_LOAD_N] = NULL,
};

const struct lb_param migrate_params[] = {
        [MIGRATE_MIN_ABS] = { .name = "migrate_min_abs",
                              .unit = "tasks",
                              .type = LB_PARAM_NUMBER,
                              .fallback = 2,
                              .min = 0,
                              .max = 1e9,
                              .help = "tasks migrate only if loads differ by this much" },
        [MIGRATE_MIN_REL] = { .name = "migrate_min_rel",
                              .type = LB_PARAM_NUMBER,
                              .fallback = 0.05,
                              .min = 0,
                              .max = 1,
                              .help = "and by this share of the larger load" },
        [MIGRATE_MIN_LOCAL] = { .name = "migrate_min_local",
                                .unit = "tasks",
                                .type = LB_PARAM_NUMBER,
                                .fallback = 2,
                                .min = 0,
                                .max = 1e9,
                                .help = "and if so many own tasks are waiting" },
        [MIGRATE_PER_THREAD] = { .name = "migrate_per_thread",
                                 .type = LB_PARAM_SWITCH,
                                 .max = 1,
                                 .help = "migrate_min_local is for each worker thread" },
        [MIGRATE_AT_ONCE] = { .name = "migrate_at_once",
                              .unit = "tasks",
                              .type = LB_PARAM_INTEGER,
                              .fallback = 1,
                              .min = 1,
                              .max = 65535,
                              .help = "tasks in one message at most" },
        [MIGRATE_SHARE] = { .name = "migrate_share",
                            .type = LB_PARAM_NUMBER,
                            .fallback = 1,
                            .min = 0,
                            .max = 1,
                            .help = "share of the difference that is moved, at least one task",
                            .differs = true,
                            .original = 0.5 },
        [MIGRATE_LOAD] = { .name = "migrate_load",
                           .type = LB_PARAM_CHOICE,
                           .fallback = MIGRATE_LOAD_QUEUED,
                           .choices = load_names,
                           .help = "load of a rank: the tasks that wait there, or also those that "
                                   "run there" },
        [MIGRATE_REPLICATE_SHARE] = { .name = "replicate_share",
                                      .type = LB_PARAM_NUMBER,
                                      .max = 1,
                                      .help = "share of a rank's tasks that its neighbours get a "
                                              "copy of; the library's is 0.1 where it is on" },
        [MIGRATE_NPARAM] = { .name = NULL },
};

size_t migrate_state_size(int32_t nrank, const double *param)
{
        (void)nrank;
        (void)param;
        return sizeof(struct migrate_state);
}

int migrate_init(void *state, int32_t nrank, const double *param, struct lb_error *err)
{
        (void)nrank;
        (void)err;
        struct migrate_state *s = state;
        memcpy(s->param, param, sizeof(s->param));
        s->moved_at = -1;
        return 0;
}

int64_t migrate_load(const void *state, const struct migrate_local *local)
{
        const struct migrate_state *s = state;
        int64_t waiting = local->queued + local->copies + local->received;
        return s->param[MIGRATE_LOAD] == MIGRATE_LOAD_QUEUED ? waiting : waiting + local->running;
}

static double min_local(const struct migrate_state *s, const struct migrate_view *view)
{
        double threads = s->param[MIGRATE_PER_THREAD] != 0 ? view->local.nthread : 1;
        return s->param[MIGRATE_MIN_LOCAL] * threads;
}

/* Does its load differ by the thresholds? */
static bool differs(const struct migrate_state *s, const struct migrate_view *view, int32_t rank)
{
        double own = (double)view->load[rank];
        double least = (double)view->load[view->order[0]];
        double most = (double)view->load[view->order[view->nrank - 1]];
        return own - least >= s->param[MIGRATE_MIN_ABS] &&
               most - least >= s->param[MIGRATE_MIN_REL] * most;
}

bool migrate_may(const struct migrate_state *s, const struct migrate_view *view)
{
        if (view->local.queued < 1 ||
            (double)(view->local.queued + view->local.copies) < min_local(s, view) ||
            view->changes == s->moved_at)
                return false;
        return differs(s, view, view->rank);
}

/* Is the difference worth a push from a rank with one load to a rank with another? */
static bool pays(const struct migrate_state *s, double own, double victim)
{
        double more = own - victim;
        return more > 0 && more >= s->param[MIGRATE_MIN_ABS] &&
               more >= s->param[MIGRATE_MIN_REL] * own;
}

/* May the rank at this place, counted from the most loaded one, push at these loads? */
static bool is_pusher(const struct migrate_state *s, const struct migrate_view *view, int32_t at,
                      bool inwards)
{
        int32_t rank = view->order[view->nrank - 1 - at];
        int32_t victim = view->order[inwards ? at : 0];
        return differs(s, view, rank) &&
               pays(s, (double)view->load[rank], (double)view->load[victim]);
}

/* Mostly few or none: looked for from the most loaded one on, further each time. */
int32_t migrate_pushers(const struct migrate_state *s, const struct migrate_view *view,
                        int32_t count, bool inwards)
{
        int32_t n = 0, ahead = 0;
        while (n + ahead < count && is_pusher(s, view, n + ahead, inwards)) {
                n += ahead + 1;
                ahead = 2 * ahead + 1;
        }
        count = n + ahead < count ? n + ahead : count;
        while (n < count) {
                int32_t at = n + (count - n) / 2;
                if (is_pusher(s, view, at, inwards))
                        n = at + 1;
                else
                        count = at;
        }
        return n;
}

int32_t migrate_push(struct migrate_state *s, const struct migrate_view *view, int32_t victim,
                     struct migrate_move *move)
{
        double own = (double)view->load[view->rank];
        double more = own - (double)view->load[victim];
        if (view->sending[victim] > 0 || !pays(s, own, (double)view->load[victim]))
                return 0;
        double wanted = fmax(1, floor(more * s->param[MIGRATE_SHARE]));
        wanted = fmin(wanted, s->param[MIGRATE_AT_ONCE]);
        wanted = fmin(wanted, (double)view->local.queued);
        s->moved_at = view->changes;
        *move = (struct migrate_move){ .rank = victim, .ntask = (int64_t)wanted };
        return 1;
}

int32_t migrate_replicate_ring(void *state, const struct migrate_view *view,
                               struct migrate_move *move)
{
        const struct migrate_state *s = state;
        double half = s->param[MIGRATE_REPLICATE_SHARE] / 2 * (double)view->local.queued;
        int64_t ntask = (int64_t)half;
        int32_t n = view->nrank, count = 0;
        if (ntask < 1 || n < 2)
                return 0;
        move[count++] = (struct migrate_move){ (view->rank + 1) % n, ntask };
        if (n > 2)
                move[count++] = (struct migrate_move){ (view->rank + n - 1) % n, ntask };
        return count;
}

int migrate_check(const struct migrate_view *view, const struct migrate_move *move, int32_t nmove,
                  struct lb_error *err)
{
        int64_t sum = 0;
        if (nmove < 0 || nmove > view->nrank)
                return lb_error_fail(err, "rank %d makes %d moves, there are %d ranks", view->rank,
                                     nmove, view->nrank);
        for (int32_t i = 0; i < nmove; i++) {
                int32_t to = move[i].rank;
                if (to < 0 || to >= view->nrank || to == view->rank || move[i].ntask < 1)
                        return lb_error_fail(err,
                                             "rank %d moves %lld tasks to rank %d, "
                                             "allowed is at least one, to another of %d",
                                             view->rank, (long long)move[i].ntask, to, view->nrank);
                sum += move[i].ntask;
        }
        if (sum > view->local.queued)
                return lb_error_fail(
                    err, "rank %d moves %lld tasks, allowed are the %lld that are waiting",
                    view->rank, (long long)sum, (long long)view->local.queued);
        return 0;
}
