/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/octree.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LEVEL_MAX = 48, NCHILD = 8, STACK_SIZE = LEVEL_MAX * NCHILD };

struct cell {
        double low[3], high[3];
        double side2;              /* volume^(2/3) */
        int32_t first_body, nbody; /* in body[] */
        int32_t first_child;       /* its children are neighbours; none: a leaf */
        int32_t nchild;
        int32_t octant; /* of its parent */
        bool is_hidden; /* a cell around it has no volume: its bodies do not open that */
};

/* What a body asks of a cell before it opens it: neighbours in memory, as the walk is bound by it.
 */
struct part {
        double side2;   /* less than any distance where there is nothing to open */
        int32_t bodies; /* interactions where it is not opened */
        int32_t octant;
};

/* Positions are copied in the order of the leaves, so that a walk finds neighbours together. */
struct octree {
        int32_t n;
        int32_t ncell, size;
        struct cell *cell;
        struct part *part; /* [ncell] of the cells */
        int32_t *body;     /* [n] numbers, each cell's are neighbours */
        double *position;  /* [n][3], in the order of body[] */
};

static void bound(struct cell *root, const double *position, int32_t n)
{
        for (int c = 0; c < 3; c++) {
                root->low[c] = root->high[c] = position[c];
                for (int32_t i = 1; i < n; i++) {
                        root->low[c] = fmin(root->low[c], position[3 * (int64_t)i + c]);
                        root->high[c] = fmax(root->high[c], position[3 * (int64_t)i + c]);
                }
        }
}

static void measure(struct cell *cell)
{
        double volume = 1;
        for (int c = 0; c < 3; c++)
                volume *= cell->high[c] - cell->low[c];
        double side = cbrt(volume);
        cell->side2 = side * side;
}

static int octant(const struct cell *cell, const double *position)
{
        int which = 0;
        for (int c = 0; c < 3; c++)
                if (position[c] >= 0.5 * (cell->low[c] + cell->high[c]))
                        which |= 1 << c;
        return which;
}

/* Sort a cell's bodies by octant; count[] says how many each has. `spare` is room for them. */
static void sort_bodies(struct octree *tree, const struct cell *cell, const double *position,
                        int32_t *spare, int32_t *count)
{
        int32_t next[NCHILD + 1] = { 0 }, *body = tree->body + cell->first_body;
        memset(count, 0, NCHILD * sizeof(*count));
        for (int32_t i = 0; i < cell->nbody; i++)
                count[octant(cell, position + 3 * (int64_t)body[i])]++;
        for (int k = 0; k < NCHILD; k++)
                next[k + 1] = next[k] + count[k];
        memcpy(spare, body, (size_t)cell->nbody * sizeof(*spare));
        for (int32_t i = 0; i < cell->nbody; i++)
                body[next[octant(cell, position + 3 * (int64_t)spare[i])]++] = spare[i];
}

static int make_room(struct octree *tree, struct lb_error *err)
{
        if (tree->ncell + NCHILD <= tree->size)
                return 0;
        int64_t size = 2 * (int64_t)tree->size + NCHILD;
        struct cell *larger =
            size <= INT32_MAX ? realloc(tree->cell, (size_t)size * sizeof(*larger)) : NULL;
        if (!larger)
                return lb_error_fail(err, "out of memory for a tree of %d bodies", tree->n);
        tree->cell = larger;
        tree->size = (int32_t)size;
        return 0;
}

static void add_child(struct octree *tree, const struct cell *parent, int which, int32_t first_body,
                      int32_t nbody)
{
        struct cell *child = &tree->cell[tree->ncell++];
        *child = (struct cell){ .first_body = first_body, .nbody = nbody, .octant = which };
        for (int c = 0; c < 3; c++) {
                double middle = 0.5 * (parent->low[c] + parent->high[c]);
                child->low[c] = which >> c & 1 ? middle : parent->low[c];
                child->high[c] = which >> c & 1 ? parent->high[c] : middle;
        }
        measure(child);
        child->is_hidden = parent->is_hidden || parent->side2 == 0;
}

/* Divide a cell; empty octants are left out. */
static int divide(struct octree *tree, int32_t place, const double *position, int32_t *spare,
                  struct lb_error *err)
{
        if (make_room(tree, err) != 0)
                return -1;
        int32_t count[NCHILD];
        struct cell parent = tree->cell[place];
        sort_bodies(tree, &parent, position, spare, count);
        int32_t first_child = tree->ncell, first_body = parent.first_body;
        for (int k = 0; k < NCHILD; first_body += count[k++])
                if (count[k] > 0)
                        add_child(tree, &parent, k, first_body, count[k]);
        tree->cell[place].first_child = first_child;
        tree->cell[place].nchild = tree->ncell - first_child;
        return 0;
}

/* Level by level: the cells of a level are neighbours. */
static int build(struct octree *tree, const double *position, int32_t *spare, struct lb_error *err)
{
        tree->cell[0] = (struct cell){ .nbody = tree->n };
        bound(&tree->cell[0], position, tree->n);
        measure(&tree->cell[0]);
        tree->ncell = 1;
        int32_t first = 0;
        for (int level = 0; level < LEVEL_MAX && first < tree->ncell; level++) {
                int32_t end = tree->ncell;
                for (int32_t place = first; place < end; place++)
                        if (tree->cell[place].nbody > 1 &&
                            divide(tree, place, position, spare, err) != 0)
                                return -1;
                first = end;
        }
        for (int64_t i = 0; i < tree->n; i++)
                memcpy(tree->position + 3 * i, position + 3 * (int64_t)tree->body[i],
                       3 * sizeof(*position));
        return 0;
}

static int make_parts(struct octree *tree, struct lb_error *err)
{
        tree->part = malloc((size_t)tree->ncell * sizeof(*tree->part));
        if (!tree->part)
                return lb_error_fail(err, "out of memory for a tree of %d bodies", tree->n);
        for (int32_t place = 0; place < tree->ncell; place++) {
                const struct cell *cell = &tree->cell[place];
                bool leaf = cell->nchild == 0;
                tree->part[place] =
                    (struct part){ leaf ? -1 : cell->side2, leaf ? cell->nbody : 1, cell->octant };
        }
        return 0;
}

struct octree *octree_create(const double *position, int32_t n, struct lb_error *err)
{
        struct octree *tree = calloc(1, sizeof(*tree));
        int32_t *spare = malloc((size_t)n * sizeof(*spare));
        if (!tree || !spare)
                goto memory;
        tree->n = n;
        tree->size = n < INT32_MAX / 2 ? 2 * n : n;
        tree->cell = malloc((size_t)tree->size * sizeof(*tree->cell));
        tree->body = malloc((size_t)n * sizeof(*tree->body));
        tree->position = malloc((size_t)n * 3 * sizeof(*tree->position));
        if (!tree->cell || !tree->body || !tree->position)
                goto memory;
        for (int32_t i = 0; i < n; i++)
                tree->body[i] = i;
        int status = build(tree, position, spare, err);
        if (status == 0)
                status = make_parts(tree, err);
        free(spare);
        if (status == 0)
                return tree;
        octree_destroy(tree);
        return NULL;
memory:
        free(spare);
        octree_destroy(tree);
        lb_error_fail(err, "out of memory for a tree of %d bodies", n);
        return NULL;
}

void octree_destroy(struct octree *tree)
{
        if (!tree)
                return;
        free(tree->cell);
        free(tree->part);
        free(tree->body);
        free(tree->position);
        free(tree);
}

static double outside2(double low, double high, double x)
{
        double below = low - x, above = x - high;
        double d = below > above ? below : above;
        return d > 0 ? d * d : 0;
}

/* From each half of a cell to a position, by each axis: of its octants there are but these. */
static void halves2(const struct cell *cell, const double *position, double half2[3][2])
{
        for (int c = 0; c < 3; c++) {
                double middle = 0.5 * (cell->low[c] + cell->high[c]);
                half2[c][0] = outside2(cell->low[c], middle, position[c]);
                half2[c][1] = outside2(middle, cell->high[c], position[c]);
        }
}

/* Interactions at a position, with a body that is there; the stack has cells that are opened. */
static int32_t count_one(const struct octree *tree, const double *position, double theta2)
{
        int32_t stack[STACK_SIZE], depth = 0, count = 0;
        stack[depth++] = 0;
        while (depth > 0) {
                const struct cell *cell = &tree->cell[stack[--depth]];
                double half2[3][2];
                halves2(cell, position, half2);
                for (int32_t place = cell->first_child; place < cell->first_child + cell->nchild;
                     place++) {
                        const struct part *part = &tree->part[place];
                        int k = part->octant;
                        double distance2 =
                            half2[0][k & 1] + half2[1][k >> 1 & 1] + half2[2][k >> 2];
                        if (theta2 * distance2 >= part->side2)
                                count += part->bodies;
                        else
                                stack[depth++] = place;
                }
        }
        return count;
}

void octree_count(const struct octree *tree, double theta, int32_t *count)
{
        const struct cell *root = &tree->cell[0];
        bool opens = root->nchild > 0 && root->side2 > 0;
        for (int32_t at = 0; at < tree->n; at++)
                count[tree->body[at]] =
                    opens ? count_one(tree, tree->position + 3 * (int64_t)at, theta * theta)
                          : tree->n > 1;
        for (int32_t place = 1; opens && place < tree->ncell; place++) {
                const struct cell *cell = &tree->cell[place];
                for (int32_t i = 0; cell->nchild == 0 && !cell->is_hidden && i < cell->nbody; i++)
                        count[tree->body[cell->first_body + i]]--;
        }
}
