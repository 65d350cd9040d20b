/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NAS multi-zone benchmarks BT-MZ, SP-MZ and LU-MZ (DPB paper 4.3): in every iteration a
 * process goes through its zones one by one, solves each with a handful of OpenMP loops, and
 * exchanges the zones' boundaries with the others.
 *
 * - Zones and who computes them: models/multizone.h. Work of a zone: the benchmark's own count of
 *   floating-point operations (bt.f, sp.f, lu.f), at multizone_mflops. A class A iteration of BT
 *   has 0.74 Gflop.
 * - A zone's loops are its parallel regions, and the chunks of a loop are the tasks: the outermost
 *   loop alone is parallel, over the inner planes in depth (nz - 2) or the inner rows (ny - 2). In
 *   class A that is 14 chunks, so that 7 and 13 threads take the same time. The shares are counted
 *   from the sources, operations per point: BT 440 for the right-hand side and 1013 for each of the
 *   three solvers; SP 480, 125, 125, 106 and 45; LU 440, the rest halves for the two sweeps (the
 *   filling of their pipeline over the threads is left out).
 * - Messages: the faces of a zone whose neighbour is another process's, 5 values of 8 bytes each of
 *   (n - 2) (nz - 2) points.
 */
#include "models/multizone.h"

#include <math.h>
#include <stdlib.h>

#include "models/workload_impl.h"

enum { LOOP_MAX = 5, VALUE_BYTES = 5 * 8 };
enum loop_over { OVER_NONE = 0, OVER_DEPTH, OVER_ROWS };

struct loop {
        enum loop_over over; /* OVER_NONE ends the list */
        double share;        /* of the zone's operations */
};

/* Operations of a zone: n3 per point, less nsur per mean face, plus navg per mean side, plus one.
 */
static const struct {
        double n3, nsur, navg, one;
        struct loop loop[LOOP_MAX + 1];
} solvers[MULTIZONE_NBENCHMARK] = {
        [MULTIZONE_BT] = { 3478.8,
                           -17655.7,
                           28023.7,
                           0,
                           { { OVER_DEPTH, 440 / 3479.0 },     /* right-hand side, add */
                             { OVER_DEPTH, 1013 / 3479.0 },    /* x */
                             { OVER_DEPTH, 1013 / 3479.0 },    /* y */
                             { OVER_ROWS, 1013 / 3479.0 } } }, /* z */
        [MULTIZONE_SP] = { 881.174,
                           -4683.91,
                           11484.5,
                           -19272.4,
                           { { OVER_DEPTH, 480 / 881.0 },    /* right-hand side, txinvr */
                             { OVER_DEPTH, 125 / 881.0 },    /* x, ninvr */
                             { OVER_DEPTH, 125 / 881.0 },    /* y, pinvr */
                             { OVER_ROWS, 106 / 881.0 },     /* z */
                             { OVER_DEPTH, 45 / 881.0 } } }, /* tzetar, add */
        [MULTIZONE_LU] = { 1984.77,
                           -10923.3,
                           27770.9,
                           -144010,
                           { { OVER_DEPTH, 300 / 1985.0 },    /* right-hand side, x and y */
                             { OVER_ROWS, 140 / 1985.0 },     /* and z */
                             { OVER_ROWS, 772.5 / 1985 },     /* lower sweep */
                             { OVER_ROWS, 772.5 / 1985 } } }, /* upper sweep, add */
};

static void zones_of(const double *param, struct multizone *zones)
{
        multizone_init(zones, (enum multizone_benchmark)(int)param[WORKLOAD_MULTIZONE_BENCHMARK],
                       (enum multizone_class)(int)param[WORKLOAD_MULTIZONE_CLASS]);
}

int32_t workload_nzone(const double *param)
{
        struct multizone zones;
        zones_of(param, &zones);
        return zones.x_zones * zones.y_zones;
}

struct filling {
        struct plan *plan;
        const struct workload_spec *spec;
        struct multizone zones;
        int32_t owner[MULTIZONE_ZONE_MAX], nzone;
        enum multizone_benchmark benchmark;
        int64_t ntask;
        int32_t nregion;
        double *task_ms; /* of one apprank, [ntask] */
        int64_t *region; /* [nregion] */
};

static double zone_ms(const struct filling *f, int32_t zone)
{
        double x = f->zones.x_size[zone % f->zones.x_zones];
        double y = f->zones.y_size[zone / f->zones.x_zones], z = f->zones.depth;
        double flop = solvers[f->benchmark].n3 * x * y * z +
                      solvers[f->benchmark].nsur * (x * y + x * z + y * z) / 3 +
                      solvers[f->benchmark].navg * (x + y + z) / 3 + solvers[f->benchmark].one;
        return flop / f->spec->param[WORKLOAD_MULTIZONE_MFLOPS] * 1e-3;
}

static int64_t loop_length(const struct filling *f, int32_t zone, enum loop_over over)
{
        return (over == OVER_ROWS ? f->zones.y_size[zone / f->zones.x_zones] : f->zones.depth) - 2;
}

static void add_zone(struct filling *f, int32_t zone)
{
        double ms = zone_ms(f, zone);
        for (const struct loop *l = solvers[f->benchmark].loop; l->over != OVER_NONE; l++) {
                int64_t length = loop_length(f, zone, l->over);
                for (int64_t i = 0; i < length; i++)
                        f->task_ms[f->ntask++] = ms * l->share / (double)length;
                f->region[f->nregion++] = length;
        }
}

static int32_t owner_at(const struct filling *f, int32_t x, int32_t y)
{
        int32_t nx = f->zones.x_zones, ny = f->zones.y_zones;
        return f->owner[(x + nx) % nx + (y + ny) % ny * nx];
}

/* Boundary points that go from a zone to other processes. */
static int64_t zone_bytes(const struct filling *f, int32_t zone)
{
        int32_t x = zone % f->zones.x_zones, y = zone / f->zones.x_zones;
        int32_t self = f->owner[zone];
        int64_t along = 0;
        along += owner_at(f, x - 1, y) != self ? f->zones.y_size[y] - 2 : 0;
        along += owner_at(f, x + 1, y) != self ? f->zones.y_size[y] - 2 : 0;
        along += owner_at(f, x, y - 1) != self ? f->zones.x_size[x] - 2 : 0;
        along += owner_at(f, x, y + 1) != self ? f->zones.x_size[x] - 2 : 0;
        return along * (f->zones.depth - 2) * VALUE_BYTES;
}

static int fill_apprank(struct filling *f, int32_t apprank, struct lb_error *err)
{
        f->ntask = f->nregion = 0;
        for (int32_t z = 0; z < f->nzone; z++) {
                if (f->owner[z] != apprank)
                        continue;
                add_zone(f, z);
                f->plan->message_bytes[apprank] += zone_bytes(f, z);
        }
        if (plan_tasks(f->plan, 0, apprank, f->ntask, f->task_ms, err) != 0)
                return -1;
        return plan_regions(f->plan, 0, apprank, f->nregion, f->region, err);
}

/* Chunks of all zones together. */
static int64_t count_chunks(const struct filling *f)
{
        int64_t count = 0;
        for (int32_t z = 0; z < f->nzone; z++)
                for (const struct loop *l = solvers[f->benchmark].loop; l->over != OVER_NONE; l++)
                        count += loop_length(f, z, l->over);
        return count;
}

static void filling_init(struct filling *f, const struct workload_spec *spec)
{
        *f = (struct filling){
                .spec = spec,
                .nzone = workload_nzone(spec->param),
                .benchmark =
                    (enum multizone_benchmark)(int)spec->param[WORKLOAD_MULTIZONE_BENCHMARK],
        };
        zones_of(spec->param, &f->zones);
}

static int fill_all(struct filling *f, int32_t n, struct lb_error *err)
{
        f->task_ms = calloc((size_t)count_chunks(f), sizeof(*f->task_ms));
        f->region = calloc((size_t)f->nzone * LOOP_MAX, sizeof(*f->region));
        f->plan->message_bytes = calloc((size_t)n, sizeof(*f->plan->message_bytes));
        if (!f->task_ms || !f->region || !f->plan->message_bytes)
                return lb_error_fail(err, "out of memory for %d zones", f->nzone);
        for (int32_t a = 0; a < n; a++)
                if (fill_apprank(f, a, err) != 0)
                        return -1;
        return 0;
}

static int multizone_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        int32_t n = workload_spec_napprank(spec);
        struct filling f;
        filling_init(&f, spec);
        f.plan = plan;
        if (n > f.nzone)
                return lb_error_set(err,
                                    "model \"multizone\": found %d appranks for %d zones, allowed "
                                    "is at most one for each",
                                    n, f.nzone);
        if (plan_init(plan, 1, n, err) != 0)
                return -1;
        multizone_owners(&f.zones, (enum multizone_map)(int)spec->param[WORKLOAD_MULTIZONE_MAP], n,
                         f.owner);
        int status = fill_all(&f, n, err);
        free(f.task_ms);
        free(f.region);
        return status;
}

static double multizone_tasks(const struct workload_spec *spec)
{
        struct filling f;
        filling_init(&f, spec);
        return (double)count_chunks(&f) / spec->nnode;
}

const struct workload_model workload_multizone = { .fill = multizone_fill,
                                                   .tasks_of_node = multizone_tasks };
