/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_FIGURE_IMPL_H
#define LB_SIM_OUTPUT_FIGURE_IMPL_H

#include <stdio.h>

#include "sim/output/figure.h"
#include "sim/output/figure_marks.h"
#include "sim/output/figure_rows.h"
#include "sim/scenario/figures.h"

enum { FIGURE_ABOUT_SIZE = 1024 };

/* What a figure's data is written from (private to figure*.c). */
struct figure_input {
        const struct sweep *sweep;
        const struct figure_rows *rows;
        const struct figure_marks *marks; /* what was published */
        struct point_shared *graphs;      /* NULL unless the figure asks for them */
        const char *system;               /* whose figure it is, or "" */
        enum figure_size size;
};

/* What tells a figure from others. A new one is a file with such a table, its script in plots/ and
 * its name in sim/scenario/figures.h. */
struct figure_type {
        const char *name;
        const char *script; /* plots/SCRIPT.gp; NULL: that of its name */
        const char *axis; /* a path that must be swept, and then there is one figure for each system
                             that offloads; or NULL */
        bool names_model; /* in the title */
        bool needs_slow, needs_series, needs_graphs;
        bool (*same_place)(const struct figure_row *a,
                           const struct figure_row *b); /* of as many nodes; NULL: none are */
        const char *place;                              /* what tells its points apart */
        bool (*refuse)(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                       size_t size); /* further conditions, or NULL */
        void (*about)(const struct figure_input *input,
                      char text[static FIGURE_ABOUT_SIZE]); /* what the script is told; NULL: the
                                                               model, if named, and the system */
        void (*write)(FILE *out, const struct figure_input *input);
        void (*remark)(FILE *notes, const struct figure_input *input);      /* in words; or NULL */
        void (*verdict)(FILE *data, char text[static FIGURE_VERDICT_SIZE]); /* what the data that
                                              was written answers, in a sentence; or NULL */
};

#define FIGURE_DECLARE(name) extern const struct figure_type figure_##name;
FIGURES(FIGURE_DECLARE)

/* Alike in system and switches: a figure.same_place. */
bool figure_same_label(const struct figure_row *a, const struct figure_row *b);

/* Alike in imbalance, which is then the figure's axis, or in its heads. */
bool figure_same_imbalance(const struct figure_row *a, const struct figure_row *b);

/* "neither LeWI nor DROM", "LeWI only", "DROM only", "LeWI and DROM". */
const char *figure_switches(const struct figure_row *row);

#endif
