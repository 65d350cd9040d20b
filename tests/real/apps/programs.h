/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_APPS_PROGRAMS_H
#define LB_TESTS_REAL_APPS_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

/* Running the example programs from tests. */
enum { OUTPUT_MAX = 1 << 16 };

struct output {
        int status;            /* exit code; -1 where it was killed or took more than two minutes */
        char text[OUTPUT_MAX]; /* standard output and error */
};

/* Run a command line of sh, programs of the examples by name. */
void programs_run(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The rest of the line after the last `key` in the output; fails the test where there is none. */
void programs_value(const struct output *output, const char *key, char *value, size_t size);

/* Fails the test, with the output, unless the exit code is `status`. */
void programs_expect(const struct output *output, int status);

#endif
