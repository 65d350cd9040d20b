/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_NEWS_H
#define LB_REAL_LAUNCH_NEWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * What the keepers of ranks (real/launch/keeper.h) tell the lbrun of their machine, or the post
 * (real/launch/post.h) of a node without it, in the order in
 * which it happens: datagrams to a socket that is named by the job in Linux' abstract namespace, so
 * that nothing is left behind.
 *
 * Anybody may send there. The kernel says who did: what another user sends is dropped, and
 * news->sender is known for whoever wants to compare.
 */
enum news_kind {
        NEWS_NONE,
        NEWS_STARTED,   /* the program is there */
        NEWS_STAGE,     /* it has come to stage `value` (real/node/lifeline.h) */
        NEWS_ENDS,      /* it is about to end the job, by the status `value` */
        NEWS_ENDED,     /* it has ended; `value`: its status, as wait(2) has it */
        NEWS_STARTER,   /* the process `value` that had started the keeper has died */
        NEWS_SILENT,    /* no look for messages for `value` seconds */
        NEWS_LONG_TASK, /* in one task for `value` seconds */
        NEWS_OTHER,     /* its node has another program than lbrun's, and it is not started */
        NEWS_LEFT,      /* a post: `value` processes that ranks had left behind are killed */
        NEWS_BEAT,   /* nothing but that the sender is there; `value` 1: a post, that was asked */
        NEWS_LEAVES, /* a post (real/launch/post.h): its node is done */
        NEWS_NKIND,
        NEWS_KEEPER,      /* by no keeper: the keeper `pid` was killed, and so its rank */
        NEWS_NODE,        /* by nobody: the node of `rank` is lost */
        NEWS_VIEW_WORKER, /* by a post, what a view shows (real/launch/view/frame.h) */
        NEWS_VIEW_CORES,
        NEWS_ESTATE /* likewise, what the rank has left (real/node/estate.h): `value` bytes follow;
                     * rank -1: that is all */
};

struct news {
        int32_t kind;
        int32_t rank;
        int32_t pid; /* of the program */
        int32_t value;
        int32_t last;   /* 1: the keeper ends the program for it; NEWS_ENDED: another rank's death
                         * has ended it; NEWS_ENDS: may have */
        int32_t seen;   /* NEWS_ENDED: the rank whose death it has seen, plus 1; 0: none, or which
                         * is not known */
        char what[32];  /* NEWS_STARTER: the dead process' name */
        int32_t sender; /* process; written by news_receive(); likewise: */
        int32_t node;   /* where that is; -1: here */
};

/* lbrun's end: not blocking. Returns a descriptor, or -1. */
int news_open(const char *job, struct lb_error *err) LB_MUST_CHECK;

/* The next of them; false where there is none now. `passed`: the descriptor that came with it, -1:
 * none. */
bool news_receive(int fd, struct news *news, int *passed);

/* A keeper's end; false where neither lbrun nor a post of the job is on this machine, or it does
 * not listen. NEWS_BEAT does not wait for it. With a descriptor to pass, or -1. */
bool news_send(const char *job, const struct news *news, int pass);

#endif
