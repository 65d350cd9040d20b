/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_INIT_H
#define LB_SIM_COMMANDS_INIT_H

#include "base/error.h"

/* What is begun with something of one's own (private to init*.c). */

/*
 * Write the folder NAME: a policy NAME.c that compiles, a scenario NAME.json, a Makefile, and
 * test.sh. `name` is checked; a folder that is there is an error. On failure nothing is left.
 */
int init_policy(const char *name, struct lb_error *err) LB_MUST_CHECK;

#endif
