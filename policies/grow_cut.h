/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_GROW_CUT_H
#define LB_POLICIES_GROW_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/average.h"
#include "policies/grow.h"

/*
 * The graph that growth policy `cut` thinks of, and its optimum (private to grow_cut*.c): helpers
 * are added and dropped in thought, before any is wished for.
 *
 * - A state is one block: struct cut_state, then the arrays that struct cut points to, found anew
 * at each call, so that the block may be copied.
 */
enum { NEVER = -1 };

struct cut_state {
        struct grow_shape shape;
        int32_t degree, nedge; /* of an apprank, of all, at most */
        int32_t keep;          /* workers of an apprank at the start: it goes on to have as many */
        int32_t parts;         /* of a core */
        enum average_kind kind;
        double average_s;
        double gain; /* what counts now: least_gain, or steady_gain where that lasts */
        double least_gain, steady_gain;
        int64_t steady_ns;
        int64_t lacking_since; /* steady_gain has been to be had at every decision, or NEVER */
        int64_t idle_ns, lesser_idle_ns; /* those that came for steady_gain are retired sooner */
};

/* The arrays behind a state. "Slot": place in an apprank's row of `degree` workers, home first. */
struct cut {
        struct cut_state *state;
        struct average *average;
        double *busy, *load; /* [napprank] */

        /* the graph that is thought of */
        int32_t *count;   /* [napprank] workers */
        int32_t *node;    /* [napprank][degree] */
        bool *there;      /* [napprank][degree] running already, and not to be retired yet */
        int64_t *since;   /* [napprank][degree] of no use from then on, or NEVER */
        bool *lesser;     /* [napprank][degree] came for steady_gain */
        int32_t *workers; /* [nnode] of this node; those being retired or started too */
        int32_t *count_before, *node_before; /* as it was: at the last decision, or put aside */
        bool *there_before, *lesser_before;
        int64_t *since_before;

        /* the same as a shape, and its optimum */
        struct lb_shape shape;
        int32_t *apprank_first, *worker_node, *worker_apprank, *node_first, *node_worker;
        bool *worker_home;
        int32_t *units;  /* [nnode] what cores are divided into: all that the node has */
        int32_t *owned;  /* [nworker] units */
        double *missing; /* [napprank] units missing for the goal; < 0: surplus */
        double *surplus; /* [nnode] units beyond what the appranks at home need for the goal */
        bool *apprank_in_cut, *node_in_cut;
        void *workspace;
};

/* Bytes of it all; with a block, which begins with the state, its arrays as well. */
size_t cut_lay_out(struct cut *c, struct cut_state *state, void *block);

/* The graph of a view: the present helpers and those on their way; those that are to go are gone
 * already. What is known of idle helpers is kept. */
void cut_build(struct cut *c, const struct grow_view *view);

/* Add a helper, there already or not; drop the one of a slot, whose place the last of the row
 * takes. */
void cut_put(struct cut *c, struct grow_edge edge, bool there);
void cut_drop(struct cut *c, int32_t apprank, int32_t slot);

/* Put the graph aside, one at a time, and back as it was. */
void cut_put_aside(struct cut *c);
void cut_put_back(struct cut *c);

/*
 * Least work per core of the worst apprank with this graph, where a core is `divided` into so many
 * units; fills shape, owned and what solve_cut() looks at. INFINITY where there is no allocation.
 */
double cut_solve(struct cut *c, int32_t divided);

#endif
