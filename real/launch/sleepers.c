/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/sleepers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "policies/alloc.h"
#include "policies/grow.h"
#include "policies/system.h"
#include "real/node/cores.h"

/* The nodes of each apprank in a row of `most`: those of the graph, then those to sleep on. */
struct rows {
        int32_t most;
        int32_t *count; /* [napprank] */
        int32_t *node;  /* [napprank][most] */
        int32_t *room;  /* [nnode] cores without a worker */
        int32_t *first; /* [napprank + 1] */
        uint64_t key;   /* of nodes that are equal */
};

static int32_t most_workers(const struct job *job, const struct graph *graph)
{
        const struct system_type *system = system_find(job->system);
        bool none = !system->grow || system_finds_degree(system) ||
                    (enum cores_by)job->param[JOB_CORES_BY] == CORES_BY_DLB ||
                    (enum alloc_talk)job->param[JOB_TALK_ONLY] == ALLOC_TALK_HELPERS;
        int32_t most = none ? 0 : (int32_t)job->grow_param[GROW_DEGREE];
        most = most < graph->nnode ? most : graph->nnode;
        return most > graph->degree ? most : graph->degree;
}

static bool is_in(const struct rows *r, int32_t apprank, int32_t node)
{
        for (int32_t i = 0; i < r->count[apprank]; i++)
                if (r->node[apprank * r->most + i] == node)
                        return true;
        return false;
}

/* The node with most room that the apprank is not on; -1: none. */
static int32_t roomiest(const struct rows *r, const struct graph *graph, int32_t apprank)
{
        int32_t best = -1;
        uint64_t lot = 0;
        for (int32_t n = 0; n < graph->nnode; n++) {
                if (r->room[n] < 1 || (best >= 0 && r->room[n] < r->room[best]))
                        continue;
                uint64_t drawn = lb_random_at(r->key, (uint64_t)apprank, (uint64_t)n);
                if ((best >= 0 && r->room[n] == r->room[best] && drawn <= lot) ||
                    is_in(r, apprank, n))
                        continue;
                best = n;
                lot = drawn;
        }
        return best;
}

/* Nobody gets the next before all have the one before. */
static void add(struct rows *r, const struct graph *graph)
{
        for (int32_t count = graph->degree; count < r->most; count++) {
                for (int32_t a = 0; a < graph->napprank; a++) {
                        int32_t node = r->count[a] == count ? roomiest(r, graph, a) : -1;
                        if (node < 0)
                                continue;
                        r->node[a * r->most + r->count[a]++] = node;
                        r->room[node]--;
                }
        }
}

static void fill(struct rows *r, const struct job *job, const struct graph *graph)
{
        for (int32_t n = 0; n < graph->nnode; n++)
                r->room[n] = job_node_cores(job, n) - graph_node_degree(graph, n);
        for (int32_t a = 0; a < graph->napprank; a++) {
                r->count[a] = graph->apprank_first[a + 1] - graph->apprank_first[a];
                memcpy(&r->node[a * r->most], &graph->edge_node[graph->apprank_first[a]],
                       (size_t)r->count[a] * sizeof(*r->node));
        }
        add(r, graph);
}

/* The rows without the gaps between them. */
static void close_up(struct rows *r, int32_t napprank)
{
        for (int32_t a = 0; a < napprank; a++) {
                memmove(&r->node[r->first[a]], &r->node[a * r->most],
                        (size_t)r->count[a] * sizeof(*r->node));
                r->first[a + 1] = r->first[a] + r->count[a];
        }
}

int sleepers_add(struct job *job, const struct graph *graph, struct lb_error *err)
{
        size_t napprank = (size_t)graph->napprank;
        struct rows r = { .most = most_workers(job, graph),
                          .key = lb_random_key(0, LB_RANDOM_GRAPH) };
        r.count = calloc(napprank, sizeof(*r.count));
        r.node = calloc(napprank * (size_t)r.most, sizeof(*r.node));
        r.room = calloc((size_t)graph->nnode, sizeof(*r.room));
        r.first = calloc(napprank + 1, sizeof(*r.first));
        int status = -1;
        if (r.count && r.node && r.room && r.first) {
                fill(&r, job, graph);
                close_up(&r, graph->napprank);
                status = job_set_edges(job, r.first, r.node, err);
        } else {
                lb_error_fail(err, "out of memory for a graph");
        }
        free(r.count);
        free(r.node);
        free(r.room);
        free(r.first);
        return status;
}
