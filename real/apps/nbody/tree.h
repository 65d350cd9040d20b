/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_TREE_H
#define LB_REAL_APPS_TREE_H

#include <stdint.h>

struct body;

/*
 * The tree of Barnes and Hut. Far cells act on a body as a mass at their centre of mass.
 *
 * - Cells lie depth first, so that the first child follows its parent, and know the cell that comes
 *   after all their descendants: a walk needs no stack.
 * - No pointers inside: cells and sources may be copied as bytes.
 * - Forces on a body depend on the bodies alone, not on who computes them or in which order.
 */
struct source {
        double x[3], mass;
};

struct cell {
        double x[3], mass; /* of the centre of mass */
        double open2;      /* nearer than the root of this, a body must open the cell */
        int32_t next;      /* cell after this and its descendants */
        int32_t first;     /* of its sources */
        int32_t count;     /* of its sources where it is a leaf, else 0 */
};

/*
 * Build from n bodies and their keys as body_sort() leaves them, into cell[2 * n] and source[n]
 * (given, n >= 1), and return the number of cells. A cell is opened where its side is more than
 * theta (0 .. 1) times the distance of the body from its centre of mass less the distance of that
 * from the middle of the cell (Barnes 1994); theta 0 is the direct sum.
 */
int32_t tree_build(const struct body *sorted, const uint64_t *key, int64_t n, double theta,
                   struct cell *cell, struct source *source);

/* What acts on a body: acceleration, potential, and how many cells and bodies it took. */
struct force {
        double a[3], potential;
        int64_t work;
};

/* The forces on n bodies. Two bodies feel each other as if they were not nearer than about
 * `softening`. */
struct tree_work {
        const struct cell *cell;
        const struct source *source;
        int32_t ncell;
        double softening;
        int64_t n;
        const struct body *body; /* [n] */
        struct force *force;     /* [n] out */
};
void tree_forces(const struct tree_work *work);

#endif
