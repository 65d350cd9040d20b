/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/nbody/tree.h"

#include <math.h>
#include <stdbool.h>

#include "real/apps/nbody/body.h"

enum { LEAF_MAX = 8 };

/* Sources being made a tree. */
struct builder {
        const uint64_t *key;
        const struct source *source;
        struct cell *cell;
        int32_t ncell;
        double theta;
};

static void add_mass(struct cell *cell, const struct source *source, int32_t count)
{
        for (int32_t i = 0; i < count; i++) {
                cell->mass += source[i].mass;
                for (int axis = 0; axis < 3; axis++)
                        cell->x[axis] += source[i].mass * source[i].x[axis];
        }
        for (int axis = 0; axis < 3; axis++)
                cell->x[axis] /= cell->mass;
}

/* How near a body must be to open a cell of these sources. */
static double open_distance(const struct cell *cell, const struct source *source, int32_t count,
                            double theta)
{
        double side = 0, offset2 = 0;
        for (int axis = 0; axis < 3; axis++) {
                double low = INFINITY, high = -INFINITY;
                for (int32_t i = 0; i < count; i++) {
                        low = source[i].x[axis] < low ? source[i].x[axis] : low;
                        high = source[i].x[axis] > high ? source[i].x[axis] : high;
                }
                double offset = cell->x[axis] - (low + high) / 2;
                side = high - low > side ? high - low : side;
                offset2 += offset * offset;
        }
        return theta > 0 ? side / theta + sqrt(offset2) : INFINITY;
}

static struct cell make_cell(const struct builder *builder, int32_t first, int32_t count)
{
        struct cell cell = { .first = first };
        add_mass(&cell, builder->source + first, count);
        double open = open_distance(&cell, builder->source + first, count, builder->theta);
        cell.open2 = open * open;
        return cell;
}

/* The first place after `first` whose key has another digit (three bits) at `shift`. */
static int32_t end_of_digit(const uint64_t *key, int32_t first, int32_t end, int shift)
{
        int32_t low = first + 1;
        while (low < end) {
                int32_t middle = low + (end - low) / 2;
                if (key[middle] >> shift == key[first] >> shift)
                        low = middle + 1;
                else
                        end = middle;
        }
        return low;
}

/* The shift of the highest digit in which two different keys differ. */
static int shift_of_difference(uint64_t a, uint64_t b)
{
        int shift = 0;
        while (a >> shift >> 3 != b >> shift >> 3)
                shift += 3;
        return shift;
}

/* Octants with all sources in one of their own octants are passed over, so that every inner cell
 * has two children or more. */
static void build(struct builder *builder, int32_t first, int32_t count)
{
        const uint64_t *key = builder->key;
        struct cell *cell = &builder->cell[builder->ncell++];
        int32_t end = first + count;
        bool leaf = count <= LEAF_MAX || key[first] == key[end - 1];
        *cell = make_cell(builder, first, count);
        cell->count = leaf ? count : 0;
        int shift = leaf ? 0 : shift_of_difference(key[first], key[end - 1]);
        while (!leaf && first < end) {
                int32_t next = end_of_digit(key, first, end, shift);
                build(builder, first, next - first);
                first = next;
        }
        cell->next = builder->ncell;
}

int32_t tree_build(const struct body *sorted, const uint64_t *key, int64_t n, double theta,
                   struct cell *cell, struct source *source)
{
        struct builder builder = { .key = key, .source = source, .cell = cell, .theta = theta };
        for (int64_t i = 0; i < n; i++) {
                source[i].mass = sorted[i].mass;
                for (int axis = 0; axis < 3; axis++)
                        source[i].x[axis] = sorted[i].x[axis];
        }
        build(&builder, 0, (int32_t)n);
        return builder.ncell;
}

/* Add what a mass does at a distance dx. */
static void attract(struct force *force, const double dx[static 3], double r2, double mass,
                    double softening2)
{
        double inverse = 1 / sqrt(r2 + softening2);
        double pull = mass * inverse * inverse * inverse;
        for (int axis = 0; axis < 3; axis++)
                force->a[axis] += pull * dx[axis];
        force->potential -= mass * inverse;
}

static double distance2(const double *from, const double *to, double dx[static 3])
{
        for (int axis = 0; axis < 3; axis++)
                dx[axis] = to[axis] - from[axis];
        return dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2];
}

/* The body itself is among the sources: at distance 0 there is no force. */
static void attract_leaf(const struct tree_work *work, const struct cell *cell, const double *x,
                         struct force *force)
{
        const struct source *source = work->source + cell->first;
        for (int32_t i = 0; i < cell->count; i++) {
                double dx[3], r2 = distance2(x, source[i].x, dx);
                if (r2 > 0)
                        attract(force, dx, r2, source[i].mass, work->softening * work->softening);
        }
        force->work += cell->count;
}

static struct force force_on(const struct tree_work *work, const double *x)
{
        struct force force = { .work = 0 };
        for (int32_t i = 0; i < work->ncell;) {
                const struct cell *cell = &work->cell[i];
                double dx[3], r2 = distance2(x, cell->x, dx);
                bool far = r2 > cell->open2;
                if (far) {
                        attract(&force, dx, r2, cell->mass, work->softening * work->softening);
                        force.work++;
                } else if (cell->count > 0) {
                        attract_leaf(work, cell, x, &force);
                }
                i = far || cell->count > 0 ? cell->next : i + 1;
        }
        return force;
}

void tree_forces(const struct tree_work *work)
{
        for (int64_t i = 0; i < work->n; i++)
                work->force[i] = force_on(work, work->body[i].x);
}
