/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_PUBLISHED_H
#define LB_SIM_OUTPUT_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/engine/sim.h"

/*
 * What the papers published, and how each quantity is simulated: scenarios/published.json, so that
 * a new row needs no code.
 *
 * - Each row has its source: paper, place, how its value was read there, and how wrong the reading
 * may be. It agrees within `tolerance` or within the reading error, whichever is larger.
 * - A quantity is a metric of a scenario narrowed by --set options, reduced over its points; or the
 *   ratio of two such, or what that ratio saves ("reduction", 1 - ratio).
 */
enum published_claim {
        CLAIM_ABOUT = 0, /* agrees within `tolerance`, relative */
        CLAIM_AT_MOST,
        CLAIM_AT_LEAST,
        CLAIM_WITHHELD, /* no value: a prediction */
};

/* How a value was read: a number in the text or a table, off a figure, or from words ("half"). */
enum published_read { READ_TEXT = 0, READ_TABLE, READ_FIGURE, READ_WORDS };
extern const char *const published_reads[]; /* their names, ended by NULL */

enum published_over { OVER_MEAN = 0, OVER_MAX, OVER_MIN, OVER_MEDIAN };
enum published_as { AS_VALUE = 0, AS_RATIO, AS_REDUCTION };

/*
 * Where what a cause changes comes from: another state of the rules (the paper's text, or the code
 * at some date), a measurement, what the paper leaves open, another number of the same paper, or an
 * assumption.
 */
enum published_from {
        FROM_STATE = 0,
        FROM_MEASURED,
        FROM_OPEN,
        FROM_PAPER,
        FROM_ASSUMED,
        FROM_DRAW, /* none: the paper has one run, and the draws reach from one side of it to the
                      other */
        FROM_COUNT
};
extern const char *const published_froms[]; /* their names, ended by NULL */

enum { PUBLISHED_SET_MAX = 16, PUBLISHED_THEN_MAX = 2 };

/* A scenario narrowed by options. */
struct published_run {
        const char *scenario;               /* a file's name in scenarios/ */
        const char *set[PUBLISHED_SET_MAX]; /* [nset] */
        int32_t nset;
};

/*
 * A cause that can be computed: the row once more with these options as well. Two are the ends of a
 * range. FROM_DRAW has none: the range is that of the row's own draws.
 */
struct published_then {
        enum published_from from;
        int32_t count; /* 0: the cause cannot be computed */
        struct published_run run[PUBLISHED_THEN_MAX], against[PUBLISHED_THEN_MAX];
};

struct published_row {
        const char *paper, *place, *quantity, *unit;
        const char *cause;   /* in a few words, what makes it differ, or NULL */
        const char *note;    /* why it may differ, or NULL */
        const char *reading; /* where the paper has words: why they are read as this number, or NULL
                              */
        enum published_claim claim;
        double value, tolerance;
        enum published_read read;
        double reading_error; /* relative; 0: the value is a number of the paper's */
        enum metric metric;
        enum published_over over;
        enum published_as as;
        struct published_run run, against; /* against: as is not AS_VALUE */
        struct published_then then;
        bool quick; /* part of the reduced run */
        bool again; /* the published number of the row before, by another state of the rules */
};

struct published {
        struct published_row *row; /* [nrow] */
        int32_t nrow;
        void *document; /* what the strings belong to */
};

/* Strict; messages say where in the file. On failure *published is empty. */
int published_open(struct published *published, const char *file,
                   struct lb_error *err) LB_MUST_CHECK;
void published_close(struct published *published);

/*
 * A simulated value: mean over replicates and half its 95 % confidence interval (NaN for one); the
 * least and largest of a draw; and of how many of the draws the published value is above, from 0 to
 * 1, ties half (NaN where draws do not differ or nothing is published). `then_least` and
 * `then_most`: with what its cause changes (NaN where that cannot be computed).
 */
struct published_result {
        double value, half_width, least, most, percentile, then_least, then_most;
        int as; /* the run's system.as: 0 paper, 1 original, 2 published */
};

enum published_verdict { VERDICT_AGREES = 0, VERDICT_DIFFERS, VERDICT_PREDICTION };

/* The larger of tolerance and reading error, relative. */
double published_margin(const struct published_row *row);

/* What a result says of a row. */
enum published_verdict published_judge(const struct published_row *row,
                                       const struct published_result *result);

/* Is there something to compute its cause by? */
bool published_can_compute(const struct published_row *row);
/* A row that differs: does its cause, computed, give what is published? */
bool published_computed(const struct published_row *row, const struct published_result *result);

struct published_options {
        int32_t replicates, jobs;
        const char *state; /* system.as of runs that do not set it; NULL: as the scenario says */
        const volatile int *stop;
        void (*progress)(int32_t done, int32_t count); /* of simulated runs; may be NULL */
};

/*
 * Simulate the rows for which wanted[nrow] is set, each scenario once however many rows need it,
 * into result[nrow]. `directory` is where the scenarios are.
 */
int published_simulate(const struct published *published, const bool *wanted, const char *directory,
                       const struct published_options *options, struct published_result *result,
                       struct lb_error *err) LB_MUST_CHECK;

#endif
