/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_PLAIN_NAME_H
#define LB_REAL_MEASURE_PLAIN_NAME_H

#include <stddef.h>

/*
 * What people call the function that has this symbol: C++ without template arguments, parameters
 * and what it returns ("fe::solve" for _ZN2fe5solveIdEEvRT_), gfortran's modules as
 * "module::procedure", and no suffix of a compiler's copies ("main" for main._omp_fn.0). Any other
 * symbol as it is. C++ needs its library when lbrun is built.
 */
void plain_name(char *text, size_t size, const char *symbol);

#endif
