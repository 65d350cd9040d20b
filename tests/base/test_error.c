/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages: what they quote cannot move a terminal's cursor, and what is too long is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

typedef int say_function(struct lb_error *err, const char *format, ...) LB_PRINTF(2, 3);

static void test_control_characters_are_shown(void **state)
{
        (void)state;
        static const char *const rows[][2] = {
                { "plain", "plain" },          { "two\nlines", "two\nlines" },
                { "\033[2Jgone", "?[2Jgone" }, { "a\tb\rc", "a?b?c" },
                { "\001\037 \177", "?? ?" },   { "gr\303\274n", "gr\303\274n" },
        };
        static say_function *const say[] = {
                lb_error_set,
                lb_error_fail,
                lb_error_stop,
        };
        struct lb_error err;
        for (size_t f = 0; f < sizeof(say) / sizeof(say[0]); f++) {
                for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                        assert_int_equal(say[f](&err, "%s", rows[i][0]), -1);
                        assert_string_equal(err.text, rows[i][1]);
                }
        }
        lb_error_set(&err, "found");
        lb_error_prefix(&err, "%s: ", "a\033b");
        assert_string_equal(err.text, "a?b: found");
}

static void test_kinds_and_exit_codes(void **state)
{
        (void)state;
        struct lb_error err = { .kind = LB_ERROR_NONE };
        assert_int_equal(lb_error_exit_code(&err), 0);
        lb_error_set(&err, "x");
        assert_int_equal(lb_error_exit_code(&err), 2);
        lb_error_fail(&err, "x");
        assert_int_equal(lb_error_exit_code(&err), 1);
        lb_error_stop(&err, "x");
        assert_int_equal(lb_error_exit_code(&err), 130);
        lb_error_set(&err, "x");
        lb_error_prefix(&err, "before ");
        assert_int_equal(err.kind, LB_ERROR_INPUT);
}

/* As a shared object may fill it by hand. */
static void test_what_others_filled(void **state)
{
        (void)state;
        struct lb_error err = { .kind = LB_ERROR_NONE, .text = "a\033b" };
        assert_true(lb_error_accept(&err));
        assert_string_equal(err.text, "a?b");
        assert_int_equal(lb_error_exit_code(&err), 1); /* it has failed */
        lb_error_set(&err, "its own");
        assert_true(lb_error_accept(&err));
        assert_string_equal(err.text, "its own");
        assert_int_equal(lb_error_exit_code(&err), 2);
        memset(&err, 'x', sizeof(err)); /* no kind, no end */
        assert_int_equal(lb_error_exit_code(&err), 1);
        assert_false(lb_error_accept(&err));
        assert_string_equal(err.text, "");
        assert_int_equal(lb_error_exit_code(&err), 1);
        memset(err.text, 'x', sizeof(err.text));
        assert_true(lb_error_accept(&err));
        assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void test_what_is_too_long_is_cut(void **state)
{
        (void)state;
        struct lb_error err;
        char text[3000];
        memset(text, 'x', sizeof(text) - 1);
        text[sizeof(text) - 1] = '\0';
        lb_error_set(&err, "%s", text);
        assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
        lb_error_prefix(&err, "%s", "file: ");
        assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
        assert_memory_equal(err.text, "file: xxx", 9);
        lb_error_prefix(&err, "%s", text);
        assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
        assert_int_equal(err.text[0], 'x');
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_control_characters_are_shown),
                cmocka_unit_test(test_kinds_and_exit_codes),
                cmocka_unit_test(test_what_others_filled),
                cmocka_unit_test(test_what_is_too_long_is_cut),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
