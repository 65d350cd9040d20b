/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_RANK_FILE_H
#define LB_REAL_MEASURE_RANK_FILE_H

#include <stdint.h>

#include "models/alike.h"
#include "real/measure/cost.h"
#include "real/measure/loop.h"
#include "real/measure/meter.h"
#include "real/measure/site.h"

/*
 * What a rank leaves in the directory $LBRUN_MEASURE for lbrun: HOST-PID.rank, this structure,
 * mapped into the rank, so that it is there however the rank ends. A megabyte, less of each where
 * there are more than 128, down to 0.4. A rank that refuses to go on leaves HOST-PID.wrong, a line
 * of text that says why. What lbrun asks of them is in RANK_FILE_SETUP there: lines of "from S",
 * "for S" (seconds after MPI_Init) and "skip LIBRARY".
 */
#define RANK_FILE_MAGIC "lbrun-rank-D"
#define RANK_FILE_SETUP "setup"
#define RANK_FILE_VARIABLE "LBRUN_MEASURE"
enum { RANK_FILE_HOST_SIZE = 256, RANK_REGIONS = 16 };

enum rank_file_state {
        RANK_RUNS = 0, /* or was killed */
        RANK_FINALIZED,
        RANK_EXITED /* without MPI_Finalize */
};

/* Between MPI_Pcontrol(level) and MPI_Pcontrol(-level), level > 0. */
struct rank_region {
        int32_t level, visits, open, spare;
        double wall_ns, load_ns, mpi_ns, wait_ns;
};

struct rank_file {
        char magic[16];
        int32_t rank, size, expected; /* of MPI_COMM_WORLD; what the launcher says, 0: nothing */
        int32_t state, spawned;
        int32_t before;             /* the part to measure has not begun */
        int32_t threads;            /* of a team, at most; 0: no team was seen */
        int32_t team_tasks;         /* its threads may run tasks that we do not see */
        int32_t shared_windows;     /* of memory that other ranks write to, made by it */
        struct alike parallel;      /* regions of its first thread, of one thread or more, */
        struct alike before_window; /* those that ended before this window of the meter's, */
        int64_t window;             /* which is this one; */
        double window_regions;      /* sum of as many alike as divide each of those before */
        /* of the load, outside regions of more than one thread, until the last began; within those
         * that name their number; in regions of one thread; all when the last ended */
        double outside_ns, named_ns, single_ns, joined_ns;
        int32_t keeps_number, spare; /* of threads, in all regions: what it does asks for them */
        int64_t pid;
        char host[RANK_FILE_HOST_SIZE];
        char program[RANK_FILE_HOST_SIZE];
        struct cost cost;    /* of measuring, in the calls of the measured part */
        double other_cpu_ns; /* of threads that neither are measured nor call MPI */
        int64_t other_calls; /* of other threads than the one that is measured, which help */
        double helper_cpu_ns, helper_load_ns; /* of these, all, and outside MPI */
        int64_t helpers;                      /* how many there were at a time */
        char gpu[64]; /* libraries for them that the program has, in words */
        struct rank_region region[RANK_REGIONS];
        struct meter meter;
        struct site_table sites;
        struct loop_record loop[LOOP_RECORDS];
};

#endif
