/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_OPTIONS_H
#define LB_REAL_LAUNCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "real/launch/program.h"

/*
 * The command line of lbrun, read but not yet compared with the machine: what is not given is zero
 * or NULL. Texts are those of argv.
 */
enum options_switch { SWITCH_UNSET = 0, SWITCH_OFF, SWITCH_ON };

struct options {
        const char *system;
        int32_t nnode, cores, appranks_per_node, degree;
        enum options_switch lewi, drom;
        const char *load, *seed, *cores_by, *report_every, *start_s, *hung_s;
        char **param; /* [nparam] NAME=VALUE */
        int32_t nparam;
        char **speed; /* [nspeed] NODE:FACTOR */
        int32_t nspeed;
        char **mpi_option; /* [nmpi_option] */
        int32_t nmpi_option;
        const char *graph, *hostfile;
        enum mpi mpi; /* MPI_NONE: the program's */
        const char *report, *decisions, *loads, *trace, *policy;
        bool virtual_nodes, virtual_cpus, check, dry_run, quiet, help;
        char **program; /* program and arguments, ended by NULL; NULL with help */
};

/* Read argv[1 ..]. On failure there is nothing to finish. */
int options_init(struct options *options, int argc, char **argv,
                 struct lb_error *err) LB_MUST_CHECK;
void options_finish(struct options *options);

void options_print_help(FILE *out);

#endif
