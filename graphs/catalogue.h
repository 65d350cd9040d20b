/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_CATALOGUE_H
#define LB_GRAPHS_CATALOGUE_H

#include <stddef.h>

#include "graphs/graph.h"
#include "graphs/ratio.h"

/*
 * The catalogue: for each size the best biregular graph that was found, with its certificate. Links
 * GPL libraries: for the programs only; not thread-safe.
 *
 * A CSV file with one row per size and the columns
 *
 *   appranks,nodes,degree   the size
 *   set                     "46/32": the best set found has 32 appranks with 46 nodes
 *   proven                  no set of at most half the appranks has a smaller ratio; where it is
 *                           `set`, the isoperimetric number is exactly that
 *   ceiling                 no graph of the size exceeds this (graphs/ceiling.h)
 *   second_singular         second over first singular value
 *   method,seed             how it was found: see graphs/contest.h
 *   period                  adding it to every node gives the same graph
 *   graph                   "0.1.3;1.2.6": the nodes of each apprank, home first, of those of the
 *                           first `period` nodes
 */
struct catalogue_entry {
        int32_t napprank, nnode, degree;
        struct ratio set, proven, ceiling;
        double second_singular;
        char method[16];
        uint64_t seed;
        int32_t period;
        struct graph *graph; /* owned by the catalogue */
};

struct catalogue {
        int32_t count, room;
        struct catalogue_entry *entry; /* [count], by nodes, appranks, degree */
};

static inline bool catalogue_is_exact(const struct catalogue_entry *entry)
{
        return ratio_compare(entry->set, entry->proven) == 0;
}

/* The best there can be, proven? */
static inline bool catalogue_is_optimal(const struct catalogue_entry *entry)
{
        return ratio_compare(entry->proven, entry->ceiling) == 0;
}

/* ---- Life cycle ---- */

/* Read a file strictly; a message names file and row. */
int catalogue_read(const char *file, struct catalogue *out, struct lb_error *err) LB_MUST_CHECK;
int catalogue_write(const struct catalogue *catalogue, const char *file,
                    struct lb_error *err) LB_MUST_CHECK;
void catalogue_finish(struct catalogue *catalogue);

/* ---- Use ---- */

/* The entry of a size, or NULL. */
const struct catalogue_entry *catalogue_find(const struct catalogue *catalogue, int32_t napprank,
                                             int32_t nnode, int32_t degree);

/* Add an entry, or replace the one of its size; its graph is the catalogue's from now on, also on
 * failure. */
int catalogue_put(struct catalogue *catalogue, const struct catalogue_entry *entry,
                  struct lb_error *err) LB_MUST_CHECK;

/*
 * Is what an entry says so? Looks for better sets at `budget` vertices of the search tree at most
 * (0: as graph_judge()), and computes the spectrum anew. *whole is false where the budget did not
 * suffice for the proof. Fails, as bad input, with what is wrong.
 */
int catalogue_verify(const struct catalogue_entry *entry, int64_t budget, bool *whole,
                     struct lb_error *err) LB_MUST_CHECK;

/*
 * The files that a size is looked up in, the first that exist: the user's own, catalogue.csv in
 * graph_cache_directory(), and the shipped one, graphs/catalogue.csv of the program's data. false:
 * there is none.
 */
bool catalogue_user_file(char *path, size_t size);
bool catalogue_shipped_file(char *path, size_t size);

/* The graph of GRAPH_METHOD_CATALOGUE: from the first of these files that has the size. */
struct graph *catalogue_obtain(const struct graph_spec *spec, struct lb_error *err);

#endif
