/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_NUMBER_H
#define LB_BASE_NUMBER_H

#include <stdbool.h>

/*
 * Numbers as text that programs exchange. The decimal point is a point: the runtime lives in
 * programs that may have chosen a locale with another.
 */

/* The shortest text of at least 15 digits' precision that reads back as the same double; "nan",
 * "inf" and "-inf" for those. */
enum { LB_NUMBER_SIZE = 32 };
void lb_number_text(double number, char text[static LB_NUMBER_SIZE]);

/* The number that text begins with, as strtod(); *end is what follows it, text where there is none.
 */
double lb_number_read(const char *text, char **end);

/* Is the whole text a number? *number is what it begins with, 0 where that is none. */
bool lb_number_is(const char *text, double *number);

#endif
