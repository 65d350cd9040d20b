/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/random.h"
#include "plots/table.h"

/* A table as text; the caller frees it. */
static char *written(const struct table *table, enum table_format format)
{
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        assert_int_equal(table_write(table, out, format), 0);
        assert_int_equal(fclose(out), 0);
        return text;
}

static void expect(const struct table *table, enum table_format format, const char *wanted)
{
        char *text = written(table, format);
        assert_string_equal(text, wanted);
        free(text);
}

static struct table *sample(void)
{
        static const char *const name[] = { "system", "nodes", "time_s" };
        struct table *table = table_create(3, name);
        assert_non_null(table);
        table_row(table);
        table_text(table, "global");
        table_text(table, "64");
        table_number(table, 2.0 / 3.0, 4);
        table_row(table);
        table_text(table, "dlb");
        table_text(table, "4");
        table_number(table, NAN, 4);
        return table;
}

/* People see aligned columns, numbers on the right, few digits. */
static void test_text(void **state)
{
        (void)state;
        struct table *table = sample();
        expect(table, TABLE_TEXT,
               "system  nodes  time_s\n"
               "global     64  0.6667\n"
               "dlb         4        \n");
        table_destroy(table);
}

/* Programs get every digit, and an empty field where there is no number. */
static void test_csv(void **state)
{
        (void)state;
        struct table *table = sample();
        expect(table, TABLE_CSV,
               "system,nodes,time_s\n"
               "global,64,0.6666666666666666\n"
               "dlb,4,\n");
        table_destroy(table);
}

/* In JSON what reads as a number is one, and no number is null. */
static void test_json(void **state)
{
        (void)state;
        struct table *table = sample();
        expect(table, TABLE_JSON,
               "[\n"
               "{\"system\": \"global\", \"nodes\": 64, \"time_s\": 0.6666666666666666},\n"
               "{\"system\": \"dlb\", \"nodes\": 4, \"time_s\": null}\n"
               "]");
        table_destroy(table);
}

/* Text that CSV or JSON would misread is quoted; what only looks like a number stays text. */
static void test_quoting(void **state)
{
        static const struct {
                const char *text, *csv, *json;
        } cases[] = {
                { "a,b", "\"a,b\"", "\"a,b\"" },
                { "say \"hi\"", "\"say \"\"hi\"\"\"", "\"say \\\"hi\\\"\"" },
                { "two\nlines", "\"two\nlines\"", "\"two\\u000alines\"" },
                { "007", "007", "\"007\"" },
                { "1e", "1e", "\"1e\"" },
                { "-2.5e-3", "-2.5e-3", "-2.5e-3" },
                { "0x10", "0x10", "\"0x10\"" },
                { "nan", "nan", "\"nan\"" },
                { "18446744073709551615", "18446744073709551615", "18446744073709551615" },
                { "true", "true", "true" },
                { "\xC3\xA4", "\xC3\xA4", "\"\xC3\xA4\"" },
                { "\xFF", "\xFF", "\"\xEF\xBF\xBD\"" },
        };
        static const char *const name[] = { "x" };
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                char wanted[128];
                struct table *table = table_create(1, name);
                table_row(table);
                table_text(table, cases[i].text);
                snprintf(wanted, sizeof(wanted), "x\n%s\n", cases[i].csv);
                expect(table, TABLE_CSV, wanted);
                snprintf(wanted, sizeof(wanted), "[\n{\"x\": %s}\n]", cases[i].json);
                expect(table, TABLE_JSON, wanted);
                table_destroy(table);
        }
}

/* A row left short ends in empty cells, a cell too many is dropped. */
static void test_ragged(void **state)
{
        static const char *const name[] = { "a", "b" };
        (void)state;
        struct table *table = table_create(2, name);
        table_row(table);
        table_number(table, 1, 3);
        table_row(table);
        table_number(table, 2, 3);
        table_number(table, 3, 3);
        table_number(table, 4, 3);
        table_row(table);
        expect(table, TABLE_CSV, "a,b\n1,\n2,3\n,\n");
        table_destroy(table);
}

/* A table without rows is its header line, and an empty array. */
static void test_empty(void **state)
{
        static const char *const name[] = { "a", "b" };
        (void)state;
        struct table *table = table_create(2, name);
        expect(table, TABLE_TEXT, "a  b\n");
        expect(table, TABLE_CSV, "a,b\n");
        expect(table, TABLE_JSON, "[]");
        table_destroy(table);
}

/* Whole numbers are shown whole in a table, however few digits were asked for. */
static void test_whole_numbers(void **state)
{
        static const char *const name[] = { "tasks" };
        (void)state;
        struct table *table = table_create(1, name);
        table_row(table);
        table_number(table, 6144000, 4);
        expect(table, TABLE_TEXT, "  tasks\n6144000\n");
        table_destroy(table);
}

/* Random text in any cell still makes a JSON document that our own reader takes. */
static void test_json_is_json(void **state)
{
        static const char *const name[] = { "first", "second" };
        struct lb_random random;
        (void)state;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 1);
        for (int round = 0; round < 200; round++) {
                struct table *table = table_create(2, name);
                for (int i = 0; i < 20; i++) {
                        char text[9];
                        for (int k = 0; k < 8; k++)
                                text[k] = (char)(1 + lb_random_below(&random, 255));
                        text[lb_random_below(&random, 9)] = '\0';
                        text[8] = '\0';
                        if (i % 2 == 0)
                                table_row(table);
                        table_text(table, text);
                }
                struct lb_json doc;
                struct lb_error err;
                char *json = written(table, TABLE_JSON);
                assert_int_equal(lb_json_parse(&doc, "table", json, strlen(json), &err), 0);
                assert_int_equal(cJSON_GetArraySize(doc.root), 10);
                lb_json_close(&doc);
                free(json);
                table_destroy(table);
        }
}

/* A full disk is noticed. */
static void test_full(void **state)
{
        (void)state;
        struct stat device;
        if (stat("/dev/full", &device) != 0 || !S_ISCHR(device.st_mode))
                skip();
        FILE *out = fopen("/dev/full", "w");
        assert_non_null(out);
        setvbuf(out, NULL, _IONBF, 0);
        struct table *table = sample();
        assert_int_equal(table_write(table, out, TABLE_CSV), -1);
        table_destroy(table);
        fclose(out);
}

/* In parts a table is written as whole, text and all: widths are those of all parts. */
static char *written_in_parts(enum table_format format, int nrow, int step)
{
        static const char *const name[] = { "key", "value" };
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        struct table_layout *layout = NULL;
        assert_non_null(out);
        for (int pass = format == TABLE_TEXT ? 0 : 1; pass < 2; pass++)
                for (int first = 0; first < nrow; first += step) {
                        struct table *table = table_create(2, name);
                        for (int row = first; row < first + step && row < nrow; row++) {
                                table_row(table);
                                table_text(table, row == 5 ? "a longer one" : "one");
                                table_number(table, row * 1234.5, 4);
                        }
                        if (pass == 0 && !layout)
                                layout = table_layout_create(table);
                        else if (pass == 0)
                                table_layout_look(layout, table);
                        else if (layout)
                                assert_int_equal(table_layout_write(layout, table, out, first == 0),
                                                 0);
                        else
                                assert_int_equal(table_write_part(table, out, format, first == 0),
                                                 0);
                        table_destroy(table);
                }
        table_layout_destroy(layout);
        assert_int_equal(fclose(out), 0);
        return text;
}

static void test_parts(void **state)
{
        (void)state;
        for (enum table_format format = TABLE_TEXT; format <= TABLE_LINES; format++) {
                char *whole = written_in_parts(format, 7, 7);
                assert_non_null(strstr(whole, "a longer one"));
                for (int step = 1; step < 7; step++) {
                        char *parts = written_in_parts(format, 7, step);
                        assert_string_equal(parts, whole);
                        free(parts);
                }
                free(whole);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_parts),        cmocka_unit_test(test_text),
                cmocka_unit_test(test_csv),          cmocka_unit_test(test_json),
                cmocka_unit_test(test_quoting),      cmocka_unit_test(test_ragged),
                cmocka_unit_test(test_empty),        cmocka_unit_test(test_whole_numbers),
                cmocka_unit_test(test_json_is_json), cmocka_unit_test(test_full),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
