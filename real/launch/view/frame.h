/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_VIEW_FRAME_H
#define LB_REAL_LAUNCH_VIEW_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "real/node/board.h"

struct job;
struct news;

/*
 * What a view shows of a node, and how it comes from nodes that lbrun is not on.
 *
 *      board ---> post ---- news, each a row or some cores ----> lbrun ---> frames ---> viewer
 *
 * A post (real/launch/post.h) sends only when it was asked to, so that a job without a view has no
 * cost of it. News that do not come are made up for by the next; a row is whole, rows may be of
 * different instants, as on the board itself.
 */
struct frame_worker {
        int64_t busy_ns, at_ns; /* as on the board: core time until then, the node's own clock */
        int32_t ready, borrowed, target;
};
struct frame_worker frame_worker(struct board *board, int32_t worker);

/* ---- A node's end ---- */

/* How often a node of so many is to be sent, milliseconds. */
int frame_period_ms(int32_t nnode);

/* All of the board, piece by piece, down the connection to lbrun. Where that is behind with what it
 * has, nothing is sent, or a part. */
void frame_send(int line, struct board *board, int32_t nworker, int32_t ncore);

/* ---- lbrun's end ---- */

/* What came last of each node, in memory that processes forked later share. */
struct frames;
struct frames *frames_create(const struct job *job, struct lb_error *err);
void frames_destroy(struct frames *frames); /* takes NULL */

/* Takes pieces of news->node, and ignores all other news. By one process. */
void frames_take(struct frames *frames, const struct news *news);

bool frames_seen(const struct frames *frames, int32_t node); /* has anything come? */
struct frame_worker frames_worker(const struct frames *frames, int32_t node, int32_t worker);
struct board_core frames_core(const struct frames *frames, int32_t node, int32_t core);

#endif
