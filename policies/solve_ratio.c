/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ratios of load to cores, ordered exactly. Loads are any doubles and counts of cores stay below
 * 2^53, so a product of both has a rounded value and an exact remainder (fused multiply-add), and
 * two products compare without error. Loads are first scaled by a power of two such that nothing
 * overflows; a load below 2^-200 of the largest never needs a second core and counts as none.
 *
 * The smallest ratio whose needs fit: first the real-valued bound (Newton's method on the convex
 * sum of max(floor, load / ratio)), then up from breakpoint to breakpoint load / (need - 1) in a
 * heap.
 */
#include <math.h>

#include "policies/solve_impl.h"

enum { SCALE_FLOOR = -200 };

double ratio_scale(struct solve *s)
{
        double largest = 0;
        for (int32_t a = 0; a < s->shape->napprank; a++)
                largest = fmax(largest, s->instance->load[a]);
        int exponent;
        frexp(largest, &exponent);
        for (int32_t a = 0; a < s->shape->napprank; a++) {
                double load = ldexp(s->instance->load[a], -exponent);
                s->load[a] = load < ldexp(1, SCALE_FLOOR) ? 0 : load;
        }
        return largest;
}

/* The sign of a * i - b * j. */
static int compare_products(double a, int64_t i, double b, int64_t j)
{
        double p = a * (double)i, q = b * (double)j;
        if (p != q)
                return p < q ? -1 : 1;
        double p_rest = fma(a, (double)i, -p), q_rest = fma(b, (double)j, -q);
        return (p_rest > q_rest) - (p_rest < q_rest);
}

int ratio_compare(struct ratio a, struct ratio b)
{
        return compare_products(a.load, b.cores, b.load, a.cores);
}

int64_t ratio_need(struct ratio ratio, double load)
{
        if (load <= 0)
                return 0;
        int64_t need = (int64_t)ceil(load * (double)ratio.cores / ratio.load);
        if (need < 1)
                need = 1;
        while (need > 1 && ratio_compare((struct ratio){ load, need - 1 }, ratio) <= 0)
                need--;
        while (ratio_compare((struct ratio){ load, need }, ratio) > 0)
                need++;
        return need;
}

/* A lower bound: where the sum of max(floor, load / ratio) over real numbers meets the total. */
static double real_bound(const struct solve *s, int32_t count, const int64_t *floor, int64_t total)
{
        double bound = 0;
        for (;;) {
                double busy = 0;
                int64_t room = total;
                for (int32_t i = 0; i < count; i++) {
                        int32_t a = s->set[i];
                        if (s->load[a] > bound * (double)floor[a])
                                busy += s->load[a];
                        else
                                room -= floor[a];
                }
                double next = busy > 0 ? busy / (double)room : 0;
                if (!(next > bound))
                        return bound;
                bound = next;
        }
}

/* The ratio at which an apprank needs one core fewer. */
static struct ratio breakpoint(const struct solve *s, int32_t apprank)
{
        return (struct ratio){ s->load[apprank], s->need[apprank] - 1 };
}

/* A heap of the appranks that can do with less, the lowest breakpoint on top. */
static bool below(const struct solve *s, int32_t a, int32_t b)
{
        int order = ratio_compare(breakpoint(s, a), breakpoint(s, b));
        return order ? order < 0 : a < b;
}

static void sift(struct solve *s, int32_t count, int32_t at)
{
        int32_t *heap = s->heap, moving = heap[at];
        for (int32_t child; (child = 2 * at + 1) < count; at = child) {
                if (child + 1 < count && below(s, heap[child + 1], heap[child]))
                        child++;
                if (!below(s, heap[child], moving))
                        break;
                heap[at] = heap[child];
        }
        heap[at] = moving;
}

/* Breakpoint by breakpoint, until the appranks need `fewer` cores fewer. */
static struct ratio step_up(struct solve *s, int32_t count, const int64_t *floor, int64_t fewer,
                            struct ratio from)
{
        int32_t size = 0;
        for (int32_t i = 0; i < count; i++)
                if (s->need[s->set[i]] > floor[s->set[i]])
                        s->heap[size++] = s->set[i];
        for (int32_t at = size / 2 - 1; at >= 0; at--)
                sift(s, size, at);
        for (; fewer > 0 && size > 0; fewer--) {
                int32_t top = s->heap[0];
                from = breakpoint(s, top);
                if (--s->need[top] == floor[top])
                        s->heap[0] = s->heap[--size];
                sift(s, size, 0);
        }
        return from;
}

struct ratio ratio_fit(struct solve *s, int32_t count, const int64_t *floor, int64_t total)
{
        /* a little below, for the sum may have been rounded up */
        struct ratio bound = { real_bound(s, count, floor, total) * (1 - 0x1p-30), 1 };
        int64_t sum = 0;
        for (int32_t i = 0; i < count; i++) {
                int32_t a = s->set[i];
                int64_t need = ratio_need(bound, s->load[a]);
                s->need[a] = need > floor[a] ? need : floor[a];
                sum += s->need[a];
        }
        return step_up(s, count, floor, sum - total, bound);
}

/* Many cores fewer are not taken one by one: the same ratio is the smallest that their sum allows.
 */
struct ratio ratio_raise(struct solve *s, int32_t count, const int64_t *floor, int64_t fewer,
                         struct ratio from)
{
        if (fewer <= count)
                return step_up(s, count, floor, fewer, from);
        int64_t total = -fewer;
        for (int32_t i = 0; i < count; i++)
                total += s->need[s->set[i]];
        return ratio_fit(s, count, floor, total);
}
