/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What lbrun.h offers beyond tasks with accesses, one case each, against what a serial program
 * gives. Every apprank does all of them; rank 0 says so at the end.
 */
#define _DEFAULT_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "real/lbrun.h"

static void check(bool holds, const char *claim, double found)
{
        if (holds)
                return;
        fprintf(stderr, "does not hold: %s (found %.17g)\n", claim, found);
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void in_ms(int ms)
{
        usleep((useconds_t)ms * 1000);
}

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
        check(wait_on_double(sum) == expected, "the sum", sum[0]);
        check(sum[1] == ADDENDS, "each once", sum[1]);
        lbrun_taskwait();
        lbrun_free(sum);
        lbrun_free(value);
}

int main(int argc, char **argv)
{
        static void (*const tests[])(void) = {
                test_taskwait_on,
                test_taskwait_on_in_task,
                test_commutative,
        };
        lbrun_start(&argc, &argv);
        int rank;
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
