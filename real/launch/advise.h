/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_ADVISE_H
#define LB_REAL_LAUNCH_ADVISE_H

#include <stdbool.h>
#include <stddef.h>

#include "real/launch/words.h"

/*
 * What was measured is in `directory`, by a launcher that ended with `code`: lbsim gain on it, in a
 * process of its own, for it simulates every system, and none of that is linked here. The answer
 * is on standard output behind the program's, and a page in DIRECTORY/advice.html.
 *
 * Returns `code`; 125 where that is 0 and there is no advice.
 */
int advise(const char *directory, int code);

/* Run a command of lbsim, for a minute at most, of a job that was told to end for two seconds; what
 * it prints into text[size], as much of it as fits. false: it failed; where it `tells`, what it
 * then said on standard error is said to the user. */
bool advise_ask(const struct words *line, char *text, size_t size, bool tells);

#endif
