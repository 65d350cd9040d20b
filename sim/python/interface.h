/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_PYTHON_INTERFACE_H
#define LB_SIM_PYTHON_INTERFACE_H

#include <stdint.h>

/*
 * Scenarios run from another language, and their results where they lie: no copies. What stands
 * between the lines "begin" and "end" is plain C that cffi reads (sim/python/lbsim/__init__.py).
 *
 * - One thread at a time. Functions that can fail return NULL or -1, and lbsim_error() says why.
 * - All that is returned belongs to the run, and is gone with lbsim_close().
 */

/* begin */
struct lbsim; /* a scenario, and once it ran its results */

const char *lbsim_error(void); /* of the call that failed last */
const char *lbsim_version(void);

/* Metrics: how many, and the name of each (NULL beyond the last). */
int32_t lbsim_nmetric(void);
const char *lbsim_metric_name(int32_t metric);

/* Open a scenario; set[nset] as --set PATH=VALUE. */
struct lbsim *lbsim_open(const char *file, const char *const *set, int32_t nset);
void lbsim_close(struct lbsim *run);
int64_t lbsim_npoint(const struct lbsim *run);
int32_t lbsim_nreplicate(const struct lbsim *run);
int32_t lbsim_ncolumn(const struct lbsim *run); /* swept paths */
const char *lbsim_column(const struct lbsim *run, int32_t column);
const char *lbsim_value(const struct lbsim *run, int64_t point, int32_t column);

/* Simulate all points on so many threads; once for each run. */
int lbsim_simulate(struct lbsim *run, int32_t jobs);

/* Metrics of point 0, replicate 0; those of the next replicate are *stride bytes on, and those of
 * the next point behind all replicates of the first. NaN: no meaning, or, in all of them, a run
 * that a scenario with `precision` did not need. */
const double *lbsim_metrics(const struct lbsim *run, int64_t *stride);

/* Of one run: seconds of each iteration; with output.series_s and output.workers the busy and the
 * owned cores, [nsample][nworker], or NULL. */
const double *lbsim_iterations(const struct lbsim *run, int64_t point, int32_t replicate,
                               int32_t *count);
const float *lbsim_busy(const struct lbsim *run, int64_t point, int32_t replicate, int32_t *nsample,
                        int32_t *nworker);
const int32_t *lbsim_owned(const struct lbsim *run, int64_t point, int32_t replicate,
                           int32_t *nsample, int32_t *nworker);

/*
 * A policy that is called back, for trying out: system "python", which decides on the cores of one
 * node at a time, with LeWI. busy_cores[nworker] were measured last, owned_cores[nworker] are
 * owned; writes target[nworker], at least 1 each, `cores` together. Returns 0, or -1: then, and
 * where the target is not allowed, cores stay as they are and lbsim_simulate() fails with the first
 * such message.
 */
typedef int lbsim_decide(int32_t nworker, int32_t cores, const double *busy_cores,
                         const int32_t *owned_cores, int32_t *target);
int lbsim_policy(lbsim_decide *decide);
/* end */

#endif
