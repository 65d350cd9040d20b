/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "graphs/fit.h"
#include "tests/graphs/made.h"

static int32_t moved(const struct graph *a, const struct graph *b)
{
        int32_t count = 0;
        for (int32_t n = 0; n < a->nnode; n++) {
                int32_t more = graph_node_degree(a, n) - graph_node_degree(b, n);
                count += more > 0 ? more : 0;
        }
        return count;
}

/* Nodes of 8, 4, 8 and 2 cores at degree 3: the small one serves two, all appranks keep three. */
static void test_small_node(void **state)
{
        (void)state;
        static const int32_t cores[] = { 8, 4, 8, 2 };
        struct lb_error err;
        struct graph *graph = made(4, 4, 3, GRAPH_METHOD_RANDOM, 7);
        assert_int_equal(graph_fit(&graph, cores, &err), 0);
        assert_int_equal(graph_node_degree(graph, 3), 2);
        assert_non_null(strstr(graph->note, "1 helper moved"));
        for (int32_t a = 0; a < 4; a++) {
                assert_int_equal(graph->apprank_first[a + 1] - graph->apprank_first[a], 3);
                assert_int_equal(graph->edge_node[graph->apprank_first[a]], a);
        }
        graph_destroy(graph);
}

/* Any graph on nodes of any size: none has more workers than cores, no more moves than that takes,
 * degrees of appranks stay; a graph that fits is not touched. */
static void test_random(void **state)
{
        (void)state;
        struct lb_random random;
        struct lb_error err;
        int fitted = 0;
        lb_random_init(&random, 20263, LB_RANDOM_TEST, 0);
        for (int i = 0; i < 300; i++) {
                int32_t nnode = 2 + (int32_t)lb_random_below(&random, 12), cores[16];
                int32_t degree = 1 + (int32_t)lb_random_below(&random, (uint64_t)nnode);
                struct graph *graph = made(nnode, nnode, degree, GRAPH_METHOD_RANDOM, (uint64_t)i),
                             *before = graph;
                struct graph *copy = made(nnode, nnode, degree, GRAPH_METHOD_RANDOM, (uint64_t)i);
                int32_t lack = 0;
                for (int32_t n = 0; n < nnode; n++) {
                        cores[n] = 1 + (int32_t)lb_random_below(&random, 2 * (uint64_t)degree);
                        lack += cores[n] < degree ? degree - cores[n] : 0;
                }
                int status = graph_fit(&graph, cores, &err);
                for (int32_t n = 0; n < nnode && status == 0; n++)
                        assert_true(graph_node_degree(graph, n) <= cores[n]);
                for (int32_t a = 0; a <= nnode; a++)
                        assert_int_equal(graph->apprank_first[a], copy->apprank_first[a]);
                if (status < 0 || lack == 0)
                        assert_ptr_equal(graph, before);
                else
                        assert_int_equal(moved(copy, graph), lack);
                fitted += status == 0 && lack > 0;
                graph_destroy(graph);
                graph_destroy(copy);
        }
        assert_true(fitted > 50);
}

/* Fewer cores than workers in all: an error that says what would help. */
static void test_too_few(void **state)
{
        (void)state;
        static const int32_t cores[] = { 2, 1 };
        struct lb_error err;
        struct graph *graph = made(2, 2, 2, GRAPH_METHOD_RANDOM, 1);
        assert_int_equal(graph_fit(&graph, cores, &err), -1);
        assert_non_null(strstr(err.text, "node 1 has 1 cores for 2 workers"));
        assert_non_null(strstr(err.text, "lower the degree"));
        assert_int_equal(graph_node_degree(graph, 1), 2);
        graph_destroy(graph);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_small_node),
                cmocka_unit_test(test_random),
                cmocka_unit_test(test_too_few),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
