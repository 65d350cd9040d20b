/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `local` (ICPP'22 5.4.1): on each node, all cores have an owner and each worker
 * owns cores in proportion to its average busy cores, at least one (a talk-only one none).
 *
 * The paper's rule in whole cores is by largest remainder. The original (docs/facts.md O2) lets
 * every worker decide alone: int(0.99 + cores * b / (b + B)) with its own average b, not below 2,
 * and the others' sum B; what that asks too much goes to whoever claims first, what it asks too
 * little stays with its owner. Known value: 48 cores, averages 30, 10, 0 -> 36, 11, 1 (paper).
 */
#include <math.h>
#include <string.h>

#include "policies/alloc_impl.h"
#include "policies/average.h"

enum { AVERAGE, AVERAGE_S, ROUNDING, FLOOR_CORES, NPARAM };
enum rounding { ROUNDING_REMAINDER, ROUNDING_UP };
static const char *const roundings[] = { "remainder", "up", NULL };

static const struct lb_param params[] = {
        [AVERAGE] = { .name = "local_average",
                      .unit = "",
                      .type = LB_PARAM_CHOICE,
                      .fallback = AVERAGE_EXPONENTIAL,
                      .choices = average_kinds,
                      .help = "how local averages busy cores: mean over a window or exponential" },
        [AVERAGE_S] = { .name = "local_average_s",
                        .unit = "s",
                        .type = LB_PARAM_NUMBER,
                        .fallback = 10,
                        .min = 0.001,
                        .max = 3600,
                        .help = "local's window or time constant; 10 s in the original's runs" },
        [ROUNDING] = { .name = "local_rounding",
                       .unit = "",
                       .type = LB_PARAM_CHOICE,
                       .fallback = ROUNDING_REMAINDER,
                       .choices = roundings,
                       .help = "whole cores by largest remainder, or each worker rounding up alone",
                       .differs = true,
                       .original = ROUNDING_UP },
        [FLOOR_CORES] = { .name = "local_floor_cores",
                          .unit = "cores",
                          .type = LB_PARAM_NUMBER,
                          .fallback = 0,
                          .min = 0,
                          .max = 1024,
                          .help = "local_rounding up: a worker's average counts as at least this",
                          .differs = true,
                          .original = 2 },
        [NPARAM] = { .name = NULL },
};

struct local_state {
        int32_t nworker, ncore;
        enum rounding rounding;
        double floor_cores;
        size_t average_at; /* bytes from here to the struct average, behind least[] */
        size_t least_at;   /* and to least[nworker], behind weight[] */
        double weight[];   /* [nworker] scratch */
};

/* What each worker owns at least. */
static int32_t *least_of(const struct local_state *s)
{
        return (int32_t *)((char *)s + s->least_at);
}

static struct average *average_of(struct local_state *s)
{
        return (struct average *)((char *)s + s->average_at);
}

static size_t least_offset(const struct lb_shape *shape)
{
        return sizeof(struct local_state) + (size_t)shape->nworker * sizeof(double);
}

static size_t average_offset(const struct lb_shape *shape)
{
        size_t end = least_offset(shape) + (size_t)shape->nworker * sizeof(int32_t);
        return (end + 15) & ~(size_t)15;
}

static size_t local_size(const struct lb_shape *shape, const double *param)
{
        return average_offset(shape) + average_size(shape->nworker,
                                                    (enum average_kind)param[AVERAGE],
                                                    param[AVERAGE_S], shape->poll_s);
}

static int local_init(void *state, const struct lb_shape *shape, const double *param,
                      struct lb_error *err)
{
        (void)err;
        struct local_state *s = state;
        s->nworker = shape->nworker;
        s->ncore = shape->cores[0];
        s->rounding = (enum rounding)param[ROUNDING];
        s->floor_cores = param[FLOOR_CORES];
        s->least_at = least_offset(shape);
        s->average_at = average_offset(shape);
        for (int32_t w = 0; w < s->nworker; w++)
                least_of(s)[w] = lb_shape_least(shape, w);
        average_init(average_of(s), shape->nworker, (enum average_kind)param[AVERAGE],
                     param[AVERAGE_S], shape->poll_s);
        return 0;
}

static void local_observe(void *state, const struct alloc_view *view)
{
        average_observe(average_of(state), view);
}

static void local_carry(void *state, const void *before, const int32_t *worker)
{
        const struct local_state *b = before;
        average_carry(average_of(state), (const struct average *)((const char *)b + b->average_at),
                      worker);
}

/* The worker that is furthest below its proportional share. */
static int32_t most_deserving(const struct local_state *s, double share, const int32_t *owned_cores)
{
        int32_t best = 0;
        double most = -INFINITY;
        for (int32_t w = 0; w < s->nworker; w++) {
                double missing = share * s->weight[w] - owned_cores[w];
                if (missing > most) {
                        most = missing;
                        best = w;
                }
        }
        return best;
}

/* Proportional with a minimum: by largest remainder where no minimum binds. */
static void decide_remainder(const struct local_state *s, double sum, int32_t *owned_cores)
{
        int32_t left = s->ncore;
        for (int32_t w = 0; w < s->nworker; w++) {
                owned_cores[w] = least_of(s)[w];
                left -= owned_cores[w];
        }
        for (; left > 0; left--)
                owned_cores[most_deserving(s, s->ncore / sum, owned_cores)]++;
}

/* Whom to take a core from where targets ask too much: the last that would have to claim one. */
static int32_t last_claimer(const struct local_state *s, const int32_t *now, const int32_t *target)
{
        for (int32_t w = s->nworker - 1; w >= 0; w--)
                if (target[w] > now[w] && target[w] > least_of(s)[w])
                        return w;
        int32_t largest = 0;
        for (int32_t w = 1; w < s->nworker; w++)
                if (target[w] > target[largest])
                        largest = w;
        return largest;
}

/* Who keeps a core that nobody claims: the one that would have to give up most. */
static int32_t most_surplus(const struct local_state *s, const int32_t *now, const int32_t *target)
{
        int32_t best = 0;
        for (int32_t w = 1; w < s->nworker; w++)
                if (now[w] - target[w] > now[best] - target[best])
                        best = w;
        return best;
}

/* Each worker rounds up alone, as in the original; then who claims first has it. */
static void decide_up(const struct local_state *s, double sum, const int32_t *now,
                      int32_t *owned_cores)
{
        int32_t given = 0;
        for (int32_t w = 0; w < s->nworker; w++) {
                double own = fmax(s->weight[w], s->floor_cores);
                double others = fmin(sum - s->weight[w], s->ncore);
                int32_t target = (int32_t)(0.99 + own * s->ncore / (own + others));
                owned_cores[w] = target < least_of(s)[w] ? least_of(s)[w] : target;
                given += owned_cores[w];
        }
        for (; given > s->ncore; given--)
                owned_cores[last_claimer(s, now, owned_cores)]--;
        for (; given < s->ncore; given++)
                owned_cores[most_surplus(s, now, owned_cores)]++;
}

static void local_decide(void *state, const struct alloc_view *view, int32_t *owned_cores)
{
        struct local_state *s = state;
        double sum = 0;
        for (int32_t w = 0; w < s->nworker; w++) {
                s->weight[w] = average_get(average_of(s), w);
                sum += s->weight[w];
        }
        if (sum <= 0) { /* nothing measured: leave things as they are */
                memcpy(owned_cores, view->owned_cores, (size_t)s->nworker * sizeof(int32_t));
                return;
        }
        if (s->rounding == ROUNDING_UP)
                decide_up(s, sum, view->owned_cores, owned_cores);
        else
                decide_remainder(s, sum, owned_cores);
}

const struct alloc_type alloc_local = {
        .name = "local",
        .help = "on each node, owned cores in proportion to average busy cores",
        .scope = ALLOC_SCOPE_NODE,
        .params = params,
        .state_size = local_size,
        .init = local_init,
        .observe = local_observe,
        .decide = local_decide,
        .release = alloc_release_nothing,
        .carry = local_carry,
};
