/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_PARAM_H
#define LB_BASE_PARAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Typed parameters. A table of them describes what a policy, a model or a section of a scenario can
 * be told; the same table feeds the JSON reader, --set, --help, the JSON Schema and the README.
 *
 * - A set of values is an array of double in table order, whatever the type: integers are exact up
 *   to 2^53, a switch is 0 or 1, a choice is its place in `choices`. So values are flat, can be
 *   copied, logged and compared.
 * - A table ends with an entry whose name is NULL. Its enum of places stands beside it in the
 * header.
 * - `min` and `max` are inclusive and are checked for numbers and integers.
 */

enum lb_param_type {
        LB_PARAM_NONE = 0,
        LB_PARAM_NUMBER,
        LB_PARAM_INTEGER,
        LB_PARAM_SWITCH,
        LB_PARAM_CHOICE,
};

/* The largest whole number that is not also what its neighbour is read as: values are doubles. */
#define LB_PARAM_WHOLE_MAX (0x1p53 - 1)

struct lb_param {
        const char *name; /* ends with its unit where it has one: "period_s" */
        const char *unit; /* "s", "us", "cores"; NULL or "" where it has none */
        enum lb_param_type type;
        double fallback; /* the default */
        double min, max;
        const char *const *choices; /* NULL-ended, LB_PARAM_CHOICE only */
        const char *help;           /* one line, lower case, no full stop */
        bool differs;               /* the original code does otherwise than its paper ... */
        double original;            /* ... and this is its value (system.as = "original") */
};

/* How many parameters a table has; 0 for NULL. */
size_t lb_param_count(const struct lb_param *table);

/* The place of a name in a table, or -1. */
int lb_param_find(const struct lb_param *table, const char *name);

/* Fill value[lb_param_count(table)] with the defaults. */
void lb_param_defaults(const struct lb_param *table, double *value);

/* The place of a word among a parameter's choices, or -1. */
int lb_param_choice(const struct lb_param *param, const char *word);

/* The choice nearest to a word, or NULL where none is near or there are none. */
const char *lb_param_nearest(const struct lb_param *param, const char *word);

/*
 * Check one value against its parameter: finite, whole where it must be, in range.
 * The message says what was found and what is allowed, and does not repeat the parameter's name.
 */
int lb_param_check(const struct lb_param *param, double value, struct lb_error *err) LB_MUST_CHECK;

/* Read a value from text ("2.5", "on", "false", "exact"), as --set and --param give it, and check
 * it. */
int lb_param_parse(const struct lb_param *param, const char *text, double *value,
                   struct lb_error *err) LB_MUST_CHECK;

/* Write a value as JSON would have it ("2.5", "true", "\"exact\"") into text[size]. */
void lb_param_format(const struct lb_param *param, double value, char *text, size_t size);

/* What is allowed, in words: "a whole number from 1 to 4096", "true or false", "one of exact, lp".
 */
void lb_param_allowed(const struct lb_param *param, char *text, size_t size);

/*
 * The name of names[count] nearest to `word` (edit distance), or NULL where none is near enough to
 * be worth suggesting.
 */
const char *lb_nearest_name(const char *word, const char *const *names, size_t count);

/* names[count] as "a, b, c" into text[size], as far as they fit. */
void lb_list_names(const char *const *names, size_t count, char *text, size_t size);

#endif
