/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_JSON_SCAN_H
#define LB_BASE_JSON_SCAN_H

#include <stddef.h>

/*
 * A strict scanner over JSON text (private to this room): cJSON makes trees but remembers no places
 * and is lenient (control characters, invalid UTF-8, overflowing numbers).
 */

enum {
        JSON_DEPTH_MAX = 200,
        JSON_NUMBER_MAX = 60, /* characters; some versions of cJSON read no more than 63 */
};

struct json_fault {
        size_t at;        /* byte offset */
        const char *what; /* "a string is not closed" */
};

/* Check a whole document. Returns 0, or -1 and what is wrong where. */
int json_scan_check(const char *text, size_t size, struct json_fault *fault);

/* Byte offset of the value at a JSON pointer in a checked document; -1 where there is none. */
long long json_scan_find(const char *text, size_t size, const char *pointer);

/* Byte offset of a checked document's value number `index` in the order of the text, from 0. */
long long json_scan_nth(const char *text, size_t size, long long index);

#endif
