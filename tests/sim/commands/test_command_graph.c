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

#include "base/json.h"
#include "sim/commands/commands.h"

enum { ARGUMENT_MAX = 24, TEXT_SIZE = 1 << 16 };

/* What a run of the command left. */
struct outcome {
        int code;
        char out[TEXT_SIZE], err[TEXT_SIZE];
};
static struct outcome outcome;

static void read_text(const char *file, char *text)
{
        FILE *in = fopen(file, "r");
        assert_non_null(in);
        size_t length = fread(text, 1, TEXT_SIZE - 1, in);
        text[length] = '\0';
        fclose(in);
}

static int redirect(FILE *stream, const char *file)
{
        fflush(stream);
        int saved = dup(fileno(stream));
        FILE *target = fopen(file, "w");
        assert_non_null(target);
        assert_true(dup2(fileno(target), fileno(stream)) >= 0);
        fclose(target);
        return saved;
}

static void restore(FILE *stream, int saved)
{
        fflush(stream);
        assert_true(dup2(saved, fileno(stream)) >= 0);
        close(saved);
}

/* Run "lbsim graph" with arguments separated by blanks. */
static const struct outcome *run(const char *arguments)
{
        char text[512];
        char *argv[ARGUMENT_MAX + 1] = { NULL };
        int argc = 0;
        snprintf(text, sizeof(text), "graph %s", arguments);
        for (char *rest = text, *word; (word = strtok_r(rest, " ", &rest)) && argc < ARGUMENT_MAX;)
                argv[argc++] = word;
        int out = redirect(stdout, "stdout.txt"), err = redirect(stderr, "stderr.txt");
        outcome.code = lb_command_run(&command_graph, argc, argv);
        restore(stdout, out);
        restore(stderr, err);
        read_text("stdout.txt", outcome.out);
        read_text("stderr.txt", outcome.err);
        return &outcome;
}

static void run_well(const char *arguments)
{
        run(arguments);
        if (outcome.code != 0 || outcome.err[0])
                fail_msg("lbsim graph %s: %d, %s", arguments, outcome.code, outcome.err);
}

static int set_up(void **state)
{
        (void)state;
        return setenv("LBSIM_CACHE", "cache", 1) || setenv("LBSIM_DATA", LB_SOURCE_DIR, 1);
}

/* The README's command prints the judgement; 32 x 16 at degree 3 is judged exactly. */
static void test_table(void **state)
{
        (void)state;
        static const char *const lines[] = {
                "32 appranks on 16 nodes, degree 3 (method best, seed 1, trials 20)\n",
                "vertex isoperimetric number   0.7",
                "(exact)",
                "x appranks / nodes          1.",
                "minimising set",
                "appranks per node             6\n",
                "second singular value         0.7",
                "worst load always balanced    1.1",
                "connected                     yes\n",
        };
        run_well("--appranks 32 --nodes 16 --degree 3");
        for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
                if (!strstr(outcome.out, lines[i]))
                        fail_msg("'%s' is missing in\n%s", lines[i], outcome.out);
        assert_null(strstr(outcome.out, "note"));
}

/* The same request prints the same, made or from the cache; another seed another graph. */
static void test_repeatable(void **state)
{
        (void)state;
        static char first[TEXT_SIZE];
        run_well("--appranks 20 --nodes 20 --degree 3 --method random --out a.json");
        memcpy(first, outcome.out, sizeof(first));
        run_well("--appranks 20 --nodes 20 --degree 3 --method random --out b.json");
        assert_string_equal(first, outcome.out);
        run_well("--appranks 20 --nodes 20 --degree 3 --method random --seed 2 --out c.json");
        static char a[TEXT_SIZE], b[TEXT_SIZE], c[TEXT_SIZE];
        read_text("a.json", a);
        read_text("b.json", b);
        read_text("c.json", c);
        assert_string_equal(a, b);
        assert_string_not_equal(strstr(a, "\"graph\""), strstr(c, "\"graph\""));
}

/* JSON output is JSON and says what the table says. */
static void test_json(void **state)
{
        (void)state;
        struct lb_json doc;
        struct lb_error err = { 0 };
        run_well("--appranks 8 --nodes 8 --degree 8 --format json");
        if (lb_json_parse(&doc, "stdout", outcome.out, strlen(outcome.out), &err))
                fail_msg("%s", err.text);
        static const struct {
                const char *key;
                double value;
        } numbers[] = { { "appranks", 8 }, { "degree", 8 },          { "isoperimetric", 2 },
                        { "scaled", 2 },   { "second_singular", 0 }, { "worst_load", 8 } };
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
                const cJSON *item = cJSON_GetObjectItemCaseSensitive(doc.root, numbers[i].key);
                assert_true(cJSON_IsNumber(item) && item->valuedouble == numbers[i].value);
        }
        assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(doc.root, "exact")));
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(doc.root, "set")), 4);
        lb_json_close(&doc);
}

/* A stored graph is judged like the made one, and one for another size is refused. */
static void test_file(void **state)
{
        (void)state;
        static char made[TEXT_SIZE];
        run_well("--appranks 12 --nodes 6 --degree 3 --out stored.json");
        memcpy(made, outcome.out, sizeof(made));
        run_well("--file stored.json --nodes 6");
        assert_string_equal(strchr(made, '\n'), strchr(outcome.out, '\n')); /* but for the title */
        assert_int_equal(run("--file stored.json --nodes 12")->code, 2);
        assert_non_null(strstr(outcome.err, "stored.json: 6 is its number of nodes"));
        assert_int_equal(run("--file stored.json --degree 4")->code, 2);
        assert_non_null(strstr(outcome.err, "its degree is 3"));
}

/* Where no graph is biregular, the table has a note. */
static void test_note(void **state)
{
        (void)state;
        run_well("--appranks 10 --nodes 4 --degree 3");
        assert_non_null(strstr(outcome.out, "note                          not biregular"));
        assert_non_null(strstr(outcome.out, "appranks per node             7 to 8\n"));
}

/* A small budget prints bounds instead of a number, and no proof. */
static void test_budget(void **state)
{
        (void)state;
        run_well("--appranks 40 --nodes 40 --degree 3 --budget 1");
        assert_non_null(strstr(outcome.out, "(bounds)"));
        assert_null(strstr(outcome.out, "(exact)"));
}

/* Bad input: exit code, what was found and what is allowed, and nothing on standard output. */
static void test_bad_input(void **state)
{
        (void)state;
        static const struct {
                const char *arguments;
                int code;
                const char *message;
        } cases[] = {
                { "", 2, "--appranks and --nodes, or --file, are needed" },
                { "--appranks 8", 2, "--appranks and --nodes" },
                { "--appranks 0 --nodes 4", 2,
                  "--appranks: found '0', allowed is a whole number from 1 to 131072" },
                { "--appranks 8 --nodes 0", 2, "--nodes: found '0'" },
                { "--appranks 8 --nodes -4", 2, "--nodes: found '-4'" },
                { "--appranks 1000000000 --nodes 4", 2, "--appranks: found '1000000000'" },
                { "--appranks 99999999999999999999 --nodes 4", 2, "found '99999999999999999999'" },
                { "--appranks 8x --nodes 4", 2, "--appranks: found '8x'" },
                { "--appranks 8.5 --nodes 4", 2, "--appranks: found '8.5'" },
                { "--appranks 8 --nodes 8 --degree 9", 2,
                  "degree 9 on 8 nodes: from 1 to 8 are allowed" },
                { "--appranks 8 --nodes 8 --degree 2.5", 2, "--degree: " },
                { "--appranks 3 --nodes 3", 2, "--degree is needed" },
                { "--appranks 4 --nodes 8 --degree 2", 2, "every node needs an apprank" },
                { "--appranks 10 --nodes 4 --degree 2 --method circulant", 2, "multiple" },
                { "--appranks 8 --nodes 8 --method rondom", 2, "--method: " },
                { "--appranks 8 --nodes 8 --seed -1", 2, "--seed: " },
                { "--appranks 8 --nodes 8 --trials 0", 2, "--trials: " },
                { "--appranks 8 --nodes 8 --budget 0", 2, "--budget: found '0'" },
                { "--appranks 8 --nodes 8 --format xml", 2, "allowed is one of table, json" },
                { "--appranks 8 --nodes 8 --out g.png", 2, "--out: unknown ending of 'g.png'" },
                { "--appranks 8 --nodes 8 --out no/such/g.svg", 2, "no/such/g.svg" },
                { "--appranks 8 --nodes", 2, "'--nodes' needs a value" },
                { "--appranks 8 --nodez 8", 2, "did you mean '--nodes'?" },
                { "--appranks 8 --nodes 8 extra", 2, "unexpected argument 'extra'" },
                { "-x", 2, "unknown option '-x'" },
                { "--file no-such.json", 2, "no-such.json" },
                { "--file no-such.json --seed 3", 2, "--seed does not go with --file" },
                { "--file no-such.json --nodes_per_switch 3", 2,
                  "--nodes_per_switch does not go with --file" },
                { "--appranks 8 --nodes 8 --distances no-such.csv", 2, "no-such.csv" },
                { "--appranks 8 --nodes 8 --distances d.csv --nodes_per_switch 4", 2,
                  "do not go together" },
                { "--appranks 127 --nodes 127 --method catalogue", 2,
                  "it has no graph of 127 appranks on 127 nodes and degree 4" },
                { "--catalogue --nodes 127", 2, "the catalogue has no graph of this size" },
                { "--catalogue=no-such.csv", 2, "no-such.csv" },
                { "--catalogue --method best", 2, "--method does not go with --catalogue" },
                { "--verify", 2, "--verify goes with --catalogue only" },
                { "--extend 5 --nodes 8", 2, "--extend needs --appranks" },
                { "--extend 5 --appranks 8 --nodes 8", 2, "--extend needs --degree" },
                { "--extend 0 --appranks 8 --nodes 8", 2, "--extend: found '0'" },
                { "--extend 5 --appranks 9 --nodes 8 --degree 3", 2,
                  "the catalogue is of biregular graphs" },
                { "--extend 5 --appranks 8 --nodes 8 --degree 3 --catalogue=no/such/c.csv", 1,
                  "no/such/c.csv" },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                run(cases[i].arguments);
                if (outcome.code != cases[i].code || !strstr(outcome.err, cases[i].message))
                        fail_msg("%s: %d, %s", cases[i].arguments, outcome.code, outcome.err);
                assert_string_equal(outcome.out, "");
                assert_int_equal(strncmp(outcome.err, "lbsim graph: ", 13), 0);
        }
}

/* The catalogue is listed, as a table and as JSON, for all sizes or one. */
static void test_catalogue(void **state)
{
        (void)state;
        run_well("--catalogue --appranks 16 --nodes 16 --degree 4");
        assert_non_null(strstr(outcome.out, "      16    16      4       1.750000 1.750000 "
                                            "1.750000  optimal"));
        run_well("--catalogue --appranks 64 --nodes 64 --format json");
        struct lb_json doc;
        struct lb_error err = { 0 };
        if (lb_json_parse(&doc, "stdout", outcome.out, strlen(outcome.out), &err))
                fail_msg("%s", err.text);
        assert_true(cJSON_GetArraySize(doc.root) >= 4);
        lb_json_close(&doc);
        run_well("--catalogue --verify --appranks 16 --nodes 16 --degree 4");
        assert_string_equal(outcome.out, "16 appranks on 16 nodes, degree 4: verified\n");
}

/* A graph found for a new size is in the user's catalogue, and method catalogue takes it. */
static void test_extend(void **state)
{
        (void)state;
        unlink("cache/catalogue.csv");
        run("--extend 6 --appranks 35 --nodes 35 --degree 2");
        assert_int_equal(outcome.code, 0);
        assert_string_equal(outcome.err, "put into cache/catalogue.csv\n");
        assert_non_null(strstr(outcome.out, "      35    35      2 "));
        run_well("--appranks 35 --nodes 35 --degree 2 --method catalogue");
        assert_non_null(strstr(outcome.out, "(method catalogue"));
        run("--extend 6 --appranks 35 --nodes 35 --degree 2");
        assert_string_equal(outcome.err, "nothing better was found than in cache/catalogue.csv\n");
        unlink("cache/catalogue.csv");
}

/* With switches, or distances from a file, helpers are nearer. */
static void test_distances(void **state)
{
        (void)state;
        FILE *file = fopen("four.csv", "w");
        assert_non_null(file);
        fputs("a,b,c,d\n0,1,9,9\n1,0,9,9\n9,9,0,1\n9,9,1,0\n", file);
        fclose(file);
        run_well("--appranks 4 --nodes 4 --degree 2 --method random --distances four.csv");
        assert_non_null(strstr(outcome.out, "distance of helpers           5.000000 (mean)\n"));
        run_well("--appranks 16 --nodes 16 --degree 4 --nodes_per_switch 4 --format json");
        assert_non_null(strstr(outcome.out, "\"helper_distance\": 1."));
        run_well("--appranks 16 --nodes 16 --degree 4");
        assert_null(strstr(outcome.out, "distance"));
}

/* The help names every option, with the defaults of the parameter table. */
static void test_help(void **state)
{
        (void)state;
        static const char *const words[] = {
                "--appranks", "--nodes",  "--degree",    "--method",
                "--seed",     "--trials", "--budget",    "--out",
                "--format",   "--file",   "default 4",   "--catalogue",
                "--verify",   "--extend", "--distances", "--nodes_per_switch"
        };
        run_well("--help");
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
                assert_non_null(strstr(outcome.out, words[i]));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_table),     cmocka_unit_test(test_repeatable),
                cmocka_unit_test(test_json),      cmocka_unit_test(test_file),
                cmocka_unit_test(test_note),      cmocka_unit_test(test_budget),
                cmocka_unit_test(test_bad_input), cmocka_unit_test(test_help),
                cmocka_unit_test(test_catalogue), cmocka_unit_test(test_extend),
                cmocka_unit_test(test_distances),
        };
        return cmocka_run_group_tests(tests, set_up, NULL);
}
