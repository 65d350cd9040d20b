/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/queue.h"

#include <stdlib.h>

#include "sim/engine/memory.h"

int queue_init(struct queue *queue, int32_t nslot, struct lb_error *err)
{
        int32_t size = QUEUE_LINE / (int32_t)sizeof(uint64_t);
        while (size < nslot && size <= 1 << QUEUE_SLOT_BITS_MOST)
                size *= 2;
        if (size > 1 << QUEUE_SLOT_BITS_MOST)
                return lb_error_set(err,
                                    "%d event slots (cores and workers), at most %d are allowed",
                                    nslot, 1 << QUEUE_SLOT_BITS_MOST);
        *queue = (struct queue){ .nslot = size, .slot_bits = QUEUE_SLOT_BITS };
        while (size > 1 << queue->slot_bits)
                queue->slot_bits++;
        queue->span_ns = (int64_t)1 << (63 - queue->slot_bits);
        queue->slot_mask = ((uint64_t)1 << queue->slot_bits) - 1;
        queue->half_ns = queue->span_ns / 2;
        bool failed = false;
        queue->tree = memory_lines(2 * (size_t)size, sizeof(uint64_t), &failed);
        if (failed)
                return lb_error_fail(err, "out of memory for %d event slots", size);
        for (int32_t i = 0; i < 2 * size; i++)
                queue->tree[i] = QUEUE_IDLE;
        return 0;
}

void queue_finish(struct queue *queue)
{
        free(queue->tree);
        *queue = (struct queue){ .nslot = 0 };
}

void queue_rebase(struct queue *queue, int64_t now_ns)
{
        uint64_t shift = (uint64_t)(now_ns - queue->epoch_ns) << queue->slot_bits;
        for (int32_t i = 1; i < 2 * queue->nslot; i++)
                if (queue->tree[i] != QUEUE_IDLE)
                        queue->tree[i] -= shift;
        for (uint32_t i = queue->soon_first; i != queue->soon_end; i++)
                queue->soon[i % QUEUE_SOON_ROOM] -= shift;
        if (queue->soon_last)
                queue->soon_last -= shift;
        queue->epoch_ns = now_ns;
        queue->half_ns = now_ns + queue->span_ns / 2;
}

static void last_back(struct queue *queue)
{
        uint64_t key = queue->soon_last;
        queue_add_key(queue, queue_slot(queue, key), key);
        queue->soon_end--;
        queue->soon_last = queue->soon_end == queue->soon_first
                               ? 0
                               : queue->soon[(queue->soon_end - 1) % QUEUE_SOON_ROOM];
}

void queue_soon_back(struct queue *queue)
{
        while (queue->soon_last)
                last_back(queue);
}

void queue_add_soon(struct queue *queue, uint64_t key)
{
        uint32_t at = queue->soon_end;
        uint64_t *soon = queue->soon;
        for (; at != queue->soon_first && soon[(at - 1) % QUEUE_SOON_ROOM] > key; at--)
                soon[at % QUEUE_SOON_ROOM] = soon[(at - 1) % QUEUE_SOON_ROOM];
        soon[at % QUEUE_SOON_ROOM] = key;
        queue->soon_end++;
        if (queue->soon_end - queue->soon_first == QUEUE_SOON_ROOM)
                last_back(queue);
}
