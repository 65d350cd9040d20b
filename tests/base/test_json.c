/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/json_write.h"
#include "base/random.h"

static int parse(const char *text, size_t size, struct lb_error *err)
{
        struct lb_json doc;
        int status = lb_json_parse(&doc, "t.json", text, size, err);
        if (status == 0)
                lb_json_close(&doc);
        else
                assert_null(doc.root);
        return status;
}

/* What is not JSON is refused with the place and the reason; NULL: it is JSON. */
static void test_syntax(void **state)
{
        (void)state;
        static const struct {
                const char *text, *message;
        } rows[] = {
                { "{}", NULL },
                { "// what it is\n{ \"a//b\\\"//\": 1, // one\n  \"c\": 2 } // end", NULL },
                { "{ \"a\": 1 / 2 }", "t.json:1:10: not JSON" },
                { "{ // open\n \"a\": x }", "t.json:2:7: not JSON" },
                { " [1, -2.5e-3, true, false, null, \"a\\u00e9\\ud83d\\ude00\\n\"] \r\n\t", NULL },
                { "0.1", NULL },
                { "\"\xc3\xa9\xf0\x9f\x98\x80\"", NULL },
                { "", "t.json:1:1: not JSON: the text ends too early" },
                { "  \n ", "t.json:2:2: not JSON: the text ends too early" },
                { "{\"a\": 1,\n \"b\" 2}", "t.json:2:6: not JSON: expected ':'" },
                { "{\"a\": 1,}", "t.json:1:9: not JSON: expected a key" },
                { "{a: 1}", "t.json:1:2: not JSON: expected a key" },
                { "[1, 2", "t.json:1:6: not JSON: expected ',' or ']'" },
                { "[1,\n2\n3]", "t.json:3:1: not JSON: expected ',' or ']'" },
                { "[1,]", "t.json:1:4: not JSON: expected a value" },
                { "{} {}", "t.json:1:4: not JSON: text after the end" },
                { "[1e999]", "t.json:1:2: not JSON: the number is too large" },
                { "[NaN]", "t.json:1:2: not JSON: expected a value" },
                { "[Infinity]", "t.json:1:2: not JSON: expected a value" },
                { "[01]", "t.json:1:3: not JSON: expected ',' or ']'" },
                { "[1.]", "t.json:1:4: not JSON: expected a digit" },
                { "[.5]", "t.json:1:2: not JSON: expected a value" },
                { "[+1]", "t.json:1:2: not JSON: expected a value" },
                { "[1e]", "t.json:1:4: not JSON: expected a digit" },
                { "[1000000000000000000000000000000000000000000000000000000000000000]",
                  "t.json:1:2: not JSON: a number has more than 60 characters" },
                { "\"abc", "t.json:1:1: not JSON: a string is not closed" },
                { "\"a\nb\"", "t.json:1:3: not JSON: a control character" },
                { "\"\\x\"", "t.json:1:3: not JSON: unknown escape" },
                { "\"\\u0000\"", "t.json:1:3: not JSON: \\u needs four" },
                { "\"\\ud800x\"", "t.json:1:8: not JSON: half a surrogate pair" },
                { "\"\xff\"", "t.json:1:2: not JSON: a string is not UTF-8" },
                { "\"\xc0\x80\"", "t.json:1:2: not JSON: a string is not UTF-8" },
                { "\"\xed\xa0\x80\"", "t.json:1:2: not JSON: a string is not UTF-8" },
                { "\"\xe2\x82", "t.json:1:2: not JSON: a string is not UTF-8" },
                { "nul", "t.json:1:1: not JSON: expected a value" },
                { "{\"a\": {\"b\": 1,\n  \"c\": 2,\n  \"b\": 3}}",
                  "t.json:3:8: key \"b\" stands twice" },
                { "{\"a\": 1, \"\\u0061\": 2}", "t.json:1:20: key \"a\" stands twice" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct lb_error err = { .kind = LB_ERROR_NONE };
                int status = parse(rows[i].text, strlen(rows[i].text), &err);
                if (!rows[i].message) {
                        if (status != 0)
                                fail_msg("'%s': %s", rows[i].text, err.text);
                        continue;
                }
                assert_int_equal(status, -1);
                assert_int_equal(err.kind, LB_ERROR_INPUT);
                if (strncmp(err.text, rows[i].message, strlen(rows[i].message)) != 0)
                        fail_msg("'%s': got '%s', expected '%s'", rows[i].text, err.text,
                                 rows[i].message);
        }
}

/* A NUL byte in the text is an error, not its end. */
static void test_nul(void **state)
{
        (void)state;
        struct lb_error err;
        assert_int_equal(parse("{\"a\":1}\0", 8, &err), -1);
        assert_non_null(strstr(err.text, "t.json:1:8"));
        assert_int_equal(parse("\"a\0b\"", 5, &err), -1);
        assert_non_null(strstr(err.text, "t.json:1:3"));
}

/* Nesting up to 200 levels is read, deeper is an error, a hundred thousand deep too. */
static void test_depth(void **state)
{
        (void)state;
        enum { DEEP = 100000 };
        char *text = malloc(2 * DEEP);
        assert_non_null(text);
        static const struct {
                size_t depth;
                int status;
        } rows[] = { { 200, 0 }, { 201, -1 }, { DEEP, -1 } };
        for (size_t i = 0; i < 3; i++) {
                struct lb_error err;
                memset(text, '[', rows[i].depth);
                memset(text + rows[i].depth, ']', rows[i].depth);
                assert_int_equal(parse(text, 2 * rows[i].depth, &err), rows[i].status);
                if (rows[i].status)
                        assert_string_equal(err.text, "t.json:1:201: not JSON: nested too deeply "
                                                      "(at most 200 levels)");
        }
        free(text);
}

/* A pointer leads to the line and column of its value, or to none. */
static void test_place(void **state)
{
        (void)state;
        static const char text[] = "{ \"a\": [10,\n  {\"b/c\": 1, \"~\": 2}],\n\"d\":\t\"x\" }";
        static const struct {
                const char *pointer;
                int line, column;
        } rows[] = {
                { "", 1, 1 },           { "/a", 1, 8 },       { "/a/0", 1, 9 }, { "/a/1", 2, 3 },
                { "/a/1/b~1c", 2, 11 }, { "/a/1/~0", 2, 19 }, { "/d", 3, 6 },   { "/e", 0, 0 },
                { "/a/2", 0, 0 },       { "/d/0", 0, 0 },     { "d", 0, 0 },
        };
        struct lb_json doc;
        struct lb_error err;
        assert_int_equal(lb_json_parse(&doc, "t.json", text, strlen(text), &err), 0);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                int line = 0, column = 0;
                int status = lb_json_place(&doc, rows[i].pointer, &line, &column);
                assert_int_equal(status, rows[i].line ? 0 : -1);
                assert_int_equal(line, rows[i].line);
                assert_int_equal(column, rows[i].column);
        }
        assert_int_equal(lb_json_complain(&doc, "/a/0", &err, "found %d", 10), -1);
        assert_string_equal(err.text, "t.json:1:9: /a/0: found 10");
        lb_json_complain(&doc, "/nowhere", &err, "missing");
        assert_string_equal(err.text, "t.json: /nowhere: missing");
        lb_json_complain(&doc, "", &err, "wrong");
        assert_string_equal(err.text, "t.json:1:1: wrong");
        lb_json_close(&doc);
}

static void write_file(const char *name, const char *text)
{
        FILE *out = fopen(name, "w");
        assert_non_null(out);
        fputs(text, out);
        assert_int_equal(fclose(out), 0);
}

/* Files that cannot be read say why, as the user's mistake. */
static void test_files(void **state)
{
        (void)state;
        struct lb_json doc;
        struct lb_error err;
        write_file("empty.json", "");
        mkdir("directory.json", 0777);
        static const struct {
                const char *file, *message;
        } rows[] = {
                { "missing.json", "cannot read 'missing.json': No such file or directory" },
                { "directory.json", "cannot read 'directory.json': it is a directory" },
                { "empty.json", "empty.json:1:1: not JSON: the text ends too early" },
                { "empty.json/below", "cannot read 'empty.json/below': Not a directory" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                err.kind = LB_ERROR_NONE;
                assert_int_equal(lb_json_open(&doc, rows[i].file, &err), -1);
                assert_string_equal(err.text, rows[i].message);
                assert_int_equal(err.kind, LB_ERROR_INPUT);
                assert_null(doc.text);
        }
        write_file("good.json", "{\"a\": 2.5}");
        assert_int_equal(lb_json_open(&doc, "good.json", &err), 0);
        assert_true(cJSON_GetObjectItem(doc.root, "a")->valuedouble == 2.5);
        lb_json_close(&doc);
}

/* A file beyond the limit is refused by its size, not read to its end. */
static void test_too_large(void **state)
{
        (void)state;
        struct lb_json doc;
        struct lb_error err;
        assert_int_equal(lb_json_open(&doc, "/dev/zero", &err), -1);
        assert_string_equal(err.text, "cannot read '/dev/zero': it is larger than 256 MiB");
}

/* Whatever bytes come, the answer is a tree or a message with a place. */
static void test_damaged(void **state)
{
        (void)state;
        static const char text[] =
            "{\"name\": \"x\\u00e9\", \"list\": [1, 2.5e3, true, null, {\"deep\": [[]]}]}";
        struct lb_random random;
        lb_random_init(&random, 5, LB_RANDOM_TEST, 0);
        int good = 0;
        for (int round = 0; round < 20000; round++) {
                char bytes[sizeof(text)];
                struct lb_error err = { .kind = LB_ERROR_NONE };
                size_t size = lb_random_below(&random, sizeof(text));
                memcpy(bytes, text, sizeof(text));
                bytes[lb_random_below(&random, sizeof(text) - 1)] = (char)lb_random_next(&random);
                if (parse(bytes, round % 2 ? size : sizeof(text) - 1, &err) == 0)
                        good++;
                else if (strncmp(err.text, "t.json:", 7) != 0)
                        fail_msg("%s", err.text);
        }
        assert_in_range(good, 500, 9500); /* both happen often */
}

/* What is written is read back: any text but the bytes that are not UTF-8, any finite number. */
static void test_write(void **state)
{
        (void)state;
        static const struct {
                const char *text, *back;
        } rows[] = {
                { "", "" },
                { "\"quoted\" \\ \x01\n\t\x7f", "\"quoted\" \\ \x01\n\t\x7f" },
                { "caf\xc3\xa9 \xf0\x9f\x8e\xb2", "caf\xc3\xa9 \xf0\x9f\x8e\xb2" },
                { "cut \xc3", "cut \xef\xbf\xbd" },
                { "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
        };
        static const double numbers[] = {
                0.1, -2.385e-7, 1e300, 0x1p-1074, 6144000, NAN, INFINITY
        };
        enum { NROW = sizeof(rows) / sizeof(rows[0]), NNUMBER = sizeof(numbers) / sizeof(double) };
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        for (int i = 0; i < NROW; i++) {
                fputs(i > 0 ? "," : "[", out);
                lb_json_write_string(out, rows[i].text);
        }
        for (int i = 0; i < NNUMBER; i++) {
                fputc(',', out);
                lb_json_write_number(out, numbers[i]);
        }
        fputc(']', out);
        fclose(out);
        struct lb_json doc;
        struct lb_error err;
        if (lb_json_parse(&doc, "t.json", text, size, &err) < 0)
                fail_msg("%s in %s", err.text, text);
        for (int i = 0; i < NROW; i++)
                assert_string_equal(cJSON_GetArrayItem(doc.root, i)->valuestring, rows[i].back);
        for (int i = 0; i < NNUMBER; i++) {
                const cJSON *item = cJSON_GetArrayItem(doc.root, NROW + i);
                assert_true(isfinite(numbers[i]) ? item->valuedouble == numbers[i]
                                                 : cJSON_IsNull(item));
        }
        lb_json_close(&doc);
        free(text);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_syntax),  cmocka_unit_test(test_nul),
                cmocka_unit_test(test_depth),   cmocka_unit_test(test_place),
                cmocka_unit_test(test_files),   cmocka_unit_test(test_too_large),
                cmocka_unit_test(test_damaged), cmocka_unit_test(test_write),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
