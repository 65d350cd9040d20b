/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/jitter.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>

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

static double uniform_at(const struct jitter *jitter, double u)
{
        return gsl_cdf_flat_Pinv(u, jitter->a, jitter->b);
}

static double gaussian_at(const struct jitter *jitter, double u)
{
        return 1 + gsl_cdf_gaussian_Pinv(jitter->b + u * (1 - 2 * jitter->b), jitter->a);
}

static double lognormal_at(const struct jitter *jitter, double u)
{
        return gsl_cdf_lognormal_Pinv(u, jitter->a, jitter->b);
}

static double exponential_at(const struct jitter *jitter, double u)
{
        return jitter->a + gsl_cdf_exponential_Pinv(u, jitter->b);
}

/*
 * GSL's inverse does not converge for every u where the shape is large (seen up to cv 0.02), so
 * narrow gammas are Wilson and Hilferty's (1931): the cube of a normal variable. Its mean is 1
 * within (cv / 3)^6, its quantiles are off by less than 0.02 cv out to probabilities of 1e-15.
 */
static const double gamma_narrow = 0.05 * 0.05; /* cv^2 */

static double gamma_at(const struct jitter *jitter, double u)
{
        if (jitter->b >= gamma_narrow)
                return gsl_cdf_gamma_Pinv(u, jitter->a, jitter->b);
        double variance = jitter->b / 9;
        double root = 1 - variance + gsl_cdf_gaussian_Pinv(u, sqrt(variance));
        return root * root * root;
}

static const struct {
        double cv_max;
        void (*set)(struct jitter *jitter, double cv);
        double (*at)(const struct jitter *jitter, double u);
} kinds[] = {
        [JITTER_UNIFORM] = { 0.577, uniform_set, uniform_at },
        [JITTER_GAUSSIAN] = { 0.5, gaussian_set, gaussian_at },
        [JITTER_LOGNORMAL] = { INFINITY, lognormal_set, lognormal_at },
        [JITTER_EXPONENTIAL] = { 1, exponential_set, exponential_at },
        [JITTER_GAMMA] = { INFINITY, gamma_set, gamma_at },
};

int jitter_init(struct jitter *jitter, enum jitter_kind kind, double cv, struct lb_error *err)
{
        /*
         * The one place of this room that turns off GSL's handler, which aborts: the functions used
         * then return NaN, which jitter_factor() translates.
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
        return 0;
}

double jitter_factor(const struct jitter *jitter, double u)
{
        if (jitter->kind == JITTER_NONE)
                return 1;
        double factor = kinds[jitter->kind].at(jitter, u);
        return factor > 0 ? factor : 0; /* NaN: a gamma of so large a cv that it underflows */
}
