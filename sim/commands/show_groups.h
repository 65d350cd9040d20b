/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_SHOW_GROUPS_H
#define LB_SIM_COMMANDS_SHOW_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Rows with the same texts in some columns, gathered as they come (private to
 * sim/commands/show*.c). Memory grows with the groups; with the rows only where values are kept.
 *
 * - Sums are in the order of the rows, whatever other groups' rows are between them.
 * - Groups are in the order in which they came up, until show_groups_sort().
 * - A group's points count alike: with `precision` they have unequally many runs, and then all rows
 *   are added again after show_groups_again(), and each point's first ones taken, as many as the
 * one with fewest has. A point's rows follow each other.
 */

/* A group's figure of one metric. */
struct mean {
        int64_t count;
        double sum, about;  /* about: their mean, step by step (Welford 1962) */
        double off_squares; /* of distances from it */
};

struct show_group {
        const char *key; /* its texts, each NUL-terminated */
        int64_t rows;
        int32_t size, place; /* bytes of the key; of its means */
        int64_t first_value;

        /* private */
        uint64_t point;       /* of the last row */
        int64_t run, npoint;  /* its rows so far; all points but it */
        int64_t fewest, most; /* rows of those */
        int64_t limit;        /* rows of each; 0: all */
};

struct show_groups {
        int32_t nkey, nmetric;
        bool keep; /* values of the first metric */
        int32_t count, last;
        struct show_group *group; /* [count] */
        struct mean *mean;        /* [count][nmetric], by the groups' places */
        double *value;            /* where they are kept: of group g from its first_value on, rows
                                     of them, after show_groups_sort(); before, as they came */
        int64_t nvalue;

        /* private */
        int32_t *owner; /* [nvalue] the place of the group that a value is of */
        int32_t *slot;  /* [nslot] a hash table of groups + 1 */
        int32_t nslot, capacity;
        int64_t value_capacity;
        struct show_texts *texts;
};

/* nmetric >= 1. */
void show_groups_init(struct show_groups *g, int32_t nkey, int32_t nmetric, bool keep);
void show_groups_finish(struct show_groups *g);

/* Add a row of a point (a hash): its texts key[nkey], and value[nmetric], NaN for none, which does
 * not count. */
int show_groups_add(struct show_groups *g, const char *const *key, uint64_t point,
                    const double *value, struct lb_error *err) LB_MUST_CHECK;

/* Has a group points of unequally many rows? Then no row is in it yet. */
bool show_groups_again(struct show_groups *g);

/* By their texts from the first on, as results_file_order(). */
int show_groups_sort(struct show_groups *g, struct lb_error *err) LB_MUST_CHECK;

const char *show_group_text(const struct show_groups *g, int32_t group, int32_t key);

static inline const struct mean *show_group_mean(const struct show_groups *g, int32_t group,
                                                 int32_t metric)
{
        return &g->mean[(int64_t)g->group[group].place * g->nmetric + metric];
}

/* Do two groups have the same in the first `nkey` texts? */
bool show_groups_alike(const struct show_groups *g, int32_t a, int32_t b, int32_t nkey);

#endif
