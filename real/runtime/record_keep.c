/* SPDX-License-Identifier: BSD-3-Clause */
/* What is recorded of an apprank's last iterations. */
#include <stdlib.h>
#include <string.h>

#include "real/runtime/record.h"

void *record_grown(void *array, int32_t count, int32_t *room, size_t size)
{
        if (count < *room)
                return array;
        int32_t more = *room ? 2 * *room : 64;
        void *moved = realloc(array, (size_t)more * size);
        if (moved)
                *room = more;
        return moved;
}

void record_give_up(struct record *r, enum record_reason reason)
{
        if (!r->reason)
                r->reason = reason;
}

void record_start(struct process *p)
{
        if (!p->home || !p->job->tasks[0])
                return;
        p->record = calloc(1, sizeof(*p->record));
        p->root.recorded = calloc(1, sizeof(*p->root.recorded));
        if (!p->record || !p->root.recorded)
                fail("lbrun_start", "out of memory");
        record_main_goes_on(p);
}

static void free_graph(struct record_graph *graph)
{
        free(graph->node);
        free(graph->edge);
        *graph = (struct record_graph){ .nnode = 0 };
}

/* The oldest go until the last one has room. */
static void drop_old(struct record *r)
{
        int64_t nnode = 0, nedge = 0;
        int32_t first = r->nkept;
        while (first > 0 && nnode <= RECORD_NODE_MAX && nedge <= RECORD_EDGE_MAX) {
                first--;
                nnode += r->kept[first].nnode;
                nedge += r->kept[first].nedge;
        }
        if (nnode <= RECORD_NODE_MAX && nedge <= RECORD_EDGE_MAX)
                return;
        first++;
        for (int32_t i = 0; i < first; i++)
                free_graph(&r->kept[i]);
        r->nkept -= first;
        r->ndropped += first;
        memmove(r->kept, r->kept + first, (size_t)r->nkept * sizeof(*r->kept));
}

static void keep(struct record *r)
{
        struct record_graph *kept = record_grown(r->kept, r->nkept, &r->kept_room, sizeof(*kept));
        if (!kept) {
                record_give_up(r, RECORD_MEMORY);
                return;
        }
        r->kept = kept;
        r->kept[r->nkept++] = r->now;
        r->now = (struct record_graph){ .nnode = 0 };
        drop_old(r);
}

void record_iteration(struct process *p)
{
        if (!record_is_on(p))
                return;
        record_main_stops(p);
        record_main_goes_on(p);
        if (p->root.unfinished > 0) {
                record_give_up(p->record, RECORD_BEYOND);
                return;
        }
        after_destroy(p->root.recorded->after);
        *p->root.recorded = (struct recorded){ .part = 0 };
        keep(p->record);
}

void record_stop(struct process *p)
{
        struct record *r = p->record;
        for (int32_t i = 0; r && i < r->nkept; i++)
                free_graph(&r->kept[i]);
        if (r) {
                free_graph(&r->now);
                free(r->kept);
                after_destroy(p->root.recorded->after);
        }
        free(p->root.recorded);
        free(r);
        p->root.recorded = NULL;
        p->record = NULL;
}
