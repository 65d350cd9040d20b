/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/nbody/body.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "real/apps/common/result.h"

static void direction(struct lb_random *random, double length, double out[static 3])
{
        double z = 2 * lb_random_unit(random) - 1;
        double angle = 8 * atan(1) * lb_random_unit(random);
        double flat = sqrt(1 - z * z);
        out[0] = length * flat * cos(angle);
        out[1] = length * flat * sin(angle);
        out[2] = length * z;
}

/* The speed over that of escape has the density q^2 (1 - q^2)^(7/2), at most 0.0922. */
static double draw_speed(struct lb_random *random)
{
        for (;;) {
                double q = lb_random_unit(random), y = 0.1 * lb_random_unit(random);
                double left = 1 - q * q;
                if (y < q * q * left * left * left * sqrt(left))
                        return q;
        }
}

/* The share of the mass within a radius r is r^3 / (1 + r^2)^(3/2). */
static double draw_radius(struct lb_random *random)
{
        double radius;
        do {
                double share = lb_random_open(random);
                radius = 1 / sqrt(1 / cbrt(share * share) - 1);
        } while (!(radius < 20));
        return radius;
}

void body_fill(struct body *body, int64_t n, uint64_t seed)
{
        double scale = 3 * 4 * atan(1) / 16; /* to the energy -1/4 */
        for (int64_t i = 0; i < n; i++) {
                struct lb_random random;
                lb_random_init(&random, seed, LB_RANDOM_TASK, (uint64_t)i);
                double radius = draw_radius(&random);
                double escape = sqrt(2) / sqrt(sqrt(1 + radius * radius));
                body[i] = (struct body){ .mass = 1 / (double)n, .id = i, .work = 1 };
                direction(&random, radius * scale, body[i].x);
                direction(&random, escape * draw_speed(&random) / sqrt(scale), body[i].v);
        }
}

void body_order(const struct body *body, int64_t n, struct body *by_id)
{
        for (int64_t i = 0; i < n; i++)
                by_id[body[i].id] = body[i];
}

struct box {
        double low[3], side; /* a cube */
};

static struct box box_around(const struct body *body, int64_t n)
{
        struct box box = { .side = 0 };
        for (int axis = 0; axis < 3; axis++) {
                double low = INFINITY, high = -INFINITY;
                for (int64_t i = 0; i < n; i++) {
                        low = fmin(low, body[i].x[axis]);
                        high = fmax(high, body[i].x[axis]);
                }
                box.low[axis] = low;
                box.side = fmax(box.side, high - low);
        }
        return box;
}

/* 21 bits with two zeros between. */
static uint64_t spread(uint64_t x)
{
        x = (x | x << 32) & 0x1f00000000ffffu;
        x = (x | x << 16) & 0x1f0000ff0000ffu;
        x = (x | x << 8) & 0x100f00f00f00f00fu;
        x = (x | x << 4) & 0x10c30c30c30c30c3u;
        return (x | x << 2) & 0x1249249249249249u;
}

static uint64_t key_of(const struct body *body, const struct box *box)
{
        uint64_t key = 0;
        for (int axis = 0; axis < 3 && box->side > 0; axis++) {
                double unit = (body->x[axis] - box->low[axis]) / box->side;
                key |= spread((uint64_t)fmin(unit * 0x1p21, 0x1p21 - 1)) << axis;
        }
        return key;
}

struct entry {
        uint64_t key;
        int64_t index;
};

/* One pass of a radix sort, stable. */
static void sort_digit(const struct entry *entry, int64_t n, int shift, struct entry *out)
{
        int64_t first[257] = { 0 };
        for (int64_t i = 0; i < n; i++)
                first[(entry[i].key >> shift & 255) + 1]++;
        for (int digit = 0; digit < 256; digit++)
                first[digit + 1] += first[digit];
        for (int64_t i = 0; i < n; i++)
                out[first[entry[i].key >> shift & 255]++] = entry[i];
}

void body_sort(const struct body *body, int64_t n, struct body *sorted, uint64_t *key)
{
        struct box box = box_around(body, n);
        struct entry *entry = app_alloc(2 * (size_t)n * sizeof(*entry)), *other = entry + n;
        for (int64_t i = 0; i < n; i++)
                entry[i] = (struct entry){ key_of(&body[i], &box), i };
        for (int shift = 0; shift < 64; shift += 16) {
                sort_digit(entry, n, shift, other);
                sort_digit(other, n, shift + 8, entry);
        }
        for (int64_t i = 0; i < n; i++) {
                sorted[i] = body[entry[i].index];
                key[i] = entry[i].key;
        }
        free(entry);
}
