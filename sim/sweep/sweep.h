/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_SWEEP_H
#define LB_SIM_SWEEP_SWEEP_H

#include <stdio.h>

#include "sim/scenario/point.h"
#include "sim/sweep/store.h"

struct journal;

/* What a directory holds beside the results: finished runs, and the seal of complete results
 * (sim/output/seal.h). */
#define SWEEP_JOURNAL "runs.journal"
#define SWEEP_SEAL "seal.json"

/* Runs in the directory that another build of lbsim, or of a plugin, has simulated: */
enum other_build {
        OTHER_BUILD_ANEW = 0, /* are set aside into DIR/build-XXXXXXXX, and simulated anew */
        OTHER_BUILD_KEEP,     /* are taken as they are */
        OTHER_BUILD_REFUSE,   /* are an error */
};

/* Fails where a file to be written is one that a sweep keeps in its directory. */
int sweep_check_apart(const char *directory, const char *file, struct lb_error *err) LB_MUST_CHECK;

/*
 * Running all points and replicates of a scenario on several threads, with finished ones kept on
 * disk.
 *
 * - Results do not depend on the number of threads or on the order in which points finish.
 * - With a directory, every finished run is kept in DIR/runs.journal as soon as it is there, with
 *   checksums (journal.h). A later sweep into the same directory takes those runs as done where the
 *   same build simulated them, and refuses a directory of another scenario. Time series are files
 *   of their own in DIR/series.
 * - A shard is a function of the scenario alone, so that parts that were simulated on different
 *   machines, each into a directory of its own, make up the whole when they are merged.
 * - Where the scenario states a precision, a point's replicates end with the first number of them
 *   that is precise enough; those beyond are neither wanted nor done.
 * - Several processes (ranks) may share the directory: each takes the next run that nobody has
 *   begun. Rank 0 ends with all results, the others with their own. What a rank leaves that dies is
 *   done by the others.
 * - Memory hardly grows with the number of runs where there is a directory (store.h): who goes
 *   through all results calls sweep_pace() at each.
 * - DIR/lock keeps a second process out until sweep_finish(), so that nobody else writes results
 *   into the directory meanwhile.
 */
struct sweep_options {
        const char *directory;    /* NULL: keep nothing; else it must exist */
        int32_t jobs;             /* threads, >= 1 */
        int32_t cores;            /* for them: those beyond one for each run are for threads within
                                     runs (sim_spec.threads); 0: none are */
        bool progress;            /* show on standard error how far it is */
        const volatile int *stop; /* NULL, or set by a signal handler: finish no further run */
        int32_t shard, nshard;    /* do the shard-th (0 ..) of nshard parts, of about equal cost;
                                     nshard    0 or 1: everything */
        const char *const
            *merge; /* [nmerge] directories whose finished runs are taken over first */
        int32_t nmerge;
        double hung_s; /* fail where a call of a policy lasts so long; 0: it is only named */
        enum other_build other_build;
        FILE *notes;         /* what people should know of the directory; NULL: nowhere */
        int32_t rank, nrank; /* of nrank processes that share the directory, which they need, this
                                is the rank-th (0 ..); nrank 0 or 1: alone */
};

struct sweep {
        const struct scenario *scenario;
        struct sim_result *result; /* [npoint][replicates]; of very many without iteration_s */
        bool *done;                /* [npoint][replicates] */
        int64_t nslot;             /* npoint * replicates */
        int64_t nrun, ndone;       /* how many are wanted, as far as known; how many are done */
        const char
            *undivided;  /* why a run that could have had several threads used one; NULL: none */
        int64_t nreused; /* done already by an earlier sweep into the directory */
        int64_t nother;  /* of these, and of those merged: by another build, and kept */
        int64_t nmerged; /* taken over from other directories or ranks */
        int64_t nmine, norphan; /* with other ranks: done here; units that a rank began and did
                                   not end, and that were done here */
        double elapsed_s;
        struct journal *journal; /* private: holds the lock */
        struct store store;      /* private: of result[] */
};

/* A metric over the finished replicates of one point. */
struct sweep_estimate {
        int32_t count;
        double mean, half_width; /* of the 95% confidence interval; NaN for less than two */
};
struct sweep_estimate sweep_estimate(const struct sweep *sweep, int64_t point, enum metric metric);

/* How many points of a finished sweep have the most replicates, and a wider interval than the
 * scenario's precision; the widest, half of it over the mean. */
int64_t sweep_imprecise(const struct sweep *sweep, double *widest);

/* Run. Interrupted: returns -1 with LB_ERROR_STOPPED and `sweep` holds what is done. Any other
 * failure: *sweep is empty; what was finished before stays in the directory. */
int sweep_run(struct sweep *sweep, const struct scenario *scenario,
              const struct sweep_options *options, struct lb_error *err) LB_MUST_CHECK;
void sweep_finish(struct sweep *sweep);

/* The place of a run in result[] and done[]. */
static inline int64_t sweep_place(const struct sweep *sweep, int64_t point, int32_t replicate)
{
        return point * sweep->scenario->replicates + replicate;
}

/* For loops over runs, in the order of result[], and over points. */
static inline void sweep_pace(const struct sweep *sweep, int64_t run)
{
        enum { STEP = 4096 };
        if (run % STEP == STEP - 1)
                store_let_go(&sweep->store);
}
static inline void sweep_pace_point(const struct sweep *sweep, int64_t point)
{
        for (int32_t r = 0; r < sweep->scenario->replicates; r++)
                sweep_pace(sweep, sweep_place(sweep, point, r));
}

#endif
