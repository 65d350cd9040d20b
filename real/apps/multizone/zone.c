/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/multizone/zone.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "real/apps/common/result.h"

enum { ACROSS, NX, NY, NZ, RATIO, STEPS, LINE_US, NPARAM };
static const struct lb_param params[] = {
        [ACROSS] = { .name = "zones",
                     .type = LB_PARAM_INTEGER,
                     .fallback = 4,
                     .min = 1,
                     .max = 32,
                     .help = "zones along x, and along y" },
        [NX] = { .name = "nx",
                 .type = LB_PARAM_INTEGER,
                 .fallback = 96,
                 .min = 3,
                 .max = 4096,
                 .help = "cells along x" },
        [NY] = { .name = "ny",
                 .type = LB_PARAM_INTEGER,
                 .fallback = 96,
                 .min = 3,
                 .max = 4096,
                 .help = "cells along y" },
        [NZ] = { .name = "nz",
                 .type = LB_PARAM_INTEGER,
                 .fallback = 16,
                 .min = 3,
                 .max = ZONE_LINE_MAX,
                 .help = "cells along z" },
        [RATIO] = { .name = "ratio",
                    .type = LB_PARAM_NUMBER,
                    .fallback = 20,
                    .min = 1,
                    .max = 1000,
                    .help = "cells of the largest zone over those of the smallest" },
        [STEPS] = { .name = "steps",
                    .type = LB_PARAM_INTEGER,
                    .fallback = 60,
                    .min = 1,
                    .max = 1e6,
                    .help = "time steps" },
        [LINE_US] = { .name = "line_us",
                      .type = LB_PARAM_NUMBER,
                      .max = 1e5,
                      .help = "a line of a sweep also sleeps so long: many processors on a small "
                              "machine" },
        [NPARAM] = { .name = NULL },
};
const struct app multizone_app = {
        .name = "multizone",
        .summary = "zones of unequal size, MPI between them, OpenMP in them",
        .param = params,
};

/* ---- The grid and its zones ---- */

/* The first cell of part i of n: widths are a geometric sequence, the last sqrt(ratio) times the
 * first. */
static int32_t start_of(const struct multizone *mz, int32_t cells, int32_t i)
{
        double factor = mz->across > 1 ? pow(mz->ratio, 0.5 / (mz->across - 1)) : 1;
        double before = 0, all = 0, width = 1;
        for (int32_t part = 0; part < mz->across; part++, width *= factor) {
                before += part < i ? width : 0;
                all += width;
        }
        return (int32_t)lround(cells * before / all);
}

static int check_widths(const struct multizone *mz, const char *name, int32_t cells,
                        struct lb_error *err)
{
        for (int32_t i = 0; i < mz->across; i++) {
                int32_t width = start_of(mz, cells, i + 1) - start_of(mz, cells, i);
                if (width < 2 || width > ZONE_LINE_MAX)
                        return lb_error_set(err,
                                            "--%s %d makes a zone of %d cells, allowed are 2 to %d",
                                            name, cells, width, ZONE_LINE_MAX);
        }
        return 0;
}

int multizone_configure(const struct app_options *options, struct multizone *mz,
                        struct lb_error *err)
{
        const double *value = options->value;
        *mz = (struct multizone){
                .across = (int32_t)value[ACROSS],
                .zones = (int32_t)value[ACROSS] * (int32_t)value[ACROSS],
                .nx = (int32_t)value[NX],
                .ny = (int32_t)value[NY],
                .nz = (int32_t)value[NZ],
                .ratio = value[RATIO],
                .steps = (int32_t)value[STEPS],
                .line_us = value[LINE_US],
        };
        return check_widths(mz, "nx", mz->nx, err) < 0 ? -1 : check_widths(mz, "ny", mz->ny, err);
}

int32_t multizone_owner(const struct multizone *mz, int32_t nrank, int32_t zone)
{
        return (int32_t)((int64_t)zone * nrank / mz->zones);
}

int32_t multizone_beside(const struct multizone *mz, int32_t zone, enum zone_side side)
{
        static const int32_t dx[] = { [ZONE_WEST] = -1, [ZONE_EAST] = 1, 0, 0 };
        static const int32_t dy[] = { [ZONE_SOUTH] = -1, [ZONE_NORTH] = 1 };
        int32_t n = mz->across, x = zone % n + dx[side], y = zone / n + dy[side];
        return (y + n) % n * n + (x + n) % n;
}

/* ---- A zone ---- */

static double *cell(const struct zone *zone, double *field, int32_t k, int32_t j, int32_t i)
{
        size_t line = (size_t)k * ((size_t)zone->ny + 2) + (size_t)j;
        return field + (line * ((size_t)zone->nx + 2) + (size_t)i) * ZONE_UNKNOWNS;
}

static size_t zone_size(const struct zone *zone)
{
        return (size_t)zone->nz * ((size_t)zone->ny + 2) * ((size_t)zone->nx + 2) * ZONE_UNKNOWNS;
}

void zone_init(struct zone *zone, const struct multizone *mz, int32_t index)
{
        int32_t x = index % mz->across, y = index / mz->across;
        int32_t west = start_of(mz, mz->nx, x), south = start_of(mz, mz->ny, y);
        *zone = (struct zone){ .index = index,
                               .nx = start_of(mz, mz->nx, x + 1) - west,
                               .ny = start_of(mz, mz->ny, y + 1) - south,
                               .nz = mz->nz,
                               .line_us = mz->line_us };
        zone->u = app_alloc(zone_size(zone) * sizeof(double));
        zone->rhs = app_alloc(zone_size(zone) * sizeof(double));
        for (int32_t k = 0; k < zone->nz; k++)
                for (int32_t j = 1; j <= zone->ny; j++)
                        for (int32_t i = 1; i <= zone->nx; i++)
                                for (int32_t c = 0; c < ZONE_UNKNOWNS; c++)
                                        cell(zone, zone->u, k, j, i)[c] =
                                            1 + 0.01 * ((west + i) * (c + 1) % 17) +
                                            0.02 * ((south + j) % 13) + 0.03 * (k % 7);
}

void zone_finish(struct zone *zone)
{
        free(zone->u);
        free(zone->rhs);
}

/* ---- Faces ---- */

size_t zone_face_size(const struct zone *zone, enum zone_side side)
{
        int32_t length = side == ZONE_WEST || side == ZONE_EAST ? zone->ny : zone->nx;
        return (size_t)zone->nz * (size_t)length * ZONE_UNKNOWNS;
}

/* Cell `at` of plane k of a face: its own cells, or with `out` 1 those beside it. */
static double *face_cell(const struct zone *zone, enum zone_side side, int32_t out, int32_t k,
                         int32_t at)
{
        switch (side) {
        case ZONE_WEST:
                return cell(zone, zone->u, k, at, 1 - out);
        case ZONE_EAST:
                return cell(zone, zone->u, k, at, zone->nx + out);
        case ZONE_SOUTH:
                return cell(zone, zone->u, k, 1 - out, at);
        default:
                return cell(zone, zone->u, k, zone->ny + out, at);
        }
}

static void copy(double *to, const double *from)
{
        for (int c = 0; c < ZONE_UNKNOWNS; c++)
                to[c] = from[c];
}

void zone_get_face(const struct zone *zone, enum zone_side side, double *face)
{
        int32_t length = (int32_t)(zone_face_size(zone, side) / ZONE_UNKNOWNS) / zone->nz;
        for (int32_t k = 0; k < zone->nz; k++)
                for (int32_t at = 1; at <= length; at++, face += ZONE_UNKNOWNS)
                        copy(face, face_cell(zone, side, 0, k, at));
}

void zone_put_face(struct zone *zone, enum zone_side side, const double *face)
{
        int32_t length = (int32_t)(zone_face_size(zone, side) / ZONE_UNKNOWNS) / zone->nz;
        for (int32_t k = 0; k < zone->nz; k++)
                for (int32_t at = 1; at <= length; at++, face += ZONE_UNKNOWNS)
                        copy(face_cell(zone, side, 1, k, at), face);
}

/* ---- A step ---- */

/*
 * Sleeps are long enough to be exact; what is left is slept with the next line. Each thread has its
 * own, in ns, under a key: data that the linker lays out for threads would say that they are to be
 * as many in every region (docs/manual.md).
 */
static pthread_key_t owed_key;

static void make_key(void)
{
        (void)pthread_key_create(&owed_key, NULL);
}

static void sleep_line(double line_us)
{
        static pthread_once_t once = PTHREAD_ONCE_INIT;
        pthread_once(&once, make_key);
        uintptr_t owed_ns = (uintptr_t)pthread_getspecific(owed_key) + (uintptr_t)(line_us * 1e3);
        bool sleeps = owed_ns >= 1000000;
        (void)pthread_setspecific(owed_key, (void *)(sleeps ? 0 : owed_ns));
        struct timespec time = { .tv_sec = (time_t)(owed_ns / 1000000000),
                                 .tv_nsec = (long)(owed_ns % 1000000000) };
        if (sleeps)
                nanosleep(&time, NULL);
}

static void set_rhs_line(const struct zone *zone, int32_t k, int32_t j)
{
        int32_t below = k > 0 ? k - 1 : k, above = k < zone->nz - 1 ? k + 1 : k;
        for (int32_t i = 1; i <= zone->nx; i++) {
                const double *u = cell(zone, zone->u, k, j, i);
                const double *west = cell(zone, zone->u, k, j, i - 1);
                const double *east = cell(zone, zone->u, k, j, i + 1);
                const double *south = cell(zone, zone->u, k, j - 1, i);
                const double *north = cell(zone, zone->u, k, j + 1, i);
                const double *down = cell(zone, zone->u, below, j, i);
                const double *up = cell(zone, zone->u, above, j, i);
                double *rhs = cell(zone, zone->rhs, k, j, i);
                for (int c = 0; c < ZONE_UNKNOWNS; c++)
                        rhs[c] = 0.1 * (west[c] + east[c] + south[c] + north[c] + down[c] + up[c] -
                                        6 * u[c]) -
                                 0.01 * (u[c] - u[(c + 1) % ZONE_UNKNOWNS]);
        }
}

/* The tridiagonal systems of a line of n cells, `stride` numbers apart, by elimination. */
static void solve_line(const double *u, double *rhs, int32_t n, size_t stride)
{
        static const double side = -0.2;
        double factor[ZONE_LINE_MAX];
        for (int c = 0; c < ZONE_UNKNOWNS; c++) {
                for (int32_t i = 0; i < n; i++) {
                        size_t at = (size_t)i * stride + (size_t)c;
                        double middle = 1.4 + 0.05 * fabs(u[at]);
                        double before = i > 0 ? rhs[at - stride] : 0;
                        double pivot = i > 0 ? middle - side * factor[i - 1] : middle;
                        factor[i] = side / pivot;
                        rhs[at] = (rhs[at] - side * before) / pivot;
                }
                for (int32_t i = n - 2; i >= 0; i--) {
                        size_t at = (size_t)i * stride + (size_t)c;
                        rhs[at] -= factor[i] * rhs[at + stride];
                }
        }
}

static void set_rhs(const struct zone *zone)
{
#pragma omp parallel for collapse(2) schedule(static)
        for (int32_t k = 0; k < zone->nz; k++)
                for (int32_t j = 1; j <= zone->ny; j++) {
                        set_rhs_line(zone, k, j);
                        sleep_line(zone->line_us);
                }
}

static void sweep_x(const struct zone *zone)
{
#pragma omp parallel for collapse(2) schedule(static)
        for (int32_t k = 0; k < zone->nz; k++)
                for (int32_t j = 1; j <= zone->ny; j++) {
                        solve_line(cell(zone, zone->u, k, j, 1), cell(zone, zone->rhs, k, j, 1),
                                   zone->nx, ZONE_UNKNOWNS);
                        sleep_line(zone->line_us);
                }
}

static void sweep_y(const struct zone *zone)
{
        size_t stride = ((size_t)zone->nx + 2) * ZONE_UNKNOWNS;
#pragma omp parallel for collapse(2) schedule(static)
        for (int32_t k = 0; k < zone->nz; k++)
                for (int32_t i = 1; i <= zone->nx; i++) {
                        solve_line(cell(zone, zone->u, k, 1, i), cell(zone, zone->rhs, k, 1, i),
                                   zone->ny, stride);
                        sleep_line(zone->line_us);
                }
}

static void sweep_z(const struct zone *zone)
{
        size_t stride = ((size_t)zone->ny + 2) * ((size_t)zone->nx + 2) * ZONE_UNKNOWNS;
#pragma omp parallel for collapse(2) schedule(static)
        for (int32_t j = 1; j <= zone->ny; j++)
                for (int32_t i = 1; i <= zone->nx; i++) {
                        solve_line(cell(zone, zone->u, 0, j, i), cell(zone, zone->rhs, 0, j, i),
                                   zone->nz, stride);
                        sleep_line(zone->line_us);
                }
}

static void add(const struct zone *zone)
{
#pragma omp parallel for collapse(2) schedule(static)
        for (int32_t k = 0; k < zone->nz; k++)
                for (int32_t j = 1; j <= zone->ny; j++)
                        for (int32_t n = 0; n < zone->nx * ZONE_UNKNOWNS; n++)
                                cell(zone, zone->u, k, j, 1)[n] +=
                                    cell(zone, zone->rhs, k, j, 1)[n];
}

void zone_step(struct zone *zone)
{
        set_rhs(zone);
        sweep_x(zone);
        sweep_y(zone);
        sweep_z(zone);
        add(zone);
}

uint64_t zone_hash(const struct zone *zone)
{
        uint64_t hash = 0;
        for (int32_t k = 0; k < zone->nz; k++)
                for (int32_t j = 1; j <= zone->ny; j++)
                        hash +=
                            app_hash((uint64_t)zone->index << 40 | (uint64_t)k << 20 | (uint64_t)j,
                                     cell(zone, zone->u, k, j, 1),
                                     (size_t)zone->nx * ZONE_UNKNOWNS * sizeof(double));
        return hash;
}
