/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_OFFLOAD_PARTS_H
#define LB_SIM_SYSTEMS_OFFLOAD_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * One run on several threads, where looks are together (enum looks): nodes are divided into parts,
 * a thread each.
 *
 *   look                                look                               look
 *    |  parts handle their nodes' events  |                                  |
 *    |   | what they do to others: posts  |                                  |
 *    |   '------------------------------> | posts in order of time: network, |
 *    |                                    | appranks that are done           |
 *    |                                    | parts fill their nodes' inboxes  |
 *
 * - What a node does reaches another as a message, which is not seen before the next look. So until
 *   then a part's events depend on its own nodes alone, and what they send is put off until all
 *   parts are there: done then in order of time, it has the effect that it would have had at
 *   once. One thread finds out when each arrives, then each part takes what is for it. Results are
 * the same to the last bit for any number of parts, one included.
 * - What concerns all nodes (the barrier, the global decision, samples) happens between, when all
 *   parts have come to its time. Only the barrier's is not known before: it follows from when the
 *   last apprank is done. So a part whose appranks are all done waits until the others have come to
 *   the window's end, or are done as well; then none goes beyond the time at which the last was.
 * - A part is a machine of its own: what is of nodes, workers, appranks and edges is shared with
 * the whole, each by its place in the same arrays; the queue, the clock, memory and sums are its
 * own.
 */

struct machine;
struct outbox;

/* Of a task: where its data is, and where it goes. */
struct way {
        int32_t from_node, to_node;
        bool from_home, to_home;
};

/* What is put off. */
enum post_kind { POST_MESSAGE, POST_TASK, POST_DONE };
struct post {
        int64_t time_ns, arrival_ns; /* arrival: once all that left before is known */
        int64_t message;             /* as struct message has task; so does executed_ns: */
        int64_t figures, bytes;      /* bytes: POST_TASK, of its data, if it is elsewhere */
        int32_t to;                  /* worker; POST_DONE: apprank */
        struct way way;              /* POST_MESSAGE: to_node alone */
        enum post_kind kind;
};

void parts_post(struct machine *m, const struct post *post);

/* Divides the machine, which has begun, if it asks for threads and it pays; it is the whole from
 * then on. 0, or -1 with an error. */
int parts_create(struct machine *m, struct lb_error *err);
void parts_destroy(struct machine *m);

/* An iteration begins on all nodes. */
void parts_begin(struct machine *m);

/* Handles all events, as the loop of run.c; returns how many. */
int64_t parts_loop(struct machine *m);

#endif
