/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_PLAN_H
#define LB_REAL_LAUNCH_PLAN_H

#include <stdio.h>

#include "base/error.h"
#include "real/control/job.h"
#include "real/launch/nodes.h"
#include "real/launch/program.h"
#include "real/launch/words.h"
#include "real/node/cpu_groups.h"

struct options;

/*
 * All that is decided before anything is started: the job, its nodes, the program and the command.
 */
struct plan {
        struct job *job;
        struct nodes nodes;
        struct program program;
        char keeper[PROGRAM_PATH_SIZE]; /* this program */
        bool probes;                    /* it runs as one of the doctor's ranks, and no program */
        struct words command;           /* mpirun and its arguments */
        struct cpu_groups cpus;         /* where the job has virtual CPUs */
        char *job_text;                 /* of LBRUN_JOB */
        char note[6][256];              /* what a user should know; empty ones are skipped */
};

/* Returns 0, or the exit code for what err says: 2, 125, 126 or 127. */
int plan_init(struct plan *plan, const struct options *options, struct lb_error *err) LB_MUST_CHECK;
void plan_finish(struct plan *plan);

/*
 * The command that starts one rank of this program's --probe on each node of the options, as that
 * of a job with these options would; what `program` has as path and MPI, and the words behind the
 * first of options->program, are handed on. err: why there is none, and plan is finished.
 */
int plan_probe(struct plan *plan, const struct options *options, const struct program *program,
               struct lb_error *err) LB_MUST_CHECK;

/* The whole path of a file that is to be written, where it can be. */
int plan_path(char path[static JOB_PATH_SIZE], const char *file,
              struct lb_error *err) LB_MUST_CHECK;

/* An id for a job. */
int plan_id(char id[static JOB_ID_SIZE], struct lb_error *err) LB_MUST_CHECK;

/* --speed into speed[nnode], of the nodes that it names. */
int plan_speeds(double *speed, int32_t nnode, const struct options *options,
                struct lb_error *err) LB_MUST_CHECK;

/* The map of ranks, the environment and the command. */
void plan_print(const struct plan *plan, FILE *out);

/* "rank 3: helper of apprank 1 on node 2 (host n2)" into text[size]. */
void plan_describe_rank(const struct plan *plan, int32_t rank, char *text, size_t size);

#endif
