/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_OPTIONS_H
#define LB_REAL_LAUNCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/option.h"
#include "real/launch/program.h"

/*
 * The command line of lbrun, read but not yet compared with the machine: what is not given is zero
 * or NULL. Texts are those of argv.
 */
enum launcher { LAUNCHER_AUTO = 0, LAUNCHER_MPIRUN, LAUNCHER_MPIEXEC, LAUNCHER_SRUN };
enum options_switch { SWITCH_UNSET = 0, SWITCH_OFF, SWITCH_ON };

struct options {
        const char *system;
        int32_t nnode, cores, appranks_per_node, degree;
        enum options_switch lewi, drom;
        const char *load, *hint, *seed, *cores_by, *report_every, *start_s, *hung_s;
        struct lb_option_list param; /* NAME=VALUE */
        struct lb_option_list speed; /* NODE:FACTOR */
        struct lb_option_list mpi_option;
        const char *graph, *hostfile;
        enum mpi mpi; /* MPI_NONE: the program's */
        enum launcher launcher;
        const char *report, *decisions, *loads, *tasks, *trace, *html, *policy;
        const char *fill, *freed_cpus; /* of packing */
        const char *malleable;         /* of dpb and dlb */
        bool virtual_nodes, virtual_cpus, check, compare, tasks_ordered, dry_run, quiet, version,
            or_run, watch;
        char *const *argv; /* the whole command line, ended by NULL */
        char **program;    /* program and arguments, ended by NULL */
};

extern const struct lb_option options_table[];

/* openmpi, mpich or auto, as enum mpi. */
extern const char *const options_mpis[];

/* auto, mpirun, ..., as enum launcher. */
extern const char *const options_launchers[];

/* Options that do not go together. */
int options_check(const struct options *options, struct lb_error *err) LB_MUST_CHECK;

/* The commands of lbrun. */
extern const struct lb_program lbrun_program;

#endif
