/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_ENGINE_TEAM_H
#define LB_SIM_ENGINE_TEAM_H

#include <stdint.h>

#include "base/error.h"

/*
 * A team of threads that do one short thing after the other together, some microseconds each: who
 * waits for the others, or for what is next, looks for a moment and then sleeps.
 */
struct team;

/* The caller and count - 1 threads, all signals of which are left to others. */
struct team *team_create(int32_t count, struct lb_error *err);
void team_destroy(struct team *team); /* takes NULL */

/* Every member does work(user, member), members 0 .. count - 1, of which the caller is 0; returns
 * when all have. What one wrote before, all see; what all wrote, the caller sees after. */
void team_do(struct team *team, void (*work)(void *user, int32_t member), void *user);

#endif
