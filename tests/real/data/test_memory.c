/* SPDX-License-Identifier: BSD-3-Clause */
/* Same-address memory and functions that are known by their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "real/data/memory.h"

static struct memory *make(size_t bytes)
{
        struct lb_error err;
        uintptr_t address = memory_gap((uintptr_t)1 << 40, bytes);
        assert_true(address != 0);
        struct memory *memory = memory_create(address, bytes, &err);
        assert_non_null(memory);
        return memory;
}

static bool is_zero(const unsigned char *at, size_t bytes)
{
        for (size_t i = 0; i < bytes; i++)
                if (at[i])
                        return false;
        return true;
}

/* Random allocations and frees: aligned, apart from each other, zero, and all of it there at the
 * end. */
static void test_random_use(void **state)
{
        (void)state;
        enum { BLOCKS = 60, SPACE = 16 << 20 };
        struct memory *memory = make(SPACE);
        unsigned char *block[BLOCKS] = { NULL };
        size_t bytes[BLOCKS];
        struct lb_random random;
        lb_random_init(&random, 3, LB_RANDOM_TEST, 0);
        for (int step = 0; step < 4000; step++) {
                int i = (int)(lb_random_unit(&random) * BLOCKS);
                if (block[i]) {
                        for (size_t k = 0; k < bytes[i]; k += 97)
                                assert_int_equal(block[i][k], i + 1);
                        assert_true(memory_free(memory, block[i]) >= bytes[i]);
                        block[i] = NULL;
                        continue;
                }
                double size = exp(lb_random_unit(&random) * log(300000.0));
                bytes[i] = (size_t)size;
                block[i] = memory_alloc(memory, bytes[i]);
                assert_non_null(block[i]);
                assert_int_equal((uintptr_t)block[i] % (bytes[i] >= 65536 ? 4096 : 64), 0);
                assert_true(is_zero(block[i], bytes[i]));
                assert_true(memory_has(memory, (uintptr_t)block[i], bytes[i]));
                memset(block[i], i + 1, bytes[i]);
        }
        for (int i = 0; i < BLOCKS; i++)
                memory_free(memory, block[i]);
        void *all = memory_alloc(memory, SPACE);
        assert_non_null(all);
        assert_null(memory_alloc(memory, 1));
        assert_null(memory_alloc(memory, SIZE_MAX));
        memory_destroy(memory);
}

/* What was not allocated is not freed, nor had. */
static void test_foreign(void **state)
{
        (void)state;
        struct memory *memory = make(1 << 20);
        char *block = memory_alloc(memory, 1000);
        int local;
        assert_int_equal(memory_free(memory, block + 64), 0);
        assert_int_equal(memory_free(memory, &local), 0);
        assert_false(memory_has(memory, (uintptr_t)block, 2000));
        assert_false(memory_has(memory, (uintptr_t)&local, 1));
        assert_true(memory_spans(memory, (uintptr_t)block, 2000));
        assert_true(memory_free(memory, block) >= 1000);
        assert_int_equal(memory_free(memory, block), 0);
        assert_false(memory_has(memory, (uintptr_t)block, 1));
        memory_destroy(memory);
}

/* A space where something else is mapped is refused; the gap that is told is free. */
static void test_gap(void **state)
{
        (void)state;
        struct lb_error err;
        size_t bytes = (size_t)8 << 30;
        uintptr_t first = memory_gap((uintptr_t)1 << 40, bytes);
        struct memory *memory = memory_create(first, bytes, &err);
        assert_non_null(memory);
        assert_null(memory_create(first + bytes / 2, bytes, &err));
        uintptr_t second = memory_gap(first, bytes);
        assert_true(second >= first + bytes);
        memory_destroy(memory);
        assert_int_equal(memory_gap(first, bytes), first);
        assert_int_equal(memory_gap(first, SIZE_MAX / 2), 0);
}

static int answer(void)
{
        return 42;
}

/* The place of a function, told by another process of this program, with other addresses. */
static struct memory_code told_by_another(const char *program)
{
        struct memory_code code = { 0, 0 };
        char command[4200];
        snprintf(command, sizeof(command), "'%s' tell", program);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        assert_int_equal(fread(&code, sizeof(code), 1, pipe), 1);
        assert_int_equal(pclose(pipe), 0);
        return code;
}

static const char *program;

static void test_code(void **state)
{
        (void)state;
        struct memory_code code = told_by_another(program);
        int (*function)(void);
        void *address = memory_code_to(&code);
        assert_non_null(address);
        memcpy(&function, &address, sizeof(function));
        assert_int_equal(function(), 42);

        double (*cosine)(double) = cos;
        memcpy(&address, &cosine, sizeof(address));
        assert_int_equal(memory_code_from(address, &code), 0);
        assert_true(memory_code_to(&code) == address);

        static const char data[] = "no function";
        assert_int_equal(memory_code_from(data, &code), -1);
        code = (struct memory_code){ 12345, 0 };
        assert_null(memory_code_to(&code));
}

static int tell(void)
{
        int (*function)(void) = answer;
        void *address;
        struct memory_code code;
        memcpy(&address, &function, sizeof(address));
        if (memory_code_from(address, &code) < 0)
                return 1;
        return fwrite(&code, sizeof(code), 1, stdout) == 1 ? 0 : 1;
}

int main(int argc, char **argv)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_random_use),
                cmocka_unit_test(test_foreign),
                cmocka_unit_test(test_gap),
                cmocka_unit_test(test_code),
        };
        if (argc > 1)
                return tell();
        program = argv[0];
        return cmocka_run_group_tests(tests, NULL, NULL);
}
