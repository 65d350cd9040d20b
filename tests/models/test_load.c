/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/load.h"

enum { NSAMPLE = 20000, NMAX = 4096 };

/* Kolmogorov-Smirnov: a true hypothesis exceeds this times sqrt(1/n [+ 1/m]) once in 8000 times. */
static const double ks_limit = 2.2;

static int ascending(const void *a, const void *b)
{
        double x = *(const double *)a, y = *(const double *)b;
        return (x > y) - (x < y);
}

/* The loads of all but the worst, in units of the maximum; returns where the worst was. */
static int32_t others(double *x, int32_t n, double imbalance, uint64_t stream)
{
        static double load[NMAX];
        struct lb_error err;
        assert_int_equal(load_uniform(load, n, 50, imbalance, 7, stream, &err), 0);
        int32_t worst = 0, m = 0;
        for (int32_t i = 1; i < n; i++)
                if (load[i] > load[worst])
                        worst = i;
        for (int32_t i = 0; i < n; i++)
                if (i != worst)
                        x[m++] = load[i] / (50 * imbalance);
        return worst;
}

/* A uniform point of the slice by plain rejection: all but the last from the cube. */
static void reject(double *x, int32_t m, double sum, struct lb_random *random)
{
        double last;
        do {
                last = sum;
                for (int32_t i = 0; i < m - 1; i++) {
                        x[i] = lb_random_unit(random);
                        last -= x[i];
                }
        } while (last < 0 || last > 1);
        x[m - 1] = last;
}

static double smallest(const double *x, int32_t m)
{
        double min = x[0];
        for (int32_t i = 1; i < m; i++)
                min = fmin(min, x[i]);
        return min;
}

/* The largest distance of two empirical distributions of NSAMPLE; sorts both. */
static double ks_two(double *a, double *b)
{
        qsort(a, NSAMPLE, sizeof(*a), ascending);
        qsort(b, NSAMPLE, sizeof(*b), ascending);
        double distance = 0;
        for (int32_t i = 0, j = 0; i < NSAMPLE && j < NSAMPLE;) {
                if (a[i] <= b[j])
                        i++;
                else
                        j++;
                distance = fmax(distance, abs(i - j) / (double)NSAMPLE);
        }
        return distance;
}

static void compare_with_rejection(int32_t n, double imbalance)
{
        static double mine[3][NSAMPLE], plain[3][NSAMPLE];
        struct lb_random random;
        lb_random_init(&random, 11, LB_RANDOM_TEST, (uint64_t)n);
        for (int32_t i = 0; i < NSAMPLE; i++) {
                double x[8], y[8];
                others(x, n, imbalance, (uint64_t)i);
                reject(y, n - 1, n / imbalance - 1, &random);
                mine[0][i] = x[0];
                plain[0][i] = y[0];
                mine[1][i] = x[n - 2];
                plain[1][i] = y[n - 2];
                mine[2][i] = smallest(x, n - 1);
                plain[2][i] = smallest(y, n - 1);
        }
        for (int k = 0; k < 3; k++)
                assert_true(ks_two(mine[k], plain[k]) < ks_limit * sqrt(2.0 / NSAMPLE));
}

/* Few appranks: the first, the last and the smallest load are distributed as by plain rejection. */
static void test_small_as_rejection(void **state)
{
        (void)state;
        compare_with_rejection(3, 1.2);
        compare_with_rejection(3, 2.0);
        compare_with_rejection(3, 2.9);
        compare_with_rejection(4, 1.1);
        compare_with_rejection(4, 2.07);
        compare_with_rejection(4, 3.5);
        compare_with_rejection(8, 2.385);
}

/* Three loads other than the worst with mean half the maximum: a hexagon, variance 5/72. */
static void test_hexagon(void **state)
{
        (void)state;
        double sum = 0, square = 0;
        for (int32_t i = 0; i < NSAMPLE; i++) {
                double x[3];
                others(x, 4, 1.6, (uint64_t)i);
                sum += x[0];
                square += (x[0] - 0.5) * (x[0] - 0.5);
        }
        assert_true(fabs(sum / NSAMPLE - 0.5) < 0.008);
        assert_true(fabs(square / NSAMPLE / (5.0 / 72) - 1) < 0.04);
}

/*
 * Irwin-Hall: sum over k of (-1)^k C(m,k) (s-k)^p, relative to scale^p. With p = m - 1 it is the
 * density of a sum of m uniforms at s but for a constant, with p = m its integral.
 */
static long double irwin_hall(int32_t m, long double s, int32_t p, long double scale)
{
        long double sum = 0, choose = 1;
        for (int32_t k = 0; k < s; k++) {
                sum += (k % 2 ? -choose : choose) * powl((s - k) / scale, p);
                choose *= (long double)(m - k) / (k + 1);
        }
        return sum;
}

/* P(X <= x) of one of m uniforms of sum s. */
static double marginal(int32_t m, double s, double x)
{
        long double all = irwin_hall(m - 1, s, m - 1, s) - irwin_hall(m - 1, s - 1, m - 1, s);
        return (double)((irwin_hall(m - 1, s, m - 1, s) - irwin_hall(m - 1, s - x, m - 1, s)) /
                        all);
}

/* Its variance, by the integral of 2 x (1 - F(x)). */
static double marginal_variance(int32_t m, double s)
{
        enum { NSTEP = 1000 };
        double square = 0;
        for (int i = 0; i < NSTEP; i++) {
                double x = (i + 0.5) / NSTEP;
                square += 2 * x * (1 - marginal(m, s, x)) / NSTEP;
        }
        return square - (s / m) * (s / m);
}

/* KS distance of x[NSAMPLE] from the marginal, on a grid; above half the cube mirrored. */
static double ks_marginal(double *x, int32_t m, double s)
{
        enum { NGRID = 1000 };
        bool mirrored = s > 0.5 * m;
        for (int32_t i = 0; i < NSAMPLE && mirrored; i++)
                x[i] = 1 - x[i];
        qsort(x, NSAMPLE, sizeof(*x), ascending);
        double distance = 0;
        for (int32_t g = 1, below = 0; g < NGRID; g++) {
                double at = g / (double)NGRID;
                while (below < NSAMPLE && x[below] <= at)
                        below++;
                double p = marginal(m, mirrored ? m - s : s, at);
                distance = fmax(distance, fabs(p - below / (double)NSAMPLE));
        }
        return distance;
}

static void compare_with_theory(int32_t n, double imbalance)
{
        static double place[3][NSAMPLE], x[NMAX];
        int32_t m = n - 1, k = m / 3;
        double s = n / imbalance - 1, square = 0;
        for (int32_t i = 0; i < NSAMPLE; i++) {
                others(x, n, imbalance, (uint64_t)i);
                double part = 0;
                for (int32_t j = 0; j < k; j++)
                        part += x[j] - s / m;
                square += part * part;
                place[0][i] = x[0];
                place[1][i] = x[m / 2 + 3];
                place[2][i] = x[m - 1];
        }
        for (int j = 0; j < 3; j++)
                assert_true(ks_marginal(place[j], m, s) < ks_limit / sqrt(NSAMPLE));
        double variance = marginal_variance(m, fmin(s, m - s));
        double expected = k * variance * (m - k) / (m - 1); /* equal covariances that add up to 0 */
        assert_true(fabs(square / NSAMPLE / expected - 1) < 0.04);
}

/*
 * Many appranks: single loads follow the distribution of a uniform given the sum of all
 * (Irwin-Hall), at the beginning, middle and end, and sums of a third of them have the variance
 * that follows.
 */
static void test_many_as_theory(void **state)
{
        (void)state;
        compare_with_theory(64, 1.2);
        compare_with_theory(64, 2.07);
        compare_with_theory(64, 10);
        compare_with_theory(300, 40);
        compare_with_theory(300, 1.03);
}

/* The worst is at every place equally often (chi-square, 15 degrees of freedom). */
static void test_worst_place(void **state)
{
        (void)state;
        double x[16], count[16] = { 0 }, chi = 0;
        for (int32_t i = 0; i < NSAMPLE; i++)
                count[others(x, 16, 3.1, (uint64_t)i)]++;
        for (int i = 0; i < 16; i++)
                chi += (count[i] - NSAMPLE / 16.0) * (count[i] - NSAMPLE / 16.0) / (NSAMPLE / 16.0);
        assert_true(chi < 41); /* p = 0.0003 */
}

static void check_vector(int32_t n, double imbalance, uint64_t stream)
{
        static double load[NMAX];
        struct lb_error err;
        assert_int_equal(load_uniform(load, n, 12.5, imbalance, 3, stream, &err), 0);
        double sum = 0, max = 0;
        for (int32_t i = 0; i < n; i++) {
                assert_true(load[i] >= 0);
                sum += load[i];
                max = fmax(max, load[i]);
        }
        assert_true(max == 12.5 * imbalance);
        assert_true(fabs(sum / (12.5 * n) - 1) < 1e-12);
        assert_true(fabs(load_imbalance(load, n) / imbalance - 1) < 1e-12);
}

/* Sum and maximum are as asked at any size and imbalance, the extremes and their neighbours too. */
static void test_sum_and_maximum(void **state)
{
        (void)state;
        static const int32_t sizes[] = { 1, 2, 3, 5, 33, 34, 65, 256, 4096 };
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
                int32_t n = sizes[i];
                double near[] = { 1,
                                  1 + DBL_EPSILON,
                                  1 + 1e-12,
                                  1.001,
                                  1.2,
                                  0.5 * n,
                                  0.51 * n,
                                  0.9 * n,
                                  n - 1e-3,
                                  n * (1 - 1e-12),
                                  n * (1 - DBL_EPSILON),
                                  n };
                for (size_t j = 0; j < sizeof(near) / sizeof(near[0]); j++)
                        for (uint64_t stream = 0; stream < 4; stream++)
                                check_vector(n, fmin(fmax(near[j], 1), n), stream);
        }
}

/* Imbalance 1 is all equal, imbalance n is all work on one. */
static void test_extremes(void **state)
{
        (void)state;
        double load[100];
        struct lb_error err;
        assert_int_equal(load_uniform(load, 100, 50, 1, 1, 0, &err), 0);
        for (int i = 0; i < 100; i++)
                assert_true(load[i] == 50);
        assert_int_equal(load_uniform(load, 100, 50, 100, 1, 0, &err), 0);
        int nzero = 0;
        for (int i = 0; i < 100; i++)
                nzero += load[i] == 0;
        assert_int_equal(nzero, 99);
        assert_int_equal(load_uniform(load, 100, 0, 2, 1, 0, &err), 0);
        assert_true(load_imbalance(load, 100) == 1);
}

/* The same seed and stream give the same loads; another seed or stream others. */
static void test_deterministic(void **state)
{
        (void)state;
        double a[100], b[100];
        struct lb_error err;
        assert_int_equal(load_uniform(a, 100, 50, 2.07, 5, 1, &err), 0);
        assert_int_equal(load_uniform(b, 100, 50, 2.07, 5, 1, &err), 0);
        assert_memory_equal(a, b, sizeof(a));
        assert_int_equal(load_uniform(b, 100, 50, 2.07, 5, 2, &err), 0);
        assert_memory_not_equal(a, b, sizeof(a));
        assert_int_equal(load_uniform(b, 100, 50, 2.07, 6, 1, &err), 0);
        assert_memory_not_equal(a, b, sizeof(a));
}

/* Impossible requests are input errors that say what was found and what is allowed. */
static void test_refused(void **state)
{
        (void)state;
        static const struct {
                int32_t n;
                double mean, imbalance;
                const char *text;
        } cases[] = {
                { 4, 50, 4.5, "found 4.5, allowed is 1 to 4" },
                { 4, 50, 0.99, "found 0.99, allowed is 1 to 4" },
                { 4, 50, NAN, "found nan, allowed is 1 to 4" },
                { 4, -1, 2, "found -1, allowed is a number from 0" },
                { 4, 1e308, 3, "allowed is a number from 0" },
                { 0, 50, 1, "found 0 loads, allowed is at least 1" },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                double load[4];
                struct lb_error err = { 0 };
                assert_int_equal(
                    load_uniform(load, cases[i].n, cases[i].mean, cases[i].imbalance, 1, 0, &err),
                    -1);
                assert_int_equal(err.kind, LB_ERROR_INPUT);
                assert_non_null(strstr(err.text, cases[i].text));
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_small_as_rejection), cmocka_unit_test(test_hexagon),
                cmocka_unit_test(test_many_as_theory),     cmocka_unit_test(test_worst_place),
                cmocka_unit_test(test_sum_and_maximum),    cmocka_unit_test(test_extremes),
                cmocka_unit_test(test_deterministic),      cmocka_unit_test(test_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
