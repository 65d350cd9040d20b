/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <cjson/cJSON.h>

#include "sim/commands/commands.h"

/* What one call of `lbsim solve` did. */
struct outcome {
        int status;
        char out[8192], err[2048];
};

static void slurp(FILE *file, char *text, size_t size)
{
        rewind(file);
        text[fread(text, 1, size - 1, file)] = '\0';
        fclose(file);
}

static struct outcome call(int argc, char **argv)
{
        struct outcome o;
        FILE *out = tmpfile(), *err = tmpfile();
        assert_true(out && err);
        fflush(stdout);
        fflush(stderr);
        int old_out = dup(1), old_err = dup(2);
        assert_true(dup2(fileno(out), 1) == 1 && dup2(fileno(err), 2) == 2);
        o.status = lb_command_run(&command_solve, argc, argv);
        fflush(stdout);
        fflush(stderr);
        assert_true(dup2(old_out, 1) == 1 && dup2(old_err, 2) == 2);
        close(old_out);
        close(old_err);
        slurp(out, o.out, sizeof(o.out));
        slurp(err, o.err, sizeof(o.err));
        return o;
}

/* Solve a text as if it were a file, with up to two more arguments. */
static struct outcome solve(const char *text, const char *option, const char *value)
{
        FILE *file = fopen("instance.json", "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
        char *argv[] = { "solve", "instance.json", (char *)option, (char *)value, NULL };
        return call(2 + (option != NULL) + (value != NULL), argv);
}

static const char two[] =
    "{\"cores\": [48, 48], \"appranks\": [{\"load\": 60, \"nodes\": [0, 1]},\n"
    " {\"load\": 20.5, \"nodes\": [1, 0]}]}";

static double get(const cJSON *root, const char *name)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);
        assert_non_null(item);
        return item->valuedouble;
}

/* The answer is a JSON document with the objective, the cores off home and a list per apprank. */
static void test_json(void **state)
{
        (void)state;
        struct outcome o = solve(two, NULL, NULL);
        assert_int_equal(o.status, 0);
        assert_string_equal(o.err, "");
        cJSON *root = cJSON_Parse(o.out);
        assert_non_null(root);
        assert_true(get(root, "objective") == 60.0 / 71);
        assert_true(get(root, "offloaded_cores") == 25);
        assert_null(cJSON_GetObjectItemCaseSensitive(root, "moved_cores"));
        cJSON *lists = cJSON_GetObjectItemCaseSensitive(root, "allocation");
        static const int expected[2][2] = { { 47, 24 }, { 24, 1 } };
        for (int a = 0; a < 2; a++)
                for (int i = 0; i < 2; i++)
                        assert_int_equal(
                            cJSON_GetArrayItem(cJSON_GetArrayItem(lists, a), i)->valueint,
                            expected[a][i]);
        cJSON_Delete(root);
}

/* What binds is named: appranks 0 and 1 share two nodes, and the third node, though idle, is of no
 * use to them. There the other solver has nothing to better. */
static void test_cut(void **state)
{
        (void)state;
        static const char three[] =
            "{\"cores\": [48, 48, 48], \"appranks\": [{\"load\": 60, \"nodes\": [0, 1]},"
            "{\"load\": 20, \"nodes\": [1, 0]}, {\"load\": 3, \"nodes\": [2, 1]}]}";
        static const char *const solvers[] = { "exact", "lexicographic" };
        for (int i = 0; i < 2; i++) {
                struct outcome o = solve(three, "--solver", solvers[i]);
                assert_int_equal(o.status, 0);
                assert_non_null(
                    strstr(o.out, "\"cut\": { \"appranks\": [0, 1], \"nodes\": [0, 1] }"));
        }
        struct outcome o = solve(three, "--format", "table");
        assert_non_null(strstr(o.out, "no less: appranks 0, 1 have workers on nodes 0, 1 only"));
}

/* With the cores owned now, the answer counts the cores that move. */
static void test_owned(void **state)
{
        (void)state;
        struct outcome o = solve("{\"cores\": [8], \"appranks\": [{\"load\": 1, \"nodes\": [0]},"
                                 "{\"load\": 1, \"nodes\": [0]}], \"owned\": [[6], [2]]}",
                                 NULL, NULL);
        assert_int_equal(o.status, 0);
        assert_non_null(strstr(o.out, "\"moved_cores\": 2"));
}

/* The linear program adds the fractional objective, which is not above the rounded one. */
static void test_lp(void **state)
{
        (void)state;
        struct outcome o = solve(two, "--solver", "lp");
        assert_int_equal(o.status, 0);
        cJSON *root = cJSON_Parse(o.out);
        assert_non_null(root);
        assert_true(get(root, "fractional_objective") <= get(root, "objective"));
        assert_true(get(root, "fractional_objective") > 80.5 / 96 - 1e-9);
        assert_non_null(cJSON_GetObjectItemCaseSensitive(root, "fractional"));
        cJSON_Delete(root);
}

/* The table names every apprank's cores by node. */
static void test_table(void **state)
{
        (void)state;
        struct outcome o = solve(two, "--format", "table");
        assert_int_equal(o.status, 0);
        assert_non_null(strstr(o.out, "47@0 24@1\n"));
        assert_non_null(strstr(o.out, "24@1 1@0\n"));
}

/* Every wrong input is exit code 2, nothing on standard output, and a message that names the place.
 */
static void test_bad_input(void **state)
{
        (void)state;
        static const struct {
                const char *text, *message;
        } table[] = {
                { "", "instance.json:" },
                { "[1, 2", "instance.json:" },
                { "[]", "instance.json:1:1: found an array, must be an object" },
                { "{}", "\"cores\" is missing" },
                { "{\"cores\": [4]}", "\"appranks\" is missing" },
                { "{\"cores\": [], \"appranks\": []}",
                  "1:11: /cores: found an array of 0, must have 1 to 131072 items" },
                { "{\"cores\": [4], \"appranks\": []}",
                  "/appranks: found an array of 0, must have 1 to 131072 items" },
                { "{\"cores\": 4, \"appranks\": []}", "/cores: found 4, must be an array" },
                { "{\"cores\": [4],\n \"aprank\": []}",
                  "2:12: /aprank: unknown key \"aprank\", did you mean \"appranks\"" },
                { "{\"cores\": [0], \"appranks\": [{\"load\": 1, \"nodes\": [0]}]}",
                  "/cores/0: found 0, must be a whole number from 1 to 1048576" },
                { "{\"cores\": [1e9], \"appranks\": [{\"load\": 1, \"nodes\": [0]}]}",
                  "/cores/0: found 1000000000, must be" },
                { "{\"cores\": [4.5], \"appranks\": [{\"load\": 1, \"nodes\": [0]}]}",
                  "/cores/0: found 4.5, must be" },
                { "{\"cores\": [\"4\"], \"appranks\": [{\"load\": 1, \"nodes\": [0]}]}",
                  "/cores/0: found \"4\", must be" },
                { "{\"cores\": [4], \"appranks\": [7]}",
                  "/appranks/0: found 7, must be an object" },
                { "{\"cores\": [4], \"appranks\": [{\"nodes\": [0]}]}",
                  "/appranks/0: \"load\" is missing" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": 1}]}",
                  "/appranks/0: \"nodes\" is missing" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": 1, \"node\": [0]}]}",
                  "unknown key \"node\", did you mean \"nodes\"" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": -1, \"nodes\": [0]}]}",
                  "/appranks/0/load: found -1, must be a number >= 0" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": NaN, \"nodes\": [0]}]}",
                  "instance.json:1:" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": 1e999, \"nodes\": [0]}]}",
                  "instance.json:1:" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": null, \"nodes\": [0]}]}",
                  "/appranks/0/load: found null, must be a number >= 0" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": 1, \"nodes\": []}]}",
                  "/appranks/0/nodes: found an array of 0, must have 1 to" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": 1, \"nodes\": [1]}]}",
                  "/appranks/0/nodes/0: found 1, must be a whole number from 0 to 0" },
                { "{\"cores\": [4, 4], \"appranks\": [{\"load\": 1, \"nodes\": [0, -1]}]}",
                  "/appranks/0/nodes/1: found -1, must be a whole number from 0 to 1" },
                { "{\"cores\": [4, 4], \"appranks\": [{\"load\": 1, \"nodes\": [1, 0, 1]}]}",
                  "/appranks/0/nodes/2: node 1 is listed twice" },
                { "{\"cores\": [1], \"appranks\": [{\"load\": 1, \"nodes\": [0]},"
                  "{\"load\": 1, \"nodes\": [0]}]}",
                  "/cores/0: node 0 has 1 cores for 2 workers, each needs one" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": 1, \"nodes\": [0]}], \"owned\": 1}",
                  "/owned: found 1, must be an array" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": 1, \"nodes\": [0]}], \"owned\": []}",
                  "/owned: found an array of 0, must have 1 items" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": 1, \"nodes\": [0]}],"
                  "\"owned\": [[1, 2]]}",
                  "/owned/0: found an array of 2, must have 1 items" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": 1, \"nodes\": [0]}],"
                  "\"owned\": [[-1]]}",
                  "/owned/0/0: found -1, must be a whole number" },
                { "{\"cores\": [4], \"appranks\": [{\"load\": 1, \"nodes\": [0]}],"
                  "\"owned\": [[5]]}",
                  "/owned/0/0: more than the 4 cores of node 0 are owned" },
        };
        for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
                struct outcome o = solve(table[i].text, NULL, NULL);
                if (o.status != 2 || !strstr(o.err, table[i].message))
                        fail_msg("%s: exit code %d, %s", table[i].text, o.status, o.err);
                assert_string_equal(o.out, "");
        }
}

/* A wrong command line is exit code 2 with a message that says what is allowed. */
static void test_bad_command_line(void **state)
{
        (void)state;
        static const struct {
                const char *argument[3], *message;
        } table[] = {
                { { NULL }, "one instance is needed" },
                { { "missing.json" }, "missing.json" },
                { { "instance.json", "--solver" },
                  "'--solver' needs a value, allowed is one of exact, lexicographic, lp" },
                { { "instance.json", "--solver", "LP" },
                  "--solver: found 'LP', allowed is one of exact, lexicographic, lp" },
                { { "instance.json", "--format=csv" },
                  "--format: found 'csv', allowed is one of json, table" },
                { { "instance.json", "--fast" }, "unknown option '--fast'" },
                { { "instance.json", "--solverx" },
                  "unknown option '--solverx', did you mean '--solver'?" },
                { { "instance.json", "other.json" },
                  "unexpected argument 'other.json': one instance is needed" },
        };
        for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
                char *argv[5] = { "solve" };
                for (int j = 0; j < 3; j++)
                        argv[j + 1] = (char *)table[i].argument[j];
                int argc = 1;
                while (argv[argc])
                        argc++;
                struct outcome o = call(argc, argv);
                if (o.status != 2 || !strstr(o.err, table[i].message))
                        fail_msg("%zu: exit code %d, %s", i, o.status, o.err);
                assert_string_equal(o.out, "");
        }
}

/* --help prints how an instance looks, and that instance can be solved. */
static void test_help_shows_an_instance(void **state)
{
        (void)state;
        char *argv[] = { "solve", "--help", NULL };
        struct outcome o = call(2, argv);
        assert_int_equal(o.status, 0);
        char *example = strstr(o.out, "{\"cores\"");
        assert_non_null(example);
        struct outcome solved = solve(example, NULL, NULL);
        assert_int_equal(solved.status, 0);
        assert_non_null(strstr(solved.out, "\"moved_cores\": 23"));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_json),
                cmocka_unit_test(test_cut),
                cmocka_unit_test(test_owned),
                cmocka_unit_test(test_lp),
                cmocka_unit_test(test_table),
                cmocka_unit_test(test_bad_input),
                cmocka_unit_test(test_bad_command_line),
                cmocka_unit_test(test_help_shows_an_instance),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
