/* SPDX-License-Identifier: BSD-3-Clause */
/* From rows to simulated values: one sweep for each distinct scenario, then arithmetic. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sim/output/published.h"
#include "sim/sweep/sweep.h"

/* A distinct run and what came of it. */
struct study {
        const struct published_run *run;
        int64_t npoint;
        int as;         /* system.as of its first point */
        double *metric; /* [replicates][METRIC_COUNT][npoint] */
};

/* A row's runs: as it is, then with what its cause changes. */
enum { VARIANT_MAX = 1 + PUBLISHED_THEN_MAX };

struct studies {
        struct study *study; /* [2 * VARIANT_MAX * nrow] at most */
        int32_t nstudy, replicates;
        int32_t *of_row[VARIANT_MAX][2]; /* [nrow] study of `run` and of `against`, or -1 */
};

static bool same_run(const struct published_run *a, const struct published_run *b)
{
        bool same = strcmp(a->scenario, b->scenario) == 0 && a->nset == b->nset;
        for (int32_t i = 0; same && i < a->nset; i++)
                same = strcmp(a->set[i], b->set[i]) == 0;
        return same;
}

static int32_t find_study(struct studies *s, const struct published_run *run)
{
        for (int32_t i = 0; i < s->nstudy; i++)
                if (same_run(s->study[i].run, run))
                        return i;
        s->study[s->nstudy].run = run;
        return s->nstudy++;
}

static void collect_variant(struct studies *s, const struct published_row *row, int32_t i, int v,
                            bool wanted)
{
        bool made = wanted && v <= row->then.count;
        const struct published_run *run = v ? &row->then.run[v - 1] : &row->run;
        const struct published_run *against = v ? &row->then.against[v - 1] : &row->against;
        s->of_row[v][0][i] = made ? find_study(s, run) : -1;
        s->of_row[v][1][i] = made && row->as != AS_VALUE ? find_study(s, against) : -1;
}

static int collect(struct studies *s, const struct published *published, const bool *wanted,
                   struct lb_error *err)
{
        size_t nrow = (size_t)published->nrow;
        s->study = calloc(2 * VARIANT_MAX * nrow, sizeof(*s->study));
        bool made = s->study;
        for (int v = 0; v < VARIANT_MAX; v++)
                for (int side = 0; side < 2; side++) {
                        s->of_row[v][side] = calloc(nrow, sizeof(int32_t));
                        made = made && s->of_row[v][side];
                }
        if (!made)
                return lb_error_fail(err, "out of memory");
        for (int32_t i = 0; i < published->nrow; i++)
                for (int v = 0; v < VARIANT_MAX; v++)
                        collect_variant(s, &published->row[i], i, v, wanted[i]);
        return 0;
}

static void release(struct studies *s)
{
        for (int32_t i = 0; s->study && i < s->nstudy; i++)
                free(s->study[i].metric);
        free(s->study);
        for (int v = 0; v < VARIANT_MAX; v++)
                for (int side = 0; side < 2; side++)
                        free(s->of_row[v][side]);
}

/* ---- Simulating ---- */

static int keep(struct study *study, const struct sweep *sweep, struct lb_error *err)
{
        int64_t npoint = sweep->scenario->npoint;
        int32_t replicates = sweep->scenario->replicates;
        study->npoint = npoint;
        study->metric =
            calloc((size_t)(npoint * replicates) * METRIC_COUNT, sizeof(*study->metric));
        if (!study->metric)
                return lb_error_fail(err, "out of memory");
        double *next = study->metric;
        for (int32_t r = 0; r < replicates; r++)
                for (int m = 0; m < METRIC_COUNT; m++)
                        for (int64_t p = 0; p < npoint; p++)
                                *next++ = sweep->result[sweep_place(sweep, p, r)].metric[m];
        return 0;
}

static int simulate_scenario(struct study *study, const struct scenario *scenario,
                             const struct published_options *options, struct lb_error *err)
{
        struct sweep sweep;
        struct sweep_options how = { .jobs = options->jobs, .stop = options->stop };
        if (sweep_run(&sweep, scenario, &how, err) < 0) {
                if (err->kind == LB_ERROR_STOPPED)
                        sweep_finish(&sweep);
                return -1;
        }
        int status = keep(study, &sweep, err);
        sweep_finish(&sweep);
        return status;
}

static bool names_state(const struct published_run *run)
{
        for (int32_t i = 0; i < run->nset; i++)
                if (strncmp(run->set[i], "system.as=", strlen("system.as=")) == 0)
                        return true;
        return false;
}

static int simulate(struct study *study, const char *directory,
                    const struct published_options *options, struct lb_error *err)
{
        char file[LB_PATH_SIZE], replicates[48], state[48];
        const char *set[PUBLISHED_SET_MAX + 3];
        struct scenario scenario;
        if (lb_path(file, err, "%s/%s", directory, study->run->scenario) < 0)
                return -1;
        snprintf(replicates, sizeof(replicates), "replicates=%d", options->replicates);
        memcpy(set, study->run->set, sizeof(study->run->set));
        set[study->run->nset] = replicates;
        set[study->run->nset + 1] = "precision=0"; /* so many, neither more nor fewer */
        struct scenario_options given = { .set = set, .nset = study->run->nset + 2 };
        if (options->state && !names_state(study->run)) {
                snprintf(state, sizeof(state), "system.as=%s", options->state);
                set[given.nset++] = state;
        }
        if (scenario_open(&scenario, file, &given, err) < 0)
                return -1;
        struct scenario_point point;
        int status = scenario_point_get(&scenario, 0, &point, err);
        if (status == 0) {
                study->as = (int)point.value[SECTION_SYSTEM][SYSTEM_AS];
                scenario_point_finish(&point);
                status = simulate_scenario(study, &scenario, options, err);
        }
        scenario_close(&scenario);
        return status;
}

/* ---- Arithmetic ---- */

static double reduce(double *value, int64_t count, enum published_over over)
{
        size_t n = (size_t)count;
        switch (over) {
        case OVER_MAX:
                return gsl_stats_max(value, 1, n);
        case OVER_MIN:
                return gsl_stats_min(value, 1, n);
        case OVER_MEDIAN:
                gsl_sort(value, 1, n);
                return gsl_stats_median_from_sorted_data(value, 1, n);
        case OVER_MEAN:
                break;
        }
        return gsl_stats_mean(value, 1, n);
}

static double of_replicate(const struct study *study, int32_t replicate,
                           const struct published_row *row)
{
        return reduce(study->metric + ((int64_t)replicate * METRIC_COUNT + (int64_t)row->metric) *
                                          study->npoint,
                      study->npoint, row->over);
}

static double row_value(const struct studies *s, int v, int32_t i, const struct published_row *row,
                        int32_t replicate)
{
        double value = of_replicate(&s->study[s->of_row[v][0][i]], replicate, row);
        if (row->as == AS_VALUE)
                return value;
        double ratio = value / of_replicate(&s->study[s->of_row[v][1][i]], replicate, row);
        return row->as == AS_RATIO ? ratio : 1 - ratio;
}

/* Of how many of the sorted draws the value is above; as equal counts what no digit shows. */
static double percentile_of(double value, const double *draw, int32_t n)
{
        double slack = 1e-9 * fabs(value), above = 0;
        if (!(draw[n - 1] - draw[0] > slack))
                return NAN;
        for (int32_t r = 0; r < n; r++)
                above += draw[r] < value - slack ? 1 : draw[r] > value + slack ? 0 : 0.5;
        return above / n;
}

/* Means over draws with what the cause changes, their range; or that of the draws. */
static void add_then(const struct studies *s, int32_t i, const struct published_row *row,
                     struct published_result *result)
{
        bool draws = row->then.from == FROM_DRAW;
        result->then_least = draws ? result->least : NAN;
        result->then_most = draws ? result->most : NAN;
        for (int v = 1; v <= row->then.count; v++) {
                double sum = 0;
                for (int32_t r = 0; r < s->replicates; r++)
                        sum += row_value(s, v, i, row, r);
                result->then_least = fmin(result->then_least, sum / s->replicates);
                result->then_most = fmax(result->then_most, sum / s->replicates);
        }
}

static struct published_result estimate(const struct studies *s, int32_t i,
                                        const struct published_row *row, double *draw)
{
        int32_t n = s->replicates;
        for (int32_t r = 0; r < n; r++)
                draw[r] = row_value(s, 0, i, row, r);
        gsl_sort(draw, 1, (size_t)n);
        double deviation = n > 1 ? gsl_stats_sd(draw, 1, (size_t)n) : NAN;
        return (struct published_result){
                .value = gsl_stats_mean(draw, 1, (size_t)n),
                .half_width = n > 1 ? gsl_cdf_tdist_Pinv(0.975, n - 1) * deviation / sqrt(n) : NAN,
                .least = draw[0],
                .most = draw[n - 1],
                .percentile =
                    row->claim == CLAIM_WITHHELD ? NAN : percentile_of(row->value, draw, n),
                .as = s->study[s->of_row[0][0][i]].as,
        };
}

int published_simulate(const struct published *published, const bool *wanted, const char *directory,
                       const struct published_options *options, struct published_result *result,
                       struct lb_error *err)
{
        struct studies s = { .replicates = options->replicates };
        double *draw = calloc((size_t)options->replicates, sizeof(*draw));
        int status =
            draw ? collect(&s, published, wanted, err) : lb_error_fail(err, "out of memory");
        for (int32_t i = 0; status == 0 && i < s.nstudy; i++) {
                if (options->progress)
                        options->progress(i, s.nstudy);
                status = simulate(&s.study[i], directory, options, err);
        }
        for (int32_t i = 0; status == 0 && i < published->nrow; i++) {
                if (!wanted[i])
                        continue;
                result[i] = estimate(&s, i, &published->row[i], draw);
                add_then(&s, i, &published->row[i], &result[i]);
        }
        free(draw);
        release(&s);
        return status;
}

double published_margin(const struct published_row *row)
{
        return fmax(row->tolerance, row->reading_error);
}

/* Does a range hold what is published? */
static bool range_agrees(const struct published_row *row, double least, double most)
{
        double margin = published_margin(row) * fabs(row->value);
        switch (row->claim) {
        case CLAIM_ABOUT:
                return least <= row->value + margin && most >= row->value - margin;
        case CLAIM_AT_MOST:
                return least <= row->value;
        case CLAIM_AT_LEAST:
                return most >= row->value;
        case CLAIM_WITHHELD:
                break;
        }
        return false;
}

enum published_verdict published_judge(const struct published_row *row,
                                       const struct published_result *result)
{
        if (row->claim == CLAIM_WITHHELD)
                return VERDICT_PREDICTION;
        return range_agrees(row, result->value, result->value) ? VERDICT_AGREES : VERDICT_DIFFERS;
}

bool published_can_compute(const struct published_row *row)
{
        return row->then.count > 0 || row->then.from == FROM_DRAW;
}

bool published_computed(const struct published_row *row, const struct published_result *result)
{
        return published_can_compute(row) && published_judge(row, result) == VERDICT_DIFFERS &&
               range_agrees(row, result->then_least, result->then_most);
}
