/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_EXCHANGE_H
#define LB_REAL_LAUNCH_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "real/launch/news.h"

struct frames;
struct job;

/*
 * lbrun's connections to the posts of the job's other nodes (real/launch/post.h): news of their
 * ranks come here, and signals for them leave from here.
 *
 * - A node is watched from its first connection on. Its post says something every second.
 * - A connection that breaks may come back within a second or two, since another keeper of the node
 *   takes the post's place. If it does not, the node is lost: down, or cut off.
 * - So it is where nothing comes for the job's node_s, from its processes or from its kernel, which
 * is asked every second (TCP's keepalive). Where the kernel answers, its processes are stopped or
 * starved, and may go on: the node is named, and lost only after the job's hung_s, if that is not 0
 * and longer.
 * - Time in which lbrun itself does not run does not count: the whole job may be stopped.
 */
struct exchange;

/* Opens a port and writes how to reach it into job->contact. */
struct exchange *exchange_open(struct job *job, struct lb_error *err);
void exchange_close(struct exchange *x); /* takes NULL; nodes then end their ranks and clean up */

/* For poll(2): readable where something has come. */
int exchange_fd(const struct exchange *x);

/* The next of the news; false where there is none now. news->node is where from. With NEWS_ESTATE
 * there are news->value bytes, allocated, to be taken. */
bool exchange_receive(struct exchange *x, struct news *news);
void *exchange_take_estate(struct exchange *x);

/* Is nobody left who could send what ranks have left, or has not, since CONTACT_ESTATES? */
int64_t exchange_estate_bytes(const struct exchange *x); /* how much has come, of all */
bool exchange_has_estates(const struct exchange *x);

/* From now on all nodes send what a view shows (real/launch/view/frame.h), which goes to the
 * frames. Before the first of them is there. */
void exchange_view(struct exchange *x, struct frames *frames);

/* To all ranks of all nodes, or CONTACT_END (real/launch/contact.h). Returns how many nodes it is
 * sent to. */
int32_t exchange_signal(struct exchange *x, int signal);

/* When to look for lost nodes at the latest; 0: no need. */
int64_t exchange_due_ns(const struct exchange *x, int64_t now);

/* The next node that is lost; each is named once. `text`: what of it. */
bool exchange_lost(struct exchange *x, int64_t now, int32_t *node, char *text, size_t size);

/* The next node that is silent, but for its kernel, or no longer so; each is named once. After
 * exchange_lost(). */
bool exchange_still(struct exchange *x, int32_t *node, char *text, size_t size);

/* Ask all nodes for what there is. After that: a node that has said nothing since, and was not done
 * before; -1: none. And whether all have answered, and so have sent the news that there were. */
void exchange_ask(struct exchange *x);
int32_t exchange_silent(const struct exchange *x);
bool exchange_answered(const struct exchange *x);

/* A node whose connection had broken by that time and has not come back; -1: none. */
int32_t exchange_broken(const struct exchange *x, int64_t until_ns);

#endif
