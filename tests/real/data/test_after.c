/* SPDX-License-Identifier: BSD-3-Clause */
/* What tasks come after: small cases, and random ones against a comparison of all pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/random.h"
#include "real/data/after.h"

enum { TASKS = 60, ACCESSES = 4, BYTES = 40 };

struct model_task {
        struct access access[ACCESSES];
        int32_t naccess;
        bool before[TASKS]; /* it comes after them, directly or not */
};

static void add(struct after *after, struct model_task *task, int32_t own)
{
        const int32_t *names;
        int32_t last = -1;
        struct model_task *t = &task[own];
        int32_t count = after_add(after, t->naccess, t->access, own, &names);
        assert_true(count >= 0);
        for (int32_t i = 0; i < count; i++) {
                assert_true(names[i] > last && names[i] < own);
                last = names[i];
                t->before[last] = true;
                for (int32_t j = 0; j < last; j++)
                        t->before[j] |= task[last].before[j];
        }
}

static bool excludes(const struct access *a, const struct access *b)
{
        bool meets = a->begin < b->begin + b->bytes && b->begin < a->begin + a->bytes;
        return a->bytes > 0 && b->bytes > 0 && meets && (a->mode | b->mode) & ACCESS_OUT;
}

static bool conflicts(const struct model_task *a, const struct model_task *b)
{
        for (int32_t i = 0; i < a->naccess; i++)
                for (int32_t j = 0; j < b->naccess; j++)
                        if (excludes(&a->access[i], &b->access[j]))
                                return true;
        return false;
}

/* Directly, or by way of tasks between them. */
static bool must_come_after(const struct model_task *task, int32_t late, int32_t early)
{
        if (conflicts(&task[late], &task[early]))
                return true;
        for (int32_t i = early + 1; i < late; i++)
                if (conflicts(&task[late], &task[i]) && task[i].before[early])
                        return true;
        return false;
}

static void draw(struct model_task *t, struct lb_random *random)
{
        static const enum access_mode modes[] = { ACCESS_IN, ACCESS_IN, ACCESS_OUT, ACCESS_INOUT,
                                                  ACCESS_COMMUTATIVE };
        t->naccess = (int32_t)(lb_random_unit(random) * (ACCESSES + 1));
        for (int32_t i = 0; i < t->naccess; i++) {
                uintptr_t begin = (uintptr_t)(lb_random_unit(random) * BYTES);
                size_t bytes = (size_t)(lb_random_unit(random) * 12);
                int mode = (int)(lb_random_unit(random) * 5);
                t->access[i] = (struct access){ 1000 + begin, bytes, modes[mode] };
        }
}

static void test_random(void **state)
{
        (void)state;
        for (uint64_t seed = 1; seed <= 300; seed++) {
                struct lb_random random;
                lb_random_init(&random, seed, LB_RANDOM_TEST, 0);
                struct after *after = after_create();
                struct model_task *task = calloc(TASKS, sizeof(*task));
                assert_true(after && task);
                for (int32_t i = 0; i < TASKS; i++) {
                        draw(&task[i], &random);
                        add(after, task, i);
                        for (int32_t j = 0; j < i; j++)
                                assert_int_equal(task[i].before[j], must_come_after(task, i, j));
                }
                after_destroy(after);
                free(task);
        }
}

/* Whoever reads after a writer waits for it alone; the next writer for the readers alone. */
static void test_direct(void **state)
{
        (void)state;
        const struct access out = { 8, 8, ACCESS_OUT }, in = { 8, 8, ACCESS_IN };
        const struct access twice[] = { { 8, 4, ACCESS_IN }, { 10, 6, ACCESS_INOUT } };
        struct after *after = after_create();
        const int32_t *names;
        assert_int_equal(after_add(after, 1, &out, 7, &names), 0);
        assert_int_equal(after_add(after, 1, &in, 9, &names), 1);
        assert_int_equal(names[0], 7);
        assert_int_equal(after_add(after, 1, &in, 10, &names), 1);
        assert_int_equal(after_add(after, 2, twice, 12, &names), 3);
        assert_int_equal(names[0], 7);
        assert_int_equal(names[1], 9);
        assert_int_equal(names[2], 10);
        after_destroy(after);
}

/* Cut again and again, as a file of blocks is. */
static void test_pieces(void **state)
{
        (void)state;
        struct after *after = after_create();
        const struct access all = { 4096, 4096, ACCESS_INOUT };
        const int32_t *names;
        assert_int_equal(after_add(after, 1, &all, 0, &names), 0);
        for (int32_t i = 1; i <= 4096; i++) {
                struct access one = { 4095 + (uintptr_t)i, 1, ACCESS_INOUT };
                assert_int_equal(after_add(after, 1, &one, i, &names), 1);
                assert_int_equal(names[0], 0);
        }
        assert_int_equal(after_add(after, 1, &all, 4097, &names), 4096);
        assert_int_equal(after_add(after, 1, &all, 4098, &names), 1);
        assert_int_equal(names[0], 4097);
        after_destroy(after);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_direct),
                cmocka_unit_test(test_pieces),
                cmocka_unit_test(test_random),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
