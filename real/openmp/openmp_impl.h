/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_OPENMP_OPENMP_IMPL_H
#define LB_REAL_OPENMP_OPENMP_IMPL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* An OpenMP runtime has taken the layer as its tool (ompt.c). */
extern atomic_bool openmp_is_tool;

/* The answer of the next definition of a call without arguments (openmp.c). */
enum openmp_question { OPENMP_MOST, OPENMP_NUMBER, OPENMP_THREADS, OPENMP_PROCS, OPENMP_QUESTIONS };
int32_t openmp_ask(enum openmp_question question);

/* asks.c: by the thread that opens a region, about its part of it; and it shares work there. */
void openmp_asks_begin(void);
void openmp_asks_end(const void *region, int32_t threads);
void openmp_asks_share(void);

#endif
