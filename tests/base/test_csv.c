/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that is read row by row is what it is when it is read whole: the same cells, and where it
 * is wrong the same message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/csv.h"

struct text {
        const char *bytes;
        const char *message; /* part of it; NULL: fine */
        int64_t nrow;
};

static const struct text texts[] = {
        { "a,b\n1,2\n3,4\n", NULL, 2 },
        { "a,b\n1,2\n3,4", NULL, 2 },
        { "a,b\r\n1,\r\n,4\r\n", NULL, 2 },
        { "\xEF\xBB\xBF"
          "a\n7\n",
          NULL, 1 },
        { "a,b\n", NULL, 0 },
        { "a\n\n\n", NULL, 2 },
        { "\"a\nb\",c\n1,\"x\n,\"\"y\"\"\n\nz\"\n\"\",\"\"\n", NULL, 2 },
        { "a,b\n\"one\n\",\"\"\"\n\"\n5,6\n", NULL, 2 },
        { "a,b\nx\"y,\"1\"\nz\",2\n", NULL, 2 }, /* a quote inside a cell is a character */
        { ",a,\n1,2,3\n", NULL, 1 },
        { "b,a,b\n1,2,3\n", "f.csv:1: found column \"b\" twice", 0 },
        { "a,b\n1\n", "f.csv:2: found 1 cells, the header has 2", 0 },
        { "a,b\n\"1\n2\",3\n1,2,3\n", "f.csv:4: found 3 cells, the header has 2", 0 },
        { "a,b\n1,2,3,4,5,6,7,8,9\n", "f.csv:2: found 9 cells, the header has 2", 0 },
        { "a,b\n1,\"2\n3\n", "a quote that does not end", 0 },
        { "a,b\n\"1\"2,3\n", "f.csv:2: something behind a quote", 0 },
        { "a,b\n1,2\r3\n", "f.csv:2: something behind a quote", 0 },
        { "", "the file is empty", 0 },
};

static FILE *stream_of(const char *bytes, size_t size)
{
        FILE *in = tmpfile();
        assert_non_null(in);
        assert_int_equal(fwrite(bytes, 1, size, in), size);
        rewind(in);
        return in;
}

/* Every row in turn; returns how many, or -1. */
static int64_t compare_rows(struct lb_csv *csv, FILE *in, const struct lb_csv *whole,
                            struct lb_error *err)
{
        int64_t row = 0;
        int status;
        for (; (status = lb_csv_next(csv, in, err)) == 1; row++) {
                assert_int_equal(csv->nrow, 1);
                for (int32_t c = 0; whole->cell && c < csv->ncolumn; c++)
                        assert_string_equal(lb_csv_cell(csv, 0, c), lb_csv_cell(whole, row, c));
        }
        for (int32_t c = 0; whole->cell && c < csv->ncolumn; c++)
                assert_string_equal(lb_csv_name(csv, c), lb_csv_name(whole, c));
        return status < 0 ? -1 : row;
}

static void check(const struct text *t)
{
        struct lb_csv whole = { 0 }, rows = { 0 };
        struct lb_error err = { 0 }, other = { 0 };
        FILE *in = stream_of(t->bytes, strlen(t->bytes));
        int status = lb_csv_read(&whole, in, "f.csv", false, &err);
        assert_int_equal(status, t->message ? -1 : 0);
        rewind(in);
        int64_t count = -1;
        if (lb_csv_begin(&rows, in, "f.csv", &other) == 0)
                count = compare_rows(&rows, in, &whole, &other);
        assert_int_equal(count, t->message ? -1 : t->nrow);
        if (t->message) {
                assert_non_null(strstr(err.text, t->message));
                assert_string_equal(other.text, err.text);
        } else {
                assert_int_equal(whole.nrow, t->nrow);
        }
        lb_csv_close(&whole);
        lb_csv_close(&rows);
        fclose(in);
}

static void test_same(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
                check(&texts[i]);
}

/* What is no text is refused where it is met, a number that is none by its row. */
static void test_refused(void **state)
{
        static const char nul[] = "a,b\n1,2\n3\0,4\n";
        struct lb_csv csv;
        struct lb_error err = { 0 };
        double number;
        FILE *in = stream_of(nul, sizeof(nul) - 1);
        (void)state;
        assert_int_equal(lb_csv_begin(&csv, in, "f.csv", &err), 0);
        assert_int_equal(lb_csv_next(&csv, in, &err), 1);
        assert_int_equal(lb_csv_next(&csv, in, &err), -1);
        assert_string_equal(err.text, "f.csv: not CSV: a NUL character");
        lb_csv_close(&csv);
        fclose(in);

        in = stream_of("a\n1\nx\n", 6);
        assert_int_equal(lb_csv_begin(&csv, in, "f.csv", &err), 0);
        assert_int_equal(lb_csv_next(&csv, in, &err), 1);
        assert_int_equal(lb_csv_next(&csv, in, &err), 1);
        assert_int_equal(lb_csv_number(&csv, 0, 0, &number, &err), -1);
        assert_non_null(strstr(err.text, "f.csv: row 2, column a: found \"x\""));
        lb_csv_close(&csv);
        fclose(in);
}

/* A cell of many lines, longer than what was read before. */
static void test_long_cell(void **state)
{
        enum { LINES = 20000 };
        char *text = malloc(8 * LINES + 64), *at = text;
        struct lb_csv csv;
        struct lb_error err = { 0 };
        (void)state;
        assert_non_null(text);
        at += sprintf(at, "a,b\n1,\"");
        for (int i = 0; i < LINES; i++)
                at += sprintf(at, "%d\n", i);
        at += sprintf(at, "\"\n2,3\n");
        FILE *in = stream_of(text, (size_t)(at - text));
        assert_int_equal(lb_csv_begin(&csv, in, "f.csv", &err), 0);
        assert_int_equal(lb_csv_next(&csv, in, &err), 1);
        assert_int_equal(strlen(lb_csv_cell(&csv, 0, 1)), at - text - 13);
        assert_int_equal(lb_csv_next(&csv, in, &err), 1);
        assert_string_equal(lb_csv_cell(&csv, 0, 1), "3");
        assert_int_equal(lb_csv_next(&csv, in, &err), 0);
        lb_csv_close(&csv);
        fclose(in);
        free(text);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_same),
                cmocka_unit_test(test_refused),
                cmocka_unit_test(test_long_cell),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
