/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `lewi` (ICPP'22 5.3 and 3.3): an idle core is lent, whoever on the node has
 * ready tasks borrows it, and its owner reclaims it as soon as it has ready tasks of its own.
 *
 * The original (docs/facts.md O4) lends only when no task of the apprank was held at the last poll,
 * and never the last core at hand.
 */
#include "policies/lend_impl.h"

#include <string.h>

#include "policies/registry.h"

enum { LEND_WHEN, KEEP_LAST, BORROW_AHEAD, TO_LAST, NPARAM };
enum lend_when { LEND_WHEN_IDLE, LEND_WHEN_NONE_HELD };
static const char *const whens[] = { "idle", "none_held", NULL };

static const struct lb_param params[] = {
        [LEND_WHEN] = { .name = "lend_when",
                        .unit = "",
                        .type = LB_PARAM_CHOICE,
                        .fallback = LEND_WHEN_IDLE,
                        .choices = whens,
                        .help =
                            "lend a core when idle, or only if no task was held at the last poll",
                        .differs = true,
                        .original = LEND_WHEN_NONE_HELD },
        [KEEP_LAST] = { .name = "lend_keep_last",
                        .unit = "",
                        .type = LB_PARAM_SWITCH,
                        .fallback = 0,
                        .max = 1,
                        .help = "never lend the last core that is with its owner, unless a "
                                "talk-only worker has tasks",
                        .differs = true,
                        .original = 1 },
        [BORROW_AHEAD] = { .name = "borrow_ahead",
                           .unit = "cores",
                           .type = LB_PARAM_INTEGER,
                           .fallback = 0,
                           .max = 1024,
                           .help =
                               "cores to borrow ahead on starting a task while the apprank holds "
                               "more; 0: borrow for ready tasks only",
                           .differs = true,
                           .original = 2 },
        [TO_LAST] = { .name = "lend_to_last",
                      .unit = "",
                      .type = LB_PARAM_SWITCH,
                      .fallback = 0,
                      .max = 1,
                      .help = "a lent core goes to the worker that would end its waiting tasks "
                              "last, by what its tasks took lately, not to that with most" },
        [NPARAM] = { .name = NULL },
};

struct lewi_state {
        enum lend_when when;
        bool keep_last, to_last;
        int32_t borrow_ahead;
};

static size_t lewi_size(int32_t nworker, const double *param)
{
        (void)nworker;
        (void)param;
        return sizeof(struct lewi_state);
}

static bool lewi_learns(const double *param)
{
        return param[TO_LAST] != 0;
}

static int lewi_init(void *state, int32_t nworker, const double *param, struct lb_error *err)
{
        (void)nworker;
        (void)err;
        struct lewi_state *s = state;
        s->when = (enum lend_when)param[LEND_WHEN];
        s->keep_last = param[KEEP_LAST] != 0;
        s->borrow_ahead = (int32_t)param[BORROW_AHEAD];
        s->to_last = lewi_learns(param);
        return 0;
}

/* Has a talk-only worker tasks? They run on a lent core or not at all. */
static bool anybody_depends(const struct lend_view *view)
{
        for (int32_t w = 0; w < view->nworker; w++)
                if (view->owned_cores[w] == 0 && view->ready_tasks[w] > 0)
                        return true;
        return false;
}

static bool may_lend(const struct lewi_state *s, const struct lend_view *view)
{
        int32_t w = view->worker;
        bool last = view->owned_cores[w] - view->lent_cores[w] <= 1;
        if (s->keep_last && last && !anybody_depends(view))
                return false;
        return s->when == LEND_WHEN_IDLE || view->held_tasks_known[w] == 0;
}

/* The worker with most tasks waiting for a core; -1 where nobody has any. */
static int32_t neediest(const struct lend_view *view)
{
        int32_t best = -1, most = 0;
        for (int32_t w = 0; w < view->nworker; w++) {
                if (view->ready_tasks[w] > most) {
                        most = view->ready_tasks[w];
                        best = w;
                }
        }
        return best;
}

/* When a worker ends its waiting tasks with the cores that run one now, which are halfway on
 * average: half a task sooner than this, as all are. */
static double end_us(const struct lend_view *view, int32_t w)
{
        int32_t running = view->running_tasks[w] > 0 ? view->running_tasks[w] : 1;
        int32_t task_us = view->task_us[w] > 0 ? view->task_us[w] : 1;
        return task_us * (1 + (double)view->ready_tasks[w] / running);
}

/* Of those with tasks waiting, who ends them last: all wait for that one at the end of an
 * iteration. -1 where nobody has any. */
static int32_t last_to_end(const struct lend_view *view)
{
        int32_t best = -1;
        for (int32_t w = 0; w < view->nworker; w++)
                if (view->ready_tasks[w] > 0 && (best < 0 || end_us(view, w) > end_us(view, best)))
                        best = w;
        return best;
}

static void decide_lent(const struct lewi_state *s, const struct lend_view *view,
                        struct lend_decision *out)
{
        out->borrower = s->to_last ? last_to_end(view) : neediest(view);
        out->action = out->borrower < 0 ? LEND_NOTHING : LEND_BORROW;
}

/* First what is ours: as many lent cores as there are tasks; then what others lend. */
static void decide_needs(const struct lend_view *view, struct lend_decision *out)
{
        int32_t w = view->worker;
        int32_t ours = view->lent_cores[w] - view->reclaiming_cores[w];
        int32_t wanted = view->ready_tasks[w] - view->reclaiming_cores[w];
        if (ours > 0 && wanted > 0) {
                out->action = LEND_RECLAIM;
                out->count = ours < wanted ? ours : wanted;
        } else if (view->pool > 0) {
                out->action = LEND_BORROW;
                out->borrower = w;
        }
}

/* More cores are worth having while they are fewer than the tasks that could use them
 * (docs/facts.md O4).
 */
static void decide_ahead(const struct lewi_state *s, const struct lend_view *view, int32_t count,
                         struct lend_decision *out)
{
        int32_t w = view->worker;
        int64_t at_hand = view->owned_cores[w] - view->lent_cores[w] + view->borrowed_cores[w];
        int64_t could_use = (int64_t)view->held_tasks_known[w] + view->tasks[w];
        if (s->borrow_ahead == 0)
                return;
        if (at_hand > 1 && at_hand >= could_use)
                return;
        out->action = LEND_BORROW;
        out->borrower = w;
        out->count = count < view->pool ? count : view->pool;
}

static void lewi_decide(void *state, const struct lend_view *view, struct lend_decision *out)
{
        const struct lewi_state *s = state;
        *out = (struct lend_decision){ .action = LEND_NOTHING, .borrower = -1 };
        switch (view->occasion) {
        case LEND_OWNED_IDLE:
                out->action = may_lend(state, view) ? LEND_LEND : LEND_NOTHING;
                break;
        case LEND_BORROWED_IDLE:
                out->action = s->borrow_ahead > 0 ? LEND_KEEP : LEND_NOTHING;
                break;
        case LEND_TOOK_TASK:
                decide_ahead(state, view, s->borrow_ahead, out);
                break;
        case LEND_POLLED:
                decide_ahead(state, view, 1, out);
                break;
        case LEND_CORE_LENT:
                decide_lent(s, view, out);
                break;
        case LEND_NEEDS_CORES:
                decide_needs(view, out);
                break;
        case LEND_OCCASION_NONE:
                break;
        }
}

const struct lend_type lend_lewi = {
        .name = "lewi",
        .help = "lend when idle, borrow, reclaim at a task boundary",
        .params = params,
        .state_size = lewi_size,
        .init = lewi_init,
        .decide = lewi_decide,
        .learns = lewi_learns,
};

POLICY_REGISTRY(lend, LEND_TYPES, POLICY_ENTRY)
