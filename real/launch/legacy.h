/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_LEGACY_H
#define LB_REAL_LAUNCH_LEGACY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct estate_copy;
struct news;
struct plan;

/*
 * What ranks leave when the job is ended without a word, by SIGKILL to one of them, say, or by
 * MPI_Abort(): lbrun has descriptors of what they count and record (real/node/estate.h), and writes
 * the report, the loads and the trace that apprank 0 would have written.
 *
 * - It is of all that was measured until then. Nothing is sent or written for it while the job
 * runs.
 * - What ranks of other nodes leave is sent by their posts (real/launch/post.h), when the job has
 * ended. Where a node is lost, nothing is written, and what --report-every wrote stays.
 */
struct legacy {
        const struct plan *plan;
        int *fd;                  /* [nworker] by rank; -1: none */
        struct estate_copy *sent; /* [nworker] likewise, from other nodes; all 0: none */
        char ended_by[1024];      /* who has failed, by what; empty: not known */
};

int legacy_init(struct legacy *legacy, const struct plan *plan, struct lb_error *err) LB_MUST_CHECK;
void legacy_finish(struct legacy *legacy); /* also of one that is all 0 */

/* A descriptor that came with news; -1: none. It is the legacy's, or closed. */
void legacy_take(struct legacy *legacy, const struct news *news, int fd);

/* What was sent of a rank of another node, allocated. */
void legacy_receive(struct legacy *legacy, const struct news *news, void *bytes);

/* Is it worth waiting for what other nodes send? */
bool legacy_is_wanted(const struct legacy *legacy);

/* After the job's end, where that was none: write what apprank 0 has not written. Says what cannot
 * be. */
void legacy_write(const struct legacy *legacy);

#endif
