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
};

/* Positions are copied in the order of the leaves, so that a walk finds neighbours together. */
struct octree {
        int32_t n;
        int32_t ncell, size;
        struct cell *cell;
        int32_t *body;    /* [n] numbers, each cell's are neighbours */
        double *position; /* [n][3], in the order of body[] */
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
        *child = (struct cell){ .first_body = first_body, .nbody = nbody };
        for (int c = 0; c < 3; c++) {
                double middle = 0.5 * (parent->low[c] + parent->high[c]);
                child->low[c] = which >> c & 1 ? middle : parent->low[c];
                child->high[c] = which >> c & 1 ? parent->high[c] : middle;
        }
        measure(child);
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
        free(tree->body);
        free(tree->position);
        free(tree);
}

static double distance2(const struct cell *cell, const double *position)
{
        double sum = 0;
        for (int c = 0; c < 3; c++) {
                double below = cell->low[c] - position[c], above = position[c] - cell->high[c];
                double d = below > above ? below : above;
                sum += d > 0 ? d * d : 0;
        }
        return sum;
}

/* Interactions of the body at a place of body[]. */
static int32_t count_one(const struct octree *tree, int32_t at, double theta2)
{
        const double *position = tree->position + 3 * (int64_t)at;
        int32_t stack[STACK_SIZE], depth = 0, count = 0;
        stack[depth++] = 0;
        while (depth > 0) {
                const struct cell *cell = &tree->cell[stack[--depth]];
                bool inside = at >= cell->first_body && at < cell->first_body + cell->nbody;
                if (cell->nchild == 0)
                        count += cell->nbody - inside;
                else if (theta2 * distance2(cell, position) >= cell->side2)
                        count++;
                else
                        for (int32_t k = 0; k < cell->nchild; k++)
                                stack[depth++] = cell->first_child + k;
        }
        return count;
}

void octree_count(const struct octree *tree, double theta, int32_t *count)
{
        for (int32_t at = 0; at < tree->n; at++)
                count[tree->body[at]] = count_one(tree, at, theta * theta);
}
