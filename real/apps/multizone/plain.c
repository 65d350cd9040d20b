/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "real/apps/common/ranks.h"
#include "real/apps/common/result.h"
#include "real/apps/multizone/zone.h"

/* The zones of a rank; between steps each sends its faces to the zones beside it. */
struct field {
        struct multizone mz;
        struct ranks ranks;
        int32_t nzone;
        struct zone *zone;    /* [nzone] */
        double **out, **in;   /* [nzone][ZONE_SIDES] faces */
        MPI_Request *request; /* [nzone][2 * ZONE_SIDES] */
        MPI_Status *status;   /* of these */
};

static const enum zone_side opposite[] = {
        [ZONE_WEST] = ZONE_EAST,
        [ZONE_EAST] = ZONE_WEST,
        [ZONE_SOUTH] = ZONE_NORTH,
        [ZONE_NORTH] = ZONE_SOUTH,
};

static void init_faces(struct field *field, int32_t z)
{
        for (enum zone_side side = 0; side < ZONE_SIDES; side++) {
                size_t bytes = zone_face_size(&field->zone[z], side) * sizeof(double);
                field->out[z * ZONE_SIDES + (int)side] = app_alloc(bytes);
                field->in[z * ZONE_SIDES + (int)side] = app_alloc(bytes);
        }
}

static void field_init(struct field *field)
{
        size_t most = (size_t)field->mz.zones;
        field->zone = app_alloc(most * sizeof(*field->zone));
        field->out = app_alloc(most * ZONE_SIDES * sizeof(*field->out));
        field->in = app_alloc(most * ZONE_SIDES * sizeof(*field->in));
        field->request = app_alloc(most * 2 * ZONE_SIDES * sizeof(MPI_Request));
        field->status = app_alloc(most * 2 * ZONE_SIDES * sizeof(MPI_Status));
        for (int32_t i = 0; i < field->mz.zones; i++) {
                if (multizone_owner(&field->mz, field->ranks.nrank, i) != field->ranks.rank)
                        continue;
                zone_init(&field->zone[field->nzone], &field->mz, i);
                init_faces(field, field->nzone++);
        }
}

static void field_finish(struct field *field)
{
        for (int32_t z = 0; z < field->nzone; z++)
                zone_finish(&field->zone[z]);
        for (int32_t i = 0; i < field->nzone * ZONE_SIDES; i++) {
                free(field->out[i]);
                free(field->in[i]);
        }
        free(field->zone);
        free(field->out);
        free(field->in);
        free(field->request);
        free(field->status);
}

/* ---- Exchange ---- */

static int face_tag(const struct zone *zone, enum zone_side side)
{
        return zone->index * ZONE_SIDES + (int)side;
}

/* The tag names the face that is sent. */
static void start_face(struct field *field, int32_t z, enum zone_side side)
{
        struct zone *zone = &field->zone[z];
        int32_t at = z * ZONE_SIDES + (int)side;
        int32_t beside = multizone_beside(&field->mz, zone->index, side);
        int rank = multizone_owner(&field->mz, field->ranks.nrank, beside);
        int count = (int)zone_face_size(zone, side);
        MPI_Irecv(field->in[at], count, MPI_DOUBLE, rank, beside * ZONE_SIDES + (int)opposite[side],
                  field->ranks.world, &field->request[2 * at]);
        zone_get_face(zone, side, field->out[at]);
        MPI_Isend(field->out[at], count, MPI_DOUBLE, rank, face_tag(zone, side), field->ranks.world,
                  &field->request[2 * at + 1]);
}

static void exchange(struct field *field)
{
        for (int32_t z = 0; z < field->nzone; z++)
                for (enum zone_side side = 0; side < ZONE_SIDES; side++)
                        start_face(field, z, side);
        MPI_Waitall(2 * ZONE_SIDES * field->nzone, field->request, field->status);
        for (int32_t z = 0; z < field->nzone; z++)
                for (enum zone_side side = 0; side < ZONE_SIDES; side++)
                        zone_put_face(&field->zone[z], side, field->in[z * ZONE_SIDES + (int)side]);
}

/* ---- Run ---- */

static void run(struct field *field)
{
        struct app_times times = { 0 };
        for (int32_t i = 0; i < field->mz.steps; i++) {
                double start_s = clock_s();
                exchange(field);
                for (int32_t z = 0; z < field->nzone; z++)
                        zone_step(&field->zone[z]);
                ranks_meet(&field->ranks);
                if (ranks_first(&field->ranks))
                        app_print_iteration(stdout, &times, clock_s() - start_s);
        }
        if (ranks_first(&field->ranks))
                app_print_times(stdout, &times);
}

static int run_all(const struct ranks *ranks, const struct app_options *options)
{
        struct lb_error err;
        struct field field = { .ranks = *ranks };
        if (multizone_configure(options, &field.mz, &err) < 0)
                return app_fail(&multizone_app, ranks_first(ranks), &err);
        field_init(&field);
        run(&field);
        uint64_t hash = 0;
        for (int32_t z = 0; z < field.nzone; z++)
                hash += zone_hash(&field.zone[z]);
        hash = ranks_checksum(ranks, hash);
        if (ranks_first(ranks))
                app_print_checksum(stdout, hash);
        field_finish(&field);
        return 0;
}

int main(int argc, char **argv)
{
        int provided;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
        struct ranks ranks = ranks_of(MPI_COMM_WORLD);
        struct app_options options;
        int status = app_begin(&multizone_app, argc, argv, ranks_first(&ranks), &options);
        if (status == APP_RUN)
                status = run_all(&ranks, &options);
        MPI_Finalize();
        return status;
}
