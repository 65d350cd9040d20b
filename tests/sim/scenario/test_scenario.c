/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graphs/graph.h"
#include "models/trace.h"
#include "models/workload.h"
#include "policies/alloc.h"
#include "policies/lend.h"
#include "policies/lp.h"
#include "policies/place.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/scenario_impl.h"
#include "sim/engine/sim.h"

enum { SETS_MAX = 4 };

static void write_text(const char *file, const char *text)
{
        FILE *out = fopen(file, "w");
        assert_non_null(out);
        fputs(text, out);
        assert_int_equal(fclose(out), 0);
}

/* Open a text as scenario t.json with up to SETS_MAX --set options, NULL-ended. */
static int open_text(struct scenario *scenario, const char *text, const char *const *set,
                     const char *seed, struct lb_error *err)
{
        write_text("t.json", text);
        struct scenario_options options = { .set = set, .seed = seed };
        while (set && options.nset < SETS_MAX && set[options.nset])
                options.nset++;
        *err = (struct lb_error){ .kind = LB_ERROR_NONE };
        return scenario_open(scenario, "t.json", &options, err);
}

static void must_open(struct scenario *scenario, const char *text, const char *const *set)
{
        struct lb_error err;
        if (open_text(scenario, text, set, NULL, &err) < 0)
                fail_msg("%s: %s", text, err.text);
}

static struct scenario_point point_of(const struct scenario *scenario, int64_t number)
{
        struct scenario_point point;
        struct lb_error err;
        assert_int_equal(scenario_point_get(scenario, number, &point, &err), 0);
        return point;
}

static double system_value(const struct scenario_point *point, const char *name)
{
        int place = lb_param_find(scenario_section_table(SECTION_SYSTEM), name);
        assert_true(place >= 0);
        return point->value[SECTION_SYSTEM][place];
}

/* ---- Bad scenarios ---- */

struct bad {
        const char *text, *set, *message;
};

static void check_bad(const struct bad *row)
{
        struct scenario scenario;
        struct lb_error err;
        const char *const set[] = { row->set, NULL };
        if (open_text(&scenario, row->text, set, NULL, &err) == 0) {
                scenario_close(&scenario);
                fail_msg("accepted: %s %s", row->text, row->set ? row->set : "");
        }
        assert_null(scenario.tree);
        if (err.kind != LB_ERROR_INPUT || !strstr(err.text, row->message))
                fail_msg("%s: got '%s', expected '%s'", row->text, err.text, row->message);
}

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
                { "{\"platform\": {\"nodes\": 4096, \"cores_per_node\": 1024}}", NULL,
                  "/platform/nodes: found 4096, allowed are at most 511 nodes" },
                { "{\"platform\": {\"nodes\": 4096, \"appranks_per_node\": 32}, "
                  "\"graph\": {\"degree\": 1}}",
                  NULL, "allowed are at most 65536 appranks" },
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
                { "{\"sweep\": {\"graph.degree\": []}}", NULL,
                  "/sweep/graph.degree: found an empty list" },
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
                            "9007199254740992");
}

/* ---- Good scenarios ---- */

/* Loads of a run of two appranks, three iterations and 25 tasks, as loads.csv. */
static void write_loads(void)
{
        FILE *out = fopen("loads.csv", "w");
        assert_non_null(out);
        fputs("iteration,apprank,work_s,tasks\n"
              "0,0,1.5,4\n0,1,2.5,4\n1,0,1,4\n1,1,2,4\n2,0,1,4\n2,1,7,5\n",
              out);
        assert_int_equal(fclose(out), 0);
}

static const char traced[] = "{\"platform\": {\"nodes\": 2}, \"graph\": {\"degree\": 2}, "
                             "\"workload\": {\"model\": \"trace\", \"file\": \"loads.csv\"}}";

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

/* An empty scenario has the defaults of all tables and its file's name. */
static void test_defaults(void **state)
{
        (void)state;
        struct scenario scenario;
        must_open(&scenario, "{}", NULL);
        assert_string_equal(scenario.name, "t");
        assert_string_equal(scenario.description, "");
        assert_int_equal(scenario.npoint, 1);
        assert_int_equal(scenario.nskipped, 0);
        assert_int_equal(scenario_ncolumn(&scenario), 0);
        struct scenario_point point = point_of(&scenario, 0);
        for (int s = 0; s < SECTION_COUNT; s++) {
                const struct lb_param *table = scenario_section_table((enum scenario_section)s);
                for (int i = 0; table[i].name; i++)
                        assert_true(point.value[s][i] == table[i].fallback);
        }
        assert_string_equal(point.system->name, "global");
        assert_true(point.lewi && point.drom);
        assert_int_equal(point.degree, 4);
        assert_int_equal(point.napprank, 4);
        assert_null(point.load_ms);
        assert_int_equal(point.nspeed, 0);
        scenario_point_finish(&point);
        scenario_close(&scenario);
}

/* What the file says is what the point has. */
static void test_values(void **state)
{
        (void)state;
        static const char text[] =
            "{\"$schema\": \"x\", \"name\": \"n\", \"description\": \"d\", \"seed\": "
            "9007199254740992,"
            " \"replicates\": 3, \"platform\": {\"nodes\": 2, \"appranks_per_node\": 2,"
            " \"speed\": [{\"node\": 1, \"factor\": 0.625}], \"network\": {\"contention\": false}},"
            " \"graph\": {\"degree\": 2, \"method\": \"circulant\"},"
            " \"workload\": {\"model\": \"given\", \"load_ms\": [50, 12.5, 0, 99]},"
            " \"system\": {\"name\": \"local\", \"drom\": false, \"local_average_s\": 0.75},"
            " \"runtime\": {\"ownership\": \"boundary\"}, \"output\": {\"workers\": true}}";
        struct scenario scenario;
        must_open(&scenario, text, NULL);
        assert_string_equal(scenario.name, "n");
        assert_string_equal(scenario.description, "d");
        assert_int_equal(scenario.replicates, 3);
        assert_true(scenario.seed == UINT64_C(9007199254740992));
        struct scenario_point point = point_of(&scenario, 0);
        assert_int_equal(point.napprank, 4);
        assert_int_equal(point.nspeed, 1);
        assert_true(point.speed[0].node == 1 && point.speed[0].factor == 0.625);
        assert_int_equal(point.nload, 4);
        assert_true(point.load_ms[1] == 12.5);
        assert_true(point.value[SECTION_NETWORK][NETWORK_CONTENTION] == 0);
        assert_true(point.value[SECTION_RUNTIME][RUNTIME_OWNERSHIP] == OWNERSHIP_BOUNDARY);
        assert_true(point.value[SECTION_OUTPUT][OUTPUT_WORKERS] == 1);
        assert_true(point.lewi && !point.drom);
        assert_true(system_value(&point, "local_average_s") == 0.75);
        double value[16];
        scenario_policy_values(&point, "local", alloc_find("local")->params, value);
        assert_true(value[lb_param_find(alloc_find("local")->params, "local_average_s")] == 0.75);
        scenario_point_finish(&point);
        scenario_close(&scenario);
}

/* system.as = published is the original but for placement, unless the user says otherwise. */
static void test_published(void **state)
{
        (void)state;
        struct scenario scenario;
        must_open(&scenario,
                  "{\"system\": {\"name\": \"local\", \"as\": \"published\"},"
                  " \"sweep\": {\"system.place_cores\": [\"owned\", \"at_hand\"]}}",
                  NULL);
        struct scenario_point point = point_of(&scenario, 1);
        assert_true(system_value(&point, "place_cores") == 1);
        assert_true(system_value(&point, "place_finish_stop") == 0);
        assert_true(system_value(&point, "place_reserve_cores") == 1);
        assert_true(system_value(&point, "local_floor_cores") == 2);
        scenario_point_finish(&point);
        scenario_close(&scenario);
}

/* system.as = original sets each parameter that differs, unless the user or the sweep set it. */
static void test_original(void **state)
{
        (void)state;
        struct scenario scenario;
        must_open(&scenario,
                  "{\"system\": {\"as\": \"original\", \"local_rounding\": \"remainder\"},"
                  " \"sweep\": {\"system.name,system.solver\": [[\"global\", \"exact\"],"
                  " [\"local\", \"lp\"]]}}",
                  NULL);
        assert_int_equal(scenario.npoint, 2);
        int differing = 0;
        for (int64_t p = 0; p < 2; p++) {
                struct scenario_point point = point_of(&scenario, p);
                for (int s = 0; s < SECTION_COUNT; s++) {
                        const struct lb_param *t = scenario_section_table((enum scenario_section)s);
                        for (int i = 0; t[i].name; i++) {
                                bool set = !strcmp(t[i].name, "local_rounding") ||
                                           !strcmp(t[i].name, "solver");
                                if (!t[i].differs || set)
                                        continue;
                                assert_true(point.value[s][i] == t[i].original);
                                differing++;
                        }
                }
                assert_true(system_value(&point, "local_rounding") == 0);
                assert_true(system_value(&point, "solver") == (double)p);
                scenario_point_finish(&point);
        }
        assert_true(differing > 4);
        scenario_close(&scenario);
}

/* Policies that share a parameter's name mean the same thing by it. */
static void test_shared_parameters(void **state)
{
        (void)state;
        const struct lb_param *system = scenario_section_table(SECTION_SYSTEM);
        const struct lb_param *tables[64] = { alloc_global_lp.params };
        size_t count = 1;
        for (int i = 0; alloc_types[i]; i++)
                tables[count++] = alloc_types[i]->params;
        for (int i = 0; lend_types[i]; i++)
                tables[count++] = lend_types[i]->params;
        for (int i = 0; place_types[i]; i++)
                tables[count++] = place_types[i]->params;
        for (size_t t = 0; t < count; t++)
                for (int i = 0; tables[t] && tables[t][i].name; i++) {
                        int place = lb_param_find(system, tables[t][i].name);
                        assert_true(place >= SYSTEM_NPARAM_OWN);
                        assert_int_equal(system[place].type, tables[t][i].type);
                        assert_true(system[place].fallback == tables[t][i].fallback);
                }
}

/* ---- Sweeps ---- */

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
        { "{\"sweep\": {\"graph.degree\": [2, 3, 2.0]}}", 2, 1, "2", "3" },
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

/* ---- Options ---- */

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

/* ---- Fingerprints ---- */

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

/* ---- Files of the project ---- */

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

static void open_ours(struct scenario *scenario, const char *name)
{
        char file[1024];
        struct lb_error err;
        struct scenario_options options = { .nset = 0 };
        snprintf(file, sizeof(file), "%s/scenarios/%s.json", LB_SOURCE_DIR, name);
        if (scenario_open(scenario, file, &options, &err) < 0)
                fail_msg("%s", err.text);
        assert_string_equal(scenario->name, name);
        assert_true(strlen(scenario->description) > 40);
}

/* The scenarios hold the points of the paper's figures. */
static void test_our_scenarios(void **state)
{
        (void)state;
        static const struct {
                const char *name;
                int64_t npoint;
                const char *figure;
        } rows[] = {
                /* 13 imbalances x (3 node counts x baseline + 2 systems x (4 + 5 + 5) degrees) */
                { "imbalance_sweep", 13 * (3 + 2 * 14), "imbalance_sweep" },
                /* slow most or least x 2 systems x (2 nodes: 5 imbalances x 2 degrees, 8 nodes:
                   all) */
                { "slow_node", 4 * (5 * 2 + 13 * 5), "slow_node" },
                /* two machines x 2 systems x lending and ownership: both, and each alone */
                { "convergence", 2 * 2 * 3, "convergence" },
                /* 3 node counts x 2 kinds of average x 11 lengths */
                { "estimator", 3 * 2 * 11, "estimator" },
                /* appranks per node x (6 node counts x 2 systems that stay at home + 2 systems x
                   degrees up to 8 on 1, 3, 4, 4, 4, 4 of them) */
                { "micropp", 2 * (6 * 2 + 2 * (1 + 3 + 4 * 4)), "weak_scaling" },
                /* neither, each alone, both */
                { "micropp_traces", 4, "cores" },
                /* 4 node counts x 2 + 2 systems x degrees up to 6 on 1, 3, 4, 4 of them */
                { "nbody_slow_node", 4 * 2 + 2 * (1 + 3 + 4 + 4), "weak_scaling" },
                { "offloading", 2, "cores" },
                /* 2 systems x (the base and 31 changes) */
                { "sensitivity", 2 * 32, "tornado" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct scenario scenario;
                open_ours(&scenario, rows[i].name);
                assert_int_equal(scenario.npoint, rows[i].npoint);
                struct scenario_point point = point_of(&scenario, 0);
                int figure = (int)point.value[SECTION_OUTPUT][OUTPUT_FIGURE];
                assert_string_equal(output_params[OUTPUT_FIGURE].choices[figure], rows[i].figure);
                scenario_point_finish(&point);
                scenario_close(&scenario);
        }
}

/* scenarios/scenario.schema.json is what `lbsim schema` prints: renew it where tables change. */
static void test_schema(void **state)
{
        (void)state;
        struct lb_json stored, printed;
        struct lb_error err;
        FILE *out = fopen("schema.json", "w");
        assert_non_null(out);
        assert_int_equal(scenario_print_schema(out), 0);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(lb_json_open(&printed, "schema.json", &err), 0);
        if (lb_json_open(&stored, LB_SOURCE_DIR "/scenarios/scenario.schema.json", &err) < 0)
                fail_msg("%s", err.text);
        if (strcmp(stored.text, printed.text) != 0)
                fail_msg("lbsim schema > scenarios/scenario.schema.json");
        lb_json_close(&stored);
        lb_json_close(&printed);
}

/* A machine that is included is what holds where the scenario says nothing: it is no value that a
 * system must read, what is said goes before it, and another content is another scenario. */
static void test_include(void **state)
{
        static const char text[] = "{ \"include\": \"m.json\", \"platform\": { \"nodes\": 2, "
                                   "\"network\": { \"latency_us\": 7 } }, "
                                   "\"system\": { \"name\": \"dpb\" } }";
        static const char machine[] =
            "{ \"measured\": { \"any\": [1] }, \"platform\": { \"network\": { \"latency_us\": "
            "2.5, \"bandwidth_GBps\": 3.25 } }, \"runtime\": { \"task_us\": 4.5 } }";
        struct scenario scenario;
        (void)state;
        write_text("m.json", machine);
        must_open(&scenario, text, NULL);
        struct scenario_point point = point_of(&scenario, 0);
        uint64_t before = scenario.fingerprint;
        assert_true(point.value[SECTION_NETWORK][NETWORK_LATENCY_US] == 7);
        assert_true(point.value[SECTION_NETWORK][NETWORK_BANDWIDTH_GBPS] == 3.25);
        assert_true(point.value[SECTION_RUNTIME][RUNTIME_TASK_US] == 4.5);
        scenario_point_finish(&point);
        scenario_close(&scenario);
        write_text("m.json", "{ \"platform\": { \"network\": { \"bandwidth_GBps\": 3.5 } } }");
        must_open(&scenario, text, NULL);
        assert_true(scenario.fingerprint != before);
        scenario_close(&scenario);
        static const char *const set[] = { "include=m.json", NULL };
        must_open(&scenario, "{ \"platform\": { \"nodes\": 8 } }", set);
        scenario_close(&scenario);
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
                cmocka_unit_test(test_include),
                cmocka_unit_test(test_bad_include),
                cmocka_unit_test(test_bad_values),
                cmocka_unit_test(test_bad_together),
                cmocka_unit_test(test_unused_keys),
                cmocka_unit_test(test_bad_sweeps),
                cmocka_unit_test(test_too_many_points),
                cmocka_unit_test(test_bad_options),
                cmocka_unit_test(test_defaults),
                cmocka_unit_test(test_values),
                cmocka_unit_test(test_original),
                cmocka_unit_test(test_published),
                cmocka_unit_test(test_shared_parameters),
                cmocka_unit_test(test_sweeps),
                cmocka_unit_test(test_points),
                cmocka_unit_test(test_set),
                cmocka_unit_test(test_set_kinds),
                cmocka_unit_test(test_fingerprint),
                cmocka_unit_test(test_fingerprint_of_defaults),
                cmocka_unit_test(test_trace),
                cmocka_unit_test(test_bad_traces),
                cmocka_unit_test(test_fingerprint_of_trace),
                cmocka_unit_test(test_our_scenarios),
                cmocka_unit_test(test_schema),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
