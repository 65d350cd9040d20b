/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_JOURNAL_PRINT_H
#define LB_SIM_SWEEP_JOURNAL_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/*
 * Print the journal of a directory as lines of JSON: what it is of, which builds, then the runs; of
 * any scenario and build. Another process may be writing it: a last block that is cut off is no
 * error. Damage is one, with its place, once all that is good has been printed.
 */
int journal_print(const char *directory, FILE *out, struct lb_error *err) LB_MUST_CHECK;

/* What the journal of a directory holds that is not damaged, and what it is to hold in the end. */
struct journal_count {
        int64_t runs;
        int64_t wanted; /* 0: it does not say */
        bool at_most;   /* wanted is: a precision may need fewer */
};

/* False where there is no journal; *count is all zero then. */
bool journal_count(const char *directory, struct journal_count *count);

/* "3 of 24 runs", for so many of them. */
enum { JOURNAL_COUNT_SIZE = 80 };
void journal_count_text(const struct journal_count *count, int64_t runs,
                        char text[static JOURNAL_COUNT_SIZE]);

#endif
