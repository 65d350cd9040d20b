/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_NBODY_H
#define LB_REAL_APPS_NBODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "real/apps/common/options.h"
#include "real/apps/nbody/body.h"
#include "real/apps/nbody/tree.h"

/*
 * Gravity among bodies: in every step the tree of Barnes and Hut over all of them (which every rank
 * builds), the forces on each rank's own bodies (tasks, a block of bodies each), and a leapfrog
 * step. Then all ranks learn all bodies, and orthogonal recursive bisection by the interactions
 * counted says whose they are next.
 *
 *      nbody_divide()       sort, tree, own bodies
 *      nbody_forces()       for all blocks, in any order, anywhere
 *      nbody_advance()      own bodies
 *      nbody_collect()      from the own bodies of all ranks
 *
 * - Bodies move the same bit by bit for any number of ranks and any schedule.
 * - No MPI and no runtime here.
 */
extern const struct app nbody_app;

struct nbody {
        int64_t n, block; /* bodies, in all and of a task */
        int32_t iterations;
        uint64_t seed;
        double theta, step, softening;
};
struct nbody nbody_configure(const struct app_options *options);

/* What a rank has. The first four are what tasks touch, given by the caller with these many
 * entries; nbody_init() and nbody_finish() take care of the rest. */
struct nbody_rank {
        struct nbody nbody;
        struct cell *cell;     /* [2 * n] */
        struct source *source; /* [n] */
        struct body *own;      /* [n] in use: nown */
        struct force *force;   /* [n] on the own bodies */
        int32_t ncell;
        int64_t nown;
        struct body *all;  /* [n] by id */
        struct body *near; /* [n] sorted; nbody_collect() takes the bodies of all ranks from here */
        uint64_t *key;     /* [n] */
        int64_t *place;    /* [n] */
        int32_t steps;     /* done */
};
void nbody_init(struct nbody_rank *rank);
void nbody_finish(struct nbody_rank *rank);

void nbody_divide(struct nbody_rank *mine, int32_t nrank, int32_t rank);

/* The work of a block of own bodies, for tree_forces(). */
int64_t nbody_blocks(const struct nbody_rank *rank);
struct tree_work nbody_block(const struct nbody_rank *rank, int64_t block);
void nbody_create(const struct nbody_rank *rank, int64_t block); /* the variant's: a task for it */

/* Move the own bodies; returns their share of the energy before. */
double nbody_advance(struct nbody_rank *rank);
void nbody_collect(struct nbody_rank *rank);

/* The largest change of the energy over what it was at first. */
struct nbody_drift {
        bool started;
        double first, worst;
};
void nbody_watch(struct nbody_drift *drift, double energy);
extern const double nbody_drift_allowed;

uint64_t nbody_hash(const struct nbody_rank *rank); /* of the own bodies */

#endif
