/* SPDX-License-Identifier: BSD-3-Clause */
/* What is refused, and how that is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/scenario/opened.h"

/* Keys and values that cannot be are refused with place, pointer, what was found and what is
 * allowed. */
static void test_bad_values(void **state)
{
        (void)state;
        static const struct bad rows[] = {
                { "[1]", NULL, "t.json:1:1: found an array, allowed is an object" },
                { "{\n \"grahp\": {}}", NULL,
                  "t.json:2:11: /grahp: unknown key \"grahp\", did you mean \"graph\"?" },
                { "{\"platform\": {\"nodse\": 4}}", NULL,
                  "t.json:1:24: /platform/nodse: unknown key \"nodse\", did you mean \"nodes\"?" },
                { "{\"platform\": {\"netwrk\": {}}}", NULL, "did you mean \"network\"?" },
                { "{\"platform\": {\"network\": {\"latency\": 1}}}", NULL,
                  "/platform/network/latency: unknown key \"latency\", did you mean "
                  "\"latency_us\"?" },
                { "{\"xyzzy\": 1}", NULL, "unknown key \"xyzzy\" (lbsim params lists them all)" },
                { "{\"a/b~\": 1}", NULL, "t.json:1:10: /a~1b~0: unknown key" },
                { "{\"graph\": 3}", NULL,
                  "t.json:1:11: /graph: found a number, allowed is an object" },
                { "{\"graph\": {\"degree\": \"4\"}}", NULL,
                  "t.json:1:22: /graph/degree: found \"4\", allowed is a whole number from 1" },
                { "{\"graph\": {\"degree\": 2.5}}", NULL, "/graph/degree: found 2.5, allowed is" },
                { "{\"platform\": {\"nodes\": 0}}", NULL,
                  "/platform/nodes: found 0, allowed is a whole number from 1 to" },
                { "{\"platform\": {\"cores_per_node\": 1000000000}}", NULL,
                  "/platform/cores_per_node: found 1000000000, allowed is" },
                { "{\"workload\": {\"imbalance\": 0.5}}", NULL,
                  "/workload/imbalance: found 0.5, allowed is a number from 1" },
                { "{\"workload\": {\"writeback\": 1}}", NULL,
                  "/workload/writeback: found 1, allowed is true or false" },
                { "{\"system\": {\"name\": \"globl\"}}", NULL,
                  "/system/name: found \"globl\", allowed is one of baseline, dlb, local, global" },
                { "{\"system\": {\"name\": \"globl\"}}", NULL, "did you mean \"global\"?" },
                { "{\"system\": {\"name\": 7}}", NULL, "/system/name: found 7, allowed is one of" },
                { "{\"name\": 7}", NULL, "t.json:1:10: /name: found 7, allowed is a string" },
                { "{\"name\": \"\"}", NULL, "/name: found \"\", allowed is a name" },
                { "{\"replicates\": 0}", NULL,
                  "/replicates: found 0, allowed is a whole number from 1 to 10000" },
                { "{\"seed\": -1}", NULL, "/seed: found -1, allowed is a whole number from 0" },
                { "{\"seed\": 1.5}", NULL, "/seed: found 1.5, allowed is a whole number from 0" },
                { "{\"seed\": 1, \"seed\": 2}", NULL, "t.json:1:21: key \"seed\" stands twice" },
                { "{\"platform\": {\"speed\": {}}}", NULL,
                  "/platform/speed: found an object, allowed is an array" },
                { "{\"platform\": {\"speed\": [{\"node\": 0}]}}", NULL,
                  "t.json:1:25: /platform/speed/0: both \"node\" and \"factor\" are needed" },
                { "{\"platform\": {\"speed\": [{\"node\": 0, \"factor\": 0}]}}", NULL,
                  "/platform/speed/0/factor: found 0, allowed is a number from 0.001" },
                { "{\"platform\": {\"speed\": [{\"node\": 0, \"fact\": 2}]}}", NULL,
                  "/platform/speed/0/fact: unknown key \"fact\"" },
                { "{\"platform\": {\"speed\": [{\"node\": 1, \"factor\": 2}, {\"node\": 1, "
                  "\"factor\": 3}]}}",
                  NULL, "/platform/speed/1: node 1 stands twice" },
                { "{\"workload\": {\"load_ms\": [1, -2]}}", NULL,
                  "/workload/load_ms/1: found -2, allowed is a number from 0" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                check_bad(&rows[i]);
}

/* Values that do not go together are refused, at the place of the one to blame. */
static void test_bad_together(void **state)
{
        (void)state;
        static const struct bad rows[] = {
                { "{\"platform\": {\"nodes\": 2},\n \"graph\": {\"degree\": 3}}", NULL,
                  "t.json:2:22: /graph/degree: found 3, allowed is at most platform.nodes, which "
                  "is "
                  "2" },
                { "{\"platform\": {\"nodes\": 2}}", NULL,
                  "t.json: /graph/degree: found 4, allowed is at most platform.nodes, which is 2 "
                  "(the value is the default)" },
                { "{\"workload\": {\"imbalance\": 4.5}}", NULL,
                  "/workload/imbalance: found 4.5, allowed is at most the number of appranks, 4" },
                { "{\"platform\": {\"cores_per_node\": 3, \"appranks_per_node\": 4}}", NULL,
                  "/platform/cores_per_node: found 3, allowed is at least 4" },
                { "{\"platform\": {\"cores_per_node\": 7, \"appranks_per_node\": 2}, "
                  "\"system\": {\"lewi\": false}}",
                  NULL, "/platform/cores_per_node: found 7, allowed is at least 8" },
                { "{\"platform\": {\"cores_per_node\": 7, \"appranks_per_node\": 2}, "
                  "\"runtime\": {\"talk_only\": \"never\"}}",
                  NULL, "/platform/cores_per_node: found 7, allowed is at least 8" },
                { "{\"platform\": {\"nodes\": 16384, \"cores_per_node\": 1024}}", NULL,
                  "/platform/nodes: found 16384, allowed are at most 8191 nodes" },
                { "{\"platform\": {\"nodes\": 4096, \"appranks_per_node\": 33}, "
                  "\"graph\": {\"degree\": 1}}",
                  NULL, "allowed are at most 131072 appranks" },
                { "{\"workload\": {\"iterations\": 1000000, \"tasks_per_core\": 1000000}}", NULL,
                  "/workload/iterations: found 1000000, which makes 1.92e+14 tasks" },
                { "{\"platform\": {\"speed\": [{\"node\": 4, \"factor\": 2}]}}", NULL,
                  "/platform/speed: found node 4, allowed is at most 3" },
                { "{\"workload\": {\"model\": \"given\", \"load_ms\": [1, 2]}}", NULL,
                  "/workload/model: \"given\" with 2 values of workload.load_ms, allowed is one "
                  "for "
                  "each of the 4 appranks" },
                { "{\"workload\": {\"load_ms\": [1, 2, 3, 4]}}", NULL,
                  "/workload/load_ms: loads are used with \"model\": \"given\"" },
                { "{\"workload\": {\"model\": \"nbody\", \"nbody_bodies\": 1000000}, "
                  "\"platform\": {\"nodes\": 21}}",
                  NULL,
                  "/workload/nbody_bodies: found 1000000, with 21 nodes; allowed are at most "
                  "20000000 bodies in all" },
                { "{\"workload\": {\"jitter\": \"uniform\", \"jitter_cv\": 0.75}}", NULL,
                  "/workload/jitter_cv: " },
                { "{\"system\": {\"name\": \"baseline\", \"lewi\": true}}", NULL,
                  "/system/lewi: found true, but system \"baseline\" lends no cores" },
                { "{\"system\": {\"name\": \"baseline\", \"drom\": true}}", NULL,
                  "/system/drom: found true, but system \"baseline\" moves no cores" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                check_bad(&rows[i]);
}

/* Sweeps that cannot be are refused, with the place in the list. */
/* A key that no system or model of the scenario reads is refused; one of those swept is enough. */
static void test_unused_keys(void **state)
{
        (void)state;
        static const char *const by_model[] = { "workload.model=matmul", NULL };
        static const struct bad rows[] = {
                { "{\"system\": {\"name\": \"global\",\n \"migrate\": \"pairs\"}}", NULL,
                  "t.json:2:13: /system/migrate: system \"global\" does not use system.migrate, "
                  "but "
                  "chameleon" },
                { "{\"system\": {\"name\": \"global\"}, \"sweep\": {\"system.dpb_periods\": [1, "
                  "2]}}",
                  NULL, "/sweep/system.dpb_periods: system \"global\" does not use" },
                { "{\"sweep\": {\"system.name\": [\"local\", \"dlb\"], \"system.period_s\": [1, "
                  "2]}}",
                  NULL,
                  "/sweep/system.period_s: none of the systems that are swept uses "
                  "system.period_s, but global, dynamic" },
                { "{\"workload\": {\"nbody_bodies\": 10}}", NULL,
                  "/workload/nbody_bodies: model \"synthetic\" does not use "
                  "workload.nbody_bodies, but nbody" },
                { "{\"workload\": {\"model\": \"micropp\", \"task_ms\": 10}}", NULL,
                  "does not use workload.task_ms, but synthetic, phases, mesh, limiter" },
                { "{\"workload\": {\"model\": \"micropp\", \"load_ms\": [1, 2, 3, 4]}}", NULL,
                  "does not use workload.load_ms, but given" },
                { "{\"workload\": {\"regions\": 4}}", NULL,
                  "system \"global\" does not use workload.regions, but dpb" },
                { "{\"system\": {\"name\": \"packing\"}, \"runtime\": {\"task_us\": 4}}", NULL,
                  "system \"packing\" does not use runtime.task_us, but baseline" },
                { "{\"system\": {\"name\": \"local\"}, \"runtime\": {\"solver_ms\": 4}}", NULL,
                  "system \"local\" does not use runtime.solver_ms, but global, dynamic" },
                { "{}", "system.migrate=pairs",
                  "--set system.migrate=pairs: system \"global\" does not use system.migrate" },
                { "{\"sweep\": {\"workload.imbalance\": [1, 2]}}", "workload.model=matmul",
                  "model \"matmul\" does not use workload.imbalance, but synthetic, cholesky" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                check_bad(&rows[i]);

        struct scenario scenario;
        must_open(&scenario,
                  "{\"system\": {\"migrate\": \"pairs\"}, \"platform\": {\"cores_per_node\": 8},"
                  " \"sweep\": {\"system.name\": [\"global\", \"chameleon\"]}}",
                  NULL);
        scenario_close(&scenario);
        must_open(&scenario, "{\"workload\": {\"imbalance\": 2}}", by_model);
        scenario_close(&scenario);
}

static void test_bad_sweeps(void **state)
{
        (void)state;
        static const struct bad rows[] = {
                { "{\"sweep\": [1]}", NULL, "/sweep: found an array, allowed is an object" },
                { "{\"sweep\": {\"graph.degre\": [2]}}", NULL,
                  "t.json:1:27: /sweep/graph.degre: unknown path \"graph.degre\", did you mean "
                  "\"graph.degree\"?" },
                { "{\"sweep\": {\"degree\": [2]}}", NULL, "did you mean \"graph.degree\"?" },
                { "{\"sweep\": {\"seed\": [2]}}", NULL, "/sweep/seed: unknown path \"seed\"" },
                { "{\"sweep\": {\"output.series_s\": [1]}}", NULL, "it cannot be swept" },
                { "{\"output\": {\"series_s\": 1e-9}}", NULL,
                  "/output/series_s: found 1e-09, allowed is 0 (no time series) or 1e-06 and "
                  "more" },
                { "{\"sweep\": {\"graph.degree\": []}}", NULL,
                  "/sweep/graph.degree: found an empty list" },
                { "{\"sweep\": {\"workload.imbalance\": [1,\n 2, 1.0]}}", NULL,
                  "t.json:2:5: /sweep/workload.imbalance/2: found 1 twice, allowed is each value "
                  "once" },
                { "{\"sweep\": {\"graph.degree,system.name\": [[1, \"local\"], [1, \"global\"], "
                  "[1, "
                  "\"local\"]]}}",
                  NULL, "found 1 and what is tied to it twice" },
                { "{\"sweep\": {\"graph.degree\": 2}}", NULL,
                  "/sweep/graph.degree: found no list, allowed is an array of values" },
                { "{\"sweep\": {\"graph.degree\": [2,\n \"x\"]}}", NULL,
                  "t.json:2:2: /sweep/graph.degree/1: found \"x\", allowed is a whole number" },
                { "{\"sweep\": {\"graph.degree\": [1], \"graph.degree,platform.nodes\": [[1, 2]]}}",
                  NULL, "path \"graph.degree\" is swept already" },
                { "{\"sweep\": {\"graph.degree,graph.degree\": [[1, 2]]}}", NULL,
                  "path \"graph.degree\" is swept already" },
                { "{\"sweep\": {\"graph.degree,platform.nodes\": [[1, 2], [1]]}}", NULL,
                  "/sweep/graph.degree,platform.nodes/1: found 1 values, allowed is an array of "
                  "2" },
                { "{\"sweep\": {\"graph.degree,platform.nodes\": [[1, 2], [1, 0]]}}", NULL,
                  "/sweep/graph.degree,platform.nodes/1/1: found 0, allowed is" },
                { "{\"sweep\": {\"graph.degree,\": [[1, 2]]}}", NULL, "unknown path \"\"" },
                { "{\"sweep\": {\"graph.degree\": [5, 6]}}", NULL,
                  "t.json:1:29: /sweep/graph.degree/0: found 5, allowed is at most "
                  "platform.nodes" },
                { "{\"sweep\": {\"platform.nodes\": [4, 8]}, \"platform\": {\"speed\": [{\"node\": "
                  "5, "
                  "\"factor\": 2}]}}",
                  NULL, "/platform/speed: found node 5, allowed is at most 3" },
                { "{\"sweep\": {\"system.name\": [\"global\", \"baseline\"]}, \"system\": "
                  "{\"lewi\": "
                  "true}}",
                  NULL, "/system/lewi: found true, but system \"baseline\"" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                check_bad(&rows[i]);
}

/* A cross product of more than a million points is refused before it is made. */
static void test_too_many_points(void **state)
{
        (void)state;
        static const char *const paths[] = { "graph.seed", "graph.trials", "system.period_s" };
        char text[16384] = "{\"sweep\": {";
        for (int p = 0; p < 3; p++) {
                sprintf(text + strlen(text), "%s\"%s\": [", p ? "], " : "", paths[p]);
                for (int i = 1; i <= 101; i++)
                        sprintf(text + strlen(text), "%s%d", i > 1 ? ", " : "", i);
        }
        strcat(text, "]}}");
        check_bad(&(struct bad){ text, NULL, "/sweep: its lists make more than 1000000 points" });
}

/* What an option gets wrong is said of the option, not of a place in the file. */
static void test_bad_options(void **state)
{
        (void)state;
        static const char plain[] = "{\"graph\": {\"degree\": 2}}";
        static const struct bad rows[] = {
                { plain, "graph.degree", "--set graph.degree: found no path and '='" },
                { plain, "=4", "--set =4: found no path" },
                { plain, "graph.degre=4",
                  "--set graph.degre=4: unknown path 'graph.degre', did you mean 'graph.degree'?" },
                { plain, "degree=4", "did you mean 'graph.degree'?" },
                { plain, "graph.degree=many",
                  "--set graph.degree=many: found 'many', allowed is a whole number" },
                { plain, "graph.degree=", "--set graph.degree=: found '', allowed is" },
                { plain, "graph.degree=5",
                  "--set graph.degree=5: found 5, allowed is at most platform.nodes" },
                { plain, "system.name=globl", "found 'globl', allowed is one of" },
                { plain, "platform.speed=[{]", "--set platform.speed=[{]: not JSON" },
                { plain, "platform.speed=[{\"node\": 9, \"factor\": 2}]",
                  "--set platform.speed=[{\"node\": 9, \"factor\": 2}]: found node 9" },
                { plain, "sweep={\"graph.degree\": [9]}",
                  "--set sweep={\"graph.degree\": [9]}: found 9" },
                { plain, "sweep.graph.degree=[9]", "--set sweep.graph.degree=[9]: found 9" },
                { plain, "sweep.graph.degre=[2]",
                  "--set sweep.graph.degre=[2]: unknown path \"graph.degre\"" },
                { plain, "seed=-1", "--set seed=-1: found -1, allowed is" },
                { plain, "name=\xff", "--set name=\xff: not JSON: a string is not UTF-8" },
                { "{\"graph\": 3}", "graph.degree=2", "t.json:1:11: /graph: found a number" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                check_bad(&rows[i]);
        struct scenario scenario;
        struct lb_error err;
        assert_int_equal(open_text(&scenario, plain, NULL, "abc", &err), -1);
        assert_string_equal(err.text,
                            "--seed abc: found 'abc', allowed is a whole number from 0 to "
                            "9007199254740991");
        /* The next one would be taken for its neighbour. */
        assert_int_equal(open_text(&scenario, plain, NULL, "9007199254740993", &err), -1);
        assert_non_null(strstr(err.text, "from 0 to 9007199254740991"));
}

static void test_bad_include(void **state)
{
        static const struct {
                const char *machine, *message;
        } cases[] = {
                { "[1]", "m.json:1:1: found an array, allowed is an object" },
                { "{ \"graph\": {} }", "m.json:1:12: /graph: unknown key \"graph\"" },
                { "{ \"platform\": { \"network\": { \"latency_us\": -1 } } }", "latency_us" },
                { "{ \"platform\": { \"latency\": 1 } }", "unknown key \"latency\"" },
                { "{ \"platform\": { \"speed\": [{ \"node\": 0, \"factor\": 2 }] } }",
                  "no list of speeds" },
                { "{ \"platform\": ", "m.json:1:" },
                { NULL, "none.json" },
        };
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct scenario scenario;
                struct lb_error err;
                if (cases[i].machine)
                        write_text("m.json", cases[i].machine);
                assert_int_equal(open_text(&scenario,
                                           cases[i].machine ? "{ \"include\": \"m.json\" }"
                                                            : "{ \"include\": \"none.json\" }",
                                           NULL, NULL, &err),
                                 -1);
                if (!strstr(err.text, cases[i].message))
                        fail_msg("'%s', not '%s'", err.text, cases[i].message);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_bad_include),  cmocka_unit_test(test_bad_values),
                cmocka_unit_test(test_bad_together), cmocka_unit_test(test_unused_keys),
                cmocka_unit_test(test_bad_sweeps),   cmocka_unit_test(test_too_many_points),
                cmocka_unit_test(test_bad_options),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
