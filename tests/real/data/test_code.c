/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that are known by their place, in this process and in another with other addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "real/data/memory.h"
#include "tests/real/data/twin.h"

typedef double (*function)(double);

static double twice(double x)
{
        return 2 * x;
}

/* Of the program and of the mathematical library. */
static const struct {
        function function;
        double argument;
        bool of_program;
} functions[] = {
        { twice, 1.25, true },
        { cbrt, 27, false },
        { tgamma, 5, false },
};
enum { NFUNCTION = sizeof(functions) / sizeof(functions[0]) };

static const void *address_of(function f)
{
        const void *address;
        memcpy(&address, &f, sizeof(address));
        return address;
}

static double call(void *address, double argument)
{
        function f;
        memcpy(&f, &address, sizeof(f));
        return f(argument);
}

/* What the twin answers for each function that it is told: where it is there, and what it gives. */
struct answer {
        void *address;
        double result;
};

static int twin_calls(void)
{
        struct memory_code code;
        while (twin_read(&code, sizeof(code)) == 0) {
                struct answer answer = { .address = memory_code_to(&code) };
                double argument;
                if (twin_read(&argument, sizeof(argument)) < 0)
                        return 1;
                if (answer.address)
                        answer.result = call(answer.address, argument);
                if (twin_write(&answer, sizeof(answer)) < 0)
                        return 1;
        }
        return 0;
}

static struct answer ask(const struct twin *twin, struct memory_code code, double argument)
{
        struct answer answer;
        assert_int_equal(twin_tell(twin, &code, sizeof(code)), 0);
        assert_int_equal(twin_tell(twin, &argument, sizeof(argument)), 0);
        assert_int_equal(twin_hear(twin, &answer, sizeof(answer)), 0);
        return answer;
}

static struct memory_code code_of(const void *address)
{
        struct memory_code code;
        assert_int_equal(memory_code_from(address, &code), 0);
        return code;
}

/* A function that is named here is called there, though it lies elsewhere. */
static void test_two_processes(void **state)
{
        (void)state;
        enum { TWINS = 5 };
        int moved = 0;
        for (int t = 0; t < TWINS; t++) {
                struct twin twin = twin_start("code");
                for (int i = 0; i < NFUNCTION; i++) {
                        const void *here = address_of(functions[i].function);
                        struct answer answer = ask(&twin, code_of(here), functions[i].argument);
                        assert_non_null(answer.address);
                        assert_true(answer.result == functions[i].function(functions[i].argument));
                        moved += answer.address != here;
                }
                assert_int_equal(twin_end(&twin), 0);
        }
        if (!moved)
                print_message("addresses are not randomised here, so this showed less\n");
}

/* The program is object 0, others are not; there and back again gives the same address. */
static void test_objects(void **state)
{
        (void)state;
        for (int i = 0; i < NFUNCTION; i++) {
                const void *address = address_of(functions[i].function);
                struct memory_code code = code_of(address);
                assert_int_equal(code.object == 0, functions[i].of_program);
                assert_ptr_equal(memory_code_to(&code), address);
        }
}

/* What is no code is refused, in both directions. */
static void test_no_code(void **state)
{
        (void)state;
        static const char constant[] = "no function";
        static int variable;
        int local;
        void *heap = malloc(64);
        const void *wrong[] = { NULL, constant, &variable, &local, heap, (void *)UINTPTR_MAX };
        struct memory_code code;
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
                assert_int_equal(memory_code_from(wrong[i], &code), -1);
        free(heap);
        code = code_of(address_of(cbrt));
        struct memory_code unknown[] = { { 12345, 0 },
                                         { 0, 0xffffffffff },
                                         { 0, UINT64_MAX },
                                         { code.object, UINT64_C(1) << 40 },
                                         { code.object + 1, code.offset } };
        for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
                assert_null(memory_code_to(&unknown[i]));
}

int main(int argc, char **argv)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_two_processes),
                cmocka_unit_test(test_objects),
                cmocka_unit_test(test_no_code),
        };
        if (argc > 1 && strcmp(argv[1], "code") == 0)
                return twin_calls();
        return cmocka_run_group_tests(tests, NULL, NULL);
}
