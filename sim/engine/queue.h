/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_ENGINE_QUEUE_H
#define LB_SIM_ENGINE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Event queue: a tournament (winner) tree over slots, of four players a match. Whatever can have an
 * event pending has one slot with at most one event: a core (its task ends), a worker (it looks for
 * messages), a node (its poll), the machine.
 *
 * - Total order: time, then slot. The pair is packed in one word, (time - epoch) << 20 | slot, so
 *   that the smaller of two is one comparison; hence 2^44 ns (4.9 h) from the epoch on. Where there
 *   are more slots than 2^20, time has so many bits less. queue_rebase() moves the epoch; the host
 *   does so at every iteration and when half is used.
 * - Node i's children are 4 i .. 4 i + 3; where the number of leaves is no power of four, the root
 *   has two.
 * - Chosen by measurement (tests/bench): half the time of a binary heap at 3072 cores; matches of
 *   two or eight made whole runs 2 to 10 % slower.
 */
enum { QUEUE_SLOT_BITS = 20, QUEUE_SLOT_BITS_MOST = 24, QUEUE_LINE = 64 /* bytes */ };
#define QUEUE_IDLE UINT64_MAX

struct queue {
        int32_t nslot; /* a power of two */
        int32_t slot_bits;
        int64_t epoch_ns;
        int64_t span_ns;    /* no event may be further than this from now */
        uint64_t slot_mask; /* the last slot_bits bits */
        int64_t half_ns;    /* where half of the span is used */
        uint64_t *tree; /* [2 * nslot]; tree[1] is the winner, leaves from nslot on; not all places
                           are used */
};

int queue_init(struct queue *queue, int32_t nslot, struct lb_error *err) LB_MUST_CHECK;
void queue_finish(struct queue *queue);

/* Move the epoch to now_ns; all pending events are at or after it. */
void queue_rebase(struct queue *queue, int64_t now_ns);

static inline uint64_t queue_earlier(uint64_t a, uint64_t b)
{
        return a < b ? a : b;
}

static inline void queue_put_key(struct queue *queue, int32_t slot, uint64_t key)
{
        uint64_t *tree = queue->tree;
        size_t at = (size_t)(queue->nslot + slot);
        tree[at] = key;
        while (at >= 4) {
                const uint64_t *pair = &tree[(at ^ 2) & ~(size_t)1]; /* at's own is the other */
                uint64_t others = queue_earlier(pair[0], pair[1]);
                key = queue_earlier(key, queue_earlier(others, tree[at ^ 1]));
                at >>= 2;
                tree[at] = key;
        }
        if (at > 1)
                tree[1] = queue_earlier(tree[2], tree[3]);
}

/* Set the slot's event; replaces the one it has. */
static inline void queue_set(struct queue *queue, int32_t slot, int64_t time_ns)
{
        uint64_t key = (uint64_t)(time_ns - queue->epoch_ns) << queue->slot_bits | (uint64_t)slot;
        queue_put_key(queue, slot, key);
}

/*
 * Set the event of a slot that has none: up to the first match that it does not win. So may that of
 * the slot whose event is being handled, which stays the winner until it is set or cleared, as it
 * must be before the next event.
 */
static inline void queue_add(struct queue *queue, int32_t slot, int64_t time_ns)
{
        uint64_t key = (uint64_t)(time_ns - queue->epoch_ns) << queue->slot_bits | (uint64_t)slot;
        uint64_t *tree = queue->tree;
        size_t at = (size_t)(queue->nslot + slot);
        tree[at] = key;
        while (at >= 4) {
                at >>= 2;
                if (key > tree[at])
                        return;
                tree[at] = key;
        }
        if (at > 1)
                tree[1] = queue_earlier(key, tree[1]);
}

static inline void queue_clear(struct queue *queue, int32_t slot)
{
        queue_put_key(queue, slot, QUEUE_IDLE);
}

/* A slot's event, if it has one, is from now on in another queue of as many slots, whose epoch is
 * no later. */
static inline void queue_move(struct queue *from, struct queue *to, int32_t slot)
{
        uint64_t key = from->tree[from->nslot + slot];
        if (key == QUEUE_IDLE)
                return;
        int64_t since_ns = from->epoch_ns - to->epoch_ns;
        queue_clear(from, slot);
        queue_put_key(to, slot, key + ((uint64_t)since_ns << from->slot_bits));
}

/* The next event, or QUEUE_IDLE where none is pending. */
static inline uint64_t queue_top(const struct queue *queue)
{
        return queue->tree[1];
}

static inline int64_t queue_time(const struct queue *queue, uint64_t key)
{
        return (int64_t)(key >> queue->slot_bits) + queue->epoch_ns;
}

static inline int32_t queue_slot(const struct queue *queue, uint64_t key)
{
        return (int32_t)(key & queue->slot_mask);
}

/* Time for queue_rebase()? */
static inline bool queue_is_half_used(const struct queue *queue, int64_t now_ns)
{
        return now_ns > queue->half_ns;
}

/* Which match of its own a slot is in, so many rounds before that of the final four or two, for
 * queue_winner(); before the first round there are slots alone. */
static inline int32_t queue_match(const struct queue *queue, int32_t before)
{
        int32_t bits = 0;
        while (queue->nslot >> bits > 1)
                bits++;
        int32_t match = bits - (bits % 2 == 0 ? 2 : 1) - 2 * before;
        return match > 0 ? match : 0;
}

/* The slot whose event is the first of those that are in this slot's match; QUEUE_IDLE's last bits:
 * there is none. */
static inline int32_t queue_winner(const struct queue *queue, int32_t slot, int32_t match)
{
        uint64_t key = queue->tree[(queue->nslot + slot) >> match];
        return (int32_t)(key & queue->slot_mask);
}

/* No event may be further than this from now. */
static inline int64_t queue_span_ns(const struct queue *queue)
{
        return queue->span_ns;
}

#endif
