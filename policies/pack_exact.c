/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `exact`: the fewest CPUs within the bound, by branch and bound (bin packing; after Martello and
 * Toth, "Knapsack Problems", chapter 8). Processes in order of decreasing time; each goes to every
 * CPU with a different remaining time, or to a new one. First fit decreasing is the first answer,
 * the sum of times the bound; where `pack_steps` are used up the best answer so far is taken.
 */
#include "policies/pack_impl.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { STEPS = PACK_NSHARED, NPARAM };

const struct lb_param pack_exact_params[] = {
        PACK_SHARED_PARAMS,
        [STEPS] = { .name = "pack_steps",
                    .unit = "",
                    .type = LB_PARAM_INTEGER,
                    .fallback = 100000,
                    .min = 1,
                    .max = 1e9,
                    .help = "processes that are placed, in all trials together, before the best "
                            "answer so "
                            "far is taken" },
        [NPARAM] = { .name = NULL },
};

/* Times are shares of the bound. */
struct exact_state {
        int32_t nprocess, set, limit, numa; /* set: the largest there is */
        int64_t steps;
        double tolerance;
        /* double size[set], rest[set + 1] (sum of sizes from here on), room[set];
         * int32_t order[set], on[set], best[set] */
};

struct search {
        double *size, *rest, *room;
        int32_t *order, *on, *best; /* on: CPU of the k-th process in order */
        int32_t count, nbest;
        int64_t steps;
};

static int32_t set_size(int32_t nprocess, const double *param)
{
        return nprocess < (int32_t)param[PACK_SET] ? nprocess : (int32_t)param[PACK_SET];
}

static size_t state_size(int32_t nprocess, const double *param)
{
        size_t set = (size_t)set_size(nprocess, param);
        return sizeof(struct exact_state) + (3 * set + 1) * sizeof(double) +
               3 * set * sizeof(int32_t);
}

static int init(void *state, int32_t nprocess, const double *param, struct lb_error *err)
{
        (void)err;
        *(struct exact_state *)state = (struct exact_state){
                .nprocess = nprocess,
                .set = set_size(nprocess, param),
                .limit = (int32_t)param[PACK_SET],
                .numa = (int32_t)param[PACK_NUMA],
                .steps = (int64_t)param[STEPS],
                .tolerance = param[PACK_TOLERANCE],
        };
        return 0;
}

static struct search begin(struct exact_state *s, int32_t count)
{
        double *numbers = (double *)(s + 1);
        int32_t *places = (int32_t *)(numbers + 3 * s->set + 1);
        return (struct search){
                .size = numbers,
                .rest = numbers + s->set,
                .room = numbers + 2 * s->set + 1,
                .order = places,
                .on = places + s->set,
                .best = places + 2 * s->set,
                .count = count,
                .steps = s->steps,
        };
}

/* Insert process i (of the set) by decreasing size, lower numbers first among equals. */
static void insert(struct search *x, int32_t filled, int32_t i, double size)
{
        int32_t k = filled;
        for (; k > 0 && x->size[k - 1] < size; k--) {
                x->size[k] = x->size[k - 1];
                x->order[k] = x->order[k - 1];
        }
        x->size[k] = size;
        x->order[k] = i;
}

/* Sums of times that equal the bound but for rounding fit. */
static bool fits(double room, double size)
{
        return size <= room * (1 + 1e-12) + 1e-12;
}

static void first_fit(struct search *x)
{
        x->nbest = 0;
        for (int32_t k = 0; k < x->count; k++) {
                int32_t c = 0;
                while (c < x->nbest && !fits(x->room[c], x->size[k]))
                        c++;
                if (c == x->nbest)
                        x->room[x->nbest++] = 1;
                x->room[c] -= x->size[k];
                x->best[k] = c;
        }
}

/* A CPU with the same room as an earlier one is no other choice. */
static bool is_new_choice(const struct search *x, int32_t c)
{
        for (int32_t other = 0; other < c; other++)
                if (x->room[other] == x->room[c])
                        return false;
        return true;
}

/* The next CPU after `c` for process k with `used` in use, -1 where there is none. */
static int32_t next_cpu(const struct search *x, int32_t k, int32_t c, int32_t used)
{
        for (c++; c < used; c++)
                if (fits(x->room[c], x->size[k]) && is_new_choice(x, c))
                        return c;
        return c == used && used + 1 < x->nbest ? used : -1;
}

/* CPUs that are needed at least: what is left over the room there is, in new ones. */
static int32_t at_least(const struct search *x, int32_t k, int32_t used)
{
        double room = 0;
        for (int32_t c = 0; c < used; c++)
                room += x->room[c];
        double more = x->rest[k] - room;
        return more > 1e-9 ? used + (int32_t)ceil(more - 1e-9) : used;
}

static int32_t used_before(const struct search *x, int32_t k)
{
        int32_t used = 0;
        for (int32_t i = 0; i < k; i++)
                used = x->on[i] >= used ? x->on[i] + 1 : used;
        return used;
}

/* Depth first; process k is on on[k], which is -1 before its first choice. */
static void search(struct search *x)
{
        int32_t k = 0, used = 0, floor_cpus = at_least(x, 0, 0);
        x->on[0] = -1;
        while (k >= 0 && x->nbest > floor_cpus && x->steps-- > 0) {
                if (x->on[k] >= 0)
                        x->room[x->on[k]] += x->size[k];
                used = used_before(x, k);
                int32_t c = at_least(x, k, used) < x->nbest ? next_cpu(x, k, x->on[k], used) : -1;
                if (c < 0) {
                        x->on[k--] = -1;
                        continue;
                }
                if (c == used)
                        x->room[c] = 1;
                x->room[c] -= x->size[k];
                x->on[k] = c;
                if (k + 1 < x->count) {
                        x->on[++k] = -1;
                        continue;
                }
                x->nbest = c == used ? used + 1 : used;
                memcpy(x->best, x->on, (size_t)x->count * sizeof(*x->best));
        }
}

static void search_set(struct search *x)
{
        x->rest[x->count] = 0;
        for (int32_t k = x->count - 1; k >= 0; k--)
                x->rest[k] = x->rest[k + 1] + x->size[k];
        first_fit(x);
        search(x);
}

/* Those that alone exceed the bound have a CPU each; the others are searched. */
static int32_t pack_set(struct exact_state *s, const struct pack_view *view, int32_t first,
                        int32_t count, int32_t *cpu)
{
        struct search x = begin(s, 0);
        double bound = view->bound_s * (1 + s->tolerance);
        int32_t used = 0;
        for (int32_t i = 0; i < count; i++) {
                double size = view->time_s[first + i] / bound;
                if (fits(1, size))
                        insert(&x, x.count++, i, size);
                else
                        cpu[i] = used++;
        }
        if (x.count > 0)
                search_set(&x);
        for (int32_t k = 0; k < x.count; k++)
                cpu[x.order[k]] = used + x.best[k];
        pack_name_cpus(first, count, cpu, x.on);
        return used + x.nbest;
}

static int32_t decide(void *state, const struct pack_view *view, int32_t *cpu)
{
        struct exact_state *s = state;
        int32_t used = 0, end;
        for (int32_t first = 0; first < s->nprocess; first = end) {
                end = pack_set_end(s->nprocess, s->limit, s->numa, first);
                used += pack_set(s, view, first, end - first, cpu + first);
        }
        return used;
}

const struct pack_type pack_exact = {
        .name = "exact",
        .help = "the fewest CPUs within the bound, by branch and bound",
        .params = pack_exact_params,
        .state_size = state_size,
        .init = init,
        .decide = decide,
        .tolerance = pack_shared_tolerance,
        .align = pack_shared_align,
};
