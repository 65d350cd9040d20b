/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages: any text is harmless in them, figures hold what they are given, and any number does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plots/page.h"

static char *text;
static size_t size;
static FILE *out;

static void begin(void)
{
        out = open_memstream(&text, &size);
        assert_non_null(out);
}

static void end(void)
{
        assert_int_equal(fclose(out), 0);
}

static int count(const char *what)
{
        int n = 0;
        for (const char *at = text; (at = strstr(at, what)); at++)
                n++;
        return n;
}

/* Names of files and hosts are the user's: none ends an element or begins one. */
static void test_text_is_escaped(void **state)
{
        static const struct {
                const char *given, *written;
        } cases[] = {
                { "plain", "<p>plain</p>" },
                { "a<b>&\"c\"", "<p>a&lt;b&gt;&amp;&quot;c&quot;</p>" },
                { "</p><script>", "<p>&lt;/p&gt;&lt;script&gt;</p>" },
                { "caf\xc3\xa9", "<p>caf\xc3\xa9</p>" },
                { "no\xff"
                  "UTF\xc3",
                  "<p>no\xef\xbf\xbdUTF\xef\xbf\xbd</p>" },
                { "bell\x07", "<p>bell</p>" },
        };
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                begin();
                page_text(out, cases[i].given);
                end();
                text[strcspn(text, "\n")] = '\0';
                assert_string_equal(text, cases[i].written);
                free(text);
        }
}

static void test_table_cells(void **state)
{
        static const char *const name[] = { "system", "time" };
        static const char *const cell[] = { "dlb", "1.5", "<b>", "" };
        (void)state;
        begin();
        page_table(out, name, 2, cell, 2);
        end();
        assert_int_equal(count("<tr>"), 3);
        assert_int_equal(count("<td class=\"n\">1.5</td>"), 1);
        assert_int_equal(count("<td>&lt;b&gt;</td>"), 1);
        free(text);
}

/* Every cell is drawn, the largest darkest; many are drawn as the largest of their neighbours. */
static void test_heat(void **state)
{
        static double value[1000];
        struct page_heat heat = { .title = "t",
                                  .rows = "r",
                                  .columns = "c",
                                  .unit = "s",
                                  .value = value,
                                  .nrow = 2,
                                  .ncolumn = 3 };
        (void)state;
        value[4] = 2.385;
        begin();
        page_heat(out, &heat);
        end();
        assert_int_equal(count("<rect"), 6 + 11); /* and the scale */
        assert_int_equal(count("#083"), 2);       /* one cell, and the scale's end */
        assert_int_equal(count(">2.385 s<"), 1);
        /* Both of the scale's numbers begin at one place, after its colours, at their ends. */
        assert_int_equal(count("<rect x=\"800\" y=\"0\" width=\"18\" height=\"10.3\" fill=\"#083"),
                         1);
        assert_int_equal(count("<text x=\"824\" y=\"9\" text-anchor=\"start\">2.385 s<"), 1);
        assert_int_equal(count("<text x=\"824\" y=\"110\" text-anchor=\"start\">0 s<"), 1);
        /* A row's name is as far below its top as any other's. */
        assert_int_equal(count(" y=\"14\" text-anchor=\"end\">r 0<"), 1);
        assert_int_equal(count(" y=\"36\" text-anchor=\"end\">1<"), 1);
        free(text);
        heat.nrow = 1;
        heat.ncolumn = 1000;
        begin();
        page_heat(out, &heat);
        end();
        assert_int_equal(count("<rect"), PAGE_CELLS + 11);
        assert_int_equal(count("#083"), 2);
        free(text);
}

static void test_histogram(void **state)
{
        static const double value[] = { 1, 1.01, 0.02, NAN, 2.385, 2.385, 2.385 };
        (void)state;
        begin();
        page_histogram(out, "loads", "s", value, 7);
        end();
        assert_int_equal(count("fill=\"#006aa9\""), 3);
        assert_int_equal(count(">3</text>"), 1); /* the highest bin */
        free(text);
}

/* What is not finite is left out, and nothing else with it. */
static void test_bars(void **state)
{
        static const struct page_bar bar[] = {
                { "as it is", "2 s", 0, 2, 0, 5 },
                { "range", "1 to 1.5 s", 0, 1, 1.5, 0 },
                { "unknown", "", 0, NAN, NAN, 1 },
        };
        (void)state;
        begin();
        page_bars(out, "times", "s", bar, 3);
        end();
        assert_int_equal(count("fill=\"#565555\""), 1);
        assert_int_equal(count("fill=\"#006aa9\""), 2);
        assert_int_equal(count("fill-opacity"), 1);
        assert_int_equal(count(">unknown<"), 1);
        assert_int_equal(count("nan"), 0);
        free(text);
        begin();
        page_bars(out, "nothing", "s", bar + 2, 1);
        end();
        assert_int_equal(size, 0);
        free(text);
}

/* The points of the first line of a colour. */
static const char *points_of(const char *stroke)
{
        const char *at = strstr(text, stroke);
        assert_non_null(at);
        at = strstr(at, "points=\"");
        assert_non_null(at);
        return at + strlen("points=\"");
}

/* Lines share both scales, which begin at 0; one value is a dot; of many the means are drawn. */
static void test_lines(void **state)
{
        static const double two[] = { 2, NAN, 1 }, one[] = { 1 };
        static double many[4 * PAGE_POINTS];
        const struct page_line line[] = { { "live", two, 3, 1 }, { "<b>", one, 1, 0 } };
        struct page_lines lines = { .title = "t",
                                    .x = "iteration",
                                    .unit = "s",
                                    .line = line,
                                    .nline = 2,
                                    .level_name = "bound",
                                    .level = 0.5 };
        double x[4], y[4];
        (void)state;
        begin();
        page_lines(out, &lines);
        end();
        assert_int_equal(
            sscanf(points_of("#f3a920"), "%lf,%lf %lf,%lf \"", &x[0], &y[0], &x[1], &y[1]), 4);
        assert_int_equal(
            sscanf(points_of("#006aa9"), "%lf,%lf %lf,%lf \"", &x[2], &y[2], &x[3], &y[3]), 4);
        assert_true(x[2] == x[0] && y[2] == y[1]); /* the first, and as much as the last */
        assert_true(x[3] == x[2] && y[3] == y[2]);
        assert_true(x[1] > x[0] + 700);
        assert_true(y[1] > y[0] + 100);
        assert_int_equal(count("nan"), 0);
        assert_int_equal(count(">bound<"), 1);
        assert_int_equal(count(">&lt;b&gt;<"), 1);
        free(text);
        for (int i = 0; i < 4 * PAGE_POINTS; i++)
                many[i] = i % 4;
        lines.line = &(const struct page_line){ "live", many, 4 * PAGE_POINTS, 1 };
        lines.nline = 1;
        lines.level = 0;
        begin();
        page_lines(out, &lines);
        end();
        assert_int_equal(
            sscanf(points_of("#f3a920"), "%lf,%lf %lf,%lf ", &x[0], &y[0], &x[1], &y[1]), 4);
        assert_true(y[0] == y[1]);
        assert_int_equal(count(">bound<"), 0);
        free(text);
        many[0] = 20000;
        begin();
        page_lines(out, &lines);
        end();
        assert_int_equal(count(">20000 s<"), 1);
        assert_int_equal(count("e+"), 0);
        free(text);
        lines.nline = 0;
        begin();
        page_lines(out, &lines);
        end();
        assert_int_equal(size, 0);
        free(text);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_text_is_escaped),
                cmocka_unit_test(test_table_cells),
                cmocka_unit_test(test_heat),
                cmocka_unit_test(test_histogram),
                cmocka_unit_test(test_bars),
                cmocka_unit_test(test_lines),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
