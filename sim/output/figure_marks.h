/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_FIGURE_MARKS_H
#define LB_SIM_OUTPUT_FIGURE_MARKS_H

#include "sim/output/figure_rows.h"
#include "sim/output/published.h"

/*
 * What the papers published of a scenario (scenarios/published.json), for its figures to mark
 * (private to figure*.c).
 *
 * - Marks of a scenario are those rows whose run is this scenario, by its name. They are of points
 *   with the same machine and workload: what a user changes of these nobody has published.
 * - Left out: rows that simulate another system than the published one (system.as).
 */
struct figure_mark {
        const struct published_row *row;
        struct figure_rows at, against; /* the points that are compared; against: may have none */
};

struct figure_marks {
        int32_t nmark;
        struct figure_mark *mark; /* [nmark] */
        struct published published;
};

/* The marks of a scenario; none where there is no table of published values. */
int figure_marks_init(struct figure_marks *marks, const struct scenario *scenario,
                      struct lb_error *err) LB_MUST_CHECK;
void figure_marks_finish(struct figure_marks *marks);

/* The row that lies where `like` does: of the same machine, workload, degree, system; or NULL. */
const struct figure_row *figure_rows_find(const struct figure_rows *rows,
                                          const struct figure_row *like);

#endif
