/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_OPENMP_OPENMP_IMPL_H
#define LB_REAL_OPENMP_OPENMP_IMPL_H

#include <stdatomic.h>
#include <stdbool.h>

/* An OpenMP runtime has taken the layer as its tool (ompt.c). */
extern atomic_bool openmp_is_tool;

#endif
