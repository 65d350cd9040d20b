/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/load.h"

#include <math.h>
#include <stdbool.h>

#include "base/random.h"

/*
 * A uniform point of the slice { x in [0,1]^m, x_1 + ... + x_m = s } in O(m) draws. In units of the
 * maximum, the loads of all appranks but the worst are such a point with m = n - 1 and
 * s = n / imbalance - 1.
 *
 * Tilting. Draw each x_i with density f(x) = c exp(-rate x) on [0,1], for any rate. The product of
 * the densities is c^m exp(-rate s), the same for every point of the slice, so whatever the rate,
 * drawing all and keeping only those with sum s gives the uniform distribution. The rate that makes
 * the mean s/m makes hits likely; an approximate one costs some tries and no exactness.
 *
 * Halving. Hits have probability 0, so draw only k = m/2 coordinates, with sum a, and accept with
 * probability h(s - a) / H, where h is the density of the sum of the other m - k and H >= max h:
 * that is the density of the accepted half given that all add up to s. The rest is uniform on its
 * own slice of sum s - a: the same problem of half the size. About 1 / sqrt(2) of the tries
 * succeed, against 1 / sqrt(2 pi m) if only the last coordinate were left over (probabilistic
 * divide and conquer, Arratia and DeSalvo 2016). Up to SMALL we do leave over only the last one,
 * where h is f itself.
 *
 * The density of a sum of b tilted coordinates is a Fourier series over a period P that holds all
 * of it (or all but tails beyond 16 standard deviations, below 1e-18):
 *
 *   h(r) = 1/P (1 + 2 sum_k |phi(w_k)|^b cos(b arg phi(w_k) - w_k r)),
 *
 *   w_k = 2 pi k / P,  phi(w) = c (1 - exp(-rate + iw)) / (rate - iw),
 *
 * and H is the same sum with every cosine 1. We stop at terms below 1e-17, so the result is uniform
 * up to the rounding of doubles.
 *
 * x -> 1 - x maps the slice of s to that of m - s: so the mean is at most 1/2 and the rate >= 0.
 *
 * Measured: 0.14 to 0.3 ms at n = 4096 over imbalances from 1.0001 to 4095.9 on one core.
 *
 * Known value: m = 3, s = 1.5 (a hexagon): mean 1/2, variance 5/72 (tests/models/test_load.c).
 */
enum { SMALL = 32 };

struct tilt {
        double rate;
        double expm1_rate; /* exp(-rate) - 1 */
        double scale;      /* c of the density c exp(-rate x) */
};

/*
 * The rate whose mean is `mean` (0 < mean <= 1/2), within 0.2%: mean = (1 - L(rate/2)) / 2 with
 * Langevin's L(x) = coth(x) - 1/x, inverted by the formula of Petrosyan (Rheologica Acta 56, 2017).
 */
static struct tilt tilt_of_mean(double mean)
{
        double y = 1 - 2 * mean;
        double rate = 2 * (3 * y + y * y / 5 * sin(3.5 * y) + y * y * y / (2 * mean));
        double e = expm1(-rate);
        return (struct tilt){ rate, e, rate > 0 ? -rate / e : 1 };
}

static double tilt_draw(const struct tilt *tilt, struct lb_random *random)
{
        double u = lb_random_open(random);
        return tilt->rate > 0 ? fmin(-log1p(u * tilt->expm1_rate) / tilt->rate, 1) : u;
}

/* Draw x[m]; returns their sum. */
static double tilt_fill(const struct tilt *tilt, double *x, int32_t m, struct lb_random *random)
{
        double sum = 0;
        for (int32_t i = 0; i < m; i++) {
                x[i] = tilt_draw(tilt, random);
                sum += x[i];
        }
        return sum;
}

/* h(r) / H for a sum of b coordinates of about the given mean. */
static double sum_density(const struct tilt *tilt, int32_t b, double mean, double r)
{
        static const double tau = 6.283185307179586;
        double sigma = fmin(1 / tilt->rate, 0.28867513459481287); /* at most 1/sqrt(12) */
        double period = fmin(b, 32 * sigma * sqrt(b));
        if (r < 0 || r > b || (period < b && fabs(r - b * mean) > period / 2))
                return 0;
        double tail = 1 + tilt->expm1_rate; /* exp(-rate) */
        double h = 1, bound = 1, envelope = 1;
        for (int32_t k = 1; envelope > 1e-17; k++) {
                double w = tau * k / period;
                double s = sin(w / 2);
                double re = 2 * tail * s * s - tilt->expm1_rate, im = -tail * sin(w);
                double below = hypot(tilt->rate, w);
                double size = pow(tilt->scale * hypot(re, im) / below, b);
                double angle = atan2(im, re) + atan2(w, tilt->rate);
                h += 2 * size * cos(b * angle - w * r);
                bound += 2 * size;
                envelope = pow(tilt->scale * (1 + tail) / below, b);
        }
        return h / bound;
}

/* Uniform on a small slice, 0 < sum <= m/2: all but the last at random, the last by the sum. */
static void fill_small(double *x, int32_t m, double sum, struct lb_random *random)
{
        struct tilt tilt = tilt_of_mean(sum / m);
        double last;
        do
                last = sum - tilt_fill(&tilt, x, m - 1, random);
        while (last < 0 || last > 1 || lb_random_unit(random) >= exp(-tilt.rate * last));
        x[m - 1] = last;
}

/* Draw the first k of m coordinates of the slice, 0 < sum <= m/2. Returns what is left of the sum.
 */
static double fill_half(double *x, int32_t k, int32_t m, double sum, struct lb_random *random)
{
        struct tilt tilt = tilt_of_mean(sum / m);
        double rest;
        do
                rest = sum - tilt_fill(&tilt, x, k, random);
        while (lb_random_unit(random) >= sum_density(&tilt, m - k, sum / m, rest));
        return rest;
}

static void mirror(double *x, int32_t m)
{
        for (int32_t i = 0; i < m; i++)
                x[i] = 1 - x[i];
}

/* Fill x[m] uniformly on the slice, 0 <= sum <= m. */
static void fill_slice(double *x, int32_t m, double sum, struct lb_random *random)
{
        while (m > 0) {
                int32_t k = m > SMALL ? m / 2 : m;
                bool mirrored = sum > 0.5 * m;
                double rest = mirrored ? m - sum : sum;
                if (rest <= 0) {
                        for (k = 0; k < m; k++)
                                x[k] = 0;
                } else if (m == 1) {
                        x[0] = rest;
                } else if (m <= SMALL) {
                        fill_small(x, m, rest, random);
                } else {
                        rest = fill_half(x, k, m, rest, random);
                }
                if (mirrored)
                        mirror(x, k);
                x += k;
                m -= k;
                sum = mirrored ? m - rest : rest;
        }
}

int load_uniform(double *load, int32_t n, double mean, double imbalance, uint64_t seed,
                 uint64_t stream, struct lb_error *err)
{
        double max = mean * imbalance;
        if (n < 1)
                return lb_error_set(err, "found %d loads, allowed is at least 1", n);
        if (!(imbalance >= 1 && imbalance <= n))
                return lb_error_set(err,
                                    "imbalance: found %.10g, allowed is 1 to %d, the number of "
                                    "appranks",
                                    imbalance, n);
        if (!(mean >= 0 && isfinite(max)))
                return lb_error_set(err, "mean load: found %.10g, allowed is a number from 0",
                                    mean);
        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_LOADS, stream);
        int32_t worst = (int32_t)lb_random_below(&random, (uint64_t)n);
        fill_slice(load, n - 1, n / imbalance - 1, &random);
        load[n - 1] = 1; /* not drawn yet, and perhaps the worst itself */
        load[n - 1] = load[worst];
        load[worst] = 1;
        for (int32_t i = 0; i < n; i++)
                load[i] *= max;
        return 0;
}

double load_imbalance(const double *load, int32_t n)
{
        double max = 0, sum = 0;
        for (int32_t i = 0; i < n; i++)
                max = fmax(max, load[i]);
        for (int32_t i = 0; i < n && max > 0; i++)
                sum += load[i] / max;
        return max > 0 ? n / sum : 1;
}
