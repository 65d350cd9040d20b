/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/matmul/matmul.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "real/apps/common/result.h"

enum { SIZE, ITERATIONS, SEED, CONSTANT, BY_ENTRY, NPARAM };
enum { TASKS };
enum { DEFAULT_TASKS = 200 };
static const int64_t max_tasks = 10000000;

static const struct lb_param params[NPARAM + 1] = {
        [SIZE] = { .name = "size",
                   .unit = "rows",
                   .type = LB_PARAM_INTEGER,
                   .fallback = 200,
                   .min = 1,
                   .max = 20000,
                   .help = "rows of each matrix" },
        [ITERATIONS] = { .name = "iterations",
                         .type = LB_PARAM_INTEGER,
                         .fallback = 3,
                         .min = 1,
                         .max = 1e6,
                         .help = "times that all is multiplied" },
        [SEED] = { .name = "seed",
                   .type = LB_PARAM_INTEGER,
                   .fallback = 1,
                   .min = 0,
                   .max = LB_PARAM_WHOLE_MAX,
                   .help = "of the matrices" },
        [CONSTANT] = { .name = "constant",
                       .type = LB_PARAM_SWITCH,
                       .max = 1,
                       .help = "A and B are said to be constant, so that a rank that has read "
                               "them keeps them for the next time" },
        [BY_ENTRY] = { .name = "by_entry",
                       .type = LB_PARAM_SWITCH,
                       .max = 1,
                       .help = "an entry of C at a time, loops i, j, k, as CHAMELEON's own example "
                               "multiplies: half of the rate or less" },
};

static const struct app_text texts[] = {
        [TASKS] = { "tasks", "N0,N1,...",
                    "tasks of each rank; 0 for those not named (default: 200)" },
        { 0 },
};

const struct app matmul_app = {
        .name = "matmul",
        .summary = "matrix multiplications, C = A B, one a task",
        .param = params,
        .text = texts,
};

struct matmul matmul_configure(const struct app_options *options)
{
        return (struct matmul){
                .size = (int32_t)options->value[SIZE],
                .iterations = (int32_t)options->value[ITERATIONS],
                .seed = (uint64_t)options->value[SEED],
                .constant = options->value[CONSTANT] != 0,
                .by_entry = options->value[BY_ENTRY] != 0,
                .tasks = options->text[TASKS],
        };
}

int matmul_tasks(const struct matmul *matmul, int32_t nrank, int64_t *tasks, struct lb_error *err)
{
        if (app_read_list(matmul->tasks, DEFAULT_TASKS, max_tasks, nrank, tasks, err) != 0)
                return lb_error_prefix(err, "--tasks: ");
        return 0;
}

static void multiply_by_entry(const struct matmul_task *task)
{
        size_t n = (size_t)task->size;
        for (size_t i = 0; i < n; i++) {
                for (size_t j = 0; j < n; j++) {
                        double sum = 0;
                        for (size_t k = 0; k < n; k++)
                                sum += task->a[i * n + k] * task->b[k * n + j];
                        task->c[i * n + j] = sum;
                }
        }
}

static void multiply_by_row(const struct matmul_task *task)
{
        size_t n = (size_t)task->size;
        memset(task->c, 0, n * n * sizeof(*task->c));
        for (size_t i = 0; i < n; i++) {
                double *restrict c = task->c + i * n;
                for (size_t k = 0; k < n; k++) {
                        double a = task->a[i * n + k];
                        const double *restrict b = task->b + k * n;
                        for (size_t j = 0; j < n; j++)
                                c[j] += a * b[j];
                }
        }
}

void matmul_multiply(const struct matmul_task *task)
{
        if (task->by_entry)
                multiply_by_entry(task);
        else
                multiply_by_row(task);
}

static void fill(double *matrix, size_t entries, uint64_t key, uint64_t stream)
{
        struct lb_random random = { .key = key, .stream = stream };
        for (size_t i = 0; i < entries; i++)
                matrix[i] = (double)lb_random_below(&random, 17) - 8;
}

void matmul_fill(const struct matmul *matmul, int32_t rank, int64_t task, double *a, double *b)
{
        uint64_t key = lb_random_key(matmul->seed, LB_RANDOM_TASK);
        uint64_t stream = (uint64_t)rank << 32 | (uint64_t)task << 1;
        size_t entries = (size_t)matmul->size * (size_t)matmul->size;
        fill(a, entries, key, stream);
        fill(b, entries, key, stream | 1);
}

/* y = M x */
static void apply(const double *matrix, size_t n, const double *x, double *y)
{
        for (size_t i = 0; i < n; i++) {
                y[i] = 0;
                for (size_t j = 0; j < n; j++)
                        y[i] += matrix[i * n + j] * x[j];
        }
}

/* One vector: a wrong C passes with probability at most 2^-15. */
static bool agrees(const struct matmul_task *task, struct lb_random *random, double *x)
{
        size_t n = (size_t)task->size;
        double *bx = x + n, *abx = bx + n, *cx = abx + n;
        for (size_t i = 0; i < n; i++)
                x[i] = (double)lb_random_below(random, 1 << 15);
        apply(task->b, n, x, bx);
        apply(task->a, n, bx, abx);
        apply(task->c, n, x, cx);
        for (size_t i = 0; i < n; i++)
                if (!(abx[i] == cx[i]))
                        return false;
        return true;
}

bool matmul_check(const struct matmul_task *task, uint64_t seed)
{
        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_PHASE, 0);
        double *vectors = app_alloc(4 * (size_t)task->size * sizeof(*vectors));
        bool right = agrees(task, &random, vectors) && agrees(task, &random, vectors);
        free(vectors);
        return right;
}

uint64_t matmul_hash(const struct matmul_task *task, int32_t rank, int64_t index)
{
        size_t n = (size_t)task->size;
        return app_hash((uint64_t)rank << 32 | (uint64_t)index, task->c, n * n * sizeof(*task->c));
}
