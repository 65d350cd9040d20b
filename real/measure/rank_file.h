/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_RANK_FILE_H
#define LB_REAL_MEASURE_RANK_FILE_H

#include <stdint.h>

#include "real/measure/meter.h"

/*
 * What a rank leaves in the directory $LBRUN_MEASURE for lbrun: HOST-PID.rank, this structure,
 * mapped into the rank, so that it is there however the rank ends. A sparse file, at most some
 * hundred kilobytes. A rank that refuses to go on leaves HOST-PID.wrong, a line of text that says
 * why.
 */
#define RANK_FILE_MAGIC "lbrun-rank-1"
#define RANK_FILE_VARIABLE "LBRUN_MEASURE"
enum { RANK_FILE_HOST_SIZE = 256 };

enum rank_file_state {
        RANK_RUNS = 0, /* or was killed */
        RANK_FINALIZED,
        RANK_EXITED /* without MPI_Finalize */
};

struct rank_file {
        char magic[16];
        int32_t rank, size, expected; /* of MPI_COMM_WORLD; what the launcher says, 0: nothing */
        int32_t state, spawned, spare;
        int64_t pid;
        char host[RANK_FILE_HOST_SIZE];
        char program[RANK_FILE_HOST_SIZE];
        double call_cost_ns, read_cost_ns; /* of ours, in this process */
        double other_cpu_ns;               /* of threads other than the one that is measured */
        int64_t other_calls;               /* of theirs */
        struct meter meter;
};

#endif
