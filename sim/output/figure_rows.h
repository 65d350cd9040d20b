/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_FIGURE_ROWS_H
#define LB_SIM_OUTPUT_FIGURE_ROWS_H

#include <stdio.h>

#include "sim/sweep/interval.h"
#include "sim/sweep/sweep.h"

/* The points of a scenario as figures see them (private to figure*.c). */
struct figure_row {
        int64_t point;
        uint64_t work; /* hash of the machine's and the workload's values */
        int32_t nodes, cores, appranks_per_node, degree; /* cores: of a node */
        double imbalance;
        const char *system, *model;
        bool lewi, drom;
        bool slow, slow_least; /* is a node slow, and has it least work? */
        int average_kind;      /* of the global policy: place among the parameter's choices */
        double average_s;      /* and its length */
        double optimal_s;      /* mean over replicates */
        struct interval time_s, ratio; /* of an iteration; over the bound */
};

struct figure_rows {
        int64_t nrow;
        struct figure_row *row; /* [nrow], sorted by nodes, imbalance, degree, point */
};

/* Rows of all points, without results where sweep is NULL; else it is complete. */
int figure_rows_init(struct figure_rows *rows, const struct scenario *scenario,
                     const struct sweep *sweep, struct lb_error *err) LB_MUST_CHECK;
void figure_rows_finish(struct figure_rows *rows);

/* A metric over the finished replicates of a point. */
struct interval figure_interval(const struct sweep *sweep, int64_t point, enum metric metric);

/* How many these are: with `precision` points have unequally many, the first ones. What compares
 * points is of those that all of them have, as further ones are of other work. */
int32_t figure_runs(const struct sweep *sweep, int64_t point);

/* The same of one point's value over another's, replicate by replicate: they had the same work. */
struct interval figure_quotient(const struct sweep *sweep, enum metric metric, int64_t above,
                                int64_t below);

/* And one's value less another's, of the first `runs` replicates, from the mean of the other: where
 * a point is beside one that was as lucky. */
struct interval figure_beside(const struct sweep *sweep, enum metric metric, int64_t point,
                              int64_t other, int32_t runs);

/* " MEAN LOW HIGH" */
void figure_put_interval(FILE *out, struct interval interval);

/* Is any row of this system? */
bool figure_rows_have(const struct figure_rows *rows, const char *system);

#endif
