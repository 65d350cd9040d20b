/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_JSON_WRITE_H
#define LB_BASE_JSON_WRITE_H

#include <stdio.h>

/*
 * JSON written piece by piece. Needs no cJSON, so that what users link needs none. The stream
 * remembers what failed.
 */

/* Text as a JSON string, quotes included; what is not UTF-8 becomes U+FFFD. */
void lb_json_write_string(FILE *out, const char *text);

/* A number that reads back as the same double; null where it is not finite. */
void lb_json_write_number(FILE *out, double number);

#endif
