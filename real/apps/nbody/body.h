/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_BODY_H
#define LB_REAL_APPS_BODY_H

#include <stdint.h>

/* A body, as it travels between ranks. Units in which the gravitational constant is 1. */
struct body {
        double x[3], v[3], mass;
        int64_t id;   /* 0 .. n-1 */
        int64_t work; /* interactions in the step before; at first 1 */
};

/*
 * A sphere of Plummer's model (Aarseth, Henon, Wielen 1974) with mass 1 and total energy -1/4: the
 * bodies body[n] in the order of their ids.
 */
void body_fill(struct body *body, int64_t n, uint64_t seed);

/*
 * Sort by the curve of Morton through the cube around all bodies, those at one place by id:
 * neighbours in space come to be neighbours in memory. `body` must be in the order of ids; the
 * result goes to sorted[n], the places on the curve to key[n]: three bits for each of 21 halvings
 * of the cube, the first one highest.
 */
void body_sort(const struct body *body, int64_t n, struct body *sorted, uint64_t *key);

/* Put bodies in any order into the order of their ids. */
void body_order(const struct body *body, int64_t n, struct body *by_id);

#endif
