/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks are added with their predecessors; closing turns these into successors, which is what a
 * run asks for.
 */
#include "models/taskgraph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* A part, and what is needed to make it. */
struct part {
        struct taskgraph_part tasks;
        uint32_t *nafter; /* [ntask] */
        int32_t *after;   /* [nedge] of task 0, of task 1, ... */
        int64_t size, nedge, edge_size;
        bool shares; /* its arrays are another's */
};

struct taskgraph {
        struct part *part; /* [niteration][napprank] */
        int32_t niteration, napprank;
        double ntask;
        bool has_priorities, has_wholes;
};

struct taskgraph *taskgraph_create(int32_t niteration, int32_t napprank, struct lb_error *err)
{
        struct taskgraph *graph = calloc(1, sizeof(*graph));
        struct part *part = calloc((size_t)niteration * (size_t)napprank, sizeof(*part));
        if (graph && part) {
                *graph = (struct taskgraph){ .part = part,
                                             .niteration = niteration,
                                             .napprank = napprank };
                return graph;
        }
        free(graph);
        free(part);
        lb_error_fail(err, "out of memory for the tasks of %d appranks", napprank);
        return NULL;
}

static int64_t npart(const struct taskgraph *graph)
{
        return (int64_t)graph->niteration * graph->napprank;
}

static struct part *part_of(const struct taskgraph *graph, int32_t iteration, int32_t apprank)
{
        return &graph->part[(int64_t)iteration * graph->napprank + apprank];
}

static void free_part(struct part *part)
{
        free(part->nafter);
        free(part->after);
        if (part->shares)
                return;
        free(part->tasks.task_ns);
        free(part->tasks.bytes);
        free(part->tasks.stays);
        free(part->tasks.priority);
        free(part->tasks.within);
        free(part->tasks.first);
        free(part->tasks.successor);
}

void taskgraph_destroy(struct taskgraph *graph)
{
        if (!graph)
                return;
        for (int64_t p = 0; p < npart(graph); p++)
                free_part(&graph->part[p]);
        free(graph->part);
        free(graph);
}

/* ---- Adding ---- */

static bool resize(void *array, int64_t count, size_t size)
{
        void **at = array;
        void *moved = realloc(*at, (size_t)(count > 0 ? count : 1) * size);
        if (moved)
                *at = moved;
        return moved != NULL;
}

static bool make_room(struct part *part, int32_t nafter)
{
        struct taskgraph_part *tasks = &part->tasks;
        if (tasks->ntask == part->size) {
                int64_t size = part->size ? 2 * part->size : 4;
                if (!resize(&tasks->task_ns, size, sizeof(*tasks->task_ns)) ||
                    !resize(&tasks->bytes, size, sizeof(*tasks->bytes)) ||
                    !resize(&part->nafter, size, sizeof(*part->nafter)) ||
                    (tasks->stays && !resize(&tasks->stays, size, sizeof(*tasks->stays))) ||
                    (tasks->priority &&
                     !resize(&tasks->priority, size, sizeof(*tasks->priority))) ||
                    (tasks->within && !resize(&tasks->within, size, sizeof(*tasks->within))))
                        return false;
                part->size = size;
        }
        int64_t edge_size = part->edge_size;
        while (part->nedge + nafter > edge_size)
                edge_size = edge_size ? 2 * edge_size : 4;
        if (edge_size > part->edge_size && !resize(&part->after, edge_size, sizeof(*part->after)))
                return false;
        part->edge_size = edge_size;
        return true;
}

/* What few tasks say is kept from the first one on that does: is there room for it, where this one
 * `says` it? */
static bool keeps(void *array, const struct part *part, size_t size, bool says)
{
        void **at = array;
        if (!*at && says)
                *at = calloc((size_t)part->size, size);
        return *at || !says;
}

static bool set_few(struct part *part, int32_t at, const struct taskgraph_task *task)
{
        struct taskgraph_part *tasks = &part->tasks;
        if (!keeps(&tasks->stays, part, sizeof(*tasks->stays), task->stays) ||
            !keeps(&tasks->priority, part, sizeof(*tasks->priority), task->priority != 0) ||
            !keeps(&tasks->within, part, sizeof(*tasks->within), task->within != 0))
                return false;
        if (tasks->stays)
                tasks->stays[at] = task->stays;
        if (tasks->priority)
                tasks->priority[at] = task->priority;
        if (tasks->within)
                tasks->within[at] = task->within;
        return true;
}

int taskgraph_add(struct taskgraph *graph, int32_t iteration, int32_t apprank,
                  const struct taskgraph_task *task, struct lb_error *err)
{
        struct part *part = part_of(graph, iteration, apprank);
        struct taskgraph_part *tasks = &part->tasks;
        if (graph->ntask >= TASKGRAPH_TASK_MAX)
                return lb_error_set(err, "found more tasks, allowed are at most %d",
                                    TASKGRAPH_TASK_MAX);
        if (part->nedge + task->nafter > INT32_MAX)
                return lb_error_set(err,
                                    "found more dependencies of one apprank, allowed are at "
                                    "most %d",
                                    INT32_MAX);
        if (!make_room(part, task->nafter) || !set_few(part, tasks->ntask, task))
                return lb_error_fail(err, "out of memory for %.0f tasks", graph->ntask);
        for (int32_t i = 0; i < task->nafter; i++) {
                assert(task->after[i] >= 0 && task->after[i] < tasks->ntask);
                part->after[part->nedge++] = task->after[i];
        }
        part->nafter[tasks->ntask] = (uint32_t)task->nafter;
        tasks->task_ns[tasks->ntask] = task->task_ns;
        tasks->bytes[tasks->ntask] = (float)task->bytes;
        tasks->ntask++;
        graph->ntask++;
        graph->has_priorities |= task->priority != 0;
        graph->has_wholes |= task->within != 0;
        return 0;
}

/* ---- Closing ---- */

/* From after[] to successor[]: first[t + 1] is where the next successor of t goes, until all are
 * there. */
static bool turn(struct part *part)
{
        struct taskgraph_part *tasks = &part->tasks;
        if (part->nedge == 0)
                return true;
        uint32_t *first = calloc((size_t)tasks->ntask + 2, sizeof(*first));
        tasks->first = first;
        tasks->successor = malloc((size_t)part->nedge * sizeof(*tasks->successor));
        if (!first || !tasks->successor)
                return false;
        for (int64_t e = 0; e < part->nedge; e++)
                first[part->after[e] + 2]++;
        for (int32_t t = 0; t < tasks->ntask; t++)
                first[t + 2] += first[t + 1];
        int64_t e = 0;
        for (int32_t t = 0; t < tasks->ntask; t++)
                for (uint32_t i = 0; i < part->nafter[t]; i++, e++)
                        tasks->successor[first[part->after[e] + 1]++] = t;
        return true;
}

/* What waits for a task begins at `ns` at the earliest: what is of the same whole, or all else. */
static void pass_on(const struct taskgraph_part *tasks, int32_t task, bool inside, int64_t ns,
                    int64_t *start_ns)
{
        int32_t whole = taskgraph_whole_of(tasks, task);
        for (uint32_t i = taskgraph_first(tasks, task); i < taskgraph_first(tasks, task + 1); i++) {
                int32_t next = tasks->successor[i];
                if ((taskgraph_whole_of(tasks, next) == whole) == inside)
                        start_ns[next] = ns > start_ns[next] ? ns : start_ns[next];
        }
}

/* A whole's end, which is that of its last task, for those that wait for any of them. `whole` is
 * NULL where each task is one. */
static int64_t end_whole(const struct taskgraph_part *tasks, int32_t first,
                         const struct taskgraph_whole *whole, int64_t *start_ns)
{
        int64_t end_ns = 0;
        for (int32_t t = first; t >= 0; t = whole ? whole[t].next : TASKGRAPH_NONE) {
                int64_t its_ns = start_ns[t] + tasks->task_ns[t];
                pass_on(tasks, t, true, its_ns, start_ns);
                end_ns = its_ns > end_ns ? its_ns : end_ns;
        }
        for (int32_t t = first; t >= 0; t = whole ? whole[t].next : TASKGRAPH_NONE)
                pass_on(tasks, t, false, end_ns, start_ns);
        return end_ns;
}

/* By their first tasks wholes are in an order in which they might run, and so are the tasks of
 * each. False: out of memory. */
static bool find_path(struct taskgraph_part *tasks)
{
        size_t ntask = (size_t)tasks->ntask;
        int64_t *start_ns = calloc(ntask + 1, sizeof(*start_ns));
        struct taskgraph_whole *whole = tasks->within ? malloc(ntask * sizeof(*whole)) : NULL;
        bool room = start_ns && (whole || !tasks->within);
        if (room && whole)
                taskgraph_gather_wholes(tasks, whole);
        tasks->path_ns = 0;
        for (int32_t t = 0; room && t < tasks->ntask; t++) {
                if (taskgraph_within(tasks, t) != TASKGRAPH_NONE)
                        continue;
                int64_t end_ns = end_whole(tasks, t, whole, start_ns);
                tasks->path_ns = end_ns > tasks->path_ns ? end_ns : tasks->path_ns;
        }
        free(start_ns);
        free(whole);
        return room;
}

static void sum_up(struct taskgraph_part *tasks)
{
        tasks->work_ns = 0;
        tasks->bytes_of_all = 0;
        for (int32_t t = 0; t < tasks->ntask; t++) {
                tasks->work_ns += tasks->task_ns[t];
                tasks->bytes_of_all += (double)tasks->bytes[t];
        }
}

/* Done with what was needed to make it. */
static void trim(struct part *part)
{
        struct taskgraph_part *tasks = &part->tasks;
        free(part->nafter);
        free(part->after);
        part->nafter = NULL;
        part->after = NULL;
        (void)resize(&tasks->task_ns, tasks->ntask, sizeof(*tasks->task_ns)); /* smaller */
        (void)resize(&tasks->bytes, tasks->ntask, sizeof(*tasks->bytes));
}

int taskgraph_close(struct taskgraph *graph, struct lb_error *err)
{
        for (int64_t p = 0; p < npart(graph); p++) {
                struct part *part = &graph->part[p];
                if (part->tasks.ntask == 0)
                        continue;
                if (!turn(part) || !find_path(&part->tasks))
                        return lb_error_fail(err, "out of memory for %.0f tasks", graph->ntask);
                sum_up(&part->tasks);
                trim(part);
        }
        return 0;
}

int taskgraph_share(struct taskgraph *graph, int32_t apprank, int32_t from, int32_t ntask,
                    struct lb_error *err)
{
        struct part *part = part_of(graph, 0, apprank), *other = part_of(graph, 0, from);
        assert(part->tasks.ntask == 0 && ntask <= other->tasks.ntask);
        *part = (struct part){ .tasks = other->tasks, .shares = true };
        part->tasks.ntask = ntask;
        graph->ntask += ntask;
        sum_up(&part->tasks);
        if (!find_path(&part->tasks))
                return lb_error_fail(err, "out of memory for %d tasks", ntask);
        return 0;
}

/* ---- Questions ---- */

int32_t taskgraph_niteration(const struct taskgraph *graph)
{
        return graph->niteration;
}

int32_t taskgraph_napprank(const struct taskgraph *graph)
{
        return graph->napprank;
}

double taskgraph_ntask(const struct taskgraph *graph)
{
        return graph->ntask;
}

const struct taskgraph_part *taskgraph_part(const struct taskgraph *graph, int32_t iteration,
                                            int32_t apprank)
{
        static const struct taskgraph_part none = { 0 };
        if (apprank >= graph->napprank)
                return &none;
        return &part_of(graph, iteration % graph->niteration, apprank)->tasks;
}

void taskgraph_count_before(const struct taskgraph_part *part, int32_t *before)
{
        memset(before, 0, (size_t)part->ntask * sizeof(*before));
        for (uint32_t i = 0; i < taskgraph_first(part, part->ntask); i++)
                before[part->successor[i]]++;
}

int32_t taskgraph_most_tasks(const struct taskgraph *graph, int32_t apprank)
{
        int32_t most = 0;
        for (int32_t i = 0; i < graph->niteration; i++) {
                int32_t ntask = taskgraph_part(graph, i, apprank)->ntask;
                most = ntask > most ? ntask : most;
        }
        return most;
}

bool taskgraph_has_priorities(const struct taskgraph *graph)
{
        return graph->has_priorities;
}

bool taskgraph_has_wholes(const struct taskgraph *graph)
{
        return graph->has_wholes;
}

int32_t taskgraph_gather_wholes(const struct taskgraph_part *part, struct taskgraph_whole *whole)
{
        int32_t count = part->ntask;
        for (int32_t t = 0; t < part->ntask; t++)
                whole[t] = (struct taskgraph_whole){ .next = TASKGRAPH_NONE, .left = 1 };
        for (int32_t t = part->ntask - 1; t >= 0; t--) {
                int32_t first = taskgraph_within(part, t);
                if (first == TASKGRAPH_NONE)
                        continue;
                whole[t].next = whole[first].next;
                whole[first].next = t;
                whole[first].left++;
                count--;
        }
        return count;
}

int64_t taskgraph_path_ns(const struct taskgraph *graph, int32_t iteration)
{
        int64_t path_ns = 0;
        for (int32_t a = 0; a < graph->napprank; a++) {
                int64_t its_ns = taskgraph_part(graph, iteration, a)->path_ns;
                path_ns = its_ns > path_ns ? its_ns : path_ns;
        }
        return path_ns;
}

uint64_t taskgraph_hash(const struct taskgraph *graph)
{
        uint64_t hash = lb_hash_of_none;
        if (graph->niteration > 1)
                lb_hash_add(&hash, &graph->niteration, sizeof(graph->niteration));
        for (int64_t p = 0; p < npart(graph); p++) {
                const struct taskgraph_part *tasks = &graph->part[p].tasks;
                size_t ntask = (size_t)tasks->ntask;
                lb_hash_add(&hash, &tasks->ntask, sizeof(tasks->ntask));
                lb_hash_add(&hash, tasks->task_ns, ntask * sizeof(*tasks->task_ns));
                lb_hash_add(&hash, tasks->bytes, ntask * sizeof(*tasks->bytes));
                if (tasks->stays)
                        lb_hash_add(&hash, tasks->stays, ntask * sizeof(*tasks->stays));
                if (tasks->priority)
                        lb_hash_add(&hash, tasks->priority, ntask * sizeof(*tasks->priority));
                if (tasks->within)
                        lb_hash_add(&hash, tasks->within, ntask * sizeof(*tasks->within));
                if (!tasks->first)
                        continue;
                lb_hash_add(&hash, tasks->first, (ntask + 1) * sizeof(*tasks->first));
                lb_hash_add(&hash, tasks->successor,
                            tasks->first[ntask] * sizeof(*tasks->successor));
        }
        return hash;
}
