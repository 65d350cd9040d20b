/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_BALANCE_IMPL_H
#define LB_REAL_LAUNCH_BALANCE_IMPL_H

#include "base/error.h"
#include "real/launch/claim.h"
#include "real/launch/line.h"
#include "real/launch/node_logs.h"
#include "real/launch/options.h"
#include "real/launch/plan.h"
#include "real/launch/program.h"
#include "real/node/cpu_groups.h"

/* What balance*.c share of a job under its own launcher. */

/* All that is decided before anything is started. */
struct balancing {
        const struct options *options;
        const char *mpi, *system;
        char id[JOB_ID_SIZE];
        char directory[PROGRAM_PATH_SIZE], library[PROGRAM_PATH_SIZE];
        char decisions[JOB_PATH_SIZE], report[JOB_PATH_SIZE], freed_cpus[JOB_PATH_SIZE];
        struct claim *claim; /* of the decisions' file; NULL: none, and then no logs */
        struct node_logs logs;
        struct cpu_groups groups;
        double speed, *factor; /* of virtual CPUs, and of each node */
        int32_t nnode;
};

/* The command line: launcher, MPI, system and library become known, or it is refused. */
int balance_check(struct balancing *b, struct lb_error *err) LB_MUST_CHECK;

/* Options that are parameters of systems; as "NAME=VALUE", "" where they are not given. */
enum { BALANCE_NAMED = 4, BALANCE_NAMED_SIZE = 80 };
void balance_name_options(const struct options *o, char text[BALANCE_NAMED][BALANCE_NAMED_SIZE]);

/*
 * b->factor for each node, and with --virtual-cpus the CPUs of b->groups, which the caller removes
 * (cpu_groups_clean()), and who waits there does so politely.
 */
int balance_make_cpus(struct balancing *b, struct lb_error *err) LB_MUST_CHECK;

/* What lets threads of gcc's teams spin for BALANCE_SPIN_MS at most, with its value in `text`; no
 * name where the user has said how they wait, in the environment or on the line. */
enum { BALANCE_SPIN_SIZE = 24 };
struct line_set balance_spin(char *const *line, char text[static BALANCE_SPIN_SIZE]);

#endif
