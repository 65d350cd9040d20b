/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/micropp/rve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "real/apps/common/result.h"
#include "real/apps/micropp/hexahedron.h"
#include "real/apps/micropp/stencil.h"

enum { NEWTON_MOST = 30, CG_MOST = 2000 };
const double rve_residual_allowed = 1e-8;

size_t rve_displacement_entries(int32_t side)
{
        return 3 * (size_t)side * (size_t)side * (size_t)side;
}

size_t rve_state_entries(int32_t side)
{
        size_t elements = (size_t)(side - 1);
        return elements * elements * elements * 8 * MATERIAL_STATE;
}

/* A mesh at work. */
struct mesh {
        const struct rve *rve;
        struct hexahedron shape;
        const double *displacement, *state_before;
        double *state;
};

struct element {
        int32_t x, y, z;
        int32_t node[8];
        size_t first_state; /* entry */
        const struct material *material;
};

static struct element element_at(const struct rve *rve, int32_t index)
{
        int32_t n = rve->side - 1;
        struct element element = { .x = index % n, .y = index / n % n, .z = index / (n * n) };
        for (int i = 0; i < 8; i++)
                element.node[i] =
                    ((element.z + (i >> 2)) * rve->side + element.y + (i >> 1 & 1)) * rve->side +
                    element.x + (i & 1);
        double dx = (element.x + 0.5) / n - 0.5, dy = (element.y + 0.5) / n - 0.5;
        double dz = (element.z + 0.5) / n - 0.5;
        bool in_ball = dx * dx + dy * dy + dz * dz < rve->radius * rve->radius;
        element.first_state = (size_t)index * 8 * MATERIAL_STATE;
        element.material = in_ball ? &rve->ball : &rve->matrix;
        return element;
}

static int32_t element_count(const struct rve *rve)
{
        int32_t n = rve->side - 1;
        return n * n * n;
}

static bool on_surface(int32_t side, int32_t node)
{
        int32_t x = node % side, y = node / side % side, z = node / (side * side);
        int32_t last = side - 1;
        return x == 0 || y == 0 || z == 0 || x == last || y == last || z == last;
}

static void gather(const struct element *element, const double *displacement, double out[static 24])
{
        for (int i = 0; i < 8; i++)
                memcpy(out + 3 * i, displacement + 3 * (ptrdiff_t)element->node[i],
                       3 * sizeof(*out));
}

/* Strain, stress and new state at a Gauss point. */
static void update_point(const struct mesh *mesh, const struct element *element, int point,
                         double strain[static 6], double stress[static 6], double *tangent)
{
        double moved[24];
        size_t at = element->first_state + (size_t)point * MATERIAL_STATE;
        gather(element, mesh->displacement, moved);
        hexahedron_strain(&mesh->shape, point, moved, strain);
        material_update(element->material, strain, mesh->state_before + at, mesh->state + at,
                        stress, tangent);
}

/* Inner forces of all nodes, and averages. */
static void add_forces(const struct mesh *mesh, double *force, struct rve_result *result)
{
        for (int32_t index = 0; index < element_count(mesh->rve); index++) {
                struct element element = element_at(mesh->rve, index);
                double mine[24] = { 0 }, strain[6], stress[6];
                for (int point = 0; point < 8; point++) {
                        update_point(mesh, &element, point, strain, stress, NULL);
                        hexahedron_add_force(&mesh->shape, point, stress, mine);
                        for (int i = 0; i < 6; i++) {
                                result->stress[i] += mesh->shape.weight * stress[i];
                                result->energy += mesh->shape.weight * stress[i] * strain[i];
                        }
                }
                for (int i = 0; i < 24; i++)
                        force[3 * (ptrdiff_t)element.node[i / 3] + i % 3] += mine[i];
        }
}

/* Add an element's matrix to the rows of those of its nodes that are not held. */
static void scatter(const struct element *element, const double *matrix,
                    const struct stencil *stiffness)
{
        for (int a = 0; a < 8; a++) {
                if (on_surface(stiffness->side, element->node[a]))
                        continue;
                for (int b = 0; b < 8; b++) {
                        int dx = (b & 1) - (a & 1), dy = (b >> 1 & 1) - (a >> 1 & 1);
                        int place = (((b >> 2) - (a >> 2) + 1) * 3 + dy + 1) * 3 + dx + 1;
                        double *block =
                            stiffness->block + ((ptrdiff_t)element->node[a] * 27 + place) * 9;
                        for (int i = 0; i < 9; i++)
                                block[i] += matrix[(3 * a + i / 3) * 24 + 3 * b + i % 3];
                }
        }
}

static void add_stiffness(const struct mesh *mesh, const struct stencil *stiffness)
{
        for (int32_t index = 0; index < element_count(mesh->rve); index++) {
                struct element element = element_at(mesh->rve, index);
                double matrix[24 * 24] = { 0 }, strain[6], stress[6], tangent[36];
                for (int point = 0; point < 8; point++) {
                        update_point(mesh, &element, point, strain, stress, tangent);
                        hexahedron_add_stiffness(&mesh->shape, point, tangent, matrix);
                }
                scatter(&element, matrix, stiffness);
        }
}

void rve_stiffness(const struct rve *rve, const double *displacement, const double *state_before,
                   const struct stencil *stiffness)
{
        double *state = app_alloc(rve_state_entries(rve->side) * sizeof(*state));
        struct mesh mesh = {
                .rve = rve,
                .displacement = displacement,
                .state_before = state_before,
                .state = state,
        };
        hexahedron_init(&mesh.shape, 1.0 / (rve->side - 1));
        add_stiffness(&mesh, stiffness);
        free(state);
}

/* What the solution needs beside the caller's arrays. */
struct work {
        struct stencil stiffness;
        double *force, *change, *scratch; /* 1, 1, 4 vectors */
        size_t n;                         /* entries of a vector */
};

static struct work work_create(int32_t side)
{
        struct work work = { .n = rve_displacement_entries(side) };
        work.stiffness.side = side;
        work.stiffness.block = app_alloc(work.n / 3 * 27 * 9 * sizeof(double));
        work.force = app_alloc(6 * work.n * sizeof(double));
        work.change = work.force + work.n;
        work.scratch = work.change + work.n;
        return work;
}

static void work_destroy(struct work *work)
{
        free(work->stiffness.block);
        free(work->force);
}

/* Displacements go on from those before, by the strain that is new. */
static void start(const struct rve *rve, const struct rve_step *step)
{
        double e[6];
        for (int i = 0; i < 6; i++)
                e[i] = step->strain[i] - step->strain_before[i];
        double row[3][3] = { { e[0], e[3] / 2, e[5] / 2 },
                             { e[3] / 2, e[1], e[4] / 2 },
                             { e[5] / 2, e[4] / 2, e[2] } };
        for (size_t i = 0; i < rve_displacement_entries(rve->side); i++) {
                int32_t node = (int32_t)(i / 3), side = rve->side;
                double at[3] = { node % side, node / side % side, node / (side * side) };
                const double *r = row[i % 3];
                step->displacement[i] = step->displacement_before[i] +
                                        (r[0] * at[0] + r[1] * at[1] + r[2] * at[2]) / (side - 1);
        }
}

/* Forces at the displacements as they are, those of the surface taken out; returns the norm of
 * those. */
static double measure(const struct mesh *mesh, struct work *work, struct rve_result *result)
{
        struct rve_result fresh = { .newton = result->newton, .cg = result->cg };
        int32_t side = mesh->rve->side;
        double surface2 = 0;
        memset(work->force, 0, work->n * sizeof(*work->force));
        add_forces(mesh, work->force, &fresh);
        for (size_t i = 0; i < work->n; i++) {
                if (!on_surface(side, (int32_t)(i / 3)))
                        continue;
                surface2 += work->force[i] * work->force[i];
                work->force[i] = 0;
        }
        double inner = sqrt(stencil_dot(side, work->force, work->force));
        fresh.residual = surface2 > 0 ? inner / sqrt(surface2) : inner;
        *result = fresh;
        return sqrt(surface2);
}

/* One step of Newton's method; returns -1 where the linear solver gives up. */
static int improve(const struct mesh *mesh, struct work *work, double surface, double *displacement,
                   struct rve_result *result)
{
        memset(work->stiffness.block, 0, work->n / 3 * 27 * 9 * sizeof(double));
        add_stiffness(mesh, &work->stiffness);
        struct stencil_system system = {
                .matrix = &work->stiffness,
                .b = work->force,
                .x = work->change,
                .scratch = work->scratch,
                .target = 0.1 * rve_residual_allowed * surface,
                .most = CG_MOST,
        };
        int32_t cg = stencil_solve(&system);
        if (cg < 0)
                return -1;
        for (size_t i = 0; i < work->n; i++)
                displacement[i] -= work->change[i];
        result->newton++;
        result->cg += cg;
        return 0;
}

void rve_solve(const struct rve *rve, const struct rve_step *step)
{
        struct mesh mesh = {
                .rve = rve,
                .displacement = step->displacement,
                .state_before = step->state_before,
                .state = step->state,
        };
        struct work work = work_create(rve->side);
        struct rve_result result = { .newton = 0 };
        hexahedron_init(&mesh.shape, 1.0 / (rve->side - 1));
        start(rve, step);
        double surface = measure(&mesh, &work, &result);
        int status = 0;
        while (status == 0 && !(result.residual <= rve_residual_allowed)) {
                status = result.newton < NEWTON_MOST
                             ? improve(&mesh, &work, surface, step->displacement, &result)
                             : -1;
                if (status == 0)
                        surface = measure(&mesh, &work, &result);
        }
        result.failed = status != 0;
        *step->result = result;
        work_destroy(&work);
}
