/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured loads as a workload. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/scenario/opened.h"

/* A trace is read from the file's place in the tree and gives the iterations, unless they are set.
 */
static void test_trace(void **state)
{
        (void)state;
        static const char *const sets[][2] = {
                { NULL },
                { "workload.iterations=7" },
                { "workload.file=./loads.csv" },
                { "sweep.workload.file=[\"loads.csv\"]" },
        };
        write_loads();
        for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
                struct scenario scenario;
                must_open(&scenario, traced, sets[i]);
                struct scenario_point point = point_of(&scenario, 0);
                double iterations = point.value[SECTION_WORKLOAD][WORKLOAD_ITERATIONS];
                assert_non_null(point.trace);
                assert_int_equal(trace_napprank(point.trace), 2);
                assert_true(iterations == (i == 1 ? 7 : 3));
                assert_true(scenario_tasks(&point) == (i == 1 ? 58 : 25));
                if (i == 3)
                        assert_string_equal(scenario_point_text(&scenario, 0, 0), "loads.csv");
                scenario_point_finish(&point);
                scenario_close(&scenario);
        }
}

/* So does a file of tasks that has several; one that does not has them all alike, as many as usual.
 */
static void test_iterations_of_tasks(void **state)
{
        (void)state;
        static const char tasked[] =
            "{ \"workload\": { \"model\": \"graph\", \"file\": "
            "\"tasks.csv\" }, \"platform\": { \"nodes\": 1 }, \"graph\": { \"degree\": 1 } }";
        static const char *const files[] = {
                "apprank,seconds,bytes,after\n0,1,8,\n0,1,8,0\n",
                "iteration,apprank,seconds,bytes,after\n0,0,1,8,\n2,0,1,8,\n1,0,1,8,\n1,0,1,8,0\n",
        };
        static const char *const set[] = { "workload.iterations=7", NULL };
        static const int expected[2][2] = { { 10, 7 }, { 3, 7 } };
        for (int f = 0; f < 2; f++)
                for (int given = 0; given < 2; given++) {
                        struct scenario scenario;
                        write_text("tasks.csv", files[f]);
                        must_open(&scenario, tasked, given ? set : NULL);
                        struct scenario_point point = point_of(&scenario, 0);
                        assert_non_null(point.graph);
                        assert_true(point.value[SECTION_WORKLOAD][WORKLOAD_ITERATIONS] ==
                                    expected[f][given]);
                        scenario_point_finish(&point);
                        scenario_close(&scenario);
                }
}

/* A trace that is not there, not asked for, wrong, or of other appranks is refused. */
static void test_bad_traces(void **state)
{
        (void)state;
        static const struct bad rows[] = {
                { traced, "workload.file=no.csv",
                  "--set workload.file=no.csv: cannot read 'no.csv': No such file" },
                { "{\"workload\": {\"model\": \"trace\",\n\"file\": \"no.csv\"}}", NULL,
                  "t.json:2:9: /workload/file: cannot read 'no.csv': No such file" },
                { "{\"workload\": {\"file\": \"loads.csv\"}}", NULL,
                  "t.json:1:23: /workload/file: a file is used with \"model\": \"trace\"" },
                { "{\"workload\": {\"model\": \"trace\"}}", NULL,
                  "t.json:1:24: /workload/model: \"trace\" without workload.file" },
                { "{\"workload\": {\"model\": \"trace\", \"file\": [1]}}", NULL,
                  "/workload/file: found an array, allowed is the name of a file" },
                { "{\"workload\": {\"model\": \"trace\", \"file\": \"\"}}", NULL,
                  "/workload/file: found \"\", allowed is the name of a file" },
                { "{\"workload\": {\"model\": \"trace\", \"flie\": \"loads.csv\"}}", NULL,
                  "unknown key \"flie\", did you mean \"file\"?" },
                { traced, "platform.nodes=3",
                  "t.json:1:91: /workload/file: found work of 2 appranks, allowed is of 3" },
                { traced, "workload.file=bad.csv",
                  "--set workload.file=bad.csv: bad.csv:2:5: work_s: found -1" },
                { "{\"sweep\": {\"workload.file\": [\"loads.csv\", \"bad.csv\"]}}", NULL,
                  "/sweep/workload.file/1: bad.csv:2:5: work_s: found -1" },
        };
        write_loads();
        FILE *out = fopen("bad.csv", "w");
        assert_non_null(out);
        fputs("iteration,apprank,work_s,tasks\n0,0,-1,4\n", out);
        assert_int_equal(fclose(out), 0);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                check_bad(&rows[i]);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_trace),
                cmocka_unit_test(test_iterations_of_tasks),
                cmocka_unit_test(test_bad_traces),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
