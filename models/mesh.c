/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two programs on a mesh (CHAMELEON paper 4.2, experiments 4 and 5), reduced to where work arises.
 * The unit square has cells in the order of a Hilbert curve, as sam(oa)2 has its cells in that of a
 * space-filling curve. Appranks have equal numbers of consecutive cells for ever, as with its own
 * load balancing switched off; an apprank's cells are cut into sections of equal numbers of cells,
 * a task each. A section without dear cells lasts workload.task_ms.
 *
 * - `mesh`: a wave leaves a point, drawn, as a ring that grows until it has crossed the square;
 *   where it is, one cell becomes mesh_refine cells, so the load wanders.
 * - `limiter`: the oscillating lake (Audusse et al. 2004: domain [-2, 2]^2, a lake of radius 1
 * whose centre moves on a circle of radius 0.5) on a uniform mesh. Within a band along the shore
 * cells may need both numerical schemes; which, is drawn anew in every iteration, so nobody can
 * know it beforehand. Where it is dry, cells have finite volumes alone, the lake ADER-DG alone: by
 * the paper a cell has "either the finite volume numerical scheme, the ADER-DG scheme or both".
 *
 * - `limiter` outside of tasks: a rank predicts the next step in cells of the lake, each of its
 *   threads, one a core, for sections of its own. That is a serial part as long as the slowest
 *   thread's; the others count as idle. Tasks begin once the ranks around have predicted as well.
 *
 * The paper has neither the meshes' numbers nor the costs of cells: refinement, widths, cost factor
 * and chance are our assumptions, the parameters' defaults. What the authors' program does was
 * measured (docs/facts.md C12), and is in scenarios/chameleon_limiter.json.
 */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "models/workload_impl.h"

/* Cells are at least so many times the tasks, and at most 4^LEVEL_MAX. */
enum { CELLS_PER_TASK = 4, LEVEL_MIN = 6, LEVEL_MAX = 11 };

/* Cells times iterations, at most: a few seconds of work. */
static const double CELL_MAX = 2e8;

struct mesh {
        const struct workload_spec *spec;
        int32_t nstep, napprank, level;
        int64_t ntask, ncell;         /* tasks of an apprank; cells of all */
        double centre[2];             /* of the wave */
        uint64_t key;                 /* of the limited cells */
        double *task_ms;              /* [ntask] scratch */
        double *serial_ms, *start_ms; /* [napprank] of a step: a rank's predictions, and when those
                                         around it have theirs as well */
        int32_t *owner;               /* [4^level] rank of a cell, row by row */
};

/* In that of a plain cell in a task. */
struct cost {
        double task, outside; /* of tasks */
};

/* A cell's cost in a step at point x, y. */
typedef struct cost cost_function(const struct mesh *mesh, int32_t step, int64_t cell,
                                  const double *at);

/* The centre of the cell at a place of the Hilbert curve of 4^level cells. */
static void cell_centre(int32_t level, int64_t place, double at[static 2])
{
        int64_t x = 0, y = 0;
        for (int64_t side = 1; side < (int64_t)1 << level; side *= 2, place /= 4) {
                int64_t right = place / 2 & 1, up = (place ^ right) & 1;
                if (!up) {
                        int64_t old = right ? side - 1 - x : x;
                        x = right ? side - 1 - y : y;
                        y = old;
                }
                x += side * right;
                y += side * up;
        }
        double size = ldexp(1, -level);
        at[0] = ((double)x + 0.5) * size;
        at[1] = ((double)y + 0.5) * size;
}

static struct cost wave_cost(const struct mesh *mesh, int32_t step, int64_t cell, const double *at)
{
        (void)cell;
        const double *param = mesh->spec->param;
        double radius = sqrt(2) * step / param[WORKLOAD_MESH_STEPS];
        double distance = hypot(at[0] - mesh->centre[0], at[1] - mesh->centre[1]);
        bool refined = fabs(distance - radius) <= param[WORKLOAD_MESH_WIDTH] / 2;
        return (struct cost){ .task = refined ? param[WORKLOAD_MESH_REFINE] : 1 };
}

static bool is_limited(const struct mesh *mesh, int32_t step, int64_t cell, double beyond_shore)
{
        const double *param = mesh->spec->param;
        if (fabs(beyond_shore) > param[WORKLOAD_LIMITER_BAND] / 2)
                return false;
        uint64_t bits = lb_random_at(mesh->key, (uint64_t)step, (uint64_t)cell);
        return lb_random_to_unit(bits) < param[WORKLOAD_LIMITER_SHARE];
}

static struct cost lake_cost(const struct mesh *mesh, int32_t step, int64_t cell, const double *at)
{
        const double *param = mesh->spec->param;
        double angle = 2 * acos(-1) * step / param[WORKLOAD_MESH_STEPS];
        double x = at[0] - 0.5 - 0.125 * cos(angle), y = at[1] - 0.5 - 0.125 * sin(angle);
        double beyond_shore = hypot(x, y) - 0.25;
        if (is_limited(mesh, step, cell, beyond_shore))
                return (struct cost){ .task = param[WORKLOAD_LIMITER_FACTOR] };
        if (beyond_shore > 0)
                return (struct cost){ .task = param[WORKLOAD_LIMITER_DRY] };
        return (struct cost){ .task = 1, .outside = param[WORKLOAD_LIMITER_PREDICTOR] };
}

/* The first place behind a section's cells. */
static int64_t end_of(const struct mesh *mesh, int64_t section)
{
        return mesh->ncell * (section + 1) / (mesh->ntask * mesh->napprank);
}

/* Means over the section's cells. */
static struct cost section_cost(const struct mesh *mesh, int32_t step, int64_t section,
                                cost_function *cost)
{
        int64_t first = end_of(mesh, section - 1), end = end_of(mesh, section);
        struct cost sum = { 0, 0 };
        for (int64_t cell = first; cell < end; cell++) {
                double at[2];
                cell_centre(mesh->level, cell, at);
                struct cost of_cell = cost(mesh, step, cell, at);
                sum.task += of_cell.task;
                sum.outside += of_cell.outside;
        }
        double count = (double)(end - first);
        return (struct cost){ sum.task / count, sum.outside / count };
}

static int fill_rank(struct plan *plan, const struct mesh *mesh, int32_t step, int32_t rank,
                     cost_function *cost, struct lb_error *err)
{
        double plain_ms = mesh->spec->param[WORKLOAD_TASK_MS];
        int64_t nthread = workload_cores_per_apprank(mesh->spec), thread = -1;
        double thread_ms = 0, longest_ms = 0;
        for (int64_t i = 0; i < mesh->ntask; i++) {
                struct cost c = section_cost(mesh, step, rank * mesh->ntask + i, cost);
                mesh->task_ms[i] = plain_ms * c.task;
                if (i * nthread / mesh->ntask != thread)
                        thread_ms = 0;
                thread = i * nthread / mesh->ntask;
                thread_ms += plain_ms * c.outside;
                longest_ms = fmax(longest_ms, thread_ms);
        }
        if (plan_tasks(plan, step, rank, mesh->ntask, mesh->task_ms, err) != 0)
                return -1;
        mesh->serial_ms[rank] = mesh->start_ms[rank] = longest_ms;
        return 0;
}

static void wait_for(const struct mesh *mesh, int64_t cell, int64_t other)
{
        int32_t a = mesh->owner[cell], b = mesh->owner[other];
        mesh->start_ms[a] = fmax(mesh->start_ms[a], mesh->serial_ms[b]);
        mesh->start_ms[b] = fmax(mesh->start_ms[b], mesh->serial_ms[a]);
}

/* Each pair of cells that touch once. */
static void wait_for_neighbours(const struct mesh *mesh)
{
        int64_t side = (int64_t)1 << mesh->level;
        for (int64_t y = 0; y < side; y++)
                for (int64_t x = 0; x < side; x++) {
                        int64_t cell = y * side + x;
                        if (x + 1 < side)
                                wait_for(mesh, cell, cell + 1);
                        if (y + 1 < side)
                                wait_for(mesh, cell, cell + side);
                        if (x + 1 < side && y + 1 < side) {
                                wait_for(mesh, cell, cell + side + 1);
                                wait_for(mesh, cell + 1, cell + side);
                        }
                }
}

static int fill_step(struct plan *plan, const struct mesh *mesh, int32_t step, cost_function *cost,
                     struct lb_error *err)
{
        for (int32_t a = 0; a < mesh->napprank; a++)
                if (fill_rank(plan, mesh, step, a, cost, err) != 0)
                        return -1;
        if (mesh->owner)
                wait_for_neighbours(mesh);
        for (int32_t a = 0; a < mesh->napprank; a++)
                if (plan_serial(plan, step, a, mesh->serial_ms[a], mesh->start_ms[a], err) != 0)
                        return -1;
        return 0;
}

/* The sizes, and whether they can be simulated. */
static int set_size(struct mesh *mesh, const struct workload_spec *spec, struct lb_error *err)
{
        double iterations = spec->param[WORKLOAD_ITERATIONS],
               steps = spec->param[WORKLOAD_MESH_STEPS];
        mesh->spec = spec;
        mesh->nstep = (int32_t)fmin(iterations, steps);
        mesh->napprank = workload_spec_napprank(spec);
        mesh->ntask = workload_tasks_per_apprank(spec);
        double needed = (double)CELLS_PER_TASK * (double)mesh->ntask * mesh->napprank;
        mesh->level = LEVEL_MIN;
        while (ldexp(1, 2 * mesh->level) < needed && mesh->level < LEVEL_MAX)
                mesh->level++;
        mesh->ncell = (int64_t)1 << (2 * mesh->level);
        if ((double)mesh->ncell >= needed && (double)mesh->ncell * mesh->nstep <= CELL_MAX)
                return 0;
        return lb_error_set(err,
                            "models \"mesh\" and \"limiter\": found %lld tasks of an apprank, %d "
                            "appranks and %d different iterations, allowed are at most %lld tasks "
                            "in all, and %.0e cells times iterations (there are %d or more cells "
                            "for each task)",
                            (long long)mesh->ntask, mesh->napprank, mesh->nstep,
                            (1LL << (2 * LEVEL_MAX)) / CELLS_PER_TASK, CELL_MAX, CELLS_PER_TASK);
}

static void set_owners(struct mesh *mesh)
{
        int64_t cell = 0;
        for (int32_t rank = 0; rank < mesh->napprank; rank++)
                for (; cell < end_of(mesh, (rank + 1) * mesh->ntask - 1); cell++) {
                        double at[2], side = ldexp(1, mesh->level);
                        cell_centre(mesh->level, cell, at);
                        mesh->owner[(int64_t)(floor(at[1] * side) * side + floor(at[0] * side))] =
                            rank;
                }
}

/* The owners only where there are predictions to wait for. */
static int make_room(struct mesh *mesh, struct lb_error *err)
{
        const double *param = mesh->spec->param;
        bool predicts =
            param[WORKLOAD_MODEL] == MODEL_LIMITER && param[WORKLOAD_LIMITER_PREDICTOR] > 0;
        size_t nrank = (size_t)mesh->napprank, ntask = (size_t)mesh->ntask;
        mesh->task_ms = malloc(ntask * sizeof(*mesh->task_ms));
        mesh->serial_ms = malloc(nrank * sizeof(*mesh->serial_ms));
        mesh->start_ms = malloc(nrank * sizeof(*mesh->start_ms));
        mesh->owner = predicts ? malloc((size_t)mesh->ncell * sizeof(*mesh->owner)) : NULL;
        if (!mesh->task_ms || !mesh->serial_ms || !mesh->start_ms || (predicts && !mesh->owner))
                return lb_error_fail(err, "out of memory for %lld tasks", (long long)mesh->ntask);
        if (predicts)
                set_owners(mesh);
        return 0;
}

static int fill(struct plan *plan, const struct workload_spec *spec, cost_function *cost,
                struct lb_error *err)
{
        struct mesh mesh;
        if (set_size(&mesh, spec, err) < 0 || plan_init(plan, mesh.nstep, mesh.napprank, err) != 0)
                return -1;
        struct lb_random random;
        lb_random_init(&random, spec->seed, LB_RANDOM_CELL, 0);
        mesh.centre[0] = lb_random_unit(&random);
        mesh.centre[1] = lb_random_unit(&random);
        mesh.key = lb_random_key(spec->seed, LB_RANDOM_CELL);
        int status = make_room(&mesh, err);
        for (int32_t s = 0; s < mesh.nstep && status == 0; s++)
                status = fill_step(plan, &mesh, s, cost, err);
        free(mesh.task_ms);
        free(mesh.serial_ms);
        free(mesh.start_ms);
        free(mesh.owner);
        return status;
}

static int mesh_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        return fill(plan, spec, wave_cost, err);
}

static int limiter_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        return fill(plan, spec, lake_cost, err);
}

const struct workload_model workload_mesh = { .fill = mesh_fill };
const struct workload_model workload_limiter = { .fill = limiter_fill };
