/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_EXCHANGE_H
#define LB_REAL_APPS_EXCHANGE_H

struct ranks;
struct nbody_rank;

/* All ranks learn the bodies of all. Collective. */
void exchange_bodies(const struct ranks *ranks, struct nbody_rank *rank);

#endif
