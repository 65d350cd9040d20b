/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What lbrun.h offers beyond tasks with accesses, one case each, against what a serial program
 * gives. Every apprank does all of them; rank 0 says so at the end.
 */
#define _DEFAULT_SOURCE
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "real/lbrun.h"
#include "tests/real/runtime/claims.h"
#include "tests/real/runtime/interface.h"

/* ---- Taskwait on a range ---- */

enum { WORDS = 4000, BLOCKS = 8, BLOCK = WORDS / BLOCKS };

struct block {
        long *first;
        long add;
        int ms;
};

static void add(void *argument)
{
        const struct block *block = argument;
        in_ms(block->ms);
        for (int i = 0; i < BLOCK; i++)
                block->first[i] = 3 * block->first[i] + block->add + i;
}

static void create(long *first, long number, int ms)
{
        struct lbrun_access access = { LBRUN_INOUT, first, BLOCK * sizeof(*first) };
        struct block block = { first, number, ms };
        lbrun_task(add, &block, sizeof(block), 1, &access, NULL);
}

static long serially(int i, int rounds)
{
        long value = 0;
        for (int r = 0; r < rounds; r++)
                value = 3 * value + r + i % BLOCK;
        return value;
}

static long wait_on(enum lbrun_mode mode, long *first, size_t count)
{
        struct lbrun_access access = { mode, first, count * sizeof(*first) };
        lbrun_taskwait_on(1, &access);
        return *first;
}

static double wait_on_double(const double *value)
{
        struct lbrun_access access = { LBRUN_IN, value, sizeof(*value) };
        lbrun_taskwait_on(1, &access);
        return *value;
}

/* What is waited for is there; the others need not be, and go on. */
static void test_taskwait_on(void)
{
        long *x = lbrun_alloc(WORDS * sizeof(*x));
        for (int r = 0; r < 4; r++)
                for (int b = 0; b < BLOCKS; b++)
                        create(x + b * BLOCK, r, b == 0 ? 20 : 1);
        for (int b = BLOCKS - 1; b >= 0; b--) {
                wait_on(LBRUN_IN, x + b * BLOCK, BLOCK);
                for (int i = b * BLOCK; i < (b + 1) * BLOCK; i++)
                        check(x[i] == serially(i, 4), "a block that was waited for", (double)x[i]);
        }
        create(x, 4, 5);
        check(wait_on(LBRUN_INOUT, x + BLOCK, BLOCK) == serially(0, 4), "another block", 0);
        x[BLOCK] = 17; /* which may be written */
        create(x + BLOCK, 4, 0);
        check(wait_on(LBRUN_IN, x + BLOCK / 2, BLOCK) == serially(BLOCK / 2, 5), "two halves", 0);
        lbrun_taskwait();
        check(x[BLOCK] == 3 * 17 + 4, "what the main program wrote", (double)x[BLOCK]);
        lbrun_taskwait_on(0, NULL);
        lbrun_free(x);
}

static void halves(void *argument)
{
        long *x = *(long **)argument;
        create(x, 1, 5);
        create(x + BLOCK, 2, 0);
        long second = wait_on(LBRUN_IN, x + BLOCK, BLOCK);
        long first = wait_on(LBRUN_INOUT, x, BLOCK);
        x[1] = first + second;
}

/* By a task, for its own children. */
static void test_taskwait_on_in_task(void)
{
        long *x = lbrun_alloc(2 * BLOCK * sizeof(*x));
        struct lbrun_access access = { LBRUN_INOUT, x, 2 * BLOCK * sizeof(*x) };
        lbrun_task(halves, &x, sizeof(x), 1, &access, NULL);
        lbrun_taskwait();
        check(x[0] == 1 && x[1] == 3, "the sum of what the children wrote", (double)x[1]);
        lbrun_free(x);
}

/* ---- Accesses that commute ---- */

enum { ADDENDS = 40 };

struct addend {
        double *sum;
        const double *value;
};

static void set_value(void *argument)
{
        double *value = *(double **)argument;
        in_ms((int)value[0] % 7);
        value[1] = value[0] * value[0];
}

/* Not atomic: two at once would lose one. */
static void add_value(void *argument)
{
        const struct addend *addend = argument;
        double before = addend->sum[0];
        addend->sum[1]++;
        in_ms(1);
        addend->sum[0] = before + addend->value[1];
}

static void test_commutative(void)
{
        double *sum = lbrun_alloc(2 * sizeof(*sum)), *value = lbrun_alloc(ADDENDS * 64);
        double expected = 0;
        for (int i = 0; i < ADDENDS; i++) {
                double *one = value + (size_t)i * 8;
                one[0] = i;
                struct lbrun_access both = { LBRUN_INOUT, one, 2 * sizeof(*one) };
                lbrun_task(set_value, &one, sizeof(one), 1, &both, NULL);
                struct lbrun_access access[] = { { LBRUN_COMMUTATIVE, sum, 2 * sizeof(*sum) },
                                                 { LBRUN_IN, one, 2 * sizeof(*one) } };
                struct addend addend = { .sum = sum, .value = one };
                lbrun_task(add_value, &addend, sizeof(addend), 2, access, NULL);
                expected += i * i;
        }
        struct lbrun_access all = { LBRUN_IN, sum, 2 * sizeof(*sum) };
        lbrun_taskwait_on(1, &all);
        check(sum[0] == expected, "the sum", sum[0]);
        check(sum[1] == ADDENDS, "each once", sum[1]);
        lbrun_taskwait();
        lbrun_free(sum);
        lbrun_free(value);
}

/* ---- Weak accesses ---- */

static atomic_int begun; /* at home, where tasks with weak accesses run */
static bool overlap;     /* tasks can run at the same time */
static bool early;

static void wait_until_begun(void *argument)
{
        for (int ms = 0; overlap && begun == 0 && ms < 20000; ms++)
                in_ms(1);
        early = begun > 0;
        add(argument);
}

static void create_two(void *argument)
{
        long *x = *(long **)argument;
        begun++;
        create(x, 1, 5);
        create(x + BLOCK, 1, 0);
        create(x, 2, 0);
}

static void create_more(void *argument)
{
        long *x = *(long **)argument;
        struct lbrun_access access = { LBRUN_WEAK_INOUT, x, 2 * BLOCK * sizeof(*x) };
        lbrun_task(create_two, &x, sizeof(x), 1, &access, NULL);
        create(x + BLOCK, 2, 0);
        x[2 * BLOCK]++; /* not weak */
}

/* It begins before what its children wait for is there; who comes later waits for them. */
static void test_weak(void)
{
        long *x = lbrun_alloc((2 * BLOCK + 1) * sizeof(*x)), *last = x + 2 * BLOCK;
        struct lbrun_access block = { LBRUN_INOUT, x, BLOCK * sizeof(*x) };
        struct lbrun_access access[] = { { LBRUN_WEAK_INOUT, x, 2 * BLOCK * sizeof(*x) },
                                         { LBRUN_INOUT, last, sizeof(*last) },
                                         { LBRUN_IN, x + 1, 0 } }; /* nothing: shares nothing */
        *last = 0;
        for (int round = 1; round <= 3; round++) {
                begun = 0;
                for (int i = 0; i < 2 * BLOCK; i++)
                        x[i] = 0;
                struct block first = { x, 0, 0 };
                lbrun_task(wait_until_begun, &first, sizeof(first), 1, &block,
                           &(struct lbrun_options){ .flags = LBRUN_HERE });
                create(x + BLOCK, 0, 0);
                lbrun_task(create_more, &x, sizeof(x), 3, access, NULL);
                create(x, 3, 0);
                lbrun_taskwait_on(1, &access[1]);
                check(begun == 1 && *last == round, "the number of tasks that were", begun);
                wait_on(LBRUN_IN, x + BLOCK, BLOCK);
                check(x[BLOCK + 1] == serially(1, 3), "the second block", (double)x[BLOCK + 1]);
                lbrun_taskwait();
                check(early || !overlap, "whether it began early", early);
                for (int i = 0; i < 2 * BLOCK; i++)
                        check(x[i] == serially(i, i < BLOCK ? 4 : 3), "what children wrote",
                              (double)x[i]);
        }
        lbrun_free(x);
}

/* ---- Reductions ---- */

enum { PARTS = 24, VALUES = 50 };

struct part {
        double *sum;
        void *least;
        int number, ms;
};

/* Of very different sizes: another order would round otherwise. */
static double term(int number, int i)
{
        double x = 1.0 / (1 + number * 7 + i);
        return number % 3 == 0 ? x * 1e9 : number % 3 == 1 ? -x : x * 1e-7;
}

static void accumulate(void *argument)
{
        const struct part *part = argument;
        double *sum = lbrun_private(part->sum);
        int64_t *least = lbrun_private(part->least);
        in_ms(part->ms);
        check(lbrun_private(part->sum + 3) == sum + 3, "a place within", 0);
        for (int i = 0; i < VALUES; i++)
                sum[i] += term(part->number, i);
        for (int i = 0; i < 5; i++)
                if ((part->number * 37 + i) % 101 < least[0])
                        least[0] = (part->number * 37 + i) % 101;
}

static void test_reductions(void)
{
        double *sum = lbrun_alloc(VALUES * sizeof(*sum)), serial[VALUES];
        int64_t *least = lbrun_alloc(sizeof(*least)), expected = 50;
        least[0] = 50;
        for (int i = 0; i < VALUES; i++)
                serial[i] = sum[i] = i * 0.1;
        for (int n = 0; n < PARTS; n++) {
                struct lbrun_access access[] = {
                        { LBRUN_SUM_DOUBLE, sum, VALUES * sizeof(*sum) },
                        { LBRUN_MIN_INT64, least, sizeof(*least) },
                };
                struct part part = { sum, least, n, n * 5 % 7 };
                lbrun_task(accumulate, &part, sizeof(part), 2, access, NULL);
                for (int i = 0; i < VALUES; i++)
                        serial[i] += term(n, i);
                for (int i = 0; i < 5; i++)
                        if ((n * 37 + i) % 101 < expected)
                                expected = (n * 37 + i) % 101;
                if (n == PARTS / 2) {
                        double so_far = wait_on_double(sum);
                        check(so_far == serial[0], "the sum so far", so_far);
                }
        }
        lbrun_taskwait();
        for (int i = 0; i < VALUES; i++)
                check(sum[i] == serial[i], "a sum, to the last bit", sum[i]);
        check(least[0] == expected, "the least", (double)least[0]);
        lbrun_free(sum);
        lbrun_free(least);
}

/* Sum, least and most of each type: a neutral value that is none would be the least, or the most.
 */
struct amount {
        void *range;
        int number;
};

static void reduce_amount(void (*function)(void *), enum lbrun_mode mode, void *range, size_t bytes,
                          int number)
{
        struct amount amount = { range, number };
        struct lbrun_access access = { mode, range, bytes };
        lbrun_task(function, &amount, sizeof(amount), 1, &access, NULL);
}

#define REDUCE_TYPE(NAME, TYPE)                                                                    \
        static void add_##NAME(void *argument)                                                     \
        {                                                                                          \
                const struct amount *amount = argument;                                            \
                TYPE *value = lbrun_private(amount->range);                                        \
                *value += (TYPE)amount->number;                                                    \
        }                                                                                          \
        static void lower_##NAME(void *argument)                                                   \
        {                                                                                          \
                const struct amount *amount = argument;                                            \
                TYPE *value = lbrun_private(amount->range), number = (TYPE)amount->number;         \
                *value = number < *value ? number : *value;                                        \
        }                                                                                          \
        static void raise_##NAME(void *argument)                                                   \
        {                                                                                          \
                const struct amount *amount = argument;                                            \
                TYPE *value = lbrun_private(amount->range), number = (TYPE)amount->number;         \
                *value = number > *value ? number : *value;                                        \
        }                                                                                          \
        static void test_reduce_##NAME(void)                                                       \
        {                                                                                          \
                static const int numbers[] = { 17, 12, 5, 31 };                                    \
                TYPE *x = lbrun_alloc(3 * sizeof(*x));                                             \
                x[0] = 3, x[1] = 90, x[2] = -90;                                                   \
                for (int i = 0; i < 4; i++) {                                                      \
                        int n = numbers[i];                                                        \
                        reduce_amount(add_##NAME, LBRUN_SUM_##NAME, x, sizeof(*x), n);             \
                        reduce_amount(lower_##NAME, LBRUN_MIN_##NAME, x + 1, sizeof(*x), n);       \
                        reduce_amount(raise_##NAME, LBRUN_MAX_##NAME, x + 2, sizeof(*x), -n);      \
                }                                                                                  \
                lbrun_taskwait();                                                                  \
                check(x[0] == 68, "the sum of " #TYPE, (double)x[0]);                              \
                check(x[1] == 5, "the least " #TYPE, (double)x[1]);                                \
                check(x[2] == -5, "the most " #TYPE, (double)x[2]);                                \
                lbrun_free(x);                                                                     \
        }
REDUCE_TYPE(DOUBLE, double)
REDUCE_TYPE(FLOAT, float)
REDUCE_TYPE(INT32, int32_t)
REDUCE_TYPE(INT64, int64_t)

/* A kind of one's own that does not commute: 2 x 2 matrices. */
struct matrix {
        long m[4];
};

static void identity(void *value, size_t bytes)
{
        struct matrix *matrix = value;
        for (size_t i = 0; i < bytes / sizeof(*matrix); i++)
                matrix[i] = (struct matrix){ { 1, 0, 0, 1 } };
}

static void multiply(void *into, const void *from, size_t bytes)
{
        struct matrix *x = into;
        const struct matrix *y = from;
        for (size_t i = 0; i < bytes / sizeof(*x); i++) {
                const long *a = x[i].m, *b = y[i].m;
                x[i] = (struct matrix){
                        { (a[0] * b[0] + a[1] * b[2]) % 9973, (a[0] * b[1] + a[1] * b[3]) % 9973,
                          (a[2] * b[0] + a[3] * b[2]) % 9973, (a[2] * b[1] + a[3] * b[3]) % 9973 }
                };
        }
}

static struct matrix factor(int number)
{
        return (struct matrix){ { number, 1, number * number % 11, 3 } };
}

static void contribute(void *argument)
{
        const struct part *part = argument;
        struct matrix one = factor(part->number);
        in_ms(part->ms);
        multiply(lbrun_private(part->least), &one, sizeof(one));
}

/* On the stack: so they stay at home; and within a task, of whose children each has its value. */
static void reduce_matrices(void *argument)
{
        enum lbrun_mode mode = *(enum lbrun_mode *)argument;
        struct matrix product, serial;
        identity(&product, sizeof(product));
        identity(&serial, sizeof(serial));
        for (int n = 0; n < PARTS; n++) {
                struct matrix one = factor(n);
                struct part part = { .least = &product.m[0], .number = n, .ms = n * 5 % 7 };
                struct lbrun_access access = { mode, &product, sizeof(product) };
                lbrun_task(contribute, &part, sizeof(part), 1, &access, NULL);
                multiply(&serial, &one, sizeof(one));
        }
        lbrun_taskwait();
        check(memcmp(&product, &serial, sizeof(serial)) == 0, "the product", (double)product.m[0]);
}

static void test_own_reduction(void)
{
        enum lbrun_mode mode = lbrun_reduction(sizeof(struct matrix), identity, multiply);
        reduce_matrices(&mode);
        lbrun_task(reduce_matrices, &mode, sizeof(mode), 0, NULL,
                   &(struct lbrun_options){ .flags = LBRUN_HERE });
        lbrun_taskwait();
}

/* ---- Loops ---- */

enum { LENGTH = 3000 };

struct smooth {
        const double *from;
        double *to, *norm;
};

static double smoothed(const double *x, int64_t i)
{
        return 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
}

static void smooth(int64_t begin, int64_t end, void *argument)
{
        const struct smooth *s = argument;
        for (int64_t i = begin; i < end; i++)
                s->to[i] = smoothed(s->from, i);
        in_ms((int)(begin % 3));
}

static void add_squares(int64_t begin, int64_t end, void *argument)
{
        const struct smooth *s = argument;
        double *norm = lbrun_private(s->norm);
        for (int64_t i = begin; i < end; i++)
                *norm += s->from[i] * s->from[i];
}

static void create_step(const struct smooth *s, int64_t grain)
{
        struct lbrun_slice slice[] = {
                { LBRUN_IN, s->from - 1, 3 * sizeof(double), sizeof(double) },
                { LBRUN_OUT, s->to, sizeof(double), sizeof(double) },
        };
        lbrun_taskloop(smooth, &(struct lbrun_range){ 1, LENGTH - 1, grain }, s, sizeof(*s), 2,
                       slice, NULL);
}

/* Of 64ths, as the manual says. */
static double serial_squares(const double *x)
{
        double sum = 0;
        for (int64_t at = 0, step = (LENGTH + 63) / 64; at < LENGTH; at += step) {
                double part = 0;
                for (int64_t i = at; i < at + step && i < LENGTH; i++)
                        part += x[i] * x[i];
                sum += part;
        }
        return sum;
}

static void test_taskloop(void)
{
        static double serial[2][LENGTH];
        static const int64_t grains[] = { 0, 100, 0, 7000, 0, 1000 };
        enum { STEPS = sizeof(grains) / sizeof(grains[0]) };
        double *x = lbrun_alloc(2 * LENGTH * sizeof(*x)), *norm = lbrun_alloc(sizeof(*norm));
        for (int i = 0; i < 2 * LENGTH; i++)
                x[i] = serial[i / LENGTH][i % LENGTH] = i % LENGTH % 17;
        for (int step = 0; step < STEPS; step++) {
                const double *from = serial[step % 2];
                create_step(
                    &(struct smooth){ x + step % 2 * LENGTH, x + (step + 1) % 2 * LENGTH, NULL },
                    grains[step]);
                for (int64_t i = 1; i < LENGTH - 1; i++)
                        serial[(step + 1) % 2][i] = smoothed(from, i);
        }
        struct smooth s = { x, NULL, norm };
        struct lbrun_slice slice[] = { { LBRUN_IN, x, sizeof(*x), sizeof(*x) },
                                       { LBRUN_SUM_DOUBLE, norm, sizeof(*norm), 0 } };
        lbrun_taskloop(add_squares, &(struct lbrun_range){ 0, LENGTH, 0 }, &s, sizeof(s), 2, slice,
                       NULL);
        lbrun_taskloop(add_squares, &(struct lbrun_range){ 5, 5, 0 }, &s, sizeof(s), 2, slice,
                       NULL);
        lbrun_taskwait();
        check(memcmp(x, serial[0], sizeof(serial[0])) == 0, "the smoothed array", x[1]);
        check(norm[0] == serial_squares(x), "its norm", norm[0]);
        lbrun_free(x);
        lbrun_free(norm);
}

/* Of each cell a loop writes one member; the other is another's. */
struct cell {
        double written;
        int64_t kept;
};

static void write_member(int64_t begin, int64_t end, void *argument)
{
        struct cell *cell = *(struct cell **)argument;
        for (int64_t i = begin; i < end; i++)
                cell[i].written = (double)(3 * i);
        in_ms(2);
}

static void test_gaps(void)
{
        enum { CELLS = 1000, GRAIN = 50 };
        struct cell *cell = lbrun_alloc(CELLS * sizeof(*cell));
        struct lbrun_slice slice = { LBRUN_OUT, cell, sizeof(cell->written), sizeof(*cell) };
        for (int64_t i = 0; i < CELLS; i++)
                cell[i].kept = -i;
        lbrun_taskloop(write_member, &(struct lbrun_range){ 0, CELLS, GRAIN }, &cell, sizeof(cell),
                       1, &slice, NULL);
        lbrun_taskwait();
        for (int64_t i = 0; i < CELLS; i++) {
                check(cell[i].written == (double)(3 * i), "what a loop writes", cell[i].written);
                check(cell[i].kept == -i, "what lies between", (double)cell[i].kept);
        }
        lbrun_free(cell);
}

/* ---- Communicators made from lbrun_world() ---- */

/* Halves of the world, by parity: what waits in one leaves its cores to tasks. */
static void test_communicators(void)
{
        int rank, size, group_size, sum = 0, expected = 0;
        long *x = lbrun_alloc(BLOCK * sizeof(*x));
        MPI_Comm group, copy;
        MPI_Comm_rank(lbrun_world(), &rank);
        MPI_Comm_size(lbrun_world(), &size);
        MPI_Comm_split(lbrun_world(), rank % 2, -rank, &group);
        MPI_Comm_dup(group, &copy);
        MPI_Comm_size(group, &group_size);
        for (int r = rank % 2; r < size; r += 2)
                expected += r;
        for (int round = 0; round < 5; round++) {
                create(x, round, rank == 0 ? 10 : 1);
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, round % 2 ? copy : group);
                check(sum == expected, "the sum over half of the ranks", sum);
        }
        lbrun_taskwait();
        check(x[0] == serially(0, 5), "what tasks wrote meanwhile", (double)x[0]);
        check(group_size == (size + 1 - rank % 2) / 2, "half of the world", group_size);
        MPI_Comm_free(&copy);
        MPI_Comm_free(&group);
        lbrun_free(x);
}

int main(int argc, char **argv)
{
        static void (*const tests[])(void) = {
                test_taskwait_on,  test_taskwait_on_in_task, test_constant,      test_commutative,
                test_weak,         test_reductions,          test_own_reduction, test_taskloop,
                test_gaps,         test_communicators,       test_reduce_DOUBLE, test_reduce_FLOAT,
                test_reduce_INT32, test_reduce_INT64,
        };
        lbrun_start(&argc, &argv);
        int rank;
        overlap = argc == 1 && lbrun_cores_per_node() > 1;
        MPI_Comm_rank(lbrun_world(), &rank);
        for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
                tests[i]();
                lbrun_iteration();
        }
        MPI_Barrier(lbrun_world());
        lbrun_stop();
        if (rank == 0)
                printf("as if serial\n");
        return 0;
}
