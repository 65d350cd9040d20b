/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_DATA_AFTER_H
#define LB_REAL_DATA_AFTER_H

#include <stdint.h>

#include "real/data/access.h"

/*
 * What each task of one parent comes after, from what they access: the order that access.h keeps,
 * but of all tasks that there were, finished or not, by their names. For what is to be simulated
 * later, where nothing has finished yet.
 *
 * - Tasks that commute come one after the other, as they were added.
 * - Nothing is forgotten: memory is proportional to pieces, and to the readers since they were
 *   written.
 */
struct after;

struct after *after_create(void);        /* NULL out of memory */
void after_destroy(struct after *after); /* takes NULL */

/*
 * Add accesses of a task, after all earlier ones. Returns how many tasks it comes after directly,
 * other than `name` itself; *names: each once, ascending, until the next call. -1 out of memory,
 * and it can only be destroyed then.
 */
int32_t after_add(struct after *after, int32_t naccess, const struct access *access, int32_t name,
                  const int32_t **names);

#endif
