/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_RESULT_H
#define LB_REAL_APPS_RESULT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * What every example prints in the same words: a line for each iteration, the mean, a checksum.
 *
 * - A checksum is the sum modulo 2^64 of a hash for each piece of the result, of its number and its
 *   bits: the same for any number of ranks and any order, other in case of a single wrong bit.
 */

/* Hash of piece `index` with bytes[size]. */
uint64_t app_hash(uint64_t index, const void *bytes, size_t size);

struct app_times {
        int32_t count;
        double sum_s, last_s;
};
void app_print_iteration(FILE *out, struct app_times *times, double iteration_s);
void app_print_times(FILE *out, const struct app_times *times);
void app_print_checksum(FILE *out, uint64_t checksum);

/* Memory that is all zero and aligned to 64 bytes, as lbrun_alloc() gives it; ends the program
 * where there is none. For programs without the runtime; free() frees it. */
void *app_alloc(size_t bytes);

#endif
