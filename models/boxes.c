/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/boxes.h"

static int longest_side(const struct box *box)
{
        int side = 0;
        for (int d = 1; d < 3; d++)
                if (box->high[d] - box->low[d] > box->high[side] - box->low[side])
                        side = d;
        return side;
}

/* Cut a box of npart parts in two; the lower one has npart / 2. */
static void cut(const struct box *box, int32_t npart, struct box *lower, struct box *upper)
{
        int side = longest_side(box);
        int64_t length = box->high[side] - box->low[side];
        int32_t at = box->low[side] + (int32_t)(length * (npart / 2) / npart);
        *lower = *upper = *box;
        lower->high[side] = upper->low[side] = at;
}

struct box box_of(struct box whole, int32_t npart, int32_t part)
{
        while (npart > 1) {
                struct box lower, upper;
                int32_t below = npart / 2;
                cut(&whole, npart, &lower, &upper);
                whole = part < below ? lower : upper;
                npart = part < below ? below : npart - below;
                part = part < below ? part : part - below;
        }
        return whole;
}

int64_t box_points(const struct box *box)
{
        int64_t points = 1;
        for (int d = 0; d < 3; d++)
                points *= box->high[d] > box->low[d] ? box->high[d] - box->low[d] : 0;
        return points;
}

struct box box_common(const struct box *a, const struct box *b)
{
        struct box common;
        for (int d = 0; d < 3; d++) {
                common.low[d] = a->low[d] > b->low[d] ? a->low[d] : b->low[d];
                common.high[d] = a->high[d] < b->high[d] ? a->high[d] : b->high[d];
        }
        return common;
}

/* What of the recursion is still to be looked at. */
struct branch {
        struct box box;
        int32_t first, npart;
};

int box_search(struct box whole, int32_t npart, const struct box *query, box_visit *visit,
               void *data)
{
        struct branch stack[64] = { { whole, 0, npart } };
        int depth = 1;
        while (depth > 0) {
                struct branch now = stack[--depth];
                struct box common = box_common(&now.box, query);
                if (box_points(&common) == 0)
                        continue;
                if (now.npart == 1) {
                        int status = visit(data, now.first, &now.box);
                        if (status != 0)
                                return status;
                        continue;
                }
                struct branch lower = { .first = now.first, .npart = now.npart / 2 };
                struct branch upper = { .first = now.first + lower.npart,
                                        .npart = now.npart - lower.npart };
                cut(&now.box, now.npart, &lower.box, &upper.box);
                stack[depth++] = upper;
                stack[depth++] = lower;
        }
        return 0;
}
