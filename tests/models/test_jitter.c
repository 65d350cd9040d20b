/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors of jitter are quantiles of their distributions, as GSL has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "models/jitter.h"

enum { PER_DECADE = 37, DECADES = 9 };

/* The distribution function at x, of the lower or the upper tail. */
static double tail_of(const struct jitter *j, double x, bool upper)
{
        switch (j->kind) {
        case JITTER_UNIFORM:
                return (upper ? gsl_cdf_flat_Q : gsl_cdf_flat_P)(x, j->a, j->b);
        case JITTER_LOGNORMAL:
                return (upper ? gsl_cdf_lognormal_Q : gsl_cdf_lognormal_P)(x, j->a, j->b);
        case JITTER_EXPONENTIAL:
                return (upper ? gsl_cdf_exponential_Q : gsl_cdf_exponential_P)(x - j->a, j->b);
        case JITTER_GAMMA:
                return (upper ? gsl_cdf_gamma_Q : gsl_cdf_gamma_P)(x, j->a, j->b);
        default: /* gaussian, cut off at 0 and 2 */
                return ((upper ? gsl_cdf_gaussian_Q : gsl_cdf_gaussian_P)(x - 1, j->a) - j->b) /
                       (1 - 2 * j->b);
        }
}

/* The place of x in the distribution by bisection, which depends on GSL's functions alone. */
static double inverse(const struct jitter *j, double tail, bool upper)
{
        double low = 0, high = 2;
        while (j->kind != JITTER_GAUSSIAN && tail_of(j, high, true) > (upper ? tail : 1e-3))
                high *= 2;
        for (int i = 0; i < 200; i++) {
                double middle = i < 100 && low > 0 ? sqrt(low * high) : 0.5 * (low + high);
                bool below = tail_of(j, middle, upper) < tail;
                if (below != upper)
                        low = middle;
                else
                        high = middle;
        }
        return 0.5 * (low + high);
}

static double factor_at(const struct jitter *j, double tail, bool upper, double *exact_tail)
{
        uint64_t bits = (uint64_t)(tail * 0x1.0p52) << 12;
        *exact_tail = ((double)(bits >> 12) + 0.5) * 0x1.0p-52;
        bits = upper ? ~bits : bits;
        double factor;
        jitter_factors(j, &bits, 1, &factor);
        return factor;
}

static void check_tail(const struct jitter *j, double tail, bool upper)
{
        double factor = factor_at(j, tail, upper, &tail);
        double x = inverse(j, tail, upper);
        if (fabs(tail_of(j, factor, upper) - tail) > 1e-6 || fabs(factor - x) > 1e-6 * x)
                fail_msg("%s of %.6g: at %s tail %.9g found %.15g, wanted %.15g",
                         jitter_names[j->kind], j->a, upper ? "upper" : "lower", tail, factor, x);
}

/* From 1e-9 to 1 - 1e-9 the tables are right to 1e-6, in probability and relative in value. */
static void test_quantiles(void **state)
{
        (void)state;
        static const struct {
                enum jitter_kind kind;
                double cv;
        } cases[] = {
                { JITTER_GAUSSIAN, 0.001 },  { JITTER_GAUSSIAN, 0.1 },   { JITTER_GAUSSIAN, 0.3 },
                { JITTER_GAUSSIAN, 0.5 },    { JITTER_LOGNORMAL, 0.02 }, { JITTER_LOGNORMAL, 0.1 },
                { JITTER_LOGNORMAL, 1 },     { JITTER_LOGNORMAL, 3 },    { JITTER_GAMMA, 0.0069 },
                { JITTER_GAMMA, 0.0385 },    { JITTER_GAMMA, 0.1 },      { JITTER_GAMMA, 0.7 },
                { JITTER_GAMMA, 1 },         { JITTER_GAMMA, 2.1 },      { JITTER_UNIFORM, 0.3 },
                { JITTER_EXPONENTIAL, 0.4 },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct jitter jitter;
                struct lb_error err;
                assert_int_equal(jitter_init(&jitter, cases[i].kind, cases[i].cv, &err), 0);
                assert_true(quantile_has(&jitter.table, 1e-9));
                for (int t = 0; t < DECADES * PER_DECADE; t++) {
                        double tail = 1e-9 * pow(10, (double)t / PER_DECADE);
                        check_tail(&jitter, 0.499 * tail + 0.6e-9, false);
                        check_tail(&jitter, 0.499 * tail + 0.6e-9, true);
                }
                jitter_finish(&jitter);
        }
}

/* Tails beyond the table and distributions that have none are asked of GSL one by one. */
static void test_beyond(void **state)
{
        (void)state;
        struct jitter jitter;
        struct lb_error err;
        double tail;
        assert_int_equal(jitter_init(&jitter, JITTER_LOGNORMAL, 0.1, &err), 0);
        assert_false(quantile_has(&jitter.table, 1e-10));
        double far = factor_at(&jitter, 1e-10, true, &tail);
        assert_true(fabs(tail_of(&jitter, far, true) / tail - 1) < 1e-9);
        jitter_finish(&jitter);
        assert_int_equal(jitter_init(&jitter, JITTER_GAMMA, 10, &err), 0);
        assert_false(quantile_has(&jitter.table, 0.1));
        far = factor_at(&jitter, 0.01, true, &tail);
        assert_true(fabs(tail_of(&jitter, far, true) / tail - 1) < 1e-9);
        jitter_finish(&jitter);
}

/* Those of one kind and width have one table, and keep it while others come and go. */
static void test_shared(void **state)
{
        (void)state;
        struct jitter first, second, other;
        struct lb_error err;
        double tail;
        assert_int_equal(jitter_init(&first, JITTER_LOGNORMAL, 0.5, &err), 0);
        double before = factor_at(&first, 0.3, true, &tail);
        for (int i = 1; i <= 50; i++) {
                assert_int_equal(jitter_init(&other, JITTER_LOGNORMAL, 1 + 0.01 * i, &err), 0);
                assert_ptr_not_equal(other.table.cubic, first.table.cubic);
                jitter_finish(&other);
        }
        assert_int_equal(jitter_init(&second, JITTER_LOGNORMAL, 0.5, &err), 0);
        assert_ptr_equal(second.table.cubic, first.table.cubic);
        jitter_finish(&second);
        assert_true(factor_at(&first, 0.3, true, &tail) == before);
        jitter_finish(&first);
        assert_int_equal(jitter_init(&other, JITTER_GAMMA, 0.5, &err), 0);
        assert_true(fabs(factor_at(&other, 0.3, true, &tail) - before) > 1e-3);
        jitter_finish(&other);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_quantiles),
                cmocka_unit_test(test_beyond),
                cmocka_unit_test(test_shared),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
