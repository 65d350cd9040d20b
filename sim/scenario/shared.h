/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SCENARIO_SHARED_H
#define LB_SIM_SCENARIO_SHARED_H

#include "sim/scenario/scenario.h"

struct graph;
struct workload;
struct floor_ratio;
struct sim_spec;

/*
 * What the runs of a sweep have in common, made by the first that needs it, on its thread, and
 * read-only from then on. All but create and destroy may be called by any thread.
 *
 * - Graphs, made or read from the cache, one for all points that have the same, one at a time,
 * because igraph keeps global state.
 * - Workloads, one for all points and systems with the same parameters and seed. Those in use stay,
 * and of the others those used last, up to 256 MiB.
 */
struct point_shared;
struct point_shared *point_shared_create(const struct scenario *scenario, struct lb_error *err);
void point_shared_destroy(struct point_shared *shared); /* takes NULL */

/* Threads that a run may use, one unless this says otherwise; and why one that might have used
 * several did not, NULL: none. */
void shared_divide(struct point_shared *shared, int32_t threads);
const char *shared_undivided(const struct point_shared *shared);
void shared_set_threads(struct point_shared *shared, struct sim_spec *spec); /* of a run */

/* The graph of a point, which stays `shared`'s; NULL on failure. */
const struct graph *shared_graph(struct point_shared *shared, int64_t point, struct lb_error *err);

/* Make those of all points, for who cannot deal with a failure later. */
int shared_graphs_all(struct point_shared *shared, struct lb_error *err) LB_MUST_CHECK;

/* The graph of a point that has been made. */
const struct graph *shared_graph_made(const struct point_shared *shared, int64_t point);

/* The workload of a point and seed, to be returned when no longer needed; NULL on failure. */
const struct workload *shared_workload(struct point_shared *shared,
                                       const struct scenario_point *point, uint64_t seed,
                                       struct lb_error *err);

/* What its tasks allow in the last third, on a point's cores, whose nodes have speed[]; found by
 * the first that asks, as long as the workload stays. */
int shared_floor(struct point_shared *shared, const struct workload *workload,
                 const struct scenario_point *point, const double *speed, struct floor_ratio *ratio,
                 struct lb_error *err) LB_MUST_CHECK;

/* The work of each apprank in the iterations of the last third as it is drawn, ns,
 * [iterations][napprank], to be used until the workload is returned; NULL where all tasks of an
 * apprank last alike, or these are more than SHARED_DRAWN_MAX: it is what the workload means, then,
 * or next to it. */
enum { SHARED_DRAWN_MAX = 1 << 22 };
int shared_drawn(struct point_shared *shared, const struct workload *workload,
                 const double **drawn_ns, struct lb_error *err) LB_MUST_CHECK;

void shared_workload_return(struct point_shared *shared,
                            const struct workload *workload); /* takes NULL */

#endif
