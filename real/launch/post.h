/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_POST_H
#define LB_REAL_LAUNCH_POST_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "real/launch/news.h"

struct job;

/*
 * The post of a node that lbrun is not on: a process, started by the first of the node's keepers
 * that finds none, and no child of it.
 *
 *      keepers --- news ---> post ---- TCP (real/launch/contact.h) ----> lbrun
 *         ^                   |  ^                                         |
 *         '----- signals -----'  '--------------- signals -----------------'
 *
 * - It says something every second, so that lbrun knows that the node is there.
 * - It tells of keepers that were killed. Where it is killed itself, another keeper puts up the
 * next.
 * - It keeps what ranks leave (real/node/estate.h), and sends it when lbrun asks, or when the
 * daemon is gone and a rank had no good end.
 * - Where lbrun has a view, it sends what that shows of the node (real/launch/view/frame.h).
 * - When lbrun is gone, or the daemon of mpirun that has started the ranks, it ends what is left of
 *   the job on the node, and removes what they have left.
 */

/* How a keeper sends: news_send(), and where nobody hears it a post is put up, if the job says how
 * lbrun is reached. `since`: when the job began here, on CLOCK_REALTIME_COARSE; `daemon`: who has
 * started the keeper. Returns whether somebody hears. */
struct post_office {
        const struct job *job;
        int32_t node; /* -1: not known */
        int32_t daemon;
        struct timespec since;
        int32_t failures; /* to put one up */
        int pass;         /* a descriptor that goes with NEWS_STARTED; -1: none */
};
bool post_send(struct post_office *office, const struct news *news);

#endif
