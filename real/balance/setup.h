/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_SETUP_H
#define LB_REAL_BALANCE_SETUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/params.h"

/*
 * What lbrun tells the ranks of a program that it balances: the file SETUP_FILE in the directory
 * that the variable SETUP_VARIABLE names, lines of "name value". No MPI here: both read the same.
 *
 *      system packing              which system (real/balance/host.h)
 *      job 4711-1a2b3c4d           its id, of shared memory and control groups
 *      or_run 1                    where it cannot be balanced it runs all the same
 *      nodes 2                     virtual nodes on this machine
 *      cpus 2 4,0.2,0.2            virtual CPUs: nodes; CPUs of each, and the speed of each node's
 *      cpu_limit HOST 0-3          CPUs of that machine that may be used
 *      decisions /path/file        the log of decisions, .N behind it for node N
 *      policy /path/mine.so        plug-ins
 *      param NAME=VALUE            any number; those of setup_params()
 */
#define SETUP_VARIABLE "LBRUN_BALANCE"
#define SETUP_FILE "setup"
enum { SETUP_VALUE_SIZE = 1100 };

struct setup; /* what was read */

struct setup *setup_read(const char *directory, struct lb_error *err);
void setup_destroy(struct setup *setup); /* takes NULL */

/* The value of a name, "" where it is not there; the i-th of several. */
const char *setup_value(const struct setup *setup, const char *name, int32_t i);

/* ---- Parameters of the systems ---- */

/* What runs a system here: a name of balance_systems[], its own or, where it is a plugin's, that of
 * its host; NULL: none does. */
const char *setup_host_of(const char *system);

/* The parameters of a system, in zeroed memory: those of its policies, named as in lbsim, and its
 * own (real/balance/params.c). False: there is no such system. */
bool setup_params(struct policy_params *all, const char *system);

/* Their defaults, some of which are others than simulated; value[all->count]. */
void setup_defaults(const struct policy_params *all, double *value);

/* NAME=VALUE, checked, into value[all->count]; "system." before the name is allowed. */
int setup_set(const struct policy_params *all, const char *text, double *value,
              struct lb_error *err) LB_MUST_CHECK;

/* The values of one table (`owner` as it was added), value[lb_param_count(table)]. */
int setup_table(const struct setup *setup, const char *owner, const struct lb_param *table,
                double *value, struct lb_error *err) LB_MUST_CHECK;

#endif
