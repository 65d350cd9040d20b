/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_HOST_OBSERVE_H
#define LB_POLICIES_HOST_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * What can be seen of a run, simulated or live, as it goes on: states of cores and figures of
 * workers. Hosts tell an observer; what writes it down (plots/trace.h) is its sink. States and
 * figures are the same for all hosts, and so are their colours.
 *
 * - Times are ns from the start, and do not go back.
 * - A worker is a process on a node, as the host numbers them. Every worker of a node sees every
 *   core of it; at most one of them runs something there.
 * - Where a host polls, it tells figures at polls. One without polls has them derived
 *   (observer_derives()): owned cores at once, busy cores and node imbalance as means over each
 *   iteration, from the states alone.
 */

/* Of a core, for a worker. */
enum observed_state {
        OBSERVED_ABSENT = 0, /* the core is not with this worker */
        OBSERVED_IDLE,
        OBSERVED_TASK, /* runs a task, or a part of a parallel region */
        OBSERVED_MAIN, /* the apprank's main program, creation of tasks, what is not parallel */
        OBSERVED_LENT, /* owned by the worker, lent or freed and not used by it */
        OBSERVED_NSTATE
};

/* Of a worker. */
enum observed_figure {
        OBSERVED_OWNED_CORES,
        OBSERVED_BORROWED_CORES,
        OBSERVED_BUSY_CORES,      /* mean since the last poll or iteration, rounded */
        OBSERVED_HELD_TASKS,      /* of the worker's apprank; given for home workers */
        OBSERVED_OFFLOADED_TASKS, /* of the apprank, assigned elsewhere and not finished */
        OBSERVED_NODE_IMBALANCE,  /* observed_imbalance() of the busy cores; worker 0 */
        OBSERVED_ITERATION,       /* that begins, from 0 on; worker 0 */
        OBSERVED_MOVED_BYTES,     /* between nodes, in the iteration that ends; worker 0 */
        OBSERVED_SHARED_BY,       /* processes on the CPU of the worker's apprank; home workers */
        OBSERVED_NFIGURE
};

/* What people read of a figure, its unit included. */
extern const char *const observed_figure_names[OBSERVED_NFIGURE];

/* Who writes it down. */
struct observer_sink {
        void *sink;
        void (*core)(void *sink, int64_t time_ns, int32_t worker, int32_t core,
                     enum observed_state state);
        void (*figure)(void *sink, int64_t time_ns, int32_t worker, enum observed_figure figure,
                       int64_t number);
};

struct observer; /* opaque */

/* worker_node[nworker] is copied. */
struct observer *observer_create(const struct observer_sink *sink, int32_t nnode,
                                 int32_t cores_per_node, int32_t nworker,
                                 const int32_t *worker_node, struct lb_error *err);
void observer_destroy(struct observer *o); /* takes NULL; leaves the sink alone */

/* From now on figures follow from states. To be asked for before the first state. */
void observer_derives(struct observer *o);

/* ---- What hosts tell ---- */

enum { OBSERVED_NOBODY = -1 };

/*
 * A core (0 .. cores_per_node-1) of a node, from now on: whose it is, who has it (NOBODY: its
 * owner), and what that one does with it. An owner whose core another one has sees it lent. Both
 * may be NOBODY: on its way between two owners. Equal news are no news.
 */
void observe_core(struct observer *o, int64_t time_ns, int32_t node, int32_t core, int32_t owner,
                  int32_t user, enum observed_state state);

/* The same from a worker that sees the cores of its node from its own side, as live ones do: what
 * one of them is for it from now on. Not for figures that are derived. */
void observe_sight(struct observer *o, int64_t time_ns, int32_t worker, int32_t core,
                   enum observed_state state);

void observe_figure(struct observer *o, int64_t time_ns, int32_t worker,
                    enum observed_figure figure, double number);

/* The busy cores of all workers have been told: the figure of their nodes' imbalance. */
void observe_imbalance(struct observer *o, int64_t time_ns);

/* An iteration is over, in which so much data was moved; the next, with this number, may begin. */
void observe_iteration(struct observer *o, int64_t time_ns, int32_t next, double moved_bytes);

/* What OBSERVED_NODE_IMBALANCE shows of node_busy[nnode] (cores; may be sums of workers): max /
 * mean in thousandths, 1000 where nothing is busy. */
int64_t observed_imbalance(const double *node_busy, int32_t nnode);

#endif
