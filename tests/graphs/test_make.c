/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "graphs/graph.h"
#include "tests/graphs/made.h"

static const enum graph_method methods[] = { GRAPH_METHOD_RANDOM, GRAPH_METHOD_GREEDY,
                                             GRAPH_METHOD_CIRCULANT };
enum { NMETHOD = sizeof(methods) / sizeof(methods[0]) };

/* The invariants of graphs/graph.h. */
static void check_graph(const struct graph *graph)
{
        int32_t nedge = 0;
        for (int32_t a = 0; a < graph->napprank; a++) {
                int32_t first = graph->apprank_first[a], end = graph->apprank_first[a + 1];
                assert_int_equal(first, nedge);
                assert_int_equal(graph->edge_node[first],
                                 graph_home(a, graph->napprank, graph->nnode));
                for (int32_t e = first; e < end; e++) {
                        assert_int_equal(graph->edge_apprank[e], a);
                        assert_in_range(graph->edge_node[e], 0, graph->nnode - 1);
                        if (e > first)
                                assert_int_not_equal(graph->edge_node[e], graph->edge_node[first]);
                        if (e > first + 1)
                                assert_true(graph->edge_node[e] > graph->edge_node[e - 1]);
                }
                nedge = end;
        }
        assert_int_equal(nedge, graph->nedge);
        for (int32_t n = 0; n < graph->nnode; n++)
                for (int32_t i = graph->node_first[n]; i < graph->node_first[n + 1]; i++) {
                        assert_int_equal(graph->edge_node[graph->node_edge[i]], n);
                        if (i > graph->node_first[n])
                                assert_true(graph->node_edge[i] > graph->node_edge[i - 1]);
                }
        assert_int_equal(graph->node_first[graph->nnode], graph->nedge);
}

static void check_degrees(const struct graph *graph, int32_t degree)
{
        for (int32_t a = 0; a < graph->napprank; a++)
                assert_int_equal(graph->apprank_first[a + 1] - graph->apprank_first[a], degree);
        int32_t low = (int32_t)((int64_t)graph->napprank * degree / graph->nnode);
        int32_t high = low + ((int64_t)graph->napprank * degree % graph->nnode != 0);
        for (int32_t n = 0; n < graph->nnode; n++)
                assert_in_range(graph_node_degree(graph, n), low, high);
        assert_int_equal(graph->biregular, low == high);
        assert_int_equal(graph->note[0] == '\0', low == high);
}

/* Every method gives simple, exactly biregular graphs at every size where such a graph exists. */
static void test_biregular(void **state)
{
        (void)state;
        for (int32_t nnode = 1; nnode <= 13; nnode++)
                for (int32_t napprank = nnode; napprank <= 4 * nnode; napprank += nnode)
                        for (int32_t degree = 1; degree <= nnode; degree++)
                                for (int m = 0; m < NMETHOD; m++) {
                                        struct graph *graph =
                                            made(napprank, nnode, degree, methods[m], 7);
                                        check_graph(graph);
                                        check_degrees(graph, degree);
                                        assert_true(graph->biregular);
                                        graph_destroy(graph);
                                }
}

/* Where appranks are no multiple of the nodes, node degrees differ by one at most, and a note says
 * so. */
static void test_nearly_regular(void **state)
{
        (void)state;
        for (int32_t nnode = 2; nnode <= 11; nnode++)
                for (int32_t napprank = nnode + 1; napprank <= 3 * nnode; napprank++)
                        for (int32_t degree = 1; degree <= nnode; degree++)
                                for (int m = 0; m < 2; m++) {
                                        struct graph *graph =
                                            made(napprank, nnode, degree, methods[m], 3);
                                        check_graph(graph);
                                        check_degrees(graph, degree);
                                        graph_destroy(graph);
                                }
}

/* Larger graphs, sparse and dense, come out biregular for any seed. */
static void test_larger(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 0);
        for (int i = 0; i < 60; i++) {
                int32_t nnode = 1 + (int32_t)lb_random_below(&random, 150);
                int32_t napprank = nnode * (1 + (int32_t)lb_random_below(&random, 3));
                int32_t degree = 1 + (int32_t)lb_random_below(&random, (uint64_t)nnode);
                struct graph *graph =
                    made(napprank, nnode, degree, methods[i % NMETHOD], lb_random_next(&random));
                check_graph(graph);
                check_degrees(graph, degree);
                graph_destroy(graph);
        }
}

/* So many nodes that they are dealt otherwise: all methods, and appranks that are no multiple. */
static void test_many_nodes(void **state)
{
        (void)state;
        for (int m = 0; m < NMETHOD; m++)
                for (uint64_t seed = 1; seed <= 3; seed++) {
                        struct graph *graph = made(5000, 5000, 4, methods[m], seed);
                        check_graph(graph);
                        check_degrees(graph, 4);
                        graph_destroy(graph);
                }
        struct graph *graph = made(6007, 5000, 3, GRAPH_METHOD_GREEDY, 1);
        check_graph(graph);
        check_degrees(graph, 3);
        graph_destroy(graph);
}

/* A graph is a function of its spec: same seed, same graph; another seed, another graph. */
static void test_seed(void **state)
{
        (void)state;
        for (int m = 0; m < NMETHOD; m++) {
                struct graph *a = made(48, 24, 4, methods[m], 5);
                struct graph *b = made(48, 24, 4, methods[m], 5);
                struct graph *c = made(48, 24, 4, methods[m], 6);
                size_t size = (size_t)a->nedge * sizeof(int32_t);
                assert_memory_equal(a->edge_node, b->edge_node, size);
                assert_memory_not_equal(a->edge_node, c->edge_node, size);
                graph_destroy(a);
                graph_destroy(b);
                graph_destroy(c);
        }
}

/* Random graphs use every pair of apprank and foreign node about equally often. */
static void test_uniform(void **state)
{
        (void)state;
        enum { NSEED = 4000, N = 6 };
        static int count[N][N];
        for (uint64_t seed = 0; seed < NSEED; seed++) {
                struct graph *graph = made(N, N, 3, GRAPH_METHOD_RANDOM, seed);
                for (int32_t e = 0; e < graph->nedge; e++)
                        count[graph->edge_apprank[e]][graph->edge_node[e]]++;
                graph_destroy(graph);
        }
        for (int a = 0; a < N; a++)
                for (int n = 0; n < N; n++) /* 2 of 5 foreign nodes: 1600, standard deviation 31 */
                        assert_in_range(count[a][n], a == n ? NSEED : 1440, a == n ? NSEED : 1760);
}

/* A circulant graph looks the same from every node. */
static void test_circulant_turns(void **state)
{
        (void)state;
        struct graph *graph = made(30, 15, 4, GRAPH_METHOD_CIRCULANT, 9);
        for (int32_t a = 0; a < 30; a++)
                for (int32_t i = 0; i < 4; i++) {
                        int32_t offset = (graph->edge_node[4 * a + i] - a / 2 + 15) % 15;
                        bool found = false;
                        for (int32_t j = 0; j < 4; j++)
                                found |= graph->edge_node[4 * (a % 2) + j] == offset;
                        assert_true(found);
                }
        graph_destroy(graph);
}

/* What cannot be is refused with what is allowed. */
static void test_refused(void **state)
{
        (void)state;
        static const struct {
                struct graph_spec spec;
                const char *message;
        } cases[] = {
                { { 8, 0, 1, GRAPH_METHOD_RANDOM, 1, 1, 0 },
                  "0 nodes: from 1 to 131072 are allowed" },
                { { 0, 4, 1, GRAPH_METHOD_RANDOM, 1, 1, 0 }, "0 appranks: from 1 to" },
                { { -8, 4, 1, GRAPH_METHOD_RANDOM, 1, 1, 0 }, "-8 appranks" },
                { { 3, 4, 1, GRAPH_METHOD_RANDOM, 1, 1, 0 }, "every node needs an apprank" },
                { { 8, 4, 5, GRAPH_METHOD_RANDOM, 1, 1, 0 },
                  "degree 5 on 4 nodes: from 1 to 4 are allowed" },
                { { 8, 4, 0, GRAPH_METHOD_RANDOM, 1, 1, 0 }, "degree 0" },
                { { 1000000000, 4, 2, GRAPH_METHOD_RANDOM, 1, 1, 0 }, "1000000000 appranks" },
                { { 65536, 16384, 16384, GRAPH_METHOD_RANDOM, 1, 1, 0 }, "at most 16777216" },
                { { 10, 4, 2, GRAPH_METHOD_CIRCULANT, 1, 1, 0 }, "a multiple of the nodes" },
                { { 8, 4, 2, GRAPH_METHOD_NONE, 1, 1, 0 }, "unknown graph method 0" },
                { { 8, 4, 2, GRAPH_METHOD_BEST, 1, 0, 0 }, "0 trials" },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct lb_error err = { 0 };
                assert_null(graph_create(&cases[i].spec, &err));
                assert_int_equal(err.kind, LB_ERROR_INPUT);
                assert_non_null(strstr(err.text, cases[i].message));
        }
}

/* Edges that are no graph of this kind are refused: first node not the home, twice, out of range,
 * none. */
static void test_edges_refused(void **state)
{
        (void)state;
        static const struct {
                int32_t first[3];
                int32_t node[4];
                const char *message;
        } cases[] = {
                { { 0, 2, 4 }, { 0, 1, 1, 0 }, NULL },
                { { 0, 1, 2 }, { 0, 1, 0, 0 }, NULL },
                { { 0, 2, 4 }, { 1, 0, 1, 0 }, "apprank 0: first node 1 must be its home node 0" },
                { { 0, 2, 4 }, { 0, 1, 1, 1 }, "apprank 1: node 1 twice" },
                { { 0, 3, 4 }, { 0, 1, 1, 1 }, "apprank 0: node 1 twice" },
                { { 0, 2, 4 }, { 0, 2, 1, 0 }, "apprank 0: node 2, from 0 to 1 are allowed" },
                { { 0, 2, 4 }, { 0, -1, 1, 0 }, "apprank 0: node -1" },
                { { 0, 4, 4 }, { 0, 1, 1, 0 }, "apprank 0: node 0 twice" },
                { { 0, 2, 2 }, { 0, 1, 1, 0 }, "apprank 1: no nodes" },
                { { 0, 0, 0 }, { 0, 1, 1, 0 }, "0 edges for 2 appranks" },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct lb_error err = { 0 };
                struct graph *graph = graph_from_edges(2, 2, cases[i].first, cases[i].node, &err);
                if (!cases[i].message) {
                        assert_non_null(graph);
                        check_graph(graph);
                } else {
                        assert_null(graph);
                        assert_non_null(strstr(err.text, cases[i].message));
                }
                graph_destroy(graph);
        }
}

/* Helpers may be given in any order, and home stays first; uneven degrees are noted. */
static void test_edges_sorted(void **state)
{
        (void)state;
        static const int32_t first[] = { 0, 4, 5, 7, 8 };
        static const int32_t node[] = { 0, 3, 1, 2, 1, 2, 0, 3 };
        static const int32_t sorted[] = { 0, 1, 2, 3, 1, 2, 0, 3 };
        struct lb_error err = { 0 };
        struct graph *graph = graph_from_edges(4, 4, first, node, &err);
        assert_non_null(graph);
        check_graph(graph);
        assert_memory_equal(graph->edge_node, sorted, sizeof(sorted));
        assert_int_equal(graph->degree, 4);
        assert_false(graph->biregular);
        assert_string_equal(graph->note,
                            "not biregular: 1 to 4 nodes per apprank, 2 to 2 appranks per node");
        graph_destroy(graph);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_biregular),
                cmocka_unit_test(test_nearly_regular),
                cmocka_unit_test(test_larger),
                cmocka_unit_test(test_many_nodes),
                cmocka_unit_test(test_seed),
                cmocka_unit_test(test_uniform),
                cmocka_unit_test(test_circulant_turns),
                cmocka_unit_test(test_refused),
                cmocka_unit_test(test_edges_refused),
                cmocka_unit_test(test_edges_sorted),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
