/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_RECORD_H
#define LB_SIM_SWEEP_RECORD_H

#include <stdio.h>

#include "sim/engine/sim.h"

/* One finished run as the content of a block of the journal (private to the journal). */
struct record {
        int64_t point;
        int32_t replicate;
        uint64_t build;  /* scenario.build of the program that simulated it */
        uint64_t series; /* hash of its file in DIR/series; 0: it has none */
        struct sim_result result;
};

/* The block's content, to be freed; NULL without memory. */
unsigned char *record_write(const struct record *record, uint32_t *size);

/* The record of content[size]; -1 where it is not one, or holds a number that cannot be (a time
 * that is negative or no number, a fraction above one), and then *record is empty. */
int record_read(struct record *record, const unsigned char *content, size_t size) LB_MUST_CHECK;

/* Its beginning only: point, replicate, build and series; as above, but without memory of its own.
 */
int record_peek(struct record *record, const unsigned char *content, size_t size) LB_MUST_CHECK;

/* As a line of JSON, without the end of the line: null is "not measured". */
void record_print(const struct record *record, FILE *out);

/* A series as a file of its own (series.c). */
int series_write(const struct sim_series *series, const char *path,
                 struct lb_error *err) LB_MUST_CHECK;

/* -1 where there is no such file or it is damaged: the run is then to be repeated. */
int series_read(struct sim_series *series, const char *path) LB_MUST_CHECK;

#endif
