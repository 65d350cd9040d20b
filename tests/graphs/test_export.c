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

#include "graphs/judge.h"

enum { TEXT_SIZE = 1 << 20 };

static const struct graph_spec spec = { 32, 16, 3, GRAPH_METHOD_RANDOM, 1, 1, 0 };

static struct graph *make(const struct graph_spec *what)
{
        struct lb_error err = { 0 };
        struct graph *graph = graph_create(what, &err);
        if (!graph)
                fail_msg("%s", err.text);
        return graph;
}

/* Export and read what is in the file, to be freed. */
static char *export_text(const char *file)
{
        struct graph *graph = make(&spec);
        struct lb_error err = { 0 };
        if (graph_export(graph, &spec, file, &err))
                fail_msg("%s", err.text);
        graph_destroy(graph);
        FILE *in = fopen(file, "r");
        char *text = calloc(1, TEXT_SIZE);
        assert_non_null(in);
        assert_non_null(text);
        assert_true(fread(text, 1, TEXT_SIZE - 1, in) > 0);
        fclose(in);
        return text;
}

static int count(const char *text, const char *what)
{
        int n = 0;
        for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
                n++;
        return n;
}

/* The drawing has a square and a line per edge, those of home black and thick, and a circle per
 * vertex. */
static void test_svg(void **state)
{
        (void)state;
        char *text = export_text("g.svg");
        assert_int_equal(count(text, "class=\"home\""), 2 * 32 + 2); /* and the legend */
        assert_int_equal(count(text, "class=\"helper\""), 2 * 64 + 2);
        assert_int_equal(count(text, "<circle"), 32 + 16);
        assert_int_equal(count(text, "<svg"), 1);
        assert_int_equal(count(text, "</svg>"), 1);
        assert_non_null(strstr(text, "32 appranks on 16 nodes, degree 3"));
        free(text);
}

/* Graphviz gets every edge, home edges thicker. */
static void test_dot(void **state)
{
        (void)state;
        char *text = export_text("g.dot");
        assert_int_equal(count(text, " -- "), 96);
        assert_int_equal(count(text, "penwidth=3"), 32);
        assert_non_null(strstr(text, "a31 -- n15 [penwidth=3];"));
        free(text);
}

/* GraphML tells appranks from nodes and home edges from helpers'. */
static void test_graphml(void **state)
{
        (void)state;
        char *text = export_text("g.graphml");
        assert_int_equal(count(text, "<edge "), 96);
        assert_int_equal(count(text, ">apprank</data>"), 32);
        assert_int_equal(count(text, ">node</data>"), 16);
        assert_int_equal(count(text, "<data key=\"home\">true</data>"), 32);
        assert_int_equal(count(text, "<data key=\"home\">false</data>"), 64);
        free(text);
}

/* JSON can be read again. */
static void test_json(void **state)
{
        (void)state;
        free(export_text("g.json"));
        struct lb_error err = { 0 };
        struct graph *graph = graph_read_json("g.json", &err);
        assert_non_null(graph);
        assert_int_equal(graph->nedge, 96);
        graph_destroy(graph);
}

/* An unknown ending, a place that cannot be written, a graph too large to draw: a message and no
 * file. */
static void test_refused(void **state)
{
        (void)state;
        static const struct graph_spec large = { 2000, 20, 1, GRAPH_METHOD_RANDOM, 1, 1, 0 };
        static const struct {
                const struct graph_spec *spec;
                const char *file, *message;
        } cases[] = {
                { &spec, "g.png", "allowed is .svg, .dot, .graphml or .json" },
                { &spec, "svg", "unknown ending" },
                { &spec, ".svg", "unknown ending" },
                { &spec, "", "unknown ending" },
                { &spec, "no/such/g.svg", "no/such/g.svg" },
                { &spec, "no/such/g.graphml", "no/such/g.graphml" },
                { &large, "large.svg", "a drawing has at most 1024" },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct graph *graph = make(cases[i].spec);
                struct lb_error err = { 0 };
                assert_int_equal(graph_export(graph, NULL, cases[i].file, &err), -1);
                assert_non_null(strstr(err.text, cases[i].message));
                assert_int_not_equal(access(cases[i].file, F_OK), 0);
                graph_destroy(graph);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_svg),     cmocka_unit_test(test_dot),
                cmocka_unit_test(test_graphml), cmocka_unit_test(test_json),
                cmocka_unit_test(test_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
