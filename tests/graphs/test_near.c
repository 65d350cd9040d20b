/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graphs/judge.h"
#include "graphs/near.h"
#include "graphs/search.h"
#include "tests/graphs/made.h"

static struct graph *search(int32_t napprank, int32_t nnode, int32_t degree, int32_t per_switch)
{
        struct graph_spec spec = { .napprank = napprank,
                                   .nnode = nnode,
                                   .degree = degree,
                                   .method = GRAPH_METHOD_BEST,
                                   .seed = 1,
                                   .trials = 6,
                                   .nodes_per_switch = per_switch };
        return graph_made(graph_search, &spec);
}

static double isoperimetric(const struct graph *graph)
{
        struct graph_judgement judgement = judged(graph, 0);
        assert_true(judgement.exact);
        double value = judgement.isoperimetric;
        graph_judgement_finish(&judgement);
        return value;
}

static double mean_distance(const struct graph *graph, int32_t per_switch)
{
        struct distances distances;
        struct lb_error err = { 0 };
        assert_int_equal(distances_of_switches(graph->nnode, per_switch, &distances, &err), 0);
        double mean = near_mean(graph, &distances);
        distances_finish(&distances);
        return mean;
}

/* Helpers come nearer, and the graph expands no less and is of the same degrees. */
static void test_near_costs_nothing(void **state)
{
        (void)state;
        static const int32_t cases[][4] = {
                { 16, 16, 3, 4 }, { 32, 16, 3, 4 }, { 24, 24, 4, 6 }, { 40, 20, 4, 5 }
        };
        double before = 0, after = 0;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                const int32_t *c = cases[i];
                struct graph *far = search(c[0], c[1], c[2], 0);
                struct graph *near = search(c[0], c[1], c[2], c[3]);
                assert_true(near->biregular && near->degree == c[2]);
                assert_true(isoperimetric(near) >= isoperimetric(far) - 1e-12);
                assert_true(mean_distance(near, c[3]) <= mean_distance(far, c[3]));
                before += mean_distance(far, c[3]);
                after += mean_distance(near, c[3]);
                graph_destroy(far);
                graph_destroy(near);
        }
        assert_true(after < 0.95 * before);
}

/* A cycle whose nodes were renamed at random finds its way back along a line of switches of two. */
static void test_follows_any_distance(void **state)
{
        (void)state;
        enum { N = 12 };
        FILE *file = fopen("line.csv", "w");
        assert_non_null(file);
        for (int n = 0; n < N; n++)
                fprintf(file, "%sn%d", n ? "," : "", n);
        for (int n = 0; n < N; n++)
                for (int m = 0; m < N; m++) {
                        int around = (m - n + N) % N;
                        fprintf(file, "%s%d", m ? "," : "\n",
                                around < N - around ? around : N - around);
                }
        fprintf(file, "\n");
        fclose(file);
        struct lb_error err = { 0 };
        struct distances distances;
        if (distances_read("line.csv", N, &distances, &err))
                fail_msg("%s", err.text);
        int32_t first[N + 1], node[2 * N];
        for (int n = 0; n < N; n++) {
                first[n] = 2 * n;
                node[2 * n] = n;
                node[2 * n + 1] = (n + 5) % N;
        }
        first[N] = 2 * N;
        struct graph *ring = graph_from_edges(N, N, first, node, &err);
        struct graph *near = near_arrange(ring, &distances, 1, &err);
        assert_non_null(near);
        assert_true(near_mean(ring, &distances) == 5);
        assert_true(near_mean(near, &distances) <= 2);
        assert_true(isoperimetric(near) >= isoperimetric(ring));
        graph_destroy(ring);
        graph_destroy(near);
        distances_finish(&distances);
}

/* Appranks that do not divide evenly over nodes keep their homes. */
static void test_uneven(void **state)
{
        (void)state;
        struct graph *graph = search(11, 8, 3, 4);
        for (int32_t a = 0; a < 11; a++)
                assert_int_equal(graph->edge_node[graph->apprank_first[a]], graph_home(a, 11, 8));
        graph_destroy(graph);
}

/* A bad distance file is named, with the place. */
static void test_bad_files(void **state)
{
        (void)state;
        static const struct {
                const char *text, *message;
        } cases[] = {
                { "a,b\n0,1\n", "1 rows and 2 columns: 2 of each are allowed" },
                { "a,b\n0,1\n-1,0\n", "row 2, column a: found -1" },
                { "a,b\n0,x\n1,0\n", "row 1, column b: found \"x\"" },
                { "a,b\n0\n1,0\n", "bad.csv" },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                FILE *file = fopen("bad.csv", "w");
                assert_non_null(file);
                fputs(cases[i].text, file);
                fclose(file);
                struct distances distances;
                struct lb_error err = { 0 };
                assert_int_equal(distances_read("bad.csv", 2, &distances, &err), -1);
                assert_int_equal(err.kind, LB_ERROR_INPUT);
                if (!strstr(err.text, cases[i].message))
                        fail_msg("'%s' is not in '%s'", cases[i].message, err.text);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_near_costs_nothing),
                cmocka_unit_test(test_follows_any_distance),
                cmocka_unit_test(test_uneven),
                cmocka_unit_test(test_bad_files),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
