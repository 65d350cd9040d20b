/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/data/event.h"

#include <stddef.h>

/* It can only be the last in the list already, as it is the newest. */
bool event_wait(struct event *event, struct event *other, struct pool *links)
{
        if (other->last && other->last->to == event)
                return true;
        struct link *link = pool_take(links);
        if (!link)
                return false;
        *link = (struct link){ NULL, event };
        if (other->last)
                other->last->next = link;
        else
                other->first = link;
        other->last = link;
        event->blockers++;
        return true;
}

void event_unblock(struct event *event, struct wave *wave)
{
        if (--event->blockers > 0)
                return;
        struct event **list = event->kind == EVENT_TASK ? &wave->tasks : &wave->groups;
        event->next = *list;
        *list = event;
}

void event_tell(struct event *event, struct wave *wave, struct pool *links)
{
        for (struct link *link = event->first, *next; link; link = next) {
                next = link->next;
                event_unblock(link->to, wave);
                pool_give(links, link);
        }
        event->first = event->last = NULL;
}

static struct event *merge(struct event *a, struct event *b)
{
        struct event *merged, **at = &merged;
        while (a && b) {
                struct event **first = a->number < b->number ? &a : &b;
                *at = *first;
                at = &(*first)->next;
                *first = *at;
        }
        *at = a ? a : b;
        return merged;
}

/* Merge sort: sorted[i] holds 2^i events, or none. */
struct event *event_sort(struct event *list)
{
        struct event *sorted[64] = { NULL }, *all = NULL;
        for (struct event *next; list; list = next) {
                next = list->next;
                list->next = NULL;
                int i = 0;
                for (; sorted[i]; sorted[i++] = NULL)
                        list = merge(sorted[i], list);
                sorted[i] = list;
        }
        for (int i = 0; i < 64; i++)
                all = merge(sorted[i], all);
        return all;
}
