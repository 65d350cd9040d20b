/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `subset-sum` (Task Packing paper 3.3, listings 3 and 4): one CPU after another is given the set
 * of unassigned processes whose times add up to the bound; where there is none, the bound is
 * lowered by one unit until there is. Lowering never has to be taken back, so each CPU simply gets
 * the largest sum within the bound.
 *
 * The paper enumerates subsets, which limits it to about 30 processes; here sums are bits of a row
 * per process, so that a thousand processes take milliseconds. Among equal sums the same subset is
 * found as in listing 4, which takes the process with the highest number wherever it can. Times are
 * whole numbers of units, rounded up, `pack_units` of them in the bound, so a set never exceeds it.
 */
#include "policies/pack_impl.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { UNITS = PACK_NSHARED, NPARAM };

const struct lb_param pack_subset_sum_params[] = {
        PACK_SHARED_PARAMS,
        [UNITS] = { .name = "pack_units",
                    .unit = "",
                    .type = LB_PARAM_INTEGER,
                    .fallback = 1000,
                    .min = 1,
                    .max = 65536,
                    .help = "units of time that the bound is cut into" },
        [NPARAM] = { .name = NULL },
};

struct subset_state {
        int32_t nprocess, set, limit, numa; /* set: the largest there is */
        int32_t units;
        int32_t nword; /* of a row of units + 1 bits */
        double tolerance;
        /* uint64_t row[set + 1][nword], then int32_t cost[set], left[set] */
};

static int32_t set_size(int32_t nprocess, const double *param)
{
        return nprocess < (int32_t)param[PACK_SET] ? nprocess : (int32_t)param[PACK_SET];
}

static int32_t words(const double *param)
{
        return ((int32_t)param[UNITS] + 64) / 64;
}

static uint64_t *rows(struct subset_state *s)
{
        return (uint64_t *)(s + 1);
}

static int32_t *costs(struct subset_state *s)
{
        return (int32_t *)(rows(s) + (size_t)(s->set + 1) * (size_t)s->nword);
}

static size_t state_size(int32_t nprocess, const double *param)
{
        size_t set = (size_t)set_size(nprocess, param);
        return sizeof(struct subset_state) + (set + 1) * (size_t)words(param) * sizeof(uint64_t) +
               2 * set * sizeof(int32_t);
}

static int init(void *state, int32_t nprocess, const double *param, struct lb_error *err)
{
        (void)err;
        struct subset_state *s = state;
        *s = (struct subset_state){
                .nprocess = nprocess,
                .set = set_size(nprocess, param),
                .limit = (int32_t)param[PACK_SET],
                .numa = (int32_t)param[PACK_NUMA],
                .units = (int32_t)param[UNITS],
                .nword = words(param),
                .tolerance = param[PACK_TOLERANCE],
        };
        return 0;
}

/* to |= from << shift, both of nword words. */
static void or_shifted(uint64_t *to, const uint64_t *from, int32_t nword, int32_t shift)
{
        int32_t skip = shift / 64, bits = shift % 64;
        for (int32_t i = nword - 1; i >= skip; i--) {
                uint64_t low = from[i - skip] << bits;
                uint64_t high = bits && i > skip ? from[i - skip - 1] >> (64 - bits) : 0;
                to[i] |= low | high;
        }
}

static bool has(const uint64_t *row, int32_t bit)
{
        return row[bit / 64] >> (bit % 64) & 1;
}

/* Row k holds the sums of the first k of left[count]. */
static void fill_rows(struct subset_state *s, const int32_t *left, int32_t count)
{
        uint64_t *row = rows(s);
        size_t size = (size_t)s->nword * sizeof(*row);
        memset(row, 0, size);
        row[0] = 1;
        for (int32_t k = 0; k < count; k++, row += s->nword) {
                memcpy(row + s->nword, row, size);
                or_shifted(row + s->nword, row, s->nword, costs(s)[left[k]]);
        }
}

/* Take the subset with the largest sum within the bound out of left[count]; returns what remains.
 */
static int32_t fill_cpu(struct subset_state *s, int32_t *left, int32_t count, int32_t *cpu,
                        int32_t which)
{
        fill_rows(s, left, count);
        int32_t sum = s->units, kept = count;
        while (!has(rows(s) + (size_t)count * (size_t)s->nword, sum))
                sum--;
        for (int32_t k = count - 1; k >= 0; k--) {
                int32_t cost = costs(s)[left[k]];
                if (cost <= sum && has(rows(s) + (size_t)k * (size_t)s->nword, sum - cost)) {
                        sum -= cost;
                        cpu[left[k]] = which;
                        left[k] = -1;
                        kept--;
                }
        }
        for (int32_t k = 0, to = 0; k < count; k++)
                if (left[k] >= 0)
                        left[to++] = left[k];
        return kept;
}

/* Units that a process takes, rounded up, at least one; too long: more than fit. */
static int32_t cost_of(const struct subset_state *s, double time_s, double bound_s)
{
        double units = ceil(time_s / (bound_s * (1 + s->tolerance)) * s->units * (1 - 1e-12));
        return units < 1 ? 1 : units > s->units ? s->units + 1 : (int32_t)units;
}

/* Pack processes first .. first+count-1; returns how many CPUs are used. */
static int32_t pack_set(struct subset_state *s, const struct pack_view *view, int32_t first,
                        int32_t count, int32_t *cpu)
{
        int32_t *cost = costs(s), *left = cost + s->set, nleft = 0, used = 0;
        for (int32_t i = 0; i < count; i++) {
                cost[i] = cost_of(s, view->time_s[first + i], view->bound_s);
                if (cost[i] > s->units)
                        cpu[i] = used++;
                else
                        left[nleft++] = i;
        }
        while (nleft > 0)
                nleft = fill_cpu(s, left, nleft, cpu, used++);
        pack_name_cpus(first, count, cpu, left);
        return used;
}

static int32_t decide(void *state, const struct pack_view *view, int32_t *cpu)
{
        struct subset_state *s = state;
        int32_t used = 0, end;
        for (int32_t first = 0; first < s->nprocess; first = end) {
                end = pack_set_end(s->nprocess, s->limit, s->numa, first);
                used += pack_set(s, view, first, end - first, cpu + first);
        }
        return used;
}

const struct pack_type pack_subset_sum = {
        .name = "subset-sum",
        .help = "CPU by CPU, the largest sum of times within the bound (the paper's)",
        .params = pack_subset_sum_params,
        .state_size = state_size,
        .init = init,
        .decide = decide,
        .tolerance = pack_shared_tolerance,
        .align = pack_shared_align,
};
