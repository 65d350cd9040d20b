/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_OFFLOAD_MESSAGE_H
#define LB_SIM_SYSTEMS_OFFLOAD_MESSAGE_H

#include <stdint.h>

#include "sim/engine/queue.h"

/* What workers tell each other, each in one number. */

/* A message on its way to a worker. */
struct message {
        int64_t arrival_ns;
        int64_t task; /* one whose data is here then, as next_task() says; or message_finished() */
        int64_t executed_ns; /* what a finished task took */
};

/* A task of the worker at this edge finished, as a message says it; tasks themselves are numbered
 * from 0. Each worker has an event slot, which bounds its number and that of its edge; where tasks
 * are alike any task will do. */
static inline int64_t message_finished(int32_t edge, int32_t task)
{
        return -1 - ((int64_t)task << QUEUE_SLOT_BITS_MOST | (int64_t)edge);
}

/* What else a message may say, of the worker at this edge: tasks' numbers end before. */
enum message_says {
        MESSAGE_FINISHED,
        MESSAGE_ASKS,    /* to home: it has idle cores, `figure` of them, `usable` beside */
        MESSAGE_NONE,    /* to it: no more tasks are held */
        MESSAGE_INVITES, /* to it: there are again */
        MESSAGE_FIGURES, /* to home, at its node's poll: pack_figures() */
        MESSAGE_HELD     /* from home, at its node's poll: `figure` tasks are held */
};
enum { MESSAGE_SAYS_SHIFT = 31, MESSAGE_CORES_BITS = 12 };

static inline int64_t message_says(enum message_says says, int32_t edge, int32_t figure)
{
        return message_finished(edge, figure) -
               ((int64_t)says << (QUEUE_SLOT_BITS_MOST + MESSAGE_SAYS_SHIFT));
}

static inline enum message_says message_kind(int64_t message)
{
        return (enum message_says)((-1 - message) >> (QUEUE_SLOT_BITS_MOST + MESSAGE_SAYS_SHIFT));
}

/* Whose task finished, and which task. */
static inline int32_t message_edge(int64_t finished)
{
        return (int32_t)((-1 - finished) & (((int64_t)1 << QUEUE_SLOT_BITS_MOST) - 1));
}

static inline int32_t message_task(int64_t finished)
{
        return (int32_t)((-1 - finished) >> QUEUE_SLOT_BITS_MOST & INT32_MAX);
}

/* What a worker owns, is to own and can use, as one number. */
static inline int64_t pack_figures(int32_t owned, int32_t target, int32_t usable)
{
        return (int64_t)owned << 40 | (int64_t)target << 20 | (int64_t)usable;
}

static inline int32_t packed_figure(int64_t figures, int place)
{
        return (int32_t)(figures >> 20 * place & ((1 << 20) - 1));
}

struct inbox { /* ring */
        struct message *item;
        uint32_t size, head, count; /* size a power of two */
};

#endif
