/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/nbody/orb.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "real/apps/common/result.h"
#include "real/apps/nbody/body.h"

/* A body as a cut sees it: ordered by place along the axis, then by index. */
struct item {
        double x;
        int64_t index, work;
};

static bool is_before(const struct item *a, const struct item *b)
{
        return a->x < b->x || (a->x == b->x && a->index < b->index);
}

static void swap(struct item *a, struct item *b)
{
        struct item old = *a;
        *a = *b;
        *b = old;
}

static int longest_axis(const struct body *body, const struct item *item, int64_t n)
{
        int longest = 0;
        double most = -1;
        for (int axis = 0; axis < 3; axis++) {
                double low = INFINITY, high = -INFINITY;
                for (int64_t i = 0; i < n; i++) {
                        low = fmin(low, body[item[i].index].x[axis]);
                        high = fmax(high, body[item[i].index].x[axis]);
                }
                if (high - low > most) {
                        most = high - low;
                        longest = axis;
                }
        }
        return longest;
}

/* Move those before the middle one of item[n] to the front; returns its place then. */
static int64_t partition(struct item *item, int64_t n)
{
        int64_t at = 0;
        swap(&item[n / 2], &item[n - 1]);
        for (int64_t i = 0; i < n - 1; i++)
                if (is_before(&item[i], &item[n - 1]))
                        swap(&item[i], &item[at++]);
        swap(&item[at], &item[n - 1]);
        return at;
}

static int64_t sum_work(const struct item *item, int64_t n)
{
        int64_t sum = 0;
        for (int64_t i = 0; i < n; i++)
                sum += item[i].work;
        return sum;
}

/* Move to the front of item[n], in order, as many as have at most `share` of work together; returns
 * how many. */
static int64_t cut(struct item *item, int64_t n, int64_t share)
{
        int64_t begin = 0;
        while (n > 0) {
                int64_t at = partition(item + begin, n);
                int64_t front = sum_work(item + begin, at + 1);
                if (front <= share) {
                        share -= front;
                        begin += at + 1;
                        n -= at + 1;
                } else {
                        n = at;
                }
        }
        return begin;
}

/* The part of item[n], which is for `nrank` ranks, that is for `rank` of them; its size. */
static int64_t bisect(const struct body *body, struct item **item, int64_t n, int32_t nrank,
                      int32_t rank)
{
        while (nrank > 1 && n > 0) {
                int axis = longest_axis(body, *item, n);
                for (int64_t i = 0; i < n; i++)
                        (*item)[i].x = body[(*item)[i].index].x[axis];
                int32_t left = nrank / 2;
                double share = (double)sum_work(*item, n) * left / nrank;
                int64_t front = cut(*item, n, (int64_t)share);
                bool behind = rank >= left;
                *item += behind ? front : 0;
                n = behind ? n - front : front;
                nrank = behind ? nrank - left : left;
                rank -= behind ? left : 0;
        }
        return n;
}

static int compare(const void *a, const void *b)
{
        int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
        return (x > y) - (x < y);
}

int64_t orb_owned(const struct body *body, int64_t n, int32_t nrank, int32_t rank, int64_t *mine)
{
        struct item *all = app_alloc((size_t)n * sizeof(*all)), *part = all;
        for (int64_t i = 0; i < n; i++)
                all[i] = (struct item){ .index = i, .work = body[i].work };
        int64_t count = bisect(body, &part, n, nrank, rank);
        for (int64_t i = 0; i < count; i++)
                mine[i] = part[i].index;
        qsort(mine, (size_t)count, sizeof(*mine), compare);
        free(all);
        return count;
}
