/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_OPTIONS_H
#define LB_REAL_APPS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/option.h"

/*
 * Command lines of the example applications (base/option.h).
 *
 * - A number or switch is an entry of a table of parameters: "task_ms" is --task-ms X or
 *   --task-ms=X, a switch is --spin. What is not a single number is text, read by the application.
 * - The last of several wins. Nothing but options is allowed.
 */
enum { APP_PARAM_MAX = 12, APP_TEXT_MAX = 2 };

struct app_text {
        const char *name; /* without the dashes */
        const char *form; /* "N:FACTOR" */
        const char *help;
};

struct app {
        const char *name;
        const char *summary;          /* one line for --help */
        const struct lb_param *param; /* ended by an entry without a name; at most APP_PARAM_MAX */
        const struct app_text *text;  /* the same, at most APP_TEXT_MAX; or NULL */
};

struct app_options {
        double value[APP_PARAM_MAX]; /* in table order, the default where not given */
        bool given[APP_PARAM_MAX + APP_TEXT_MAX];
        const char *text[APP_TEXT_MAX]; /* of argv, NULL where not given */
        bool help;                      /* --help was asked for: the rest is not read */
};

int app_options_read(const struct app *app, int argc, char **argv, struct app_options *options,
                     struct lb_error *err) LB_MUST_CHECK;

void app_print_help(const struct app *app, FILE *out);

/* Whole numbers "N0,N1,..." from 0 to `max` into number[count], the ranks without one get 0. Text
 * NULL: `fallback` for the first. More numbers than `count` are an error. */
int app_read_list(const char *text, int64_t fallback, int64_t max, int32_t count, int64_t *number,
                  struct lb_error *err) LB_MUST_CHECK;

/* The number of entries of such a list, at least 1. */
int32_t app_list_length(const char *text);

/*
 * For main(): read the command line; print help or the message where `loud` (one rank is). Returns
 * APP_RUN, or the exit code: 0 after --help, 2 where the command line is wrong.
 */
enum { APP_RUN = -1 };
int app_begin(const struct app *app, int argc, char **argv, bool loud, struct app_options *options);

/* Print "name: message" on standard error where `loud`; returns the exit code. */
int app_fail(const struct app *app, bool loud, const struct lb_error *err);

#endif
