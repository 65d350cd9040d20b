/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_FIGURE_IMPL_H
#define LB_SIM_OUTPUT_FIGURE_IMPL_H

#include <stdio.h>

#include "sim/output/figure_marks.h"
#include "sim/output/figure_rows.h"

/* What a figure's data is written from (private to figure*.c). */
struct figure_input {
        const struct sweep *sweep;
        const struct figure_rows *rows;
        const struct figure_marks *marks;  /* what was published */
        const struct point_graphs *graphs; /* NULL unless the figure asks for them */
        const char *system;                /* whose figure it is, or "" */
};

/* Time per iteration over imbalance, a line per degree (plots/imbalance_sweep.gp); to both sides
 * where a node is slow (plots/slow_node.gp). */
void figure_write_imbalance(FILE *out, const struct figure_input *input);
void figure_write_slow_node(FILE *out, const struct figure_input *input);

/* Node imbalance over time, a block of data per point (plots/convergence.gp). */
void figure_write_convergence(FILE *out, const struct figure_input *input);

/* Time per iteration over the number of nodes, a line per degree (plots/weak_scaling.gp). */
void figure_write_weak_scaling(FILE *out, const struct figure_input *input);

/* Busy and owned cores of the appranks on every node over time (plots/cores.gp). */
void figure_write_cores(FILE *out, const struct figure_input *input);

/* Why the scenario's points cannot be drawn so, into why[size]; false: they can. */
bool figure_refuse_cores(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                         size_t size);

/* How far each parameter moves the time from that of the first point (plots/tornado.gp). */
void figure_write_tornado(FILE *out, const struct figure_input *input);
bool figure_refuse_tornado(const struct scenario *scenario, const struct figure_rows *rows,
                           char *why, size_t size);

/* Speedups over the first value of the last axis (plots/speedup.gp). */
void figure_write_speedup(FILE *out, const struct figure_input *input);
bool figure_refuse_speedup(const struct scenario *scenario, const struct figure_rows *rows,
                           char *why, size_t size);
/* Time, speedup and migrated tasks over what is swept (plots/migration.gp). */
void figure_write_migration(FILE *out, const struct figure_input *input);
bool figure_refuse_migration(const struct scenario *scenario, const struct figure_rows *rows,
                             char *why, size_t size);

/* Time, imbalance, freed CPUs and energy over the number of processes (plots/packing.gp). */
void figure_write_packing(FILE *out, const struct figure_input *input);

/* Every system on every workload (plots/systems.gp), and in words which wins and why. */
void figure_write_systems(FILE *out, const struct figure_input *input);
void figure_remark_systems(FILE *notes, const struct figure_input *input);
bool figure_refuse_systems(const struct scenario *scenario, const struct figure_rows *rows,
                           char *why, size_t size);

/* Time and helpers of systems and degrees (plots/spreading.gp). */
void figure_write_spreading(FILE *out, const struct figure_input *input);
bool figure_refuse_spreading(const struct scenario *scenario, const struct figure_rows *rows,
                             char *why, size_t size);

/* "neither", "LeWI only", "DROM only", "LeWI and DROM". */
const char *figure_switches(const struct figure_row *row);

#endif
