/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explicit tasks with dependencies (models/taskgraph.h), as lbrun has them: those that are ready
 * wait by priority, in the order in which they became so among equals, and may be pushed; the
 * outputs of one that was return home, and only then are those ready that wait for it.
 *
 *   own tasks: ready[] = | taken or pushed | head .. head + local.queued - 1 |  not ready yet
 *
 * A task is known by its place in ready[], so that those of a message are a range as others' are.
 * One that stays is not there (its place is -1 - task): it goes before them, as what was received.
 * So do those within another, where that one ran; they count with it, and who waits for one of them
 * waits until all are over.
 */
#include <stdlib.h>
#include <string.h>

#include "models/taskgraph.h"
#include "sim/systems/chameleon/chameleon.h"

struct cham_ordered {
        const struct taskgraph_part *tasks; /* of the present iteration */
        int32_t *ready;                     /* [nready] from head on by priority */
        int32_t *missing; /* [tasks->ntask] predecessors whose outputs are not at home */
        struct taskgraph_whole *whole; /* [tasks->ntask] NULL: none is within another; kept: the
                                          place of its first one */
        int32_t nready;
};

static bool make_wholes(struct cham_ordered *o, const struct taskgraph *graph, size_t room)
{
        if (taskgraph_has_wholes(graph))
                o->whole = malloc(room * sizeof(*o->whole));
        return o->whole || !taskgraph_has_wholes(graph);
}

int cham_ordered_create(struct cham *c, struct lb_error *err)
{
        const struct taskgraph *graph = workload_graph_of(c->spec->workload);
        if (!graph)
                return 0;
        c->ordered = calloc((size_t)c->nrank, sizeof(*c->ordered));
        for (int32_t i = 0; i < c->nrank; i++) {
                size_t room = (size_t)taskgraph_most_tasks(graph, i) + 1;
                if (c->ordered && (c->ordered[i].ready = malloc(room * sizeof(int32_t))) &&
                    (c->ordered[i].missing = malloc(room * sizeof(int32_t))) &&
                    make_wholes(&c->ordered[i], graph, room))
                        continue;
                return lb_error_fail(err, "out of memory for the tasks of %d ranks", c->nrank);
        }
        return 0;
}

void cham_ordered_destroy(struct cham *c)
{
        for (int32_t i = 0; c->ordered && i < c->nrank; i++) {
                free(c->ordered[i].ready);
                free(c->ordered[i].missing);
                free(c->ordered[i].whole);
        }
        free(c->ordered);
}

/* Behind those that wait, from place `head` on, and are as urgent. */
static int32_t place_of(const struct cham_ordered *o, int32_t head, int32_t task)
{
        int32_t priority = taskgraph_priority(o->tasks, task), end = o->nready;
        while (head < end) {
                int32_t middle = head + (end - head) / 2;
                if (taskgraph_priority(o->tasks, o->ready[middle]) >= priority)
                        head = middle + 1;
                else
                        end = middle;
        }
        return end;
}

static void is_ready(struct cham *c, int32_t rank, int32_t task)
{
        struct cham_ordered *o = &c->ordered[rank];
        struct cham_rank *r = &c->rank[rank];
        if (taskgraph_stays(o->tasks, task)) {
                r->local.received++;
                cham_push(c, &r->received, (struct cham_task){ rank, CHAM_NONE, -1 - task });
                return;
        }
        int32_t at = place_of(o, (int32_t)r->head, task);
        memmove(&o->ready[at + 1], &o->ready[at], (size_t)(o->nready - at) * sizeof(*o->ready));
        o->ready[at] = task;
        o->nready++;
        r->local.queued++;
}

static int32_t task_at(const struct cham_ordered *o, int64_t place)
{
        return place < 0 ? (int32_t)(-1 - place) : o->ready[place];
}

void cham_ordered_begin(struct cham *c, int32_t rank)
{
        struct cham_ordered *o = &c->ordered[rank];
        const struct taskgraph_part *tasks =
            taskgraph_part(workload_graph_of(c->spec->workload), c->iteration, rank);
        o->tasks = tasks;
        o->nready = 0;
        taskgraph_count_before(tasks, o->missing);
        c->rank[rank].local.queued = 0;
        if (o->whole)
                c->rank[rank].own_left = taskgraph_gather_wholes(tasks, o->whole);
        for (int32_t t = 0; t < tasks->ntask; t++)
                if (o->missing[t] == 0)
                        is_ready(c, rank, t);
}

/* Those that wait for a task in the same whole, at the rank where it ran. */
static void release_within(struct cham *c, int32_t rank, int32_t owner, int32_t task)
{
        const struct cham_ordered *o = &c->ordered[owner];
        struct cham_rank *r = &c->rank[rank];
        uint32_t end = taskgraph_first(o->tasks, task + 1);
        for (uint32_t i = taskgraph_first(o->tasks, task); i < end; i++) {
                int32_t next = o->tasks->successor[i];
                if (taskgraph_within(o->tasks, next) == TASKGRAPH_NONE || --o->missing[next] > 0)
                        continue;
                r->local.received++;
                cham_push(c, &r->received, (struct cham_task){ owner, CHAM_NONE, -1 - next });
        }
}

bool cham_ordered_goes_on(struct cham *c, int32_t rank, struct cham_task *task)
{
        const struct cham_ordered *o = &c->ordered[task->owner];
        if (!o->whole)
                return false;
        int32_t ended = task_at(o, task->task);
        struct taskgraph_whole *whole = &o->whole[taskgraph_whole_of(o->tasks, ended)];
        if (whole == &o->whole[ended])
                whole->kept = task->task;
        release_within(c, rank, task->owner, ended);
        task->task = whole->kept;
        return --whole->left > 0;
}

static void release(struct cham *c, int32_t rank, int32_t task)
{
        const struct cham_ordered *o = &c->ordered[rank];
        uint32_t end = taskgraph_first(o->tasks, task + 1);
        for (uint32_t i = taskgraph_first(o->tasks, task); i < end; i++) {
                int32_t next = o->tasks->successor[i];
                if (taskgraph_within(o->tasks, next) == TASKGRAPH_NONE && --o->missing[next] == 0)
                        is_ready(c, rank, next);
        }
}

void cham_ordered_done(struct cham *c, int32_t rank, int64_t place)
{
        const struct cham_ordered *o = &c->ordered[rank];
        int32_t task = task_at(o, place);
        release(c, rank, task);
        while (o->whole && (task = o->whole[task].next) != TASKGRAPH_NONE)
                release(c, rank, task);
}

bool cham_ordered_has_wholes(const struct cham *c)
{
        return c->ordered && c->ordered[0].whole;
}

int64_t cham_ordered_ns(const struct cham *c, int32_t rank, int64_t place)
{
        const struct cham_ordered *o = &c->ordered[rank];
        return o->tasks->task_ns[task_at(o, place)];
}

int64_t cham_ordered_bytes(const struct cham *c, int32_t rank, int64_t place, int64_t count)
{
        const struct cham_ordered *o = &c->ordered[rank];
        double bytes = 0;
        for (int64_t p = place; p < place + count; p++)
                bytes += (double)o->tasks->bytes[o->ready[p]];
        return (int64_t)bytes;
}
