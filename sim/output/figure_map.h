/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_FIGURE_MAP_H
#define LB_SIM_OUTPUT_FIGURE_MAP_H

#include "sim/output/figure_impl.h"
#include "sim/output/figure_words.h"

/*
 * Maps: a sweep's last axis is what is compared, the two before it are across (x) and upwards (y),
 * and every combination of those before is a panel (private to figure*.c; plots/map.gp).
 */
struct figure_map {
        const struct scenario *scenario;
        int64_t npanel;
        int32_t ny, nx, nvariant;
};

/* A place of the map. */
struct figure_cell {
        int64_t panel;
        int32_t y, x;
};

/* Has the scenario three axes at least, with `nleast` values on the last? Else `why` says so. */
bool figure_map_init(struct figure_map *map, const struct scenario *scenario, int32_t nleast,
                     char *why, size_t size);

/* The point of a variant there, also where the axes make no difference to its system; -1 where that
 * combination cannot run or is that of an earlier variant. */
int64_t figure_map_point(const struct figure_map *map, struct figure_cell cell, int32_t variant);

/* Is point `a` faster than b, over the replicates that both have? (With `precision` points have
 * unequally many, of other work, and their means do not tell.) Than none, -1: has it any run? */
bool figure_map_faster(const struct sweep *sweep, int64_t a, int64_t b);

/* What a variant is called, as "global, degree 4". */
void figure_map_variant(const struct figure_map *map, int32_t variant,
                        char text[static FIGURE_WORDS_SIZE]);

/* The first block of the data: "title" "name of x" "name of y". */
void figure_map_begin(FILE *out, const struct figure_map *map, const char *title);

/* panel "panel's words" y "its value" x "its value", without end of line. */
void figure_map_place(FILE *out, const struct figure_map *map, struct figure_cell cell);

/* What a verdict ends with: in how many cells replicates leave it open, if they can at all. */
void figure_map_open(char *text, size_t size, int nopen, bool spread);

/* The next line of such data: its words and numbers into word[], which point into `line`. Returns
 * how many, 0 for one that is empty or a comment, -1 at the end. */
enum { FIGURE_MAP_LINE_SIZE = 4096, FIGURE_MAP_WORDS = 16 };
int figure_map_read(FILE *data, char line[static FIGURE_MAP_LINE_SIZE],
                    char *word[static FIGURE_MAP_WORDS]);

#endif
