/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "real/apps/common/options.h"
#include "real/apps/common/result.h"

enum { ROWS, TASK_MS, SPIN };
static const struct lb_param params[] = {
        [ROWS] = { .name = "rows",
                   .help = "rows",
                   .type = LB_PARAM_INTEGER,
                   .fallback = 7,
                   .min = 1,
                   .max = 9 },
        [TASK_MS] = { .name = "task_ms",
                      .unit = "ms",
                      .help = "a task",
                      .type = LB_PARAM_NUMBER,
                      .fallback = 2.5,
                      .min = 0,
                      .max = 100 },
        [SPIN] = { .name = "spin", .help = "burn the time", .type = LB_PARAM_SWITCH, .max = 1 },
        { .name = NULL },
};
static const struct app_text texts[] = { { "tasks", "N0,N1,...", "tasks" }, { 0 } };
static const struct app app = { "app", "summary", params, texts };

static int read_words(const char *const *word, struct app_options *options, struct lb_error *err)
{
        char *argv[8] = { (char *)(uintptr_t) "app" };
        int argc = 1;
        for (; word[argc - 1]; argc++)
                argv[argc] = (char *)(uintptr_t)word[argc - 1];
        *err = (struct lb_error){ 0 };
        return app_options_read(&app, argc, argv, options, err);
}

/* Options are read with a space or '='; what is not given has its default; the last one wins. */
static void test_values(void **state)
{
        (void)state;
        struct app_options options;
        struct lb_error err;
        assert_int_equal(read_words((const char *[]){ NULL }, &options, &err), 0);
        assert_true(options.value[ROWS] == 7 && options.value[TASK_MS] == 2.5);
        assert_true(options.value[SPIN] == 0 && !options.given[ROWS] && !options.text[0]);
        const char *const words[] = { "--task-ms", "1.25", "--rows=2",    "--spin",
                                      "--rows",    "3",    "--tasks=4,5", NULL };
        assert_int_equal(read_words(words, &options, &err), 0);
        assert_true(options.value[ROWS] == 3 && options.value[TASK_MS] == 1.25);
        assert_true(options.value[SPIN] == 1 && options.given[ROWS]);
        assert_string_equal(options.text[0], "4,5");
}

/* Wrong command lines end with exit code 2 and a message that says what is wrong or allowed. */
static void test_wrong(void **state)
{
        (void)state;
        static const struct {
                const char *word[3], *message;
        } wrong[] = {
                { { "--rows", "10" }, "--rows: found 10, allowed is a whole number from 1 to 9" },
                { { "--rows", "2.5" }, "--rows: found '2.5'" },
                { { "--task-ms=soon" }, "--task-ms: found 'soon'" },
                { { "--task-ms" },
                  "'--task-ms' needs a value, allowed is a number from 0 to 100 ms" },
                { { "--spin=maybe" }, "--spin: found 'maybe'" },
                { { "--tasks" }, "'--tasks' needs a value, allowed is N0,N1,..." },
                { { "--tsk-ms", "3" }, "did you mean '--task-ms'?" },
                { { "--task_ms", "3" }, "unknown option" },
                { { "3" }, "unexpected argument '3'" },
                { { "" }, "unexpected argument ''" },
        };
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
                struct app_options options;
                struct lb_error err;
                assert_int_equal(read_words(wrong[i].word, &options, &err), -1);
                assert_int_equal(lb_error_exit_code(&err), 2);
                if (!strstr(err.text, wrong[i].message))
                        fail_msg("\"%s\" is not in \"%s\"", wrong[i].message, err.text);
        }
}

/* --help wins over whatever else there is. */
static void test_help(void **state)
{
        (void)state;
        struct app_options options;
        struct lb_error err;
        assert_int_equal(
            read_words((const char *[]){ "--nonsense", "--help", NULL }, &options, &err), 0);
        assert_true(options.help);
        static char text[4096];
        FILE *out = fmemopen(text, sizeof(text), "w");
        assert_non_null(out);
        app_print_help(&app, out);
        assert_int_equal(fclose(out), 0);
        assert_non_null(strstr(text, "Usage: app [OPTION]...\n\nsummary\n"));
        assert_non_null(strstr(text, "\n  --rows N                 rows (1 to 9; default 7)\n"));
        assert_non_null(strstr(text, "\n  --tasks N0,N1,...        tasks\n"));
}

/* A list gives ranks their numbers, and 0 to those it does not name. */
static void test_list(void **state)
{
        (void)state;
        static const struct {
                const char *text;
                int64_t number[3];
                int status;
        } lists[] = {
                { NULL, { 42, 0, 0 }, 0 },   { "5", { 5, 0, 0 }, 0 },
                { "5,6,7", { 5, 6, 7 }, 0 }, { "0,9", { 0, 9, 0 }, 0 },
                { "1,2,3,4", { 0 }, -1 },    { "", { 0 }, -1 },
                { "1,", { 0 }, -1 },         { ",1", { 0 }, -1 },
                { "1;2", { 0 }, -1 },        { "-1", { 0 }, -1 },
                { "1001", { 0 }, -1 },       { "1 ,2", { 0 }, -1 },
                { "1.5", { 0 }, -1 },        { "99999999999999999999", { 0 }, -1 },
        };
        for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
                int64_t number[3];
                struct lb_error err = { 0 };
                int status = app_read_list(lists[i].text, 42, 1000, 3, number, &err);
                assert_int_equal(status, lists[i].status);
                if (status == 0)
                        assert_memory_equal(number, lists[i].number, sizeof(number));
        }
}

/* A checksum changes with any bit, and with the number of the piece. */
static void test_hash(void **state)
{
        (void)state;
        unsigned char data[21] = { 0 };
        uint64_t hash = app_hash(3, data, sizeof(data));
        assert_true(hash != app_hash(4, data, sizeof(data)));
        assert_true(hash != app_hash(3, data, sizeof(data) - 1));
        for (size_t bit = 0; bit < 8 * sizeof(data); bit++) {
                data[bit / 8] ^= (unsigned char)(1 << bit % 8);
                assert_true(hash != app_hash(3, data, sizeof(data)));
                data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        assert_true(hash == app_hash(3, data, sizeof(data)));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_values), cmocka_unit_test(test_wrong),
                cmocka_unit_test(test_help),   cmocka_unit_test(test_list),
                cmocka_unit_test(test_hash),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
