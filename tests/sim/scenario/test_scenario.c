/* SPDX-License-Identifier: BSD-3-Clause */
/* What a scenario means, and those of the project. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/scenario/opened.h"

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
            "9007199254740991,"
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
        assert_true(scenario.seed == UINT64_C(9007199254740991));
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

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_include),       cmocka_unit_test(test_defaults),
                cmocka_unit_test(test_values),        cmocka_unit_test(test_original),
                cmocka_unit_test(test_published),     cmocka_unit_test(test_shared_parameters),
                cmocka_unit_test(test_our_scenarios), cmocka_unit_test(test_schema),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
