/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * miniFE of the Mantevo suite (Task Packing paper 5.2): an iteration of conjugate gradients on the
 * matrix of a cube of finite elements, 27 entries per row, the cube cut into boxes by recursive
 * bisection. First every apprank gets from its neighbours the values at the points around its box,
 * then it multiplies the matrix with the vector, and two dot products are reductions.
 *
 * - Work: memory traffic, which bounds such a product on any core. Per entry of the matrix 8 bytes
 *   and a column of 4; per row its beginning 4, the vectors of the product 8 + 16 (a write reads
 *   first), of the two dot products 8 + 16, and of three updates 24 each:
 *
 *      bytes = 12 entries + 124 rows
 *
 *   Entries are exact: a row has one per neighbouring point that exists.
 * - Bandwidth: 4.8 GB/s per core of a node of two Xeon E5-2670 with eight channels of DDR3-1600,
 *   102.4 GB/s, of which STREAM gets about 75 % (assumed) and each of the 16 cores its share.
 * - Halo: 8 bytes for each point of a neighbour's box that touches one's own.
 * - An apprank's work is cut into equal tasks, workload.tasks_per_core for each of its cores.
 *
 * Known value: 200^3 elements have 8120601 rows and 217081801 entries (tests/models/
 * test_programs.c).
 */
#include <stdlib.h>

#include "models/boxes.h"
#include "models/workload_impl.h"

enum { VALUE_BYTES = 8, ENTRY_BYTES = 12, ROW_BYTES = 124, NMEETING = 2 };

static struct box whole_of(const struct workload_spec *spec)
{
        int32_t side = (int32_t)spec->param[WORKLOAD_MINIFE_ELEMENTS] + 1;
        return (struct box){ .high = { side, side, side } };
}

/* Entries of the rows of a box: the stencil is a product over the dimensions. */
static double entries_of(const struct box *box, int32_t side)
{
        double entries = 1;
        for (int d = 0; d < 3; d++)
                entries *= 3.0 * (box->high[d] - box->low[d]) - (box->low[d] == 0) -
                           (box->high[d] == side);
        return entries;
}

static int minife_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        int32_t napprank = workload_spec_napprank(spec);
        int64_t ntask = workload_tasks_per_apprank(spec);
        struct box whole = whole_of(spec);
        if (plan_init(plan, 1, napprank, err) != 0)
                return -1;
        for (int32_t a = 0; a < napprank; a++) {
                struct box box = box_of(whole, napprank, a);
                int64_t rows = box_points(&box);
                if (rows == 0)
                        return lb_error_set(err,
                                            "model \"minife\": found %d appranks, which is more "
                                            "than a cube of %d points a side can be cut into",
                                            napprank, whole.high[0]);
                double bytes =
                    ENTRY_BYTES * entries_of(&box, whole.high[0]) + ROW_BYTES * (double)rows;
                double ms = bytes / spec->param[WORKLOAD_MINIFE_GBPS] * 1e-6;
                if (plan_alike(plan, 0, a, ntask, ms / (double)ntask, err) != 0)
                        return -1;
        }
        return 0;
}

/* Messages of one apprank after the other. */
struct sending {
        struct workload_exchange *exchange;
        int64_t count, size;
        int32_t apprank;
        struct box box;
};

static int make_room(struct sending *s)
{
        if (s->count < s->size)
                return 0;
        int64_t size = s->size > 0 ? 2 * s->size : 1024;
        int32_t *peer = realloc(s->exchange->peer, (size_t)size * sizeof(*peer));
        if (!peer)
                return -1;
        s->exchange->peer = peer;
        int64_t *bytes = realloc(s->exchange->bytes, (size_t)size * sizeof(*bytes));
        if (!bytes)
                return -1;
        s->exchange->bytes = bytes;
        s->size = size;
        return 0;
}

static struct box grown(const struct box *box)
{
        struct box larger = *box;
        for (int d = 0; d < 3; d++) {
                larger.low[d]--;
                larger.high[d]++;
        }
        return larger;
}

/* The apprank sends what a neighbour's box touches of its own. */
static int send_to(void *data, int32_t part, const struct box *box)
{
        struct sending *s = data;
        if (part == s->apprank)
                return 0;
        if (make_room(s) != 0)
                return -1;
        struct box around = grown(box);
        struct box common = box_common(&around, &s->box);
        s->exchange->peer[s->count] = part;
        s->exchange->bytes[s->count++] = VALUE_BYTES * box_points(&common);
        return 0;
}

static int minife_exchange(struct workload_exchange *exchange, const struct workload_spec *spec,
                           struct lb_error *err)
{
        int32_t napprank = workload_spec_napprank(spec);
        struct box whole = whole_of(spec);
        struct sending s = { .exchange = exchange };
        exchange->meeting = WORKLOAD_ALLREDUCE;
        exchange->nmeeting = NMEETING;
        exchange->meeting_bytes = VALUE_BYTES;
        exchange->first = malloc(((size_t)napprank + 1) * sizeof(*exchange->first));
        if (!exchange->first)
                return lb_error_fail(err, "out of memory for %d appranks", napprank);
        for (s.apprank = 0; s.apprank < napprank; s.apprank++) {
                exchange->first[s.apprank] = s.count;
                s.box = box_of(whole, napprank, s.apprank);
                struct box query = grown(&s.box);
                if (box_search(whole, napprank, &query, send_to, &s) != 0)
                        return lb_error_fail(err, "out of memory for the messages of %d appranks",
                                             napprank);
        }
        exchange->first[napprank] = s.count;
        return 0;
}

const struct workload_model workload_minife = { .fill = minife_fill, .exchange = minife_exchange };
