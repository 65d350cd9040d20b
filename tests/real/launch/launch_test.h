/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_LAUNCH_TEST_H
#define LB_TESTS_REAL_LAUNCH_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "real/control/job.h"

/* lbrun as a user has it: started with arguments, its output and exit code looked at. */
enum { TEST_TEXT_SIZE = 1 << 20, TEST_WORD_MAX = 64 };

struct run {
        pid_t pid;
        int code; /* as a shell has it: 128 + N for a signal */
        char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];
};

/* The MPIs that there are, NULL-ended: "openmpi", "mpich". */
extern const char *const test_mpis[];

/* A job of two appranks, each with workers on both of two virtual nodes: ranks 0 and 3 are homes.
 * NULL where that fails. */
struct job *test_job(void);

/* The environment of all tests: a graph cache here, Open MPI as root, no Slurm, and sanitizers as
 * in the tests of the runtime. */
int test_setup(void **state);

/* Start lbrun with the words of `line`, "@mpi" in it being the probe of that MPI, "@live-mpi"
 * the program with the runtime; single quotes keep blanks. run_wait() ends it and reads its output;
 * run_read() reads what there is so far. */
void run_begin(struct run *run, const char *line, const char *input);
void run_read(struct run *run);
void run_wait(struct run *run);
void run_line(struct run *run, const char *line); /* both */

/* What the probe's ranks have printed. */
struct rank_line {
        int32_t rank, size;
        pid_t pid;
        char host[128];
        const char *job; /* in run->out, to the end of the line */
};
int32_t run_ranks(const struct run *run, struct rank_line *line, int32_t max);

/* Wait until `count` ranks have printed. Fails the test after a minute. */
void run_await_ranks(struct run *run, struct rank_line *line, int32_t count);

/* Wait until the text is in what it has printed, or a process has ended. Likewise. */
void run_await(struct run *run, const char *text);
void await_end(pid_t pid);

pid_t parent_of(pid_t pid);
pid_t child_of(pid_t pid); /* the first; lbrun's: mpirun */

/* The job that the ranks were given; all the same. */
struct job *run_job(const struct run *run);

/* Is the process there and no zombie? */
bool process_lives(pid_t pid);

/* How many files of /dev/shm have the job's id in their names. */
int32_t segments_of(const char *id);

#endif
