/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/orb.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { BISECTIONS = 40 };

struct orb {
        const double *position; /* [n][3] */
        const double *weight;   /* [n] */
        int32_t *body;          /* [n] numbers, those of one side of all cuts are neighbours */
        int32_t *part;          /* [n] */
        double *at, *weighs;    /* [n] of a side that is cut: its bodies' coordinates and weights */
};

/* Bodies body[first .. end-1] in a box, for parts `part` and the following. */
struct side {
        int32_t first, end;
        int32_t part, npart;
        double low[3], high[3];
};

static double coordinate(const struct orb *orb, int32_t at, int axis)
{
        return orb->position[3 * (int64_t)orb->body[at] + axis];
}

static int longest(const struct side *side)
{
        int axis = 0;
        for (int c = 1; c < 3; c++)
                if (side->high[c] - side->low[c] > side->high[axis] - side->low[axis])
                        axis = c;
        return axis;
}

/* In the order of body[], so that sums are the same whatever is looked at more than once. */
static void gather(struct orb *orb, const struct side *side, int axis)
{
        for (int32_t i = side->first; i < side->end; i++) {
                orb->at[i] = coordinate(orb, i, axis);
                orb->weighs[i] = orb->weight[orb->body[i]];
        }
}

/* Weight up to a cut; infinite: of all. Without a branch: which side a body is on nobody guesses.
 */
static double weight_below(const struct orb *orb, const struct side *side, double cut)
{
        double sum = 0;
        for (int32_t i = side->first; i < side->end; i++)
                sum += orb->at[i] <= cut ? orb->weighs[i] : 0;
        return sum;
}

/* Where to cut so that a share of the weight is below. */
static double find_cut(struct orb *orb, const struct side *side, int axis, double share)
{
        double low = side->low[axis], high = side->high[axis];
        gather(orb, side, axis);
        double wanted = share * weight_below(orb, side, INFINITY);
        for (int i = 0; i < BISECTIONS; i++) {
                double middle = 0.5 * (low + high);
                double below = weight_below(orb, side, middle);
                if (below < wanted)
                        low = middle;
                else
                        high = middle;
                if (fabs(below - wanted) <= 1e-10 * wanted)
                        return middle;
        }
        return 0.5 * (low + high);
}

/* Bring the bodies below the cut to the front; returns where the others begin. */
static int32_t separate(struct orb *orb, const struct side *side, int axis, double cut)
{
        int32_t next = side->first;
        for (int32_t i = side->first; i < side->end; i++) {
                if (coordinate(orb, i, axis) > cut)
                        continue;
                int32_t body = orb->body[i];
                orb->body[i] = orb->body[next];
                orb->body[next++] = body;
        }
        return next;
}

/* The depth is the binary logarithm of the parts. */
static void bisect(struct orb *orb, const struct side *side)
{
        if (side->npart == 1) {
                for (int32_t i = side->first; i < side->end; i++)
                        orb->part[orb->body[i]] = side->part;
                return;
        }
        int axis = longest(side);
        struct side below = *side, above = *side;
        below.npart = side->npart / 2;
        above.npart = side->npart - below.npart;
        above.part = side->part + below.npart;
        double cut = find_cut(orb, side, axis, (double)below.npart / side->npart);
        below.high[axis] = above.low[axis] = cut;
        below.end = above.first = separate(orb, side, axis, cut);
        bisect(orb, &below);
        bisect(orb, &above);
}

static void bound(const double *position, int32_t n, struct side *side)
{
        for (int c = 0; c < 3; c++) {
                side->low[c] = side->high[c] = position[c];
                for (int64_t i = 1; i < n; i++) {
                        side->low[c] = fmin(side->low[c], position[3 * i + c]);
                        side->high[c] = fmax(side->high[c], position[3 * i + c]);
                }
        }
}

int orb_partition(const double *position, const double *weight, int32_t n, int32_t npart,
                  int32_t *part, struct lb_error *err)
{
        struct orb orb = { .position = position, .weight = weight, .part = part };
        orb.body = malloc((size_t)n * sizeof(*orb.body));
        orb.at = malloc((size_t)n * sizeof(*orb.at));
        orb.weighs = malloc((size_t)n * sizeof(*orb.weighs));
        bool room = orb.body && orb.at && orb.weighs;
        struct side all = { .end = n, .npart = npart };
        for (int32_t i = 0; room && i < n; i++)
                orb.body[i] = i;
        if (room) {
                bound(position, n, &all);
                bisect(&orb, &all);
        }
        free(orb.body);
        free(orb.at);
        free(orb.weighs);
        return room ? 0 : lb_error_fail(err, "out of memory to part %d bodies", n);
}
