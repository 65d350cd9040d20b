/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_SLEEPERS_H
#define LB_REAL_LAUNCH_SLEEPERS_H

#include <stdint.h>

#include "graphs/graph.h"
#include "real/control/job.h"

/*
 * Take a graph into a job whose system, sizes and parameters are set, and beside it, where its
 * system offloads from the start and grows, helpers that sleep until they are needed: for each
 * apprank on further nodes, those with fewest workers first, until it has the most that the growth
 * policy may wish for. A node has a core for each; there are none where DLB manages the cores (it
 * has no process without a CPU) or helpers own no core. Returns -1 where job_set_edges() does, or
 * out of memory.
 */
int sleepers_add(struct job *job, const struct graph *graph, struct lb_error *err) LB_MUST_CHECK;

#endif
