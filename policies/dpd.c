/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For every lag m up to the window, run[m] is the number of calls at the end of the stream that
 * equal the one m before: the distance of the paper's reference [8] over a frame of length N is
 * zero at m where run[m] >= N. Known values: the stream "abcabcabcabc" with confirm 2 starts at its
 * ninth call with period 3.
 */
#include "policies/dpd.h"

#include <string.h>

#include "base/hash.h"

struct dpd {
        int32_t window, confirm, period, since;
        int32_t at;      /* of the newest call; older ones follow */
        uint32_t word[]; /* history [2 * (window + 1)], twice the same so that it is contiguous;
                            run [window + 1] */
};

size_t dpd_size(int32_t window)
{
        return sizeof(struct dpd) + 3 * ((size_t)window + 1) * sizeof(uint32_t);
}

void dpd_init(struct dpd *dpd, int32_t window, int32_t confirm)
{
        memset(dpd, 0, dpd_size(window));
        dpd->window = window;
        dpd->confirm = confirm;
}

static uint32_t *runs(struct dpd *dpd)
{
        return dpd->word + 2 * (dpd->window + 1);
}

/* 0 stands for calls before the first. */
static void push(struct dpd *dpd, uint32_t value)
{
        int32_t size = dpd->window + 1;
        dpd->at = dpd->at > 0 ? dpd->at - 1 : size - 1;
        dpd->word[dpd->at] = dpd->word[dpd->at + size] = value;
        const uint32_t *restrict history = dpd->word + dpd->at;
        uint32_t *restrict run = runs(dpd);
        for (int32_t m = 1; m < size; m++)
                run[m] = history[m] == value ? run[m] + 1 : 0;
}

/* The lag that has held longest: of 3, 6, 9, ... that is 3, and a step before the loop inside it.
 */
static int32_t find(struct dpd *dpd)
{
        const uint32_t *run = runs(dpd);
        int32_t best = 0;
        for (int32_t m = 1; m <= dpd->window; m++)
                if (run[m] >= (uint32_t)m * (uint32_t)dpd->confirm &&
                    (best == 0 || run[m] > run[best]))
                        best = m;
        return best;
}

static enum dpd_event search(struct dpd *dpd, enum dpd_event otherwise)
{
        dpd->since = 0;
        dpd->period = find(dpd);
        return dpd->period > 0 ? DPD_STARTED : otherwise;
}

enum dpd_event dpd_feed(struct dpd *dpd, uint32_t value)
{
        push(dpd, value > 0 ? value : 1);
        if (dpd->period == 0)
                return search(dpd, DPD_NONE);
        if (runs(dpd)[dpd->period] == 0)
                return search(dpd, DPD_LOST);
        if (++dpd->since < dpd->period)
                return DPD_NONE;
        dpd->since = 0;
        return DPD_ITERATION;
}

int32_t dpd_period(const struct dpd *dpd)
{
        return dpd->period;
}

int64_t dpd_length(const struct dpd *dpd)
{
        const uint32_t *run = dpd->word + 2 * (dpd->window + 1);
        return dpd->period > 0 ? (int64_t)run[dpd->period] + dpd->period : 0;
}

/* Of each call and the one before it. */
uint32_t dpd_kind(const struct dpd *dpd)
{
        const uint32_t *history = dpd->word + dpd->at;
        uint32_t sum = 0;
        for (int32_t i = 0; i < dpd->period; i++)
                sum += (uint32_t)lb_hash_mix((uint64_t)history[i] << 32 | history[i + 1]);
        return dpd->period > 0 && sum == 0 ? 1 : sum;
}

uint32_t dpd_value(int32_t primitive, int32_t peer, uint64_t buffer)
{
        uint64_t call = (uint64_t)(uint32_t)primitive << 32 | (uint32_t)peer;
        uint32_t value = (uint32_t)(lb_hash_mix(lb_hash_mix(call) ^ buffer) >> 32);
        return value > 0 ? value : 1;
}
