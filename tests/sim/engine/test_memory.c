/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of large machines: where it begins, that pieces are apart from each other, and that what
 * is given back is taken again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "sim/engine/memory.h"

static void arrays_begin_at_lines(void **unused)
{
        (void)unused;
        for (size_t count = 0; count < (size_t)8 << 20; count = 3 * count + 1) {
                bool failed = false;
                unsigned char *memory = memory_zeroed(count, 3, &failed);
                assert_non_null(memory);
                assert_false(failed);
                assert_int_equal((uintptr_t)memory % MEMORY_LINE, 0);
                for (size_t i = 0; i < 3 * count; i++)
                        assert_int_equal(memory[i], 0);
                free(memory);
        }
        bool failed = false;
        assert_null(memory_zeroed(SIZE_MAX / 2, 3, &failed));
        assert_true(failed);
}

/* Pieces that are filled with numbers of their own keep these. */
enum { NPIECE = 500, UNIT = 24 };

static void pieces_are_apart(void **unused)
{
        (void)unused;
        struct memory_pool pool = { .chunk = NULL };
        struct lb_random random;
        unsigned char *piece[NPIECE] = { NULL };
        size_t bytes[NPIECE] = { 0 };
        lb_random_init(&random, 5, LB_RANDOM_TEST, 9);
        for (int step = 0; step < 20000; step++) {
                size_t i = (size_t)lb_random_below(&random, NPIECE);
                for (size_t b = 0; b < bytes[i]; b++)
                        assert_int_equal(piece[i][b], i % 251);
                memory_give(&pool, piece[i], bytes[i]);
                bytes[i] = UNIT * ((size_t)8 << lb_random_below(&random, 6));
                piece[i] = memory_take(&pool, bytes[i]);
                assert_non_null(piece[i]);
                assert_int_equal((uintptr_t)piece[i] % MEMORY_LINE, 0);
                memset(piece[i], (int)(i % 251), bytes[i]);
        }
        memory_finish(&pool);
}

static void what_is_given_back_is_taken_again(void **unused)
{
        (void)unused;
        struct memory_pool pool = { .chunk = NULL };
        void *small = memory_take(&pool, 256), *large = memory_take(&pool, 512);
        memory_give(&pool, small, 256);
        memory_give(&pool, large, 512);
        assert_ptr_equal(memory_take(&pool, 512), large);
        assert_ptr_equal(memory_take(&pool, 256), small);
        assert_ptr_not_equal(memory_take(&pool, 256), small);
        memory_finish(&pool);
        assert_null(pool.chunk);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(arrays_begin_at_lines),
                cmocka_unit_test(pieces_are_apart),
                cmocka_unit_test(what_is_given_back_is_taken_again),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
