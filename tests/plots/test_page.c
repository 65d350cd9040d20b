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

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_text_is_escaped),
                cmocka_unit_test(test_table_cells),
                cmocka_unit_test(test_heat),
                cmocka_unit_test(test_histogram),
                cmocka_unit_test(test_bars),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
