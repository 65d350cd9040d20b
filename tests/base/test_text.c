/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

/* A stream is read to its end, however long it is, or until it is longer than is wanted. */
static void test_read(void **state)
{
        (void)state;
        static const size_t sizes[] = { 0, 1, (1 << 14) - 1, 1 << 14, 100000 };
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
                size_t size = 7;
                FILE *in = tmpfile();
                assert_non_null(in);
                for (size_t k = 0; k < sizes[i]; k++)
                        putc((int)(k % 251), in);
                rewind(in);
                char *text = lb_text_read(in, SIZE_MAX, &size);
                assert_non_null(text);
                assert_int_equal(size, sizes[i]);
                for (size_t k = 0; k < size; k++)
                        assert_int_equal((unsigned char)text[k], k % 251);
                assert_int_equal(text[size], '\0');
                free(text);
                rewind(in);
                text = lb_text_read(in, 20000, &size);
                assert_non_null(text);
                assert_true(sizes[i] <= 20000 ? size == sizes[i] : size > 20000);
                free(text);
                fclose(in);
        }
}

/* What does not fit is cut; what cannot be read is empty. */
static void test_file(void **state)
{
        (void)state;
        char text[8];
        FILE *out = fopen("text", "w");
        assert_non_null(out);
        fputs("0123456789", out);
        fclose(out);
        assert_int_equal(lb_text_file("text", text, sizeof(text)), 7);
        assert_string_equal(text, "0123456");
        assert_int_equal(lb_text_file("/dev/null", text, sizeof(text)), 0);
        assert_string_equal(text, "");
        strcpy(text, "before");
        assert_int_equal(lb_text_file("none", text, sizeof(text)), -1);
        assert_string_equal(text, "");
        strcpy(text, "before");
        assert_int_equal(lb_text_file(".", text, sizeof(text)), -1);
        assert_string_equal(text, "");
}

/* A list grows until it is full, and stays as it is then. */
static void test_add(void **state)
{
        (void)state;
        char text[12] = "";
        static const char *const expected[] = { "a0", "a0, a1", "a0, a1, a2", "a0, a1, a2,",
                                                "a0, a1, a2," };
        for (int i = 0; i < 5; i++) {
                lb_text_add(text, sizeof(text), "%sa%d", text[0] ? ", " : "", i);
                assert_string_equal(text, expected[i]);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_read),
                cmocka_unit_test(test_file),
                cmocka_unit_test(test_add),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
