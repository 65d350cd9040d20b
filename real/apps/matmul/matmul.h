/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_MATMUL_H
#define LB_REAL_APPS_MATMUL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "real/apps/common/options.h"

/*
 * The matrix multiplications of the CHAMELEON paper (4.1, 4.3): each rank has a number of tasks,
 * and every task multiplies a pair of square matrices of its own, C = A B, with the loops i, k, j
 * or, as its published example does, i, j, k.
 *
 * - Matrices are row by row. Entries of A and B are whole numbers from -8 to 8, a function of seed,
 *   rank, task and place, so that all sums are exact, and results are equal bit by bit.
 * - No MPI and no runtime here.
 */
extern const struct app matmul_app;

struct matmul {
        int32_t size;
        int32_t iterations;
        uint64_t seed;
        bool constant;     /* A and B are said to be */
        bool by_entry;     /* the loops are i, j, k */
        const char *tasks; /* as given; NULL: the default */
};
struct matmul matmul_configure(const struct app_options *options);

/* The number of tasks of each rank into tasks[nrank]. */
int matmul_tasks(const struct matmul *matmul, int32_t nrank, int64_t *tasks,
                 struct lb_error *err) LB_MUST_CHECK;

/* The matrices of a task, of size * size doubles each. */
struct matmul_task {
        int32_t size;
        bool by_entry;
        const double *a, *b;
        double *c;
};
void matmul_multiply(const struct matmul_task *task);
void matmul_create(const struct matmul_task *task); /* the variant's: make a task of it */

/* Fill A and B, which are `a` and `b` of the task, of a rank. */
void matmul_fill(const struct matmul *matmul, int32_t rank, int64_t task, double *a, double *b);

/*
 * Is C = A B? Freivalds' test with vectors of whole numbers: C x = A (B x), exact, so that right
 * results pass always and wrong ones but with probability 2^-30.
 */
bool matmul_check(const struct matmul_task *task, uint64_t seed);

uint64_t matmul_hash(const struct matmul_task *task, int32_t rank, int64_t index);

#endif
