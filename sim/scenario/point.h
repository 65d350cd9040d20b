/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SCENARIO_POINT_H
#define LB_SIM_SCENARIO_POINT_H

#include "sim/scenario/scenario.h"
#include "sim/engine/sim.h"

/* From a point of a scenario to a simulated run. */

/*
 * Graphs of all points, made (or read from the cache) once before the sweep, in one thread because
 * igraph keeps global state; read-only afterwards.
 */
struct point_graphs;
struct point_graphs *point_graphs_create(const struct scenario *scenario, struct lb_error *err);
void point_graphs_destroy(struct point_graphs *graphs);

/* The graph of a point; it belongs to `graphs`. */
const struct graph *point_graph(const struct point_graphs *graphs, int64_t point);

/* The seed of one replicate (0 ..) of a scenario: common to all points, so that all see the same
 * work. */
uint64_t point_seed(const struct scenario *scenario, int32_t replicate);

/* Run one replicate of one point. Thread-safe. */
int point_run(const struct scenario *scenario, const struct point_graphs *graphs, int64_t point,
              int32_t replicate, struct sim_result *result, const volatile int *stop,
              struct lb_error *err) LB_MUST_CHECK;

/* The same, traced. */
int point_trace(const struct scenario *scenario, const struct point_graphs *graphs, int64_t point,
                int32_t replicate, const struct sim_trace *trace, struct sim_result *result,
                const volatile int *stop, struct lb_error *err) LB_MUST_CHECK;

/* Simulated core-tasks of a point, to start long points first and to show progress. */
double point_cost(const struct scenario *scenario, int64_t point);

#endif
