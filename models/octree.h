/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_OCTREE_H
#define LB_MODELS_OCTREE_H

#include <stdint.h>

#include "base/error.h"

/*
 * The octree of Barnes and Hut, as far as it decides what calculating forces costs (private to this
 * room): which bodies and cells a body interacts with.
 *
 * - The root is the bounding box of the bodies, each cell's eight parts are halved boxes, a leaf
 *   holds one body (more only where they are too near each other to be told apart).
 */
struct octree; /* opaque */

/* Build over position[n][3], finite, n >= 1; keeps no reference to it. */
struct octree *octree_create(const double *position, int32_t n, struct lb_error *err);
void octree_destroy(struct octree *tree); /* takes NULL */

/*
 * Count the interactions of every body into count[n]: from the root down, a cell is opened by a
 * body whose distance to it is less than side / theta, side the cube root of its volume; else, or
 * where it is a leaf of other bodies, it is one interaction (barkm/n-body, tree.cpp).
 */
void octree_count(const struct octree *tree, double theta, int32_t *count);

#endif
