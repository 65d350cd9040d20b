/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_WORDS_H
#define LB_REAL_LAUNCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/*
 * A list of words that grows: a command line. Running out of memory is remembered, so that it is
 * asked about once, at the end.
 */
struct words {
        char **word; /* [count], then NULL */
        size_t count, room;
        bool failed;
};

/* Copies are added. */
void words_add(struct words *words, const char *word);
void words_add_format(struct words *words, const char *format, ...) LB_PRINTF(2, 3);

/* One word: the parts with commas between them. */
void words_add_joined(struct words *words, const struct words *parts);

void words_finish(struct words *words);

/* Print a command line that a shell would read as these words. */
void words_print_shell(char *const *word, FILE *out);

#endif
