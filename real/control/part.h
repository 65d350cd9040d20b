/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_CONTROL_PART_H
#define LB_REAL_CONTROL_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/shape.h"

/*
 * Some of a job's workers as a shape of their own, where not all of them take part (helpers that
 * sleep until they are needed): the same nodes and appranks, workers numbered anew in the same
 * order.
 */
struct part {
        const struct lb_shape *all;
        struct lb_shape shape;
        int32_t *worker; /* [shape.nworker] the job's number */
        int32_t *number; /* [all->nworker] the one here, -1: not here */
};

/* Room for all of them; part_finish() after a failure, too. `all` outlives it. */
int part_init(struct part *part, const struct lb_shape *all, struct lb_error *err) LB_MUST_CHECK;
void part_finish(struct part *part); /* takes zeroed memory */

/* The workers that are there[all->nworker]; those at home must be. */
void part_set(struct part *part, const bool *there);

/* Cores owned at the start by those that are there, as alloc_initial(); 0 by the others. */
int part_initial(const struct part *part, int32_t *owned_cores, struct lb_error *err) LB_MUST_CHECK;

#endif
