/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_JOURNAL_PRINT_H
#define LB_SIM_SWEEP_JOURNAL_PRINT_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/*
 * Print the journal of a directory as lines of JSON: what it is of, which builds, then the runs; of
 * any scenario and build. Another process may be writing it: a last block that is cut off is no
 * error. Damage is one, with its place, once all that is good has been printed.
 */
int journal_print(const char *directory, FILE *out, struct lb_error *err) LB_MUST_CHECK;

/* How many finished runs the journal of a directory holds that are not damaged; -1: there is none.
 */
int64_t journal_runs(const char *directory);

#endif
