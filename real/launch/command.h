/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_COMMAND_H
#define LB_REAL_LAUNCH_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "real/launch/program.h"

struct options;
struct plan;
struct words;

/*
 * The command that starts the ranks: mpirun of the program's MPI, or Slurm's srun (--launcher;
 * where there is no mpirun, within an allocation of Slurm). One rank per worker, numbered node by
 * node; LBRUN_JOB goes along in the environment; no binding, as workers pin themselves.
 */
struct command_type {
        enum mpi mpi;
        const char *mpirun;   /* its name where several MPIs are installed */
        const char *mpiexec;  /* likewise */
        const char *version;  /* a text that its --version says */
        const char *packages; /* what to install */
        void (*build)(const struct plan *plan, const struct options *options, struct words *words);
};

extern const struct command_type command_openmpi, command_mpich;

/* Fill plan->command; the plan's job, nodes and program are there. */
int command_build(struct plan *plan, const struct options *options,
                  struct lb_error *err) LB_MUST_CHECK;

/* Is it srun that starts the ranks? */
bool command_is_srun(const struct plan *plan);

/* The name of the mpirun of that type on PATH; NULL where there is none. */
const char *command_find_mpirun(const struct command_type *type);

/*
 * The environment for a launcher. Open MPI's mpirun does not run as root unless two variables say
 * so. Who runs lbrun as root, as containers do, has decided: they are set, unless they are there.
 * Of a job that lbrun itself is a rank of, the rank's variables are dropped. Returns -1 out of
 * memory.
 */
bool command_is_root_refused(void); /* would it be, as things are? */
int command_ready(void) LB_MUST_CHECK;

/* Steps of Slurm that lbrun's launcher starts share processors and have the environment, whatever
 * its own variables say. Returns -1 out of memory. */
int command_ready_slurm(void) LB_MUST_CHECK;

/*
 * On a virtual CPU a thread that spins has used up its quota when what it waits for comes. Two
 * threads of a team whose CPUs are stopped by turns met once in a period of the quota, each time:
 * iterations of 0.06 s took 0.8. So teams of OpenMP sleep while they wait, unless the user has said
 * how they do. The ranks are on this machine: they have its environment. Returns -1 out of memory.
 */
int command_ready_virtual(void) LB_MUST_CHECK;

/* ---- For command types ---- */

/* How many ranks a node has. */
int32_t command_ranks(const struct plan *plan, int32_t node);

/* The words of --mpi-option; the rank's keeper (this program), the program and its arguments. */
void command_add_options(const struct options *options, struct words *words);
void command_add_program(const struct plan *plan, const struct options *options,
                         struct words *words);

/* Does the user ask for Open MPI's own account of a crash (opal_signal)? */
bool command_asks_for_handler(const struct options *options);

/* What follows "srun". */
void command_build_srun(const struct plan *plan, const struct options *options,
                        struct words *words);

#endif
