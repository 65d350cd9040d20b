/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "real/apps/common/result.h"
#include "real/apps/matmul/matmul.h"

static struct matmul_task make(int32_t size, uint64_t seed)
{
        struct matmul matmul = { .size = size, .seed = seed };
        size_t entries = (size_t)size * (size_t)size;
        double *a = app_alloc(3 * entries * sizeof(*a));
        matmul_fill(&matmul, 1, 2, a, a + entries);
        return (struct matmul_task){ size, false, a, a + entries, a + 2 * entries };
}

/* The product is that of the textbook's dot products, exactly, with either order of loops: all sums
 * are whole numbers. */
static void test_product(void **state)
{
        (void)state;
        static const int32_t sizes[] = { 1, 2, 7, 50, 101 };
        size_t nsize = sizeof(sizes) / sizeof(sizes[0]);
        for (size_t s = 0; s < 2 * nsize; s++) {
                struct matmul_task task = make(sizes[s / 2], 3);
                size_t n = (size_t)sizes[s / 2];
                task.by_entry = s % 2 == 1;
                memset(task.c, 0xff, n * n * sizeof(double));
                matmul_multiply(&task);
                for (size_t i = 0; i < n * n; i++) {
                        long sum = 0;
                        for (size_t k = 0; k < n; k++)
                                sum += (long)task.a[i / n * n + k] * (long)task.b[k * n + i % n];
                        assert_true(task.c[i] == (double)sum);
                }
                free((void *)(uintptr_t)task.a);
        }
}

/* The check passes a right product, and none with one wrong entry, wherever and however wrong. */
static void test_check(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 5, LB_RANDOM_TEST, 0);
        struct matmul_task task = make(40, 9);
        matmul_multiply(&task);
        for (uint64_t round = 0; round < 200; round++) {
                assert_true(matmul_check(&task, round));
                double *entry = &task.c[lb_random_below(&random, 1600)], right = *entry;
                *entry += round % 3 ? 1 : 1e-9 * (1 + right * right);
                assert_false(matmul_check(&task, round));
                *entry = right;
        }
        free((void *)(uintptr_t)task.a);
}

/* Tasks have matrices of their own, the same whenever asked. */
static void test_fill(void **state)
{
        (void)state;
        double data[6][16];
        struct matmul matmul = { .size = 4, .seed = 1 };
        matmul_fill(&matmul, 0, 1, data[0], data[1]);
        matmul_fill(&matmul, 1, 0, data[2], data[3]);
        matmul_fill(&matmul, 0, 1, data[4], data[5]);
        assert_memory_equal(data[0], data[4], 2 * sizeof(data[0]));
        for (int i = 0; i < 4; i++)
                for (int j = 0; j < i; j++)
                        assert_memory_not_equal(data[i], data[j], sizeof(data[0]));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_product),
                cmocka_unit_test(test_check),
                cmocka_unit_test(test_fill),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
