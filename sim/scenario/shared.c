/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/scenario/shared.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "graphs/cache.h"
#include "models/floor.h"
#include "models/workload.h"
#include "policies/host/ledger.h"
#include "sim/engine/sim.h"

/*
 * A workload that is there, or that a thread is making while others wait. The parameters are a
 * copy; what the spec points to beside them is the scenario's.
 */
struct kept {
        struct workload_spec spec;
        double param[WORKLOAD_NPARAM];
        struct workload *workload; /* NULL: being made, or the place is free */
        int32_t users;             /* runs that have it or wait for it; 0: may go */
        int64_t used;              /* when it was last asked for */
        double *floor_speed;       /* [nnode] for which floor is known; NULL: not yet */
        struct floor_ratio floor;
        double *drawn_ns; /* [iterations of the last third][napprank]; NULL: not yet */
};

/* More places than threads are likely to be at work, since one that is in use cannot go. */
enum { KEPT = 256 };
static const size_t idle_bytes_max = (size_t)256 << 20; /* of workloads that nobody uses now */

struct point_shared {
        int64_t npoint, ngraph;
        struct graph_spec *spec; /* [ngraph] */
        struct graph **graph;    /* [ngraph]; NULL: not needed yet */
        int64_t *of_point;       /* [npoint] place in graph[] */
        pthread_mutex_t making_graph;
        struct kept kept[KEPT];
        int64_t asked;
        int32_t threads;       /* of a run */
        const char *undivided; /* written by any run */
        pthread_mutex_t lock;  /* of kept[] */
        pthread_cond_t made;
};

/* ---- Graphs ---- */

static struct graph_spec graph_of(const struct scenario_point *point)
{
        int32_t nnode = (int32_t)point->value[SECTION_PLATFORM][PLATFORM_NODES];
        struct graph_spec spec =
            graph_spec_from(point->napprank, nnode, point->value[SECTION_GRAPH]);
        spec.degree = point->start_degree; /* 1 for systems that do not offload */
        return spec;
}

static bool same_graph(const struct graph_spec *a, const struct graph_spec *b)
{
        return a->napprank == b->napprank && a->nnode == b->nnode && a->degree == b->degree &&
               a->method == b->method && a->seed == b->seed && a->trials == b->trials &&
               a->nodes_per_switch == b->nodes_per_switch;
}

/* The place of a spec's graph, which may be new. */
static int64_t place_of(struct point_shared *shared, const struct graph_spec *spec)
{
        for (int64_t i = 0; i < shared->ngraph; i++)
                if (same_graph(&shared->spec[i], spec))
                        return i;
        shared->spec[shared->ngraph] = *spec;
        return shared->ngraph++;
}

static int find_graphs(struct point_shared *shared, const struct scenario *scenario,
                       struct lb_error *err)
{
        for (int64_t p = 0; p < shared->npoint; p++) {
                struct scenario_point point;
                if (scenario_point_get(scenario, p, &point, err) < 0)
                        return -1;
                struct graph_spec spec = graph_of(&point);
                scenario_point_finish(&point);
                shared->of_point[p] = place_of(shared, &spec);
        }
        return 0;
}

static int allocate(struct point_shared *shared, const struct scenario *scenario,
                    struct lb_error *err)
{
        size_t npoint = (size_t)scenario->npoint;
        shared->npoint = scenario->npoint;
        shared->spec = calloc(npoint + 1, sizeof(*shared->spec));
        shared->graph = calloc(npoint + 1, sizeof(struct graph *));
        shared->of_point = calloc(npoint + 1, sizeof(*shared->of_point));
        if (shared->spec && shared->graph && shared->of_point)
                return 0;
        return lb_error_fail(err, "out of memory for the graphs of %lld points",
                             (long long)scenario->npoint);
}

struct point_shared *point_shared_create(const struct scenario *scenario, struct lb_error *err)
{
        struct point_shared *shared = calloc(1, sizeof(*shared));
        if (!shared) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        pthread_mutex_init(&shared->making_graph, NULL);
        pthread_mutex_init(&shared->lock, NULL);
        pthread_cond_init(&shared->made, NULL);
        if (allocate(shared, scenario, err) == 0 && find_graphs(shared, scenario, err) == 0)
                return shared;
        point_shared_destroy(shared);
        return NULL;
}

void point_shared_destroy(struct point_shared *shared)
{
        if (!shared)
                return;
        for (int64_t i = 0; shared->graph && i < shared->ngraph; i++)
                graph_destroy(shared->graph[i]);
        for (int i = 0; i < KEPT; i++) {
                workload_destroy(shared->kept[i].workload);
                free(shared->kept[i].floor_speed);
                free(shared->kept[i].drawn_ns);
        }
        free(shared->spec);
        free(shared->graph);
        free(shared->of_point);
        pthread_mutex_destroy(&shared->making_graph);
        pthread_mutex_destroy(&shared->lock);
        pthread_cond_destroy(&shared->made);
        free(shared);
}

void shared_divide(struct point_shared *shared, int32_t threads)
{
        shared->threads = threads;
}

const char *shared_undivided(const struct point_shared *shared)
{
        return __atomic_load_n(&shared->undivided, __ATOMIC_RELAXED);
}

void shared_set_threads(struct point_shared *shared, struct sim_spec *spec)
{
        spec->threads = shared->threads;
        spec->undivided = &shared->undivided;
}

const struct graph *shared_graph(struct point_shared *shared, int64_t point, struct lb_error *err)
{
        int64_t at = shared->of_point[point];
        pthread_mutex_lock(&shared->making_graph);
        if (!shared->graph[at])
                shared->graph[at] = graph_obtain(&shared->spec[at], err);
        const struct graph *graph = shared->graph[at];
        pthread_mutex_unlock(&shared->making_graph);
        return graph;
}

int shared_graphs_all(struct point_shared *shared, struct lb_error *err)
{
        for (int64_t p = 0; p < shared->npoint; p++)
                if (!shared_graph(shared, p, err))
                        return -1;
        return 0;
}

const struct graph *shared_graph_made(const struct point_shared *shared, int64_t point)
{
        return shared->graph[shared->of_point[point]];
}

/* ---- Workloads ---- */

static struct workload_spec workload_of(const struct scenario_point *point, uint64_t seed)
{
        const double *platform = point->value[SECTION_PLATFORM];
        return (struct workload_spec){
                .nnode = (int32_t)platform[PLATFORM_NODES],
                .cores_per_node = (int32_t)platform[PLATFORM_CORES_PER_NODE],
                .appranks_per_node = (int32_t)platform[PLATFORM_APPRANKS_PER_NODE],
                .param = point->value[SECTION_WORKLOAD],
                .load_ms = point->load_ms,
                .nload = point->nload,
                .seed = seed,
                .trace = point->trace,
                .graph = point->graph,
        };
}

static bool same_work(const struct workload_spec *a, const struct workload_spec *b)
{
        return a->nnode == b->nnode && a->cores_per_node == b->cores_per_node &&
               a->appranks_per_node == b->appranks_per_node && a->load_ms == b->load_ms &&
               a->nload == b->nload && a->seed == b->seed && a->trace == b->trace &&
               a->graph == b->graph &&
               memcmp(a->param, b->param, WORKLOAD_NPARAM * sizeof(*a->param)) == 0;
}

/* The place of a workload, or else the one to make it in: free, or the one not used for longest;
 * NULL: all are in use. The lock is held. */
static struct kept *find(struct point_shared *shared, const struct workload_spec *spec)
{
        struct kept *oldest = NULL;
        for (int i = 0; i < KEPT; i++) {
                struct kept *k = &shared->kept[i];
                if (k->spec.param && same_work(&k->spec, spec))
                        return k;
                if (k->users == 0 && (!oldest || k->used < oldest->used))
                        oldest = k;
        }
        return oldest;
}

/* Its first user makes it while the lock is free. On failure the place is, too, and who waits
 * tries. */
static int make(struct point_shared *shared, struct kept *k, const struct workload_spec *spec,
                struct lb_error *err)
{
        struct workload *before = k->workload;
        k->workload = NULL;
        memcpy(k->param, spec->param, sizeof(k->param));
        k->spec = *spec;
        k->spec.param = k->param;
        k->users = 1;
        free(k->floor_speed);
        free(k->drawn_ns);
        k->floor_speed = NULL;
        k->drawn_ns = NULL;
        pthread_mutex_unlock(&shared->lock);
        workload_destroy(before);
        struct workload *workload = workload_create(spec, err);
        pthread_mutex_lock(&shared->lock);
        k->workload = workload;
        if (!workload)
                *k = (struct kept){ .users = 0 };
        pthread_cond_broadcast(&shared->made);
        return workload ? 0 : -1;
}

/* The place of the workload, which counts one user more; NULL on failure. The lock is held. */
static struct kept *obtain(struct point_shared *shared, const struct workload_spec *spec,
                           struct lb_error *err)
{
        for (;;) {
                struct kept *k = find(shared, spec);
                bool there = k && k->spec.param && same_work(&k->spec, spec);
                if (there && k->workload) {
                        k->users++;
                        return k;
                }
                if (k && !there)
                        return make(shared, k, spec, err) == 0 ? k : NULL;
                pthread_cond_wait(&shared->made, &shared->lock); /* being made, or all in use */
        }
}

const struct workload *shared_workload(struct point_shared *shared,
                                       const struct scenario_point *point, uint64_t seed,
                                       struct lb_error *err)
{
        struct workload_spec spec = workload_of(point, seed);
        pthread_mutex_lock(&shared->lock);
        struct kept *k = obtain(shared, &spec, err);
        const struct workload *workload = k ? k->workload : NULL;
        if (k)
                k->used = ++shared->asked;
        pthread_mutex_unlock(&shared->lock);
        return workload;
}

/* Where it is in use, so that it stays. The lock is held. */
static struct kept *kept_of(struct point_shared *shared, const struct workload *workload)
{
        int i = 0;
        while (shared->kept[i].workload != workload)
                i++;
        return &shared->kept[i];
}

/* What has been found for these speeds; else false. */
static bool known_floor(struct point_shared *shared, const struct workload *workload,
                        const double *speed, struct floor_ratio *ratio)
{
        pthread_mutex_lock(&shared->lock);
        const struct kept *k = kept_of(shared, workload);
        size_t size = (size_t)k->spec.nnode * sizeof(*speed);
        bool known = k->floor_speed && memcmp(k->floor_speed, speed, size) == 0;
        if (known)
                *ratio = k->floor;
        pthread_mutex_unlock(&shared->lock);
        return known;
}

static void keep_floor(struct point_shared *shared, const struct workload *workload,
                       const double *speed, const struct floor_ratio *ratio)
{
        pthread_mutex_lock(&shared->lock);
        struct kept *k = kept_of(shared, workload);
        size_t size = (size_t)k->spec.nnode * sizeof(*speed);
        if (!k->floor_speed)
                k->floor_speed = malloc(size);
        if (k->floor_speed) {
                memcpy(k->floor_speed, speed, size);
                k->floor = *ratio;
        }
        pthread_mutex_unlock(&shared->lock);
}

int shared_floor(struct point_shared *shared, const struct workload *workload,
                 const struct scenario_point *point, const double *speed, struct floor_ratio *ratio,
                 struct lb_error *err)
{
        const double *platform = point->value[SECTION_PLATFORM];
        struct floor_cores cores = {
                .nnode = (int32_t)platform[PLATFORM_NODES],
                .cores_per_node = (int32_t)platform[PLATFORM_CORES_PER_NODE],
                .speed = speed,
        };
        int32_t last = workload_niteration(workload);
        if (known_floor(shared, workload, speed, ratio))
                return 0;
        if (floor_find(workload, &cores, ledger_first_steady(last), last, ratio, err) < 0)
                return -1;
        keep_floor(shared, workload, speed, ratio);
        return 0;
}

/* The tasks of iterations first .. last - 1, or more than most of them. */
static int64_t count_tasks(const struct workload *workload, struct work *work, int32_t first,
                           int32_t last, int64_t most)
{
        int64_t count = 0;
        for (int32_t i = first; i < last && count <= most; i++) {
                workload_iteration(workload, i, work);
                for (int32_t a = 0; a < workload_napprank(workload); a++)
                        count += work[a].ntask;
        }
        return count;
}

static double *draw_all(const struct workload *workload, struct work *work, int32_t first,
                        int32_t last)
{
        int32_t napprank = workload_napprank(workload);
        double *drawn_ns = calloc((size_t)(last - first) * (size_t)napprank, sizeof(*drawn_ns));
        for (int32_t i = first; drawn_ns && i < last; i++) {
                workload_iteration(workload, i, work);
                for (int32_t a = 0; a < napprank; a++)
                        drawn_ns[(int64_t)(i - first) * napprank + a] =
                            workload_drawn_ns(workload, a, i, work[a].ntask);
        }
        return drawn_ns;
}

/* What is kept; another thread may have drawn the same meanwhile. */
static const double *keep_drawn(struct point_shared *shared, const struct workload *workload,
                                double *drawn_ns)
{
        pthread_mutex_lock(&shared->lock);
        struct kept *k = kept_of(shared, workload);
        if (k->drawn_ns)
                free(drawn_ns);
        else
                k->drawn_ns = drawn_ns;
        const double *kept = k->drawn_ns;
        pthread_mutex_unlock(&shared->lock);
        return kept;
}

int shared_drawn(struct point_shared *shared, const struct workload *workload,
                 const double **drawn_ns, struct lb_error *err)
{
        int32_t last = workload_niteration(workload), first = ledger_first_steady(last);
        *drawn_ns = workload_alike(workload) ? NULL : keep_drawn(shared, workload, NULL);
        if (workload_alike(workload) || *drawn_ns)
                return 0;
        struct work *work = calloc((size_t)workload_napprank(workload), sizeof(*work));
        bool few =
            work && count_tasks(workload, work, first, last, SHARED_DRAWN_MAX) <= SHARED_DRAWN_MAX;
        double *drawn = few ? draw_all(workload, work, first, last) : NULL;
        free(work);
        if (!work || (few && !drawn))
                return lb_error_fail(err, "out of memory");
        *drawn_ns = keep_drawn(shared, workload, drawn);
        return 0;
}

/* Those not used for longest go until the others fit; the lock is held. */
static void trim(struct point_shared *shared)
{
        for (;;) {
                struct kept *oldest = NULL;
                size_t bytes = 0;
                for (int i = 0; i < KEPT; i++) {
                        struct kept *k = &shared->kept[i];
                        if (!k->workload || k->users > 0)
                                continue;
                        bytes += workload_bytes(k->workload);
                        if (!oldest || k->used < oldest->used)
                                oldest = k;
                }
                if (bytes <= idle_bytes_max)
                        return;
                workload_destroy(oldest->workload);
                free(oldest->floor_speed);
                free(oldest->drawn_ns);
                *oldest = (struct kept){ .users = 0 };
        }
}

void shared_workload_return(struct point_shared *shared, const struct workload *workload)
{
        if (!workload)
                return;
        pthread_mutex_lock(&shared->lock);
        for (int i = 0; i < KEPT; i++)
                if (shared->kept[i].workload == workload)
                        shared->kept[i].users--;
        trim(shared);
        pthread_cond_broadcast(&shared->made); /* where all were in use */
        pthread_mutex_unlock(&shared->lock);
}
