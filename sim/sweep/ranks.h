/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_RANKS_H
#define LB_SIM_SWEEP_RANKS_H

#include "sim/sweep/crew.h"

/*
 * A sweep that several processes share (private to sweep*.c): rank 0 has the directory, and rank R
 * keeps a journal of its own in DIR/ranks/R; beside those lie the claims. In the end rank 0 takes
 * all journals over and removes DIR/ranks. What a killed sweep left there is taken over by the next
 * one. One process alone is rank 0 of 1.
 */

/* Open the journal of this process, and read what is done. */
int ranks_journal(struct sweep *sweep, const struct sweep_options *options,
                  struct lb_error *err) LB_MUST_CHECK;

/* Rank 0: the claims of this sweep, made where there are none. */
int ranks_lead(const struct sweep *sweep, const struct sweep_options *options,
               struct claims **claims, struct lb_error *err) LB_MUST_CHECK;

/*
 * Another rank: the claims that rank 0 makes; waits for them a minute at most. Without error
 * *claims may be NULL: this rank is so late that everything is done.
 */
int ranks_join(const struct sweep *sweep, const struct sweep_options *options,
               struct claims **claims, struct lb_error *err) LB_MUST_CHECK;

/* Another rank, once rank 0 is done with everything: remove what this one has made too late. */
void ranks_leave(const struct sweep_options *options);

/* As sweep_crew_run(); rank 0 then waits for the others, and does what they leave. */
int ranks_crew_run(struct sweep *sweep, const struct crew_order *order,
                   const struct sweep_options *options, struct lb_error *err) LB_MUST_CHECK;

/* Take the journals of all ranks over; waits for those that are still at work. */
int ranks_gather(struct sweep *sweep, const struct sweep_options *options,
                 struct lb_error *err) LB_MUST_CHECK;

/* Remove DIR/ranks, whose journals have been taken over. */
void ranks_clean(const struct sweep_options *options);

#endif
