/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/jitter.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

const char *const jitter_names[] = {
        [JITTER_NONE] = "none",
        [JITTER_UNIFORM] = "uniform",
        [JITTER_GAUSSIAN] = "gaussian",
        [JITTER_LOGNORMAL] = "lognormal",
        [JITTER_EXPONENTIAL] = "exponential",
        [JITTER_GAMMA] = "gamma",
        [JITTER_NKIND] = NULL,
};

/* Standard deviation of a normal distribution of mean 1 and this sigma cut off at 0 and 2. */
static double cut_deviation(double sigma)
{
        double end = 1 / sigma;
        double mass = 1 - 2 * gsl_cdf_ugaussian_Q(end);
        return sigma * sqrt(1 - 2 * end * gsl_ran_ugaussian_pdf(end) / mass);
}

/* The sigma whose cut-off deviation is cv, 0 < cv <= 0.5, by bisection: it grows with sigma. */
static double cut_sigma(double cv)
{
        double low = cv, high = 2;
        for (int i = 0; i < 60; i++) {
                double middle = 0.5 * (low + high);
                if (cut_deviation(middle) < cv)
                        low = middle;
                else
                        high = middle;
        }
        return high;
}

/* The constants of each distribution, and the largest cv it can have without going below 0. */
static void uniform_set(struct jitter *jitter, double cv)
{
        jitter->a = 1 - sqrt(3) * cv;
        jitter->b = 1 + sqrt(3) * cv;
}

static void gaussian_set(struct jitter *jitter, double cv)
{
        jitter->a = cut_sigma(cv);
        jitter->b = gsl_cdf_ugaussian_Q(1 / jitter->a); /* mass cut off at either end */
}

static void lognormal_set(struct jitter *jitter, double cv)
{
        double variance = log1p(cv * cv);
        jitter->a = -0.5 * variance;
        jitter->b = sqrt(variance);
}

static void exponential_set(struct jitter *jitter, double cv)
{
        jitter->a = 1 - cv;
        jitter->b = cv;
}

static void gamma_set(struct jitter *jitter, double cv)
{
        jitter->a = 1 / (cv * cv);
        jitter->b = cv * cv;
}

/*
 * Quantiles, by the probability of the lower or of the upper tail, and densities.
 */
static double uniform_at(const struct jitter *jitter, double tail, bool upper)
{
        return (upper ? gsl_cdf_flat_Qinv : gsl_cdf_flat_Pinv)(tail, jitter->a, jitter->b);
}

static double uniform_density(const struct jitter *jitter, double x)
{
        (void)x;
        return 1 / (jitter->b - jitter->a);
}

static double gaussian_at(const struct jitter *jitter, double tail, bool upper)
{
        double whole = jitter->b + tail * (1 - 2 * jitter->b);
        return 1 + (upper ? gsl_cdf_gaussian_Qinv : gsl_cdf_gaussian_Pinv)(whole, jitter->a);
}

static double gaussian_density(const struct jitter *jitter, double x)
{
        return gsl_ran_gaussian_pdf(x - 1, jitter->a) / (1 - 2 * jitter->b);
}

static double lognormal_at(const struct jitter *jitter, double tail, bool upper)
{
        return (upper ? gsl_cdf_lognormal_Qinv : gsl_cdf_lognormal_Pinv)(tail, jitter->a,
                                                                         jitter->b);
}

static double lognormal_density(const struct jitter *jitter, double x)
{
        return gsl_ran_lognormal_pdf(x, jitter->a, jitter->b);
}

static double exponential_at(const struct jitter *jitter, double tail, bool upper)
{
        double (*inverse)(double, double) =
            upper ? gsl_cdf_exponential_Qinv : gsl_cdf_exponential_Pinv;
        return jitter->a + inverse(tail, jitter->b);
}

static double exponential_density(const struct jitter *jitter, double x)
{
        return gsl_ran_exponential_pdf(fmax(x - jitter->a, 0), jitter->b);
}

/*
 * A first guess of a gamma's quantile. GSL's inverse does not converge for every u where the shape
 * is large (seen up to cv 0.02), so for narrow gammas it is Wilson and Hilferty's (1931): the cube
 * of a normal variable. Below cv 0.007 that is right to 3e-7 in probability, whereas GSL's
 * distribution function scatters by 1e-5 (seen at cv 0.002), so that there it is taken as it is.
 */
static const double gamma_narrow = 0.05 * 0.05, gamma_normal = 0.007 * 0.007; /* cv^2 */

static double gamma_guess(const struct jitter *jitter, double tail, bool upper)
{
        if (jitter->b >= gamma_narrow)
                return (upper ? gsl_cdf_gamma_Qinv : gsl_cdf_gamma_Pinv)(tail, jitter->a,
                                                                         jitter->b);
        double variance = jitter->b / 9;
        double root = 1 - variance +
                      (upper ? gsl_cdf_gaussian_Qinv : gsl_cdf_gaussian_Pinv)(tail, sqrt(variance));
        return root * root * root;
}

/* The guess, mended by Newton's method on the logarithm of the tail, which is all but straight. */
static double gamma_at(const struct jitter *jitter, double tail, bool upper)
{
        double x = gamma_guess(jitter, tail, upper), shape = jitter->a, scale = jitter->b;
        for (int i = 0; i < 8 && scale >= gamma_normal; i++) {
                double is = (upper ? gsl_cdf_gamma_Q : gsl_cdf_gamma_P)(x, shape, scale);
                double density = gsl_ran_gamma_pdf(x, shape, scale);
                double step = log(is / tail) * is / density * (upper ? 1 : -1);
                if (!isfinite(step) || !(x + step > 0))
                        break;
                x += step;
                if (fabs(step) <= 1e-12 * x)
                        break;
        }
        return x;
}

static double gamma_density(const struct jitter *jitter, double x)
{
        return gsl_ran_gamma_pdf(x, jitter->a, jitter->b);
}

static const struct kind {
        double cv_max;
        void (*set)(struct jitter *jitter, double cv);
        double (*at)(const struct jitter *jitter, double tail, bool upper);
        double (*density)(const struct jitter *jitter, double x);
} kinds[] = {
        [JITTER_UNIFORM] = { 0.577, uniform_set, uniform_at, uniform_density },
        [JITTER_GAUSSIAN] = { 0.5, gaussian_set, gaussian_at, gaussian_density },
        [JITTER_LOGNORMAL] = { INFINITY, lognormal_set, lognormal_at, lognormal_density },
        [JITTER_EXPONENTIAL] = { 1, exponential_set, exponential_at, exponential_density },
        [JITTER_GAMMA] = { INFINITY, gamma_set, gamma_at, gamma_density },
};

static double at(const void *of, double tail, bool upper)
{
        const struct jitter *jitter = of;
        double factor = kinds[jitter->kind].at(jitter, tail, upper);
        return factor > 0 ? factor : 0; /* NaN: a gamma of so large a cv that it underflows */
}

static double density(const void *of, double x)
{
        const struct jitter *jitter = of;
        return kinds[jitter->kind].density(jitter, x);
}

/*
 * Tables, the last that was asked for first. They depend on kind and cv alone, and replicates and
 * most points have these in common, so each is made once (up to 0.2 s for a wide gamma). Those that
 * nobody uses are kept until there are TABLES_KEPT later ones.
 */
enum { TABLES_KEPT = 16 };

struct jitter_table {
        struct jitter_table *next;
        enum jitter_kind kind;
        double cv;
        int32_t nuser;
        struct quantile quantile;
};

static struct jitter_table *tables;
static pthread_mutex_t tables_lock = PTHREAD_MUTEX_INITIALIZER;

static struct jitter_table *table_unlink(enum jitter_kind kind, double cv)
{
        for (struct jitter_table **at = &tables; *at; at = &(*at)->next) {
                struct jitter_table *table = *at;
                if (table->kind != kind || table->cv < cv || table->cv > cv)
                        continue;
                *at = table->next;
                return table;
        }
        return NULL;
}

static struct jitter_table *table_make(const struct jitter *jitter, double cv)
{
        struct jitter_table *table = calloc(1, sizeof(*table));
        if (!table)
                return NULL;
        table->kind = jitter->kind;
        table->cv = cv;
        quantile_make(&table->quantile, &(struct quantile_of){ at, density, jitter });
        return table;
}

static void tables_trim(void)
{
        int32_t nth = 0;
        for (struct jitter_table **end = &tables; *end;) {
                struct jitter_table *table = *end;
                if (++nth <= TABLES_KEPT || table->nuser > 0) {
                        end = &table->next;
                        continue;
                }
                *end = table->next;
                quantile_finish(&table->quantile);
                free(table);
        }
}

/* The jitter's table is made by whoever comes first, while the others wait. Without memory there is
 * none. */
static void table_take(struct jitter *jitter, double cv)
{
        pthread_mutex_lock(&tables_lock);
        struct jitter_table *table = table_unlink(jitter->kind, cv);
        if (!table)
                table = table_make(jitter, cv);
        if (table) {
                table->nuser++;
                table->next = tables;
                tables = table;
                tables_trim();
                jitter->shared = table;
                jitter->table = table->quantile;
        }
        pthread_mutex_unlock(&tables_lock);
}

int jitter_init(struct jitter *jitter, enum jitter_kind kind, double cv, struct lb_error *err)
{
        /*
         * The one place of this room that turns off GSL's handler, which aborts: the functions used
         * then return NaN, which at() translates.
         */
        gsl_set_error_handler_off();
        *jitter = (struct jitter){ .kind = cv > 0 ? kind : JITTER_NONE };
        if (jitter->kind == JITTER_NONE)
                return 0;
        if (!(cv <= kinds[kind].cv_max))
                return lb_error_set(err,
                                    "jitter_cv: found %.10g, allowed with jitter \"%s\" is 0 to "
                                    "%.10g",
                                    cv, jitter_names[kind], kinds[kind].cv_max);
        kinds[kind].set(jitter, cv);
        table_take(jitter, cv);
        return 0;
}

void jitter_finish(struct jitter *jitter)
{
        if (!jitter->shared)
                return;
        pthread_mutex_lock(&tables_lock);
        jitter->shared->nuser--;
        pthread_mutex_unlock(&tables_lock);
        jitter->shared = NULL;
}

void jitter_factors(const struct jitter *jitter, const uint64_t *bits, int32_t count,
                    double *factor)
{
        const struct quantile table = jitter->table; /* a copy, which at() cannot change */
        for (int32_t i = 0; i < count; i++) {
                uint64_t upper = bits[i] >> 63;
                uint64_t lower = (bits[i] ^ (0 - upper)) >> 12;
                double tail = ((double)(int64_t)lower + 0.5) * 0x1.0p-52; /* in (0, 1/2), exactly */
                factor[i] = quantile_has(&table, tail) ? quantile_at(&table, tail, upper)
                                                       : at(jitter, tail, upper);
        }
}
