/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_JOURNAL_H
#define LB_SIM_SWEEP_JOURNAL_H

#include "sim/engine/sim.h"

struct scenario;
struct sweep;

/*
 * The finished runs of a sweep on disk (private to sweep*.c): DIR/runs.jsonl, DIR/series, DIR/lock.
 *
 * - A line is appended by one write() and cut off again where the disk is full, so a crash leaves
 *   at most one line without its end, which the next sweep drops.
 * - The lock is the process's own and ends with it.
 */
struct journal;

/* Lock the directory (`wait`: once another process is done with it); make the journal, or check
 * that the one there is of this scenario. */
struct journal *journal_open(const char *directory, const struct scenario *scenario, bool wait,
                             struct lb_error *err);
void journal_close(struct journal *journal);

/* The journal of this scenario that is there, only to read: nothing is locked or made, and another
 * process may be writing it. NULL where there is none. */
struct journal *journal_look(const char *directory, const struct scenario *scenario);

/* Take over the runs that are there: fills result[] and done[], counts them in ndone. On failure
 * the sweep may hold some of them. */
int journal_read(struct journal *journal, struct sweep *sweep, struct lb_error *err) LB_MUST_CHECK;

/* Take the finished runs of another directory of the same scenario over, into this journal, too.
 * The other one is locked meanwhile, see journal_open(). */
int journal_merge(struct journal *journal, const char *directory, bool wait, struct sweep *sweep,
                  struct lb_error *err) LB_MUST_CHECK;

/* Keep one finished run. */
int journal_append(struct journal *journal, int64_t point, int32_t replicate,
                   const struct sim_result *result, struct lb_error *err) LB_MUST_CHECK;

/* One run as a line of JSON without its end (sweep_record.c). */
struct record {
        int64_t point;
        int32_t replicate;
        bool series; /* has a file in DIR/series */
        struct sim_result result;
};

/* The line, to be freed; NULL without memory. */
char *record_write(const struct record *record);

/* The record of text[size]; -1 where it is not one, and then *record is empty. */
int record_read(struct record *record, const char *text, size_t size) LB_MUST_CHECK;

/* A series as a file of its own (sweep_series.c). */
int series_write(const struct sim_series *series, const char *path,
                 struct lb_error *err) LB_MUST_CHECK;

/* -1 where there is no such file or it is damaged: the run is then to be repeated. */
int series_read(struct sim_series *series, const char *path) LB_MUST_CHECK;

#endif
