/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_PUBLISHED_REPORT_H
#define LB_SIM_OUTPUT_PUBLISHED_REPORT_H

#include <stdio.h>

#include "sim/output/published.h"

/*
 * Published against simulated, for people and programs: a row per quantity; in tables and Markdown
 * followed by why they differ and what predictions rest on, in Markdown also by how words were read
 * as numbers; in CSV and JSON these are columns.
 */
enum report_format { REPORT_TABLE = 0, REPORT_CSV, REPORT_JSON, REPORT_MARKDOWN, REPORT_NFORMAT };

struct report {
        const struct published *published;
        const bool *wanted;                    /* [nrow] the rows to show */
        const struct published_result *result; /* [nrow] */
};

int report_print(const struct report *report, enum report_format format, FILE *out,
                 struct lb_error *err) LB_MUST_CHECK;

/* Before the work: make the directory where it is not there, and see whether it can be written. */
int report_prepare(const char *directory, struct lb_error *err) LB_MUST_CHECK;

/* reproduce.csv, .json and .md in that directory. */
int report_write(const struct report *report, const char *directory,
                 struct lb_error *err) LB_MUST_CHECK;

/*
 * Run each scenario that a wanted row is about, whole but with one draw of the loads, and draw its
 * figures into directory/SCENARIO. `scenarios` is where they are. Remarks go to `notes`, one a
 * line.
 */
int report_draw(const struct report *report, const char *scenarios, const char *directory,
                const struct published_options *options, FILE *notes,
                struct lb_error *err) LB_MUST_CHECK;

/* overview.dat in a directory that is there, and its figure: each numeric row's simulated value
 * over the published one. Remarks go to `notes`, one a line. */
int report_overview(const struct report *report, const char *directory, FILE *notes,
                    struct lb_error *err) LB_MUST_CHECK;

#endif
