/* SPDX-License-Identifier: BSD-3-Clause */
/* Points of sweeps, and options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/scenario/opened.h"

static const struct {
        const char *text;
        int64_t npoint, nskipped;
        const char *first, *last; /* the columns' texts, joined by blanks */
} sweeps[] = {

        { "{\"sweep\": {}}", 1, 0, "", "" },
        { "{\"sweep\": {\"graph.degree\": [2, 3], \"workload.imbalance\": [1, 1.5, 2.25]}}", 6, 0,
          "2 1", "3 2.25" },
        { "{\"sweep\": {\"graph.degree\": [1, 4, 5, 8], \"platform.nodes\": [4, 8]}}", 6, 2, "1 4",
          "8 8" },
        { "{\"sweep\": {\"workload.imbalance\": [2, 2.5, 4], \"platform.nodes\": [2, 4]},"
          " \"graph\": {\"degree\": 1}}",
          4, 2, "2 2", "4 4" },
        { "{\"sweep\": {\"graph.degree\": [1, 2, 4]}, \"platform\": {\"cores_per_node\": 5, "
          "\"appranks_per_node\": 2}, \"system\": {\"lewi\": false}}",
          2, 1, "1", "2" },
        { "{\"sweep\": {\"system.lewi\": [true, false]}, \"platform\": {\"cores_per_node\": 1}}", 1,
          1, "true", "true" },
        { "{\"sweep\": {\"system.name\": [\"baseline\", \"dlb\", \"local\"], \"graph.degree\": [1, "
          "2, "
          "4, 9]}}",
          5, 7, "baseline 1", "local 4" },
        { "{\"sweep\": {\"graph.degree\": [8, 2], \"system.name\": [\"baseline\"]}}", 1, 1,
          "1 baseline", "1 baseline" },
        { "{\"sweep\": {\"system.name\": [\"baseline\", \"global\"], \"system.lewi\": [true, "
          "false]}}",
          3, 1, "baseline false", "global false" },
        { "{\"sweep\": {\"platform.nodes,workload.imbalance\": [[2, 2.0], [4, 3.5]], "
          "\"graph.degree\": "
          "[1, 2]}}",
          4, 0, "2 2 1", "4 3.5 2" },
        { "{\"sweep\": {\"platform.nodes,graph.degree\": [[2, 1], [2, 2], [4, 2]], "
          "\"system.name\": "
          "[\"baseline\", \"local\"]}}",
          5, 1, "2 1 baseline", "4 2 local" },
        { "{\"sweep\": {\"system.name\": [\"baseline\", \"dynamic\"], \"graph.degree\": [1, 2], "
          "\"graph.seed\": [1, 2]}}",
          3, 5, "baseline 1 1", "dynamic 1 2" }, /* whose helpers may be there from the start */
        { "{\"sweep\": {\"platform.speed\": [[], [{\"node\": 0, \"factor\": 0.5}]]}}", 2, 0, "[]",
          "[{\"node\":0,\"factor\":0.5}]" },
        { "{\"platform\": {\"nodes\": 2}, \"graph\": {\"degree\": 2}, \"workload\": {\"model\": "
          "\"given\"}, \"sweep\": {\"workload.load_ms\": [[1, 2], [3, 4.5]]}}",
          2, 0, "[1,2]", "[3,4.5]" },
};

static void assert_texts(const struct scenario *scenario, int64_t point, const char *expected)
{
        char text[256] = "";
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++) {
                strcat(text, c ? " " : "");
                strcat(text, scenario_point_text(scenario, point, c));
        }
        assert_string_equal(text, expected);
}

/* A sweep is its cross product in order, last axis fastest, less what cannot be or repeats. */
static void test_sweeps(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof(sweeps) / sizeof(sweeps[0]); i++) {
                struct scenario scenario;
                must_open(&scenario, sweeps[i].text, NULL);
                assert_int_equal(scenario.npoint, sweeps[i].npoint);
                assert_int_equal(scenario.nskipped, sweeps[i].nskipped);
                assert_texts(&scenario, 0, sweeps[i].first);
                assert_texts(&scenario, scenario.npoint - 1, sweeps[i].last);
                scenario_close(&scenario);
        }
}

/* A combination that makes no difference to its system has the point of the first that is alike. */
static void test_point_of(void **state)
{
        (void)state;
        struct scenario scenario;
        must_open(&scenario,
                  "{\"sweep\": {\"graph.degree\": [2, 9, 3], \"graph.seed\": [5, 6], "
                  "\"system.name\": [\"baseline\", \"dynamic\", \"local\"]}}",
                  NULL);
        static const int64_t point[] = { 0, 1, 2, 0, 3, 4, 0, 1, -1, 0, 3, -1, 0, 1, 5, 0, 3, 6 };
        assert_int_equal(scenario.npoint, 7);
        for (int64_t c = 0; c < 18; c++)
                assert_int_equal(scenario_point_of(&scenario, c), point[c]);
        static const bool matters[][3] = { { 0, 0, 1 }, { 0, 1, 1 }, { 1, 1, 1 } };
        static const char *const name[] = { "baseline", "dynamic", "local" };
        for (int s = 0; s < 3; s++)
                for (int32_t c = 0; c < 3; c++)
                        assert_int_equal(
                            scenario_column_matters(&scenario, c, system_find(name[s])),
                            matters[s][c]);
        scenario_close(&scenario);
}

/* Every point has the values that its columns show. */
static void test_points(void **state)
{
        (void)state;
        struct scenario scenario;
        must_open(&scenario,
                  "{\"sweep\": {\"platform.nodes,graph.degree\": [[2, 2], [4, 3]],"
                  " \"system.name\": [\"baseline\", \"local\", \"global\"],"
                  " \"workload.imbalance\": [1, 1.25, 1.75]}}",
                  NULL);
        assert_int_equal(scenario.npoint, 18);
        assert_int_equal(scenario_ncolumn(&scenario), 4);
        assert_string_equal(scenario_column(&scenario, 0), "platform.nodes");
        assert_string_equal(scenario_column(&scenario, 1), "graph.degree");
        assert_string_equal(scenario_column(&scenario, 3), "workload.imbalance");
        for (int64_t p = 0; p < scenario.npoint; p++) {
                struct scenario_point point = point_of(&scenario, p);
                assert_true(point.value[SECTION_PLATFORM][PLATFORM_NODES] ==
                            atof(scenario_point_text(&scenario, p, 0)));
                assert_int_equal(point.degree, atoi(scenario_point_text(&scenario, p, 1)));
                assert_string_equal(point.system->name, scenario_point_text(&scenario, p, 2));
                assert_true(point.value[SECTION_WORKLOAD][WORKLOAD_IMBALANCE] ==
                            atof(scenario_point_text(&scenario, p, 3)));
                scenario_point_finish(&point);
        }
        scenario_close(&scenario);
}

/* --set is as if the file had said so; of a swept path it replaces the values by the one. */
static void test_set(void **state)
{
        (void)state;
        static const char text[] =
            "{\"graph\": {\"degree\": 2}, \"sweep\": {\"workload.imbalance\": [1, 2],"
            " \"platform.nodes,system.name\": [[4, \"local\"], [8, \"local\"], [8, \"global\"]]}}";
        static const struct {
                const char *set[SETS_MAX];
                int64_t npoint;
                const char *last;
        } rows[] = {
                { { "graph.degree=3" }, 6, "2 8 global" },
                { { "workload.imbalance=1.5" }, 3, "1.5 8 global" },
                { { "workload.imbalance=1.5", "workload.imbalance=1.75" }, 3, "1.75 8 global" },
                { { "platform.nodes=16" }, 4, "2 16 global" },
                { { "system.name=\"dlb\"", "workload.imbalance=2" }, 2, "2 8 dlb" },
                { { "sweep={}" }, 1, "" },
                { { "sweep={}", "workload.imbalance=1.5" }, 1, "" },
                { { "sweep.graph.degree=[1,2,3]" }, 18, "2 8 global 3" },
                { { "sweep.workload.imbalance=[3]", "name=x y" }, 3, "3 8 global" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct scenario scenario;
                must_open(&scenario, text, rows[i].set);
                assert_int_equal(scenario.npoint, rows[i].npoint);
                assert_texts(&scenario, scenario.npoint - 1, rows[i].last);
                scenario_close(&scenario);
        }
}

/* Every kind of value can be set, sections are made as needed, and the tree shows it. */
static void test_set_kinds(void **state)
{
        (void)state;
        static const char *const set[] = { "system.lewi=off", "platform.network.latency_us=2.5",
                                           "name=a b", "replicates=7" };
        struct scenario scenario;
        struct lb_error err;
        assert_int_equal(open_text(&scenario, "{\"seed\": 3}", set, "12", &err), 0);
        struct scenario_point point = point_of(&scenario, 0);
        assert_true(!point.lewi && point.drom);
        assert_true(point.value[SECTION_NETWORK][NETWORK_LATENCY_US] == 2.5);
        assert_string_equal(scenario.name, "a b");
        assert_int_equal(scenario.replicates, 7);
        assert_int_equal(scenario.seed, 12);
        char *text = cJSON_PrintUnformatted(scenario.tree);
        assert_string_equal(text,
                            "{\"seed\":12,\"system\":{\"lewi\":false},\"platform\":{\"network\":{"
                            "\"latency_us\":2.5}},\"name\":\"a b\",\"replicates\":7}");
        cJSON_free(text);
        scenario_point_finish(&point);
        scenario_close(&scenario);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_sweeps),    cmocka_unit_test(test_points),
                cmocka_unit_test(test_point_of),  cmocka_unit_test(test_set),
                cmocka_unit_test(test_set_kinds),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
