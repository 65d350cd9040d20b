/* SPDX-License-Identifier: BSD-3-Clause */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/param.h"
#include "base/random.h"

/* Any double survives the way through text. */
static void test_text(void **state)
{
        static const struct {
                double number;
                const char *text;
        } rows[] = {
                { 0.1, "0.1" },
                { -0.0, "-0" },
                { 2.385, "2.385" },
                { 1e15, "1e+15" },
                { 0.1 + 0.2, "0.30000000000000004" },
                { 0x1p-1074, "4.94065645841247e-324" },
                { INFINITY, "inf" },
        };
        struct lb_random random;
        char text[LB_NUMBER_SIZE], *end;
        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                lb_number_text(rows[i].number, text);
                assert_string_equal(text, rows[i].text);
        }
        lb_random_init(&random, 7, LB_RANDOM_TEST, 0);
        for (int i = 0; i < 100000; i++) {
                uint64_t bits = lb_random_next(&random);
                double number, back;
                memcpy(&number, &bits, sizeof(number));
                if (!isfinite(number))
                        continue;
                lb_number_text(number, text);
                back = lb_number_read(text, &end);
                assert_memory_equal(&back, &number, sizeof(number));
                assert_int_equal(*end, '\0');
        }
}

/* Where nothing begins a number, nothing is read. */
static void test_no_number(void **state)
{
        (void)state;
        static const char text[] = "s=1";
        char *end;
        lb_number_read(text, &end);
        assert_ptr_equal(end, text);
        assert_true(lb_number_read("1.5,2", &end) == 1.5);
        assert_string_equal(end, ",2");
}

/* A number alone is one, and nothing else. */
static void test_is(void **state)
{
        (void)state;
        static const struct {
                const char *text;
                bool is;
                double number;
        } rows[] = {
                { "2.385", true, 2.385 }, { "-1e3", true, -1000 }, { " 1", true, 1 },
                { "", false, 0 },         { "s=1", false, 0 },     { "1.5,2", false, 1.5 },
                { "1 ", false, 1 },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                double number = 7;
                assert_int_equal(lb_number_is(rows[i].text, &number), rows[i].is);
                assert_true(number == rows[i].number);
        }
}

/* A program may have another decimal point than ours: numbers are written and read with a point,
 * and the program's locale stays as it was. */
static void test_locale(void **state)
{
        (void)state;
        FILE *source = fopen("source", "w");
        assert_non_null(source);
        fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n",
              source);
        fclose(source);
        /* with warnings about all else that a locale has; it may have been made before */
        if (system(
                "localedef -c --no-archive -i source -f ANSI_X3.4-1968 ./comma >locale.txt 2>&1") <
                0 ||
            setenv("LOCPATH", ".", 1) < 0 || !setlocale(LC_NUMERIC, "comma"))
                skip();
        char text[LB_NUMBER_SIZE], *end;
        static const struct lb_param param = { .type = LB_PARAM_NUMBER, .max = 10 };
        struct lb_error err;
        double value = 0;
        snprintf(text, sizeof(text), "%g", 0.5);
        assert_string_equal(text, "0,5");
        lb_number_text(2.385, text);
        assert_string_equal(text, "2.385");
        assert_true(lb_number_read("2.385", &end) == 2.385);
        assert_string_equal(end, "");
        assert_int_equal(lb_param_parse(&param, "2.385", &value, &err), 0);
        assert_true(value == 2.385);
        lb_param_format(&param, 2.385, text, sizeof(text));
        assert_string_equal(text, "2.385");
        snprintf(text, sizeof(text), "%g", 0.5);
        assert_string_equal(text, "0,5");
        setlocale(LC_NUMERIC, "C");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_text),
                cmocka_unit_test(test_no_number),
                cmocka_unit_test(test_is),
                cmocka_unit_test(test_locale),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
