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

static void write_text(const char *file, const char *text)
{
        FILE *out = fopen(file, "w");
        assert_non_null(out);
        assert_true(fputs(text, out) >= 0);
        assert_int_equal(fclose(out), 0);
}

/* What is written is read back the same, sparse, dense and irregular. */
static void test_round_trip(void **state)
{
        (void)state;
        static const struct graph_spec specs[] = {
                { 1, 1, 1, GRAPH_METHOD_RANDOM, 0, 0, 0 },
                { 32, 16, 3, GRAPH_METHOD_GREEDY, (UINT64_C(1) << 53) - 1, 0, 0 },
                { 20, 20, 19, GRAPH_METHOD_RANDOM, 3, 0, 0 },
                { 11, 4, 3, GRAPH_METHOD_RANDOM, 4, 0, 0 },
                { 40, 20, 4, GRAPH_METHOD_CIRCULANT, 5, 0, 0 },
        };
        for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
                struct lb_error err = { 0 };
                struct graph *graph = graph_create(&specs[i], &err);
                assert_non_null(graph);
                assert_int_equal(graph_write_json(graph, i ? &specs[i] : NULL, "g.json", &err), 0);
                struct graph *back = graph_read_json("g.json", &err);
                if (!back)
                        fail_msg("%s", err.text);
                assert_int_equal(back->nedge, graph->nedge);
                assert_int_equal(back->nnode, graph->nnode);
                assert_int_equal(back->degree, graph->degree);
                assert_string_equal(back->note, graph->note);
                assert_memory_equal(back->edge_node, graph->edge_node,
                                    (size_t)graph->nedge * sizeof(int32_t));
                graph_destroy(graph);
                graph_destroy(back);
        }
}

/* A file that is no graph is refused, and the message says where, what was found and what is
 * allowed. */
static void test_malformed(void **state)
{
        (void)state;
#define SIZES "\"appranks\": 2, \"nodes\": 2, \"degree\": 2, "
        static const struct {
                const char *text, *message;
        } cases[] = {
                { "{" SIZES "\"graph\": [[0, 1], [1, 0]]}", NULL },
                { "{" SIZES "\"graph\": [[0], [1, 0]]}", NULL },
                { "", "bad.json" },
                { "{" SIZES "\"graph\": [[0, 1], [1", "bad.json:1:" },
                { "[]", "an array" },
                { "{\"appranks\": 2, \"nodes\": 2, \"degree\": 2}", "\"graph\" is missing" },
                { "{\"nodes\": 2, \"degree\": 2, \"graph\": []}", "\"appranks\" is missing" },
                { "{\"appranks\": 2.5, \"nodes\": 2, \"degree\": 2, \"graph\": []}",
                  "bad.json:1:14: /appranks: 2.5: a whole number from 1 to 131072 is allowed" },
                { "{\"appranks\": 1000000000, \"nodes\": 2, \"degree\": 2, \"graph\": []}",
                  "from 1 to 131072" },
                { "{\"appranks\": 2, \"nodes\": 0, \"degree\": 2, \"graph\": []}", "/nodes: 0" },
                { "{\"appranks\": 2, \"nodes\": \"2\", \"degree\": 2, \"graph\": []}",
                  "/nodes: \"2\"" },
                { "{\"appranks\": 2, \"nodes\": 2, \"degree\": 3, \"graph\": []}",
                  "/degree: 3: a whole number from 1 to 2" },
                { "{\"appranks\": 1, \"nodes\": 2, \"degree\": 1, \"graph\": [[0]]}",
                  "every node needs an apprank" },
                { "{\"appranks\": 65536, \"nodes\": 16384, \"degree\": 16384, \"graph\": []}",
                  "at most 16777216 edges" },
                { "{" SIZES "\"graph\": {}}", "/graph: " },
                { "{" SIZES "\"graph\": [[0, 1]]}", "/graph: 1 appranks: 2 are needed" },
                { "{" SIZES "\"graph\": [[0, 1], 1]}", "/graph/1: 1: an array" },
                { "{" SIZES "\"graph\": [[0, 1], [1, 2]]}", "/graph/1/1: 2: a node from 0 to 1" },
                { "{" SIZES "\"graph\": [[0, 1], [1, -1]]}", "/graph/1/1: -1" },
                { "{" SIZES "\"graph\": [[0, 1], [1, 1e99]]}", "/graph/1/1: 1e" },
                { "{" SIZES "\"graph\": [[0, 1], [1, null]]}", "/graph/1/1: null" },
                { "{" SIZES "\"graph\": [[0, 1, 1], [1]]}",
                  "/graph/0: more than the degree, 2 nodes" },
                { "{" SIZES "\"graph\": [[0, 1], [1, 1]]}", "apprank 1: node 1 twice" },
                { "{" SIZES "\"graph\": [[1, 0], [1, 0]]}", "must be its home node 0" },
                { "{" SIZES "\"graph\": [[0, 1], []]}", "apprank 1: no nodes" },
                { "{" SIZES "\"graph\": [[0], [1]]}", "the graph's largest degree is 1" },
                { "{" SIZES "\"graf\": [[0, 1], [1, 0]]}",
                  "unknown key \"graf\", did you mean \"graph\"?" },
                { "{" SIZES "\"seed\": -1, \"graph\": [[0, 1], [1, 0]]}", "/seed: -1" },
                { "{" SIZES "\"method\": \"magic\", \"graph\": [[0, 1], [1, 0]]}",
                  "/method: \"magic\"" },
        };
#undef SIZES
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct lb_error err = { 0 };
                write_text("bad.json", cases[i].text);
                struct graph *graph = graph_read_json("bad.json", &err);
                if (!cases[i].message && !graph)
                        fail_msg("%s: %s", cases[i].text, err.text);
                graph_destroy(graph);
                if (!cases[i].message)
                        continue;
                assert_null(graph);
                assert_int_equal(err.kind, LB_ERROR_INPUT);
                if (!strstr(err.text, cases[i].message))
                        fail_msg("%s: %s", cases[i].text, err.text);
        }
}

/* No message of a file cut anywhere is a crash, and none is taken for a graph. */
static void test_truncated(void **state)
{
        (void)state;
        static const char whole[] = "{\"appranks\": 3, \"nodes\": 3, \"degree\": 2, \"seed\": 1, "
                                    "\"graph\": [[0, 1], [1, 2], [2, 0]]}";
        char part[sizeof(whole)];
        for (size_t length = 0; length < sizeof(whole) - 1; length++) {
                struct lb_error err = { 0 };
                memcpy(part, whole, length);
                part[length] = '\0';
                write_text("cut.json", part);
                assert_null(graph_read_json("cut.json", &err));
                assert_true(err.text[0] != '\0');
        }
}

/* A place that cannot be written is a message, and no file is left. */
static void test_unwritable(void **state)
{
        (void)state;
        struct graph_spec spec = { 4, 4, 2, GRAPH_METHOD_RANDOM, 1, 0, 0 };
        struct lb_error err = { 0 };
        struct graph *graph = graph_create(&spec, &err);
        assert_non_null(graph);
        assert_int_equal(graph_write_json(graph, &spec, "no/such/place.json", &err), -1);
        assert_non_null(strstr(err.text, "no/such/place.json"));
        assert_null(graph_read_json("no/such/place.json", &err));
        graph_destroy(graph);
}

/* The cache: $LBSIM_CACHE, then $XDG_CACHE_HOME/lbsim, then $HOME/.cache/lbsim, then none. */
static void test_cache_directory(void **state)
{
        (void)state;
        static const struct {
                const char *own, *xdg, *home, *expected;
        } cases[] = {
                { "/c", "/x", "/h", "/c" },
                { "", "/x", "/h", "/x/lbsim" },
                { NULL, "/x", "/h", "/x/lbsim" },
                { NULL, NULL, "/h", "/h/.cache/lbsim" },
                { NULL, "", "/h", "/h/.cache/lbsim" },
                { NULL, NULL, NULL, NULL },
                { "/too/long/for/the/given/room", NULL, NULL, NULL },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                const char *names[] = { "LBSIM_CACHE", "XDG_CACHE_HOME", "HOME" };
                const char *values[] = { cases[i].own, cases[i].xdg, cases[i].home };
                for (int v = 0; v < 3; v++)
                        assert_int_equal(
                            values[v] ? setenv(names[v], values[v], 1) : unsetenv(names[v]), 0);
                char path[20];
                const char *found = graph_cache_directory(path, sizeof(path));
                if (cases[i].expected)
                        assert_string_equal(found, cases[i].expected);
                else
                        assert_null(found);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_malformed),
                cmocka_unit_test(test_truncated),       cmocka_unit_test(test_unwritable),
                cmocka_unit_test(test_cache_directory),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
