/* SPDX-License-Identifier: BSD-3-Clause */
/*
 *   durations, in order ---> which speed ends it first? ---> that speed's heap of cores, by the
 *                                                            time at which each is free
 *
 * Cores of one speed are one heap, of which only the first core is asked, so that a task costs as
 * many questions as there are speeds, and one sift.
 */
#include "models/floor.h"

#include <math.h>
#include <stdlib.h>

struct group { /* cores of one speed */
        double speed;
        int64_t ncore;
        double *free_ns; /* [ncore] heap: the first is free first */
};

struct hall {
        const struct floor_cores *cores;
        double *speed; /* [nnode] */
        int32_t ngroup;
        struct group *group; /* [ngroup] */
        double *free_ns;
        double capacity; /* cores x speed */
        int64_t ncore;
};

struct list {
        struct work *work;   /* [napprank] */
        struct work *before; /* [napprank] of the iteration before, of those that are looked at */
        double ns[3];        /* what that one came to */
        int32_t napprank;
        double *task_ns; /* [size] */
        int64_t size, ntask;
        double work_ns;
};

static int falling(const void *a, const void *b)
{
        double x = *(const double *)a, y = *(const double *)b;
        return (x < y) - (x > y);
}

/* ---- Cores ---- */

static void hall_finish(struct hall *h)
{
        free(h->speed);
        free(h->group);
        free(h->free_ns);
}

static void add_node(struct hall *h, double speed, int32_t cores)
{
        if (h->ngroup == 0 || h->group[h->ngroup - 1].speed != speed)
                h->group[h->ngroup++] =
                    (struct group){ .speed = speed, .free_ns = h->free_ns + h->ncore };
        h->group[h->ngroup - 1].ncore += cores;
        h->ncore += cores;
        h->capacity += cores * speed;
}

/* The nodes' cores, as fast as they are in an iteration. */
static void furnish(struct hall *h, const struct workload *workload, int32_t iteration)
{
        const struct floor_cores *c = h->cores;
        h->ngroup = 0;
        h->ncore = 0;
        h->capacity = 0;
        for (int32_t n = 0; n < c->nnode; n++)
                h->speed[n] = c->speed[n] / workload_node_factor(workload, n, iteration);
        qsort(h->speed, (size_t)c->nnode, sizeof(*h->speed), falling);
        for (int32_t n = 0; n < c->nnode; n++)
                add_node(h, h->speed[n], c->cores_per_node);
}

static int hall_init(struct hall *h, const struct floor_cores *c, struct lb_error *err)
{
        size_t nnode = (size_t)c->nnode;
        *h = (struct hall){ .cores = c,
                            .speed = calloc(nnode, sizeof(*h->speed)),
                            .group = calloc(nnode, sizeof(*h->group)),
                            .free_ns =
                                calloc(nnode * (size_t)c->cores_per_node, sizeof(*h->free_ns)) };
        if (h->speed && h->group && h->free_ns)
                return 0;
        hall_finish(h);
        return lb_error_fail(err, "out of memory");
}

/* The first core of a group is busy until then. */
static void occupy(struct group *g, double until_ns)
{
        int64_t at = 0, child;
        while ((child = 2 * at + 1) < g->ncore) {
                if (child + 1 < g->ncore && g->free_ns[child + 1] < g->free_ns[child])
                        child++;
                if (g->free_ns[child] >= until_ns)
                        break;
                g->free_ns[at] = g->free_ns[child];
                at = child;
        }
        g->free_ns[at] = until_ns;
}

/* Whose core ends a task that is taken to last so long first; the faster of two. */
static struct group *first_to_end(const struct hall *h, double task_ns)
{
        struct group *best = &h->group[0];
        double least_ns = INFINITY;
        for (int32_t i = 0; i < h->ngroup; i++) {
                struct group *g = &h->group[i];
                double end_ns = g->free_ns[0] + task_ns / g->speed;
                if (end_ns < least_ns) {
                        least_ns = end_ns;
                        best = g;
                }
        }
        return best;
}

/* When all tasks have ended, taken in order; each is thought to last thought_ns, or, 0, as long as
 * it does. */
static double schedule_ns(struct hall *h, const struct list *list, double thought_ns)
{
        double end_ns = 0;
        for (int64_t i = 0; i < h->ncore; i++)
                h->free_ns[i] = 0;
        for (int64_t t = 0; t < list->ntask; t++) {
                double task_ns = list->task_ns[t];
                struct group *g = first_to_end(h, thought_ns > 0 ? thought_ns : task_ns);
                double until_ns = g->free_ns[0] + task_ns / g->speed;
                end_ns = fmax(end_ns, until_ns);
                occupy(g, until_ns);
        }
        return end_ns;
}

/* ---- Tasks ---- */

static int64_t longest_row(const struct list *list)
{
        int64_t most = 0;
        for (int32_t a = 0; a < list->napprank; a++)
                most = list->work[a].ntask > most ? list->work[a].ntask : most;
        return most;
}

static void put(struct list *list, double task_ns)
{
        list->task_ns[list->ntask++] = task_ns;
        list->work_ns += task_ns;
}

/* As tasks of their own. */
static void put_serial(struct list *list)
{
        for (int32_t a = 0; a < list->napprank; a++)
                if (list->work[a].serial_ns > 0)
                        put(list, (double)list->work[a].serial_ns);
}

/* Task by task of each apprank; blocks of an apprank together, as durations are drawn. */
static void draw(struct list *list, const struct workload *w, int32_t iteration, int64_t block)
{
        int64_t drawn_ns[WORKLOAD_BLOCK], from = block * WORKLOAD_BLOCK;
        for (int32_t a = 0; a < list->napprank; a++) {
                int64_t left = list->work[a].ntask - from;
                if (left > 0 && !workload_alike(w))
                        workload_block_ns(w, a, iteration, block, drawn_ns);
                for (int64_t t = 0; t < left && t < WORKLOAD_BLOCK; t++)
                        put(list,
                            (double)(workload_alike(w) ? list->work[a].task_ns : drawn_ns[t]));
        }
}

static int fill(struct list *list, const struct workload *w, int32_t iteration,
                struct lb_error *err)
{
        if (list->size < list->ntask) {
                free(list->task_ns);
                list->size = list->ntask;
                list->task_ns = calloc((size_t)list->size, sizeof(*list->task_ns));
                if (!list->task_ns)
                        return lb_error_fail(err, "out of memory");
        }
        int64_t nblock = (longest_row(list) + WORKLOAD_BLOCK - 1) / WORKLOAD_BLOCK;
        list->ntask = 0;
        list->work_ns = 0;
        put_serial(list);
        for (int64_t b = 0; b < nblock; b++)
                draw(list, w, iteration, b);
        return 0;
}

static int64_t count(struct list *list, const struct workload *w, int32_t iteration)
{
        workload_iteration(w, iteration, list->work);
        list->ntask = 0;
        for (int32_t a = 0; a < list->napprank; a++)
                list->ntask += list->work[a].ntask + (list->work[a].serial_ns > 0);
        return list->ntask;
}

/* Times of one iteration and what they would be in balance. */
static int schedule(struct hall *h, struct list *list, const struct workload *w, int32_t iteration,
                    struct lb_error *err)
{
        if (fill(list, w, iteration, err) < 0)
                return -1;
        list->ns[0] = list->work_ns / h->capacity;
        list->ns[2] = schedule_ns(h, list, list->work_ns / (double)list->ntask);
        qsort(list->task_ns, (size_t)list->ntask, sizeof(*list->task_ns), falling);
        list->ns[1] = fmin(schedule_ns(h, list, 0), list->ns[2]);
        return 0;
}

/* Are the tasks those of the iteration before, of which the first has none? These are `before` the
 * next time. */
static bool is_again(struct list *list, const struct workload *w)
{
        bool again = workload_alike(w);
        for (int32_t a = 0; a < list->napprank; a++) {
                again = again && list->work[a].ntask == list->before[a].ntask &&
                        list->work[a].task_ns == list->before[a].task_ns &&
                        list->work[a].serial_ns == list->before[a].serial_ns;
                list->before[a] = list->work[a];
        }
        return again;
}

/* How far apart the iterations are that are looked at. */
static int32_t stride(int64_t ntask, int32_t first, int32_t last)
{
        int64_t most = ntask > 0 ? FLOOR_TASKS_ABOUT / ntask : 1;
        most = most < 1 ? 1 : most;
        return (int32_t)((last - first + most - 1) / most);
}

static int find(struct hall *h, struct list *list, const struct workload *w, const int32_t *range,
                struct floor_ratio *ratio, struct lb_error *err)
{
        double ns[3] = { 0 };
        int32_t step = stride(count(list, w, range[0]), range[0], range[1]);
        for (int32_t i = range[0]; i < range[1]; i += step) {
                int64_t ntask = count(list, w, i);
                if (ntask == 0 || ntask > FLOOR_TASKS_MAX)
                        return 0;
                bool again = is_again(list, w) && !workload_nodes_vary(w);
                if (i == range[0] || workload_nodes_vary(w))
                        furnish(h, w, i);
                if (!again && schedule(h, list, w, i, err) < 0)
                        return -1;
                for (int k = 0; k < 3; k++)
                        ns[k] += list->ns[k];
        }
        if (ns[0] > 0)
                *ratio = (struct floor_ratio){ .informed = ns[1] / ns[0], .blind = ns[2] / ns[0] };
        return 0;
}

int floor_find(const struct workload *workload, const struct floor_cores *cores, int32_t first,
               int32_t last, struct floor_ratio *ratio, struct lb_error *err)
{
        struct hall h;
        *ratio = (struct floor_ratio){ NAN, NAN };
        if (workload_graph_of(workload))
                return 0;
        if (hall_init(&h, cores, err) < 0)
                return -1;
        struct list list = { .napprank = workload_napprank(workload) };
        list.work = calloc((size_t)list.napprank, sizeof(*list.work));
        list.before = calloc((size_t)list.napprank, sizeof(*list.before));
        int status = list.work && list.before
                         ? find(&h, &list, workload, (int32_t[]){ first, last }, ratio, err)
                         : lb_error_fail(err, "out of memory");
        free(list.work);
        free(list.before);
        free(list.task_ns);
        hall_finish(&h);
        return status;
}
