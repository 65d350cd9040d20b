/* SPDX-License-Identifier: BSD-3-Clause */
/* Fingerprints of scenarios. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/scenario/opened.h"

static uint64_t fingerprint(const char *text, const char *set, const char *seed)
{
        struct scenario scenario;
        struct lb_error err;
        const char *const sets[] = { set, NULL };
        if (open_text(&scenario, text, sets, seed, &err) < 0)
                fail_msg("%s", err.text);
        uint64_t value = scenario.fingerprint;
        scenario_close(&scenario);
        return value;
}

/* Only what decides results counts: not names, layout, figure, number of replicates, or how it was
 * set. */
/* The tables, with one entry of one of them changed. */
static struct lb_param changed_table[512];

static enum scenario_section changed_section;

static const struct lb_param *tables_with_a_change(enum scenario_section section)
{
        return section == changed_section ? changed_table : scenario_section_table(section);
}

static uint64_t hash_of_defaults(scenario_tables *tables)
{
        uint64_t hash = 1;
        scenario_hash_defaults(tables, &hash);
        return hash;
}

/* Results of another default are other results: each of them is in the fingerprint, but for which
 * figure is drawn, and what it claims. */
static void test_fingerprint_of_defaults(void **state)
{
        (void)state;
        uint64_t ours = hash_of_defaults(scenario_section_table);
        for (int s = 0; s < SECTION_COUNT; s++) {
                changed_section = (enum scenario_section)s;
                const struct lb_param *table = scenario_section_table(changed_section);
                size_t count = lb_param_count(table);
                assert_true(count < sizeof(changed_table) / sizeof(changed_table[0]));
                for (size_t i = 0; i < count; i++) {
                        bool judges = s == SECTION_OUTPUT &&
                                      (i == OUTPUT_FIGURE || i == OUTPUT_CLAIM_AT_MOST ||
                                       i == OUTPUT_CLAIM_FREED);
                        memcpy(changed_table, table, (count + 1) * sizeof(*table));
                        assert_true(hash_of_defaults(tables_with_a_change) == ours);
                        changed_table[i].fallback = table[i].fallback > 0 ? 0 : 1;
                        assert_int_equal(hash_of_defaults(tables_with_a_change) == ours, judges);
                        changed_table[i].fallback = table[i].fallback;
                        if (table[i].type != LB_PARAM_NUMBER)
                                continue;
                        changed_table[i].differs = true;
                        changed_table[i].original =
                            0.5 + (table[i].differs ? table[i].original : table[i].fallback);
                        assert_int_equal(hash_of_defaults(tables_with_a_change) == ours, judges);
                }
        }
}

static void test_fingerprint(void **state)
{
        (void)state;
        static const char base[] = "{\"graph\": {\"degree\": 2, \"seed\": 1}, \"seed\": 1,"
                                   " \"sweep\": {\"workload.imbalance\": [1, 2],"
                                   " \"system.name\": [\"local\", \"global\"]}}";
        static const char other[] =
            "{\"sweep\": {\"workload.imbalance\": [1.0, 2e0], \"system.name\": [\"local\","
            " \"global\"]}, \"seed\": 1,\n\n \"graph\": {\"seed\": 1, \"degree\": 2}, \"name\": "
            "\"x\","
            " \"description\": \"y\", \"$schema\": \"z\", \"replicates\": 5}";
        static const char swapped[] = "{\"graph\": {\"degree\": 2, \"seed\": 1}, \"seed\": 1,"
                                      " \"sweep\": {\"system.name\": [\"local\", \"global\"],"
                                      " \"workload.imbalance\": [1, 2]}}";
        uint64_t value = fingerprint(base, NULL, NULL);
        assert_true(value == fingerprint(other, NULL, NULL));
        assert_true(value == fingerprint(base, "graph.degree=2", "1"));
        assert_true(fingerprint(base, "graph.degree=3", NULL) ==
                    fingerprint(other, "graph.degree=3", NULL));
        assert_true(fingerprint(base, "output.series_s=0.5", NULL) !=
                    fingerprint(base, "output.series_s=1", NULL));
        const uint64_t different[] = {
                fingerprint(swapped, NULL, NULL), /* the points have other numbers */
                fingerprint(base, NULL, "2"),
                fingerprint(base, "graph.degree=3", NULL),
                fingerprint(base, "workload.imbalance=1", NULL),
                fingerprint(base, "system.lewi=false", NULL),
                fingerprint(base, "output.series_s=0.5", NULL),
        };
        for (size_t i = 0; i < sizeof(different) / sizeof(different[0]); i++)
                assert_true(different[i] != value);
}

/* What a trace says is part of the fingerprint, its name alone is not enough. */
static void test_fingerprint_of_trace(void **state)
{
        (void)state;
        write_loads();
        uint64_t before = fingerprint(traced, NULL, NULL);
        assert_true(fingerprint(traced, NULL, NULL) == before);
        FILE *out = fopen("loads.csv", "w");
        assert_non_null(out);
        fputs("iteration,apprank,work_s,tasks\n0,0,1.5,4\n0,1,2.5,4\n", out);
        assert_int_equal(fclose(out), 0);
        assert_true(fingerprint(traced, NULL, NULL) != before);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_fingerprint),
                cmocka_unit_test(test_fingerprint_of_defaults),
                cmocka_unit_test(test_fingerprint_of_trace),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
