/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_JOURNAL_H
#define LB_SIM_SWEEP_JOURNAL_H

#include <stdio.h>

#include "sim/engine/sim.h"
#include "sim/sweep/sweep.h"

/*
 * The finished runs of a sweep on disk (private to sim/sweep): DIR/runs.journal, DIR/series,
 * DIR/lock.
 *
 * - The journal is a file of blocks (blocks.h), a run each, which names the scenario's fingerprint,
 *   the defaults and the metrics in its first block, and in each run the build that simulated it.
 * - What a killed process leaves is at most one block that is cut off, which is dropped. Damage is
 *   said by its place; the journal is then written anew without it, and what is lost is simulated
 *   again.
 * - Runs of another build are set aside with the journal and the results they are in, into
 *   DIR/build-XXXXXXXX, or kept, as asked; a build that comes back takes its own again from there.
 * - A series is a file of its own, whose hash its run holds.
 */
struct journal;

struct journal_options {
        const char *directory;
        const char *aside; /* the directory that other builds' runs are set aside in; NULL: this
                              journal is only read from */
        const struct scenario *scenario;
        enum other_build other_build;
        bool wait;   /* for another process that has the lock, rather than fail */
        FILE *notes; /* a line for each thing that people should know; NULL: nowhere */
};

/* Lock the directory; make the journal, or check that the one there is of this scenario and
 * whole. Fails where it is of another one, or its first block is damaged. */
struct journal *journal_open(const struct journal_options *options, struct lb_error *err);
void journal_close(struct journal *journal);

/* Is there a journal, of another scenario or of files that it names as they were before? Only
 * reads, as journal_look(). */
bool journal_is_of_another(const char *directory, const struct scenario *scenario);

/* The journal of this scenario that is there, only to read: nothing is locked or made, and another
 * process may be writing it. NULL where there is none. */
struct journal *journal_look(const struct journal_options *options);

/* Take over the runs that are there: fills result[] and done[], counts them in ndone. On failure
 * the sweep may hold some of them. */
int journal_read(struct journal *journal, struct sweep *sweep, struct lb_error *err) LB_MUST_CHECK;

/* Take over what this build left in DIR/build-XXXXXXXX, before another one came. */
int journal_take_back(struct journal *journal, struct sweep *sweep,
                      struct lb_error *err) LB_MUST_CHECK;

/* Would journal_merge() take it? So that nothing is made before it is known. */
int journal_check(const struct journal_options *other, struct lb_error *err) LB_MUST_CHECK;

/* Take the finished runs of another directory of the same scenario over, into this journal, too.
 * The other one is locked meanwhile; it is set aside where `aside` says so, see journal_open(). */
int journal_merge(struct journal *journal, const struct journal_options *other, struct sweep *sweep,
                  struct lb_error *err) LB_MUST_CHECK;

/* Keep one finished run of this build. */
int journal_append(struct journal *journal, int64_t point, int32_t replicate,
                   const struct sim_result *result, struct lb_error *err) LB_MUST_CHECK;

/* Is there a journal in a directory? */
bool journal_there(const char *directory);

/* Remove the files of a folder, and the folder itself. */
void journal_remove_folder(const char *path);

#endif
