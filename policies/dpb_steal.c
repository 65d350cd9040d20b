/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic Processor Balancing (DPB paper 3.2). The process with most computation gains from the
 * one with least that has more than one processor:
 *
 *      t'   = t(highest) - (tmpi(victim) - tmpi(highest)) / 2
 *      cpus = cpus(highest) t(highest) / t' - cpus(highest), at most what leaves the victim one
 *
 * and nothing where t' is not less than t(highest). When the iterations after a move last longer
 * than before, the allocation before it is restored.
 *
 * What the paper leaves open:
 * - t is the time of computation: it is what processors shorten, and the policy's goal. Where the
 *   highest process never waits, that is the iteration's time as well.
 * - cpus is rounded down unless dpb_rounding says else: the victim is never made slower than the
 *   formula meant. "one" takes the text at its word, which "each time ... tries to improve one of
 *   the processes by increasing its processor allocation": down, but one at least. It is what all
 *   published results go with; the default is without it, since beside noise a program that is
 *   balanced would be disturbed.
 * - After an undo the same numbers would lead to the same move. The paper asks for "filters to
 * avoid ping-pong" and repeats "until a stable allocation is found": dpb_retry "changed" stays
 * until the iterations' time has changed by dpb_change; "again" is the text without a filter.
 * - It estimates the highest process's time only; dpb_foresee also asks whether the victim would
 *   then be slower than the highest is now.
 *
 * Known value: computation 3 and 1 s, MPI 0 and 2 s, 8 processors each: t' = 2, 4 processors move.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "policies/dpb_impl.h"

enum { ROUNDING, UNDO, UNDO_MARGIN, RETRY, CHANGE, MIN_GAIN, FORESEE, NPARAM };
enum rounding { ROUNDING_DOWN, ROUNDING_NEAREST, ROUNDING_UP, ROUNDING_ONE };
enum retry { RETRY_CHANGED, RETRY_AGAIN };
static const char *const roundings[] = { "down", "nearest", "up", "one", NULL };
static const char *const retries[] = { "changed", "again", NULL };

const struct lb_param dpb_steal_params[] = {
        [ROUNDING] = { .name = "dpb_rounding",
                       .type = LB_PARAM_CHOICE,
                       .choices = roundings,
                       .help = "how the number of processors to move is made whole" },
        [UNDO] = { .name = "dpb_undo",
                   .type = LB_PARAM_SWITCH,
                   .fallback = 1,
                   .max = 1,
                   .help = "restore the last allocation when a move made iterations longer" },
        [UNDO_MARGIN] = { .name = "dpb_undo_margin",
                          .type = LB_PARAM_NUMBER,
                          .max = 1,
                          .help = "longer means by more than this share" },
        [RETRY] = { .name = "dpb_retry",
                    .type = LB_PARAM_CHOICE,
                    .choices = retries,
                    .help = "after an undo: move again when the iterations' time has changed by "
                            "dpb_change, or at once (ping-pong)" },
        [CHANGE] = { .name = "dpb_change",
                     .type = LB_PARAM_NUMBER,
                     .fallback = 0.1,
                     .min = 0.001,
                     .max = 10,
                     .help = "share by which the iterations' time must change after an undo" },
        [MIN_GAIN] = { .name = "dpb_min_gain",
                       .type = LB_PARAM_NUMBER,
                       .min = 0,
                       .max = 0.99,
                       .help = "moves only where the formula shortens the highest process's time "
                               "by more than this share" },
        [FORESEE] = { .name = "dpb_foresee",
                      .type = LB_PARAM_SWITCH,
                      .max = 1,
                      .help = "move nothing where the victim would then compute longer than the "
                              "highest process does now" },
        [NPARAM] = { .name = NULL },
};

struct steal_state {
        int32_t nprocess;
        enum rounding rounding;
        enum retry retry;
        bool undo, foresee;
        double undo_margin, change, min_gain;
        bool moved;      /* the last decision was a move, from saved[] to those behind */
        double before_s; /* the iterations' time before it */
        bool holds;      /* an undo settled matters, for as long as iterations last hold_s */
        double hold_s;
        int32_t saved[]; /* [nprocess], and what was decided last, [nprocess] */
};

static size_t steal_size(int32_t nprocess, const double *param)
{
        (void)param;
        return sizeof(struct steal_state) + 2 * (size_t)nprocess * sizeof(int32_t);
}

static int steal_init(void *state, int32_t nprocess, const double *param, struct lb_error *err)
{
        struct steal_state *s = state;
        if (nprocess < 1)
                return lb_error_set(err, "found %d processes, allowed is at least 1", nprocess);
        s->nprocess = nprocess;
        s->rounding = (enum rounding)(int)param[ROUNDING];
        s->retry = (enum retry)(int)param[RETRY];
        s->undo = param[UNDO] != 0;
        s->foresee = param[FORESEE] != 0;
        s->undo_margin = param[UNDO_MARGIN];
        s->change = param[CHANGE];
        s->min_gain = param[MIN_GAIN];
        return 0;
}

/* The iterations' time: all processes synchronise, so any would do but for rounding. */
static double iteration_s(const struct steal_state *s, const struct dpb_view *view)
{
        double most = 0;
        for (int32_t p = 0; p < s->nprocess; p++)
                most = fmax(most, view->compute_s[p] + view->mpi_s[p]);
        return most;
}

static int32_t find_highest(const struct steal_state *s, const struct dpb_view *view)
{
        int32_t best = 0;
        for (int32_t p = 1; p < s->nprocess; p++)
                if (view->compute_s[p] > view->compute_s[best])
                        best = p;
        return best;
}

/* -1: all others have one processor. */
static int32_t find_victim(const struct steal_state *s, const struct dpb_view *view,
                           int32_t highest)
{
        int32_t best = -1;
        for (int32_t p = 0; p < s->nprocess; p++)
                if (p != highest && view->cpus[p] > 1 &&
                    (best < 0 || view->compute_s[p] < view->compute_s[best]))
                        best = p;
        return best;
}

static double whole(enum rounding rounding, double cpus)
{
        static const double slack = 1e-9; /* of the division: 3 - 1e-16 is 3 */
        switch (rounding) {
        case ROUNDING_NEAREST:
                return floor(cpus + 0.5);
        case ROUNDING_UP:
                return ceil(cpus - slack);
        case ROUNDING_ONE:
                return fmax(1, floor(cpus + slack));
        case ROUNDING_DOWN:
                break;
        }
        return floor(cpus + slack);
}

/* How many processors the victim gives; 0: none. */
static int32_t count_moved(const struct steal_state *s, const struct dpb_view *view,
                           int32_t highest, int32_t victim)
{
        double now_s = view->compute_s[highest];
        double next_s = now_s - (view->mpi_s[victim] - view->mpi_s[highest]) / 2;
        if (!(next_s > 0) || !(next_s < now_s * (1 - s->min_gain)))
                return 0;
        double cpus = view->cpus[highest] * now_s / next_s - view->cpus[highest];
        double most = view->cpus[victim] - 1;
        int32_t count = (int32_t)fmin(whole(s->rounding, cpus), most);
        double victim_s =
            view->compute_s[victim] * view->cpus[victim] / (view->cpus[victim] - count);
        return s->foresee && victim_s > now_s ? 0 : count;
}

/* A host that has meanwhile put processors elsewhere, as to time iterations without a move, has
 * made these times others than those of the move. */
static void notice(struct steal_state *s, const struct dpb_view *view)
{
        size_t bytes = (size_t)s->nprocess * sizeof(*view->cpus);
        s->moved = s->moved && memcmp(s->saved + s->nprocess, view->cpus, bytes) == 0;
}

static enum dpb_action restore(struct steal_state *s, int32_t *cpus)
{
        memcpy(cpus, s->saved, (size_t)s->nprocess * sizeof(*cpus));
        s->moved = false;
        s->holds = s->retry == RETRY_CHANGED;
        s->hold_s = s->before_s;
        return DPB_UNDO;
}

static enum dpb_action move(struct steal_state *s, const struct dpb_view *view, int32_t *cpus)
{
        int32_t highest = find_highest(s, view), victim = find_victim(s, view, highest);
        int32_t count = victim < 0 ? 0 : count_moved(s, view, highest, victim);
        s->moved = count > 0;
        if (count == 0)
                return DPB_KEEP;
        memcpy(s->saved, view->cpus, (size_t)s->nprocess * sizeof(*s->saved));
        s->before_s = iteration_s(s, view);
        cpus[highest] += count;
        cpus[victim] -= count;
        memcpy(s->saved + s->nprocess, cpus, (size_t)s->nprocess * sizeof(*cpus));
        return DPB_MOVE;
}

static enum dpb_action steal_decide(void *state, const struct dpb_view *view, int32_t *cpus)
{
        struct steal_state *s = state;
        double now_s = iteration_s(s, view);
        memcpy(cpus, view->cpus, (size_t)s->nprocess * sizeof(*cpus));
        notice(s, view);
        if (s->undo && s->moved && now_s > s->before_s * (1 + s->undo_margin))
                return restore(s, cpus);
        if (s->holds && fabs(now_s - s->hold_s) <= s->change * s->hold_s)
                return DPB_KEEP;
        s->holds = false;
        return move(s, view, cpus);
}

const struct dpb_type dpb_steal = {
        .name = "dpb",
        .help = "from the process with least computation to the one with most, with undo",
        .params = dpb_steal_params,
        .state_size = steal_size,
        .init = steal_init,
        .decide = steal_decide,
};
