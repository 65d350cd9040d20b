/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/param.h"
#include "base/random.h"

static const char *const kinds[] = { "exact", "lp", NULL };

enum { PERIOD, NODES, LEND, SOLVER, NPARAM };
static const struct lb_param table[] = {
        [PERIOD] = { .name = "period_s",
                     .unit = "s",
                     .type = LB_PARAM_NUMBER,
                     .fallback = 2.25,
                     .min = 0.125,
                     .max = 3600 },
        [NODES] = { .name = "nodes", .type = LB_PARAM_INTEGER, .fallback = 4, .min = 1, .max = 64 },
        [LEND] = { .name = "lend", .type = LB_PARAM_SWITCH, .fallback = 1 },
        [SOLVER] = { .name = "solver", .type = LB_PARAM_CHOICE, .choices = kinds, .fallback = 1 },
        [NPARAM] = { .name = NULL },
};

/* Tables are searched by name and fill in their defaults. */
static void test_table(void **state)
{
        (void)state;
        double value[NPARAM];
        assert_int_equal(lb_param_count(table), NPARAM);
        assert_int_equal(lb_param_count(NULL), 0);
        assert_int_equal(lb_param_find(table, "solver"), SOLVER);
        assert_int_equal(lb_param_find(table, "solve"), -1);
        lb_param_defaults(table, value);
        assert_true(value[PERIOD] == 2.25 && value[NODES] == 4 && value[LEND] == 1);
        assert_int_equal(lb_param_choice(&table[SOLVER], "lp"), 1);
        assert_int_equal(lb_param_choice(&table[SOLVER], "l"), -1);
}

/* Text as given after --set becomes a value, or a message with what was found and is allowed. */
static void test_parse(void **state)
{
        (void)state;
        static const struct {
                int param;
                const char *text;
                double value;
                const char *message;
        } rows[] = {
                { PERIOD, "2.5", 2.5, NULL },
                { PERIOD, "1e2", 100, NULL },
                { PERIOD, "0.125", 0.125, NULL },
                { PERIOD, "0.1", 0, "found 0.1, allowed is a number from 0.125 to 3600 s" },
                { PERIOD, "2.5s", 0, "found '2.5s', allowed is a number from 0.125 to 3600 s" },
                { PERIOD, "", 0, "found '', allowed is a number" },
                { PERIOD, "nan", 0, "found 'nan'" },
                { PERIOD, "inf", 0, "found 'inf'" },
                { PERIOD, "1e999", 0, "found '1e999'" },
                { PERIOD, "0x10", 0, "found '0x10'" },
                { NODES, "64", 64, NULL },
                { NODES, "65", 0, "found 65, allowed is a whole number from 1 to 64" },
                { NODES, "-1", 0, "found -1, allowed is a whole number from 1 to 64" },
                { NODES, "2.5", 0, "found '2.5', allowed is a whole number from 1 to 64" },
                { NODES, "1000000000000", 0, "found 1000000000000, allowed" },
                { LEND, "on", 1, NULL },
                { LEND, "false", 0, NULL },
                { LEND, "0", 0, NULL },
                { LEND, "maybe", 0, "found 'maybe', allowed is true or false" },
                { SOLVER, "lp", 1, NULL },
                { SOLVER, "exact", 0, NULL },
                { SOLVER, "LP", 0, "found 'LP', allowed is one of exact, lp" },
                { SOLVER, "1", 0, "found '1', allowed is one of exact, lp" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct lb_error err = { .kind = LB_ERROR_NONE };
                double value = -7;
                int status = lb_param_parse(&table[rows[i].param], rows[i].text, &value, &err);
                assert_int_equal(status, rows[i].message ? -1 : 0);
                if (status == 0)
                        assert_true(value == rows[i].value);
                else if (!strstr(err.text, rows[i].message))
                        fail_msg("'%s': %s", rows[i].text, err.text);
        }
}

/* No value out of range or of no meaning passes a check. */
static void test_check(void **state)
{
        (void)state;
        static const struct {
                int param;
                double value;
                int status;
        } rows[] = {
                { PERIOD, 3600, 0 },      { PERIOD, 3600.5, -1 }, { PERIOD, NAN, -1 },
                { PERIOD, INFINITY, -1 }, { NODES, 1, 0 },        { NODES, 0, -1 },
                { NODES, 1.5, -1 },       { LEND, 2, -1 },        { LEND, 0, 0 },
                { SOLVER, 1, 0 },         { SOLVER, 2, -1 },      { SOLVER, -1, -1 },
                { SOLVER, 0.5, -1 },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct lb_error err;
                assert_int_equal(lb_param_check(&table[rows[i].param], rows[i].value, &err),
                                 rows[i].status);
        }
}

/* Numbers are written so that they are read back as they were; whole ones with all their digits. */
static void test_format(void **state)
{
        (void)state;
        char text[64];
        struct lb_random random;
        lb_param_format(&table[NODES], 9007199254740991, text, sizeof(text));
        assert_string_equal(text, "9007199254740991");
        lb_param_format(&table[PERIOD], 0.1, text, sizeof(text));
        assert_string_equal(text, "0.1");
        lb_param_format(&table[PERIOD], -0.0, text, sizeof(text));
        assert_string_equal(text, "0");
        lb_param_format(&table[LEND], 0, text, sizeof(text));
        assert_string_equal(text, "false");
        lb_param_format(&table[SOLVER], 1, text, sizeof(text));
        assert_string_equal(text, "\"lp\"");
        lb_random_init(&random, 11, LB_RANDOM_TEST, 1);
        for (int i = 0; i < 10000; i++) {
                int exponent = (int)lb_random_below(&random, 600) - 300;
                double value = ldexp(lb_random_unit(&random), exponent);
                lb_param_format(&table[PERIOD], value, text, sizeof(text));
                assert_true(strtod(text, NULL) == value);
        }
}

/* Near names are suggested, far ones are not. */
static void test_nearest(void **state)
{
        (void)state;
        static const char *const names[] = { "graph.degree", "platform.nodes", "seed" };
        static const struct {
                const char *word, *nearest;
        } rows[] = {
                { "graph.degre", "graph.degree" },
                { "grpah.degree", "graph.degree" },
                { "nodes", NULL },
                { "sed", "seed" },
                { "xyz", NULL },
                { "", NULL },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                const char *found = lb_nearest_name(rows[i].word, names, 3);
                if (!rows[i].nearest)
                        assert_null(found);
                else
                        assert_string_equal(found, rows[i].nearest);
        }
        char word[5001];
        memset(word, 'x', 5000);
        word[5000] = '\0';
        assert_null(lb_nearest_name(word, names, 3));
}

/* As many as fit, the last one maybe cut; without any it is empty. */
static void test_list(void **state)
{
        (void)state;
        static const char *const names[] = { "one", "two", "three" };
        char text[32] = "?";
        lb_list_names(names, 3, text, sizeof(text));
        assert_string_equal(text, "one, two, three");
        lb_list_names(names, 3, text, 8);
        assert_string_equal(text, "one, tw");
        lb_list_names(names, 0, text, sizeof(text));
        assert_string_equal(text, "");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_table),   cmocka_unit_test(test_parse),
                cmocka_unit_test(test_check),   cmocka_unit_test(test_format),
                cmocka_unit_test(test_nearest), cmocka_unit_test(test_list),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
