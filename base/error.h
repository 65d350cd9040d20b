/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_ERROR_H
#define LB_BASE_ERROR_H

/*
 * Error text, carried upwards in the last argument of every function that can fail.
 *
 * - A function that fails returns -1 (or NULL), has filled `err`, and leaves no trace.
 * - Messages: what was wrong first, in lower case, without a full stop, then what is allowed.
 * - The kind decides the exit code: 2 where the user's input is wrong, 1 for anything else.
 */

#include <stdbool.h>

#define LB_MUST_CHECK __attribute__((warn_unused_result))
#define LB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

enum lb_error_kind {
        LB_ERROR_NONE = 0,
        LB_ERROR_INPUT,   /* command line or input file: exit code 2 */
        LB_ERROR_OTHER,   /* disk full, out of memory, failed run: exit code 1 */
        LB_ERROR_STOPPED, /* interrupted by the user: exit code 130 */
};

struct lb_error {
        enum lb_error_kind kind;
        char text[1024]; /* NUL-terminated, cut where it would not fit */
};

/* Say that the user's input is wrong. Returns -1, so that `return lb_error_set(err, ...)` is one
 * line. */
int lb_error_set(struct lb_error *err, const char *format, ...) LB_PRINTF(2, 3);

/* Say that something else failed. Returns -1. */
int lb_error_fail(struct lb_error *err, const char *format, ...) LB_PRINTF(2, 3);

/*
 * Say that a file or directory cannot be used, for errno `why`, which is put behind the text. The
 * user's input is wrong where that is a matter of the name (nothing there, no directory, not
 * allowed); a full disk is something else. Returns -1.
 */
int lb_error_name(struct lb_error *err, int why, const char *format, ...) LB_PRINTF(3, 4);

/* Say that the user interrupted the work. Returns -1. */
int lb_error_stop(struct lb_error *err, const char *format, ...) LB_PRINTF(2, 3);

/* Put text before the message there is, as in "scenario.json:3:5: ". Returns -1. */
int lb_error_prefix(struct lb_error *err, const char *format, ...) LB_PRINTF(2, 3);

/*
 * What code of others has filled, perhaps by hand: text that ends and can be shown, a kind that is
 * one and says failure. False where it holds no such thing: kind is then LB_ERROR_OTHER, text
 * empty.
 */
bool lb_error_accept(struct lb_error *err);

/* The exit code of a program that ends with this error: 0, 2, 1 or 130. */
int lb_error_exit_code(const struct lb_error *err);

#endif
