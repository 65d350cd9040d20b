/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SCENARIO_POINT_H
#define LB_SIM_SCENARIO_POINT_H

#include "sim/scenario/scenario.h"
#include "sim/engine/sim.h"

/* From a point of a scenario to a simulated run. */

struct point_shared; /* sim/scenario/shared.h */

/* The seed of one replicate (0 ..) of a scenario: common to all points, so that all see the same
 * work. */
uint64_t point_seed(const struct scenario *scenario, int32_t replicate);

/* Run one replicate of one point. Thread-safe. */
int point_run(const struct scenario *scenario, struct point_shared *shared, int64_t point,
              int32_t replicate, struct sim_result *result, const volatile int *stop,
              struct lb_error *err) LB_MUST_CHECK;

/* The same, traced. */
int point_trace(const struct scenario *scenario, struct point_shared *shared, int64_t point,
                int32_t replicate, const struct sim_trace *trace, struct sim_result *result,
                const volatile int *stop, struct lb_error *err) LB_MUST_CHECK;

/* Speed of each node over the machine's: fills speed[nnode]; later entries of the platform's list
 * go before earlier ones. */
void point_node_speeds(const struct scenario_point *point, int32_t nnode, double *speed);

/* Simulated core-tasks of a point, to start long points first and to show progress. */
double point_cost(const struct scenario *scenario, int64_t point);

#endif
