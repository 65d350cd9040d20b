/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_PACKING_LINKS_H
#define LB_SIM_SYSTEMS_PACKING_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "models/platform.h"

/*
 * Many messages at once, which share the links of their nodes. Where one message goes does not
 * change; sizes and times are said with each sending.
 *
 * Life cycle: create, add every message once, send any number of times.
 */
struct links;

struct links_message {
        int64_t time_ns; /* it leaves */
        int64_t message, bytes;
};

/* For messages 0 to nmessage - 1; the network stays the caller's. NULL: out of memory. */
struct links *links_create(const struct network *network, int64_t nmessage);
void links_destroy(struct links *links); /* takes NULL */

/* Where a message goes; in the order of sources. -1: out of memory. */
int links_add(struct links *links, int64_t message, int32_t source, int32_t target) LB_MUST_CHECK;

bool links_within(const struct links *links, int64_t message); /* a node */

/* Send messages, in the order of time. When each is there, ns, by message; belongs to `links`,
 * until the next sending. Those within a node are there when they leave. */
const int64_t *links_send(struct links *links, const struct links_message *message,
                          int64_t nmessage);

#endif
