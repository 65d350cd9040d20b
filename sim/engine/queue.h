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
 * - Where many events are pending the next QUEUE_SOON may be taken out ahead of their time, so that
 *   it is known which they are (queue_look_ahead()). They are in order, and before all in the tree;
 *   one that is added and comes before the last of them is put among them.
 * - Chosen by measurement (tests/bench): half the time of a binary heap at 3072 cores; matches of
 *   two or eight made whole runs 2 to 10 % slower.
 */
enum { QUEUE_SLOT_BITS = 20, QUEUE_SLOT_BITS_MOST = 24, QUEUE_LINE = 64 /* bytes */ };
enum { QUEUE_SOON = 14, QUEUE_SOON_ROOM = 64 };
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
        uint64_t soon_last;            /* the last of the next events; 0: none is taken out */
        uint32_t soon_first, soon_end; /* in the ring, counted on */
        uint64_t soon[QUEUE_SOON_ROOM];
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

static inline uint64_t queue_key(const struct queue *queue, int32_t slot, int64_t time_ns)
{
        return (uint64_t)(time_ns - queue->epoch_ns) << queue->slot_bits | (uint64_t)slot;
}

/* Of a slot that has none in the tree: up to the first match that it does not win. */
static inline void queue_add_key(struct queue *queue, int32_t slot, uint64_t key)
{
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

/* An event that comes before the last of the next ones. */
void queue_add_soon(struct queue *queue, uint64_t key);

/*
 * Set the event of a slot that has none. So may that of the slot whose event is being handled,
 * which stays the winner until it is set or cleared, as it must be before the next event.
 */
static inline void queue_add(struct queue *queue, int32_t slot, int64_t time_ns)
{
        uint64_t key = queue_key(queue, slot, time_ns);
        if (key < queue->soon_last)
                queue_add_soon(queue, key);
        else
                queue_add_key(queue, slot, key);
}

/* Set the slot's event; replaces the one it has. */
static inline void queue_set(struct queue *queue, int32_t slot, int64_t time_ns)
{
        if (queue->soon_last)
                queue_add(queue, slot, time_ns);
        else
                queue_put_key(queue, slot, queue_key(queue, slot, time_ns));
}

static inline void queue_clear(struct queue *queue, int32_t slot)
{
        if (queue->tree[queue->nslot + slot] != QUEUE_IDLE)
                queue_put_key(queue, slot, QUEUE_IDLE);
}

/*
 * The next events are taken out until there are QUEUE_SOON. From then on, until queue_soon_back(),
 * none that is pending is replaced or cleared, and queue_take() is called for the one that is
 * handled.
 */
static inline void queue_look_ahead(struct queue *queue)
{
        uint64_t key;
        while (queue->soon_end - queue->soon_first < QUEUE_SOON &&
               (key = queue->tree[1]) != QUEUE_IDLE) {
                queue_put_key(queue, (int32_t)(key & queue->slot_mask), QUEUE_IDLE);
                queue->soon[queue->soon_end++ % QUEUE_SOON_ROOM] = queue->soon_last = key;
        }
}

/* The slot of the next event but so many, which has been taken out. */
static inline int32_t queue_soon_slot(const struct queue *queue, uint32_t events)
{
        uint64_t key = queue->soon[(queue->soon_first + events) % QUEUE_SOON_ROOM];
        return (int32_t)(key & queue->slot_mask);
}

/* The next event is out, if it had been taken out ahead. */
static inline void queue_take(struct queue *queue)
{
        if (queue->soon_last && ++queue->soon_first == queue->soon_end)
                queue->soon_last = 0;
}

/* All are in the tree again. */
void queue_soon_back(struct queue *queue);

/* A slot's event, if it has one, is from now on in another queue of as many slots, whose epoch is
 * no later. */
static inline void queue_move(struct queue *from, struct queue *to, int32_t slot)
{
        queue_soon_back(from);
        queue_soon_back(to);
        uint64_t key = from->tree[from->nslot + slot];
        if (key == QUEUE_IDLE)
                return;
        int64_t since_ns = from->epoch_ns - to->epoch_ns;
        queue_clear(from, slot);
        queue_put_key(to, slot, key + ((uint64_t)since_ns << from->slot_bits));
}

/* The next event, or QUEUE_IDLE where none is pending; of all but those that have been taken out.
 */
static inline uint64_t queue_top(const struct queue *queue)
{
        return queue->tree[1];
}

/* The next event, whether it has been taken out or not. */
static inline uint64_t queue_next(const struct queue *queue)
{
        return queue->soon_last ? queue->soon[queue->soon_first % QUEUE_SOON_ROOM]
                                : queue_top(queue);
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
