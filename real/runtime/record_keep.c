/* SPDX-License-Identifier: BSD-3-Clause */
/* What is recorded of an apprank's last iterations. */
#include <stdlib.h>
#include <string.h>

#include "models/taskgraph.h"
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

/* The oldest go until the others have room, and their places once they are most: who has 100 000
 * iterations looks at each once. */
static void drop_old(struct record *r)
{
        while (r->kept_lines > RECORD_NODE_MAX || r->kept_edges > RECORD_EDGE_MAX ||
               r->nkept > TASKGRAPH_ITERATION_MAX) {
                struct record_graph *oldest = &r->kept[r->nfree++];
                r->kept_lines -= record_lines(oldest);
                r->kept_edges -= oldest->nedge;
                r->nkept--;
                r->ndropped++;
                free_graph(oldest);
        }
        if (r->nfree <= r->nkept)
                return;
        memmove(r->kept, r->kept + r->nfree, (size_t)r->nkept * sizeof(*r->kept));
        r->nfree = 0;
}

/* No larger than it has to be; the memory of the present one is the next one's. */
static bool copy_graph(struct record_graph *copy, const struct record_graph *graph)
{
        size_t nodes = (size_t)graph->nnode * sizeof(*graph->node);
        size_t edges = (size_t)graph->nedge * sizeof(*graph->edge);
        *copy = (struct record_graph){ .node = nodes ? malloc(nodes) : NULL,
                                       .edge = edges ? malloc(edges) : NULL,
                                       .nnode = graph->nnode,
                                       .nedge = graph->nedge };
        if ((nodes && !copy->node) || (edges && !copy->edge)) {
                free_graph(copy);
                return false;
        }
        if (nodes)
                memcpy(copy->node, graph->node, nodes);
        if (edges)
                memcpy(copy->edge, graph->edge, edges);
        return true;
}

static void keep(struct record *r)
{
        int32_t place = r->nfree + r->nkept;
        struct record_graph *kept = record_grown(r->kept, place, &r->kept_room, sizeof(*kept));
        r->kept = kept ? kept : r->kept;
        if (!kept || !copy_graph(&kept[place], &r->now)) {
                record_give_up(r, RECORD_MEMORY);
                return;
        }
        r->nkept++;
        r->kept_lines += record_lines(&r->now);
        r->kept_edges += r->now.nedge;
        r->now.nnode = r->now.nedge = 0;
        drop_old(r);
}

const struct record_graph *record_kept(const struct record *r, int32_t iteration)
{
        return &r->kept[r->nfree + iteration - r->ndropped];
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
        for (int32_t i = 0; r && i < r->nfree + r->nkept; i++)
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
