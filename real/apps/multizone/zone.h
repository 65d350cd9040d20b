/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_ZONE_H
#define LB_REAL_APPS_ZONE_H

#include <stddef.h>
#include <stdint.h>

#include "real/apps/common/options.h"

/*
 * A multi-zone solver with the structure of the NAS benchmark BT-MZ (DPB paper 4.3): a field of
 * five unknowns on a grid that is cut into zones of unequal widths, each advanced by implicit
 * sweeps along x, y and z, whose lines OpenMP threads share; zones exchange their faces in each
 * step, and x and y are periodic.
 *
 * - What each cell becomes depends neither on the number of threads nor on that of ranks.
 * - Zones go to ranks in equal numbers, in order of rows: so ranks have unequal work, and it is the
 *   same in each step.
 * - No MPI here.
 */
enum { ZONE_UNKNOWNS = 5, ZONE_LINE_MAX = 512 };
enum zone_side { ZONE_WEST = 0, ZONE_EAST, ZONE_SOUTH, ZONE_NORTH, ZONE_SIDES };

extern const struct app multizone_app;

struct multizone {
        int32_t across, zones; /* zones along x and y, and in all */
        int32_t nx, ny, nz;    /* cells of the whole grid */
        double ratio;          /* the largest zone over the smallest */
        int32_t steps;
        double line_us; /* a line of a sweep also sleeps so long */
};

/* What the command line asks for; fails where a zone would have too few or too many cells. */
int multizone_configure(const struct app_options *options, struct multizone *mz,
                        struct lb_error *err) LB_MUST_CHECK;

/* The rank that a zone belongs to. */
int32_t multizone_owner(const struct multizone *mz, int32_t nrank, int32_t zone);

/* The zone beside a zone. */
int32_t multizone_beside(const struct multizone *mz, int32_t zone, enum zone_side side);

struct zone {
        int32_t index, nx, ny, nz;
        double line_us;
        double *u, *rhs; /* [nz][ny + 2][nx + 2][ZONE_UNKNOWNS] */
};

void zone_init(struct zone *zone, const struct multizone *mz, int32_t index);
void zone_finish(struct zone *zone);

/* Numbers in a face, which are those of the opposite face of the zone beside. */
size_t zone_face_size(const struct zone *zone, enum zone_side side);
void zone_get_face(const struct zone *zone, enum zone_side side, double *face);
void zone_put_face(struct zone *zone, enum zone_side side, const double *face);

/* Advance by a step. */
void zone_step(struct zone *zone);

uint64_t zone_hash(const struct zone *zone);

#endif
