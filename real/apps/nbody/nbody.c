/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/nbody/nbody.h"

#include <math.h>
#include <stdlib.h>

#include "real/apps/common/result.h"
#include "real/apps/nbody/orb.h"

enum { BODIES, BLOCK, ITERATIONS, THETA, STEP, SOFTENING, SEED, NPARAM };
const double nbody_drift_allowed = 0.01;

static const struct lb_param params[NPARAM + 1] = {
        [BODIES] = { .name = "bodies",
                     .type = LB_PARAM_INTEGER,
                     .fallback = 20000,
                     .min = 2,
                     .max = 1e8,
                     .help = "bodies in all" },
        [BLOCK] = { .name = "block",
                    .unit = "bodies",
                    .type = LB_PARAM_INTEGER,
                    .fallback = 128,
                    .min = 1,
                    .max = 1e8,
                    .help = "bodies of a task" },
        [ITERATIONS] = { .name = "iterations",
                         .type = LB_PARAM_INTEGER,
                         .fallback = 10,
                         .min = 1,
                         .max = 1e6,
                         .help = "time steps" },
        [THETA] = { .name = "theta",
                    .type = LB_PARAM_NUMBER,
                    .fallback = 0.5,
                    .min = 0,
                    .max = 1,
                    .help = "side of a cell over distance, from which it is opened; 0 opens all" },
        [STEP] = { .name = "step",
                   .type = LB_PARAM_NUMBER,
                   .fallback = 0.005,
                   .min = 0,
                   .max = 1,
                   .help = "time step, where a body crosses the sphere in about 3" },
        [SOFTENING] = { .name = "softening",
                        .type = LB_PARAM_NUMBER,
                        .fallback = 0.02,
                        .min = 1e-6,
                        .max = 1,
                        .help = "distance below which forces do not grow; the sphere has about 1" },
        [SEED] = { .name = "seed",
                   .type = LB_PARAM_INTEGER,
                   .fallback = 1,
                   .min = 0,
                   .max = LB_PARAM_WHOLE_MAX,
                   .help = "of the bodies" },
};

const struct app nbody_app = {
        .name = "nbody",
        .summary = "gravity by Barnes and Hut's tree, bodies divided by recursive bisection",
        .param = params,
};

struct nbody nbody_configure(const struct app_options *options)
{
        const double *value = options->value;
        return (struct nbody){
                .n = (int64_t)value[BODIES],
                .block = (int64_t)value[BLOCK],
                .iterations = (int32_t)value[ITERATIONS],
                .seed = (uint64_t)value[SEED],
                .theta = value[THETA],
                .step = value[STEP],
                .softening = value[SOFTENING],
        };
}

void nbody_init(struct nbody_rank *rank)
{
        size_t n = (size_t)rank->nbody.n;
        rank->all = app_alloc(n * sizeof(*rank->all));
        rank->near = app_alloc(n * sizeof(*rank->near));
        rank->key = app_alloc(n * sizeof(*rank->key));
        rank->place = app_alloc(n * sizeof(*rank->place));
        body_fill(rank->all, rank->nbody.n, rank->nbody.seed);
}

void nbody_finish(struct nbody_rank *rank)
{
        free(rank->all);
        free(rank->near);
        free(rank->key);
        free(rank->place);
}

void nbody_divide(struct nbody_rank *mine, int32_t nrank, int32_t rank)
{
        int64_t n = mine->nbody.n;
        body_sort(mine->all, n, mine->near, mine->key);
        mine->ncell =
            tree_build(mine->near, mine->key, n, mine->nbody.theta, mine->cell, mine->source);
        mine->nown = orb_owned(mine->near, n, nrank, rank, mine->place);
        for (int64_t i = 0; i < mine->nown; i++)
                mine->own[i] = mine->near[mine->place[i]];
}

int64_t nbody_blocks(const struct nbody_rank *rank)
{
        return (rank->nown + rank->nbody.block - 1) / rank->nbody.block;
}

struct tree_work nbody_block(const struct nbody_rank *rank, int64_t block)
{
        int64_t first = block * rank->nbody.block, left = rank->nown - first;
        return (struct tree_work){
                .cell = rank->cell,
                .source = rank->source,
                .ncell = rank->ncell,
                .softening = rank->nbody.softening,
                .n = left < rank->nbody.block ? left : rank->nbody.block,
                .body = rank->own + first,
                .force = rank->force + first,
        };
}

static void kick(struct body *body, const struct force *force, double time)
{
        for (int axis = 0; axis < 3; axis++)
                body->v[axis] += time * force->a[axis];
}

static double energy_of(const struct body *body, const struct force *force)
{
        const double *v = body->v;
        double speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        return body->mass * (speed2 + force->potential) / 2;
}

/* Leapfrog: between steps, velocities are half a step behind; at first they are not. */
double nbody_advance(struct nbody_rank *rank)
{
        double energy = 0, step = rank->nbody.step;
        for (int64_t i = 0; i < rank->nown; i++) {
                struct body *body = &rank->own[i];
                if (rank->steps > 0)
                        kick(body, &rank->force[i], step / 2);
                energy += energy_of(body, &rank->force[i]);
                kick(body, &rank->force[i], step / 2);
                for (int axis = 0; axis < 3; axis++)
                        body->x[axis] += step * body->v[axis];
                body->work = rank->force[i].work;
        }
        rank->steps++;
        return energy;
}

void nbody_collect(struct nbody_rank *rank)
{
        body_order(rank->near, rank->nbody.n, rank->all);
}

void nbody_watch(struct nbody_drift *drift, double energy)
{
        if (!drift->started)
                drift->first = energy;
        drift->started = true;
        double change = fabs((energy - drift->first) / drift->first);
        drift->worst = change <= drift->worst ? drift->worst : change;
}

uint64_t nbody_hash(const struct nbody_rank *rank)
{
        uint64_t hash = 0;
        for (int64_t i = 0; i < rank->nown; i++)
                hash += app_hash((uint64_t)rank->own[i].id, &rank->own[i], sizeof(rank->own[i]));
        return hash;
}
