/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_JSON_H
#define LB_BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/*
 * JSON documents with places. The tree is cJSON's; the text is kept, so that a message about any
 * value can say file, line, column and JSON pointer.
 *
 * - A document is plain RFC 8259 JSON in UTF-8: a NUL byte, trailing text, nesting deeper than
 *   200 levels, a duplicate key, or a number that is not finite is an error. Beside it, a line may
 *   end in a comment, from // on, outside of strings; in the text that is kept these are blanks.
 * - Whoever opens a document closes it.
 */

struct lb_json {
        char *file; /* for messages */
        char *text; /* NUL-terminated */
        size_t size;
        cJSON *root;
};

/* Largest file we read, bytes. */
enum { LB_JSON_SIZE_MAX = 256 << 20 };

/* Read and parse a file. On failure *doc is empty and needs no close. */
int lb_json_open(struct lb_json *doc, const char *file, struct lb_error *err) LB_MUST_CHECK;

/* Parse text[size] as if read from `file`; the text is copied. */
int lb_json_parse(struct lb_json *doc, const char *file, const char *text, size_t size,
                  struct lb_error *err) LB_MUST_CHECK;

/* Free what a document holds; a zeroed document is fine. */
void lb_json_close(struct lb_json *doc);

/*
 * Complain about the value at a JSON pointer ("/graph/degree", "" for the root): fills err with
 * "FILE:LINE:COLUMN: /graph/degree: message" and returns -1. Where the pointer is not in the text
 * (a value set on the command line), the place is left out.
 */
int lb_json_complain(const struct lb_json *doc, const char *pointer, struct lb_error *err,
                     const char *format, ...) LB_PRINTF(4, 5);

/* Line and column (from 1) of the value at a pointer; returns -1 where there is none. */
int lb_json_place(const struct lb_json *doc, const char *pointer, int *line, int *column);

/* Give an object a number; null where it is not finite. false: out of memory. */
bool lb_json_add_number(cJSON *object, const char *key, double number);

/* Print what was built, and a newline, and delete it; `whole`: all was put into it that belongs
 * there. Fails where it is not, or memory runs out. */
int lb_json_print(cJSON *tree, bool whole, FILE *out, struct lb_error *err) LB_MUST_CHECK;

/* A short word for what a value is: "a number", "a string", "an object". */
const char *lb_json_kind(const cJSON *item);

/* How a value reads in a message: "\"foo\"", "-3", "an array"; written into text[size]. */
void lb_json_show(const cJSON *item, char *text, size_t size);

#endif
