/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_DATA_EVENT_H
#define LB_REAL_DATA_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "real/data/pool.h"

/*
 * Events that wait for each other (private to this folder); complete when nothing blocks them.
 *
 * - Events of all zero are ready to use, but for their kind and number.
 * - What is blocked is told once: when its last blocker is gone it goes to a wave, from where the
 *   caller takes it on.
 */
enum event_kind {
        EVENT_NONE,
        EVENT_TASK,    /* blocked by what it waits for; complete, it may run */
        EVENT_WRITERS, /* of a group's pieces; blocked by each of them */
        EVENT_READERS, /* of a group; blocked by each of them, and by older groups */
};

/* A place in a list, from a pool. */
struct link {
        struct link *next;
        void *to;
};

struct event {
        struct link *first, *last; /* events that wait for this one, in the order of coming */
        int64_t blockers;
        uint64_t number; /* of a task, in the order in which they were added */
        enum event_kind kind;
        struct event *next; /* in a wave */
};

/* What became complete. */
struct wave {
        struct event *groups; /* EVENT_WRITERS and EVENT_READERS, whose waiters are to be told */
        struct event *tasks;
};

/*
 * Let `event`, the newest that there is, wait for `other`. Once, however often it is called before
 * a newer event waits for `other`. False out of memory.
 */
bool event_wait(struct event *event, struct event *other, struct pool *links);

/* One blocker less. */
void event_unblock(struct event *event, struct wave *wave);

/* The event is complete: one blocker less for all that wait for it. */
void event_tell(struct event *event, struct wave *wave, struct pool *links);

/* Sort a list by number. */
struct event *event_sort(struct event *list);

#endif
