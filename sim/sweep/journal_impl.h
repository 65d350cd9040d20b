/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_JOURNAL_IMPL_H
#define LB_SIM_SWEEP_JOURNAL_IMPL_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/file.h"
#include "sim/sweep/blocks.h"
#include "sim/sweep/journal.h"
#include "sim/sweep/record.h"

/* What the files of the journal share. */

/* Members of a note: how many runs the sweep has, where that is known before, and at most. */
#define JOURNAL_RUNS "runs"
#define JOURNAL_RUNS_MOST "runs_most"

enum { DIFFERS_SIZE = 256 };

/* What a look at all blocks has found. */
struct journal_survey {
        int64_t nown, nother;       /* runs of this build, of others */
        int64_t nbad;               /* good blocks that hold no run of this scenario that can be */
        size_t bad;                 /* where the first of these is */
        uint64_t other;             /* the first other build */
        char differs[DIFFERS_SIZE]; /* "another build of lbsim", of a plugin */
        bool noted;                 /* this build has a note in it */
        struct blocks blocks;       /* at its end */
};

struct journal {
        struct journal_options options;
        char directory[LB_PATH_SIZE], path[LB_PATH_SIZE];
        int lock, fd;
        unsigned char *bytes; /* [size] of the file, mapped; NULL where it is empty or was read */
        size_t size;
        off_t end;           /* where the next block goes */
        uint64_t seed, next; /* for it */
        bool foreign;        /* of other metrics or defaults: nothing in it can be kept */
        bool noted;
        struct journal_survey survey;
};

/* "DIRECTORY/NAME"; -1 where that is too long. */
void journal_series_path(const struct journal *journal, int64_t point, int32_t replicate,
                         char path[static LB_PATH_SIZE]);

/* A line for people. */
void journal_say(const struct journal_options *options, const char *format, ...) LB_PRINTF(2, 3);

int journal_map(struct journal *journal, struct lb_error *err) LB_MUST_CHECK;
void journal_unmap(struct journal *journal);

/* At each block while the mapped file is read: what was gone through need not stay in memory. */
void journal_pace(const struct journal *journal, uint64_t block);
int journal_put(struct journal *journal, enum block_kind kind, const void *content, uint32_t size,
                struct lb_error *err) LB_MUST_CHECK;

/* The content of the first block: to be freed, NULL without memory. With the metrics' names: a
 * journal of other metrics cannot be continued either. */
char *journal_head(const struct scenario *scenario);

/* Look at all blocks. */
void journal_look_through(struct journal *journal);

/* Keep one run of any build. */
int journal_keep(struct journal *journal, struct record *record,
                 struct lb_error *err) LB_MUST_CHECK;

/* Has this build simulated the run? Of a point that cannot be, nobody has. */
bool journal_is_own(const struct scenario *scenario, const struct record *record);

/* Is the run of use here? */
bool journal_wants(const struct journal *journal, const struct record *record);

/* journal_settle.c: deal with runs of other builds and with damage, as the options say. */
int journal_settle(struct journal *journal, struct lb_error *err) LB_MUST_CHECK;

/* Remove a folder that runs were set aside in, with the results in it. */
void journal_remove_aside(const char *directory);

/* "build-XXXXXXXX" */
enum { JOURNAL_ASIDE_SIZE = 32 };
void journal_aside_name(uint64_t build, char name[static JOURNAL_ASIDE_SIZE]);

#endif
