/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which ranks there are, from the edges of the graph: the shape, who is which worker, who sleeps,
 * and whether the nodes have cores for them.
 */
#include "real/control/job_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "graphs/graph.h"
#include "policies/alloc.h"
#include "policies/system.h"
#include "real/control/part.h"
#include "real/node/cores.h"

/* The shape's arrays are const to all others. */
void job_shape_free(struct lb_shape *shape)
{
        free((void *)shape->cores);
        free((void *)shape->apprank_first);
        free((void *)shape->worker_node);
        free((void *)shape->worker_apprank);
        free((void *)shape->worker_home);
        free((void *)shape->node_first);
        free((void *)shape->node_worker);
        free((void *)shape->talk_only);
        *shape = (struct lb_shape){ 0 };
}

static void *copy(const void *from, size_t count, size_t size)
{
        void *to = calloc(count + 1, size);
        if (to)
                memcpy(to, from, count * size);
        return to;
}

static bool *home_workers(const struct graph *graph)
{
        bool *home = calloc((size_t)graph->nedge + 1, sizeof(*home));
        for (int32_t a = 0; home && a < graph->napprank; a++)
                home[graph->apprank_first[a]] = true;
        return home;
}

static int make_shape(struct lb_shape *shape, const struct job *job, const struct graph *graph)
{
        size_t nnode = (size_t)graph->nnode, napprank = (size_t)graph->napprank;
        size_t nworker = (size_t)graph->nedge;
        *shape = (struct lb_shape){
                .nnode = graph->nnode,
                .napprank = graph->napprank,
                .nworker = graph->nedge,
                .cores = copy(job->cores, nnode, sizeof(int32_t)),
                .apprank_first = copy(graph->apprank_first, napprank + 1, sizeof(int32_t)),
                .worker_node = copy(graph->edge_node, nworker, sizeof(int32_t)),
                .worker_apprank = copy(graph->edge_apprank, nworker, sizeof(int32_t)),
                .worker_home = home_workers(graph),
                .node_first = copy(graph->node_first, nnode + 1, sizeof(int32_t)),
                .node_worker = copy(graph->node_edge, nworker, sizeof(int32_t)),
                .poll_s = job->param[JOB_POLL_S],
        };
        return shape->cores && shape->apprank_first && shape->worker_node &&
                       shape->worker_apprank && shape->worker_home && shape->node_first &&
                       shape->node_worker
                   ? 0
                   : -1;
}

static int set_talk_only(struct lb_shape *shape, const bool *sleeps, const struct job *job)
{
        enum alloc_talk choice = (enum alloc_talk)job->param[JOB_TALK_ONLY];
        bool *talk_only = calloc((size_t)shape->nworker + 1, sizeof(*talk_only));
        if (!talk_only)
                return -1;
        if (alloc_talk_only(shape, sleeps, job->lewi ? choice : ALLOC_TALK_NEVER, talk_only) > 0)
                shape->talk_only = talk_only;
        else
                free(talk_only);
        return 0;
}

/* A node's workers, ascending, are its ranks: the order of the shape's node_worker. */
static int make_rank_maps(struct job *job)
{
        size_t nworker = (size_t)job->shape.nworker;
        free(job->rank_worker);
        free(job->worker_rank);
        job->rank_worker = copy(job->shape.node_worker, nworker, sizeof(int32_t));
        job->worker_rank = calloc(nworker + 1, sizeof(int32_t));
        if (!job->rank_worker || !job->worker_rank)
                return -1;
        for (int32_t rank = 0; rank < job->shape.nworker; rank++)
                job->worker_rank[job->rank_worker[rank]] = rank;
        return 0;
}

static int make_speeds(struct job *job)
{
        if (job->speed)
                return 0;
        job->speed = calloc((size_t)job->nnode + 1, sizeof(double));
        for (int32_t n = 0; job->speed && n < job->nnode; n++)
                job->speed[n] = 1;
        return job->speed ? 0 : -1;
}

static int make_cores(struct job *job)
{
        if (job->cores)
                return 0;
        job->cores = calloc((size_t)job->nnode + 1, sizeof(*job->cores));
        for (int32_t n = 0; job->cores && n < job->nnode; n++)
                job->cores[n] = job->cores_per_node;
        return job->cores ? 0 : -1;
}

/* Of those who are awake. */
static int initial_awake(const struct lb_shape *shape, const bool *sleeps, int32_t *owned,
                         struct lb_error *err)
{
        struct part part;
        bool *awake = calloc((size_t)shape->nworker + 1, sizeof(*awake));
        if (!awake)
                return lb_error_fail(err, "out of memory");
        for (int32_t w = 0; w < shape->nworker; w++)
                awake[w] = !sleeps[w];
        int status = part_init(&part, shape, err);
        if (status == 0) {
                part_set(&part, awake);
                status = part_initial(&part, owned, err);
        }
        part_finish(&part);
        free(awake);
        return status;
}

static int initial(const struct lb_shape *shape, const bool *sleeps, int32_t *owned,
                   struct lb_error *err)
{
        return sleeps ? initial_awake(shape, sleeps, owned, err) : alloc_initial(shape, owned, err);
}

int job_initial(const struct job *job, int32_t *owned_cores, struct lb_error *err)
{
        return initial(&job->shape, job->sleeps, owned_cores, err);
}

/* Who sleeps at first: of the edges of an apprank, in the order that they are given in, those
 * beyond its degree. In *sleeps NULL where nobody does. */
static int find_sleeping(const struct job *job, const struct lb_shape *shape, const int32_t *first,
                         const int32_t *node, bool **sleeps)
{
        const struct system_type *system = system_find(job->system);
        bool any = false;
        *sleeps = NULL;
        if (!system || !system->grow)
                return 0;
        int32_t awake = system_finds_degree(system) ? 1 : job->degree;
        bool *found = calloc((size_t)shape->nworker + 1, sizeof(*found));
        if (!found)
                return -1;
        for (int32_t a = 0; a < shape->napprank; a++)
                for (int32_t i = first[a] + awake; i < first[a + 1]; i++)
                        for (int32_t w = shape->apprank_first[a]; w < shape->apprank_first[a + 1];
                             w++)
                                if (shape->worker_node[w] == node[i])
                                        any = found[w] = true;
        if (any || system_finds_degree(system))
                *sleeps = found;
        else
                free(found);
        return 0;
}

/* DLB has no process without a CPU. */
static int check_manager(const struct lb_shape *shape, const struct job *job, struct lb_error *err)
{
        int32_t w = 0;
        if (!shape->talk_only || (enum cores_by)job->param[JOB_CORES_BY] != CORES_BY_DLB)
                return 0;
        while (!shape->talk_only[w])
                w++;
        int32_t n = shape->worker_node[w];
        return lb_error_set(err,
                            "cores_by: found 'dlb', allowed is builtin where helpers own no core "
                            "(talk_only): node %" PRId32 " has %" PRId32 " core%s for %" PRId32
                            " workers",
                            n, shape->cores[n], lb_s(shape->cores[n]),
                            shape->node_first[n + 1] - shape->node_first[n]);
}

/* Has every node a core for each of its workers that must own one? */
static int check_cores(const struct lb_shape *shape, const struct job *job, const bool *sleeps,
                       struct lb_error *err)
{
        if (check_manager(shape, job, err) < 0)
                return -1;
        int32_t *owned = calloc((size_t)shape->nworker + 1, sizeof(*owned));
        int status =
            owned ? initial(shape, sleeps, owned, err) : lb_error_fail(err, "out of memory");
        free(owned);
        return status;
}

/* The edges are those of the graph, in the order of who sleeps. */
static int take_graph(struct job *job, const struct graph *graph, const int32_t *first,
                      const int32_t *node, struct lb_error *err)
{
        struct lb_shape shape;
        bool *sleeps = NULL;
        if (make_cores(job) < 0)
                return lb_error_fail(err, "out of memory");
        if (make_shape(&shape, job, graph) < 0 ||
            find_sleeping(job, &shape, first, node, &sleeps) < 0 ||
            set_talk_only(&shape, sleeps, job) < 0) {
                job_shape_free(&shape);
                free(sleeps);
                return lb_error_fail(err, "out of memory");
        }
        if (check_cores(&shape, job, sleeps, err) < 0) {
                job_shape_free(&shape);
                free(sleeps);
                return -1;
        }
        job_shape_free(&job->shape);
        free(job->sleeps);
        job->shape = shape;
        job->sleeps = sleeps;
        job->nworker = shape.nworker;
        if (make_rank_maps(job) < 0 || make_speeds(job) < 0)
                return lb_error_fail(err, "out of memory");
        return 0;
}

static int check_comm_core(const struct job *job, struct lb_error *err)
{
        const struct lb_shape *s = &job->shape;
        bool taken = job->param[JOB_COMM_CORE] == JOB_COMM_CORE_TAKEN && job_migrates(job);
        for (int32_t n = 0; taken && n < s->nnode; n++) {
                int32_t ranks = s->node_first[n + 1] - s->node_first[n];
                if (s->cores[n] < 2 * ranks)
                        return lb_error_set(err,
                                            "runtime.comm_core: found taken with %" PRId32
                                            " cores for %" PRId32 " ranks of node %" PRId32
                                            ", allowed are at least 2 for each",
                                            s->cores[n], ranks, n);
        }
        return 0;
}

/* Before anything starts: as many ranks as are refused may be more than the machine bears. */
static int check_places(const struct job *job, struct lb_error *err)
{
        const struct lb_shape *s = &job->shape;
        if (job_migrates(job) && s->napprank > JOB_PLACE_MAX)
                return lb_error_set(
                    err, "found %" PRId32 " appranks that migrate tasks, allowed are at most %d",
                    s->napprank, JOB_PLACE_MAX);
        for (int32_t a = 0; a < s->napprank; a++) {
                int32_t degree = s->apprank_first[a + 1] - s->apprank_first[a];
                if (degree > JOB_PLACE_MAX)
                        return lb_error_set(err,
                                            "found %" PRId32 " nodes of apprank %" PRId32
                                            ", allowed are at most %d: lower the degree",
                                            degree, a, JOB_PLACE_MAX);
        }
        return 0;
}

int job_set_edges(struct job *job, const int32_t *apprank_first, const int32_t *edge_node,
                  struct lb_error *err)
{
        struct graph *graph =
            graph_from_edges(job->napprank, job->nnode, apprank_first, edge_node, err);
        if (!graph)
                return -1;
        int status = take_graph(job, graph, apprank_first, edge_node, err);
        graph_destroy(graph);
        return status < 0 || check_places(job, err) < 0 ? -1 : check_comm_core(job, err);
}
