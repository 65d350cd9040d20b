/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "graphs/judge.h"
#include "tests/graphs/made.h"

enum { APPRANK_MAX = 64, LINE_SIZE = 8192 };

/* "0.3.1;1.2.0;...", the nodes of each apprank, home first. */
static struct graph *parse_graph(int32_t napprank, int32_t nnode, const char *text)
{
        int32_t first[APPRANK_MAX + 1] = { 0 }, node[APPRANK_MAX * APPRANK_MAX];
        char *at = (char *)(uintptr_t)text;
        int32_t nedge = 0;
        for (int32_t a = 0; a < napprank; a++) {
                do {
                        node[nedge++] = (int32_t)strtol(at, &at, 10);
                } while (*at == '.' && at++);
                at += *at == ';';
                first[a + 1] = nedge;
        }
        struct lb_error err = { 0 };
        struct graph *graph = graph_from_edges(napprank, nnode, first, node, &err);
        if (!graph)
                fail_msg("%s", err.text);
        return graph;
}

/* The set that is reported has at most half the appranks and the ratio that is reported. */
static void check_set(const struct graph *graph, const struct graph_judgement *judgement)
{
        bool seen[APPRANK_MAX] = { false };
        int32_t nnode = 0;
        assert_in_range(judgement->set_size, 1, graph->napprank > 1 ? graph->napprank / 2 : 1);
        for (int32_t i = 0; i < judgement->set_size; i++) {
                int32_t a = judgement->set[i];
                assert_true(i == 0 || a > judgement->set[i - 1]);
                for (int32_t e = graph->apprank_first[a]; e < graph->apprank_first[a + 1]; e++) {
                        nnode += !seen[graph->edge_node[e]];
                        seen[graph->edge_node[e]] = true;
                }
        }
        assert_int_equal(nnode, judgement->set_nnode);
        assert_true(fabs(judgement->isoperimetric - (double)nnode / judgement->set_size) < 1e-12);
}

/*
 * Published graphs (those of the original, with 1 to 4 appranks per node) have the published vertex
 * isoperimetric number; where only an upper bound was published, ours is exact and not above it.
 */
static void test_published(void **state)
{
        (void)state;
        FILE *file = fopen(LB_SOURCE_DIR "/tests/graphs/published.csv", "r");
        assert_non_null(file);
        static char line[LINE_SIZE], text[LINE_SIZE];
        int nexact = 0, nbound = 0;
        assert_non_null(fgets(line, sizeof(line), file));
        while (fgets(line, sizeof(line), file)) {
                int napprank, nnode, degree;
                double published;
                char certificate[16];
                assert_int_equal(sscanf(line, "%d,%d,%d,%[^,],%lf,%15[^,\n]", &napprank, &nnode,
                                        &degree, text, &published, certificate),
                                 6);
                struct graph *graph = parse_graph(napprank, nnode, text);
                struct graph_judgement judgement = judged(graph, 0);
                bool exact = strcmp(certificate, "exact") == 0;
                assert_int_equal(graph->degree, degree);
                assert_true(judgement.exact);
                if (exact && fabs(judgement.isoperimetric - published) > 1e-6)
                        fail_msg("%d,%d,%d: published %f, found %f", napprank, nnode, degree,
                                 published, judgement.isoperimetric);
                assert_true(judgement.isoperimetric < published + 1e-6);
                check_set(graph, &judgement);
                nexact += exact;
                nbound += !exact;
                graph_judgement_finish(&judgement);
                graph_destroy(graph);
        }
        fclose(file);
        assert_true(nexact > 60 && nbound > 3);
}

/* What all subsets say, one by one. */
struct truth {
        double isoperimetric, worst_load;
};

static struct truth enumerate(const struct graph *graph)
{
        struct truth truth = { .isoperimetric = INFINITY, .worst_load = graph->napprank };
        uint32_t nodes[16] = { 0 }, all = (1U << graph->nnode) - 1;
        for (int32_t e = 0; e < graph->nedge; e++)
                nodes[graph->edge_apprank[e]] |= 1U << graph->edge_node[e];
        for (uint32_t set = 1; set < 1U << graph->napprank; set++) {
                uint32_t covered = 0;
                for (int32_t a = 0; a < graph->napprank; a++)
                        covered |= set >> a & 1 ? nodes[a] : 0;
                int32_t size = __builtin_popcount(set);
                double ratio = (double)__builtin_popcount(covered) / size;
                if (2 * size <= graph->napprank || graph->napprank == 1)
                        truth.isoperimetric = fmin(truth.isoperimetric, ratio);
                if (covered != all)
                        truth.worst_load =
                            fmin(truth.worst_load, ratio * graph->napprank / graph->nnode);
        }
        return truth;
}

/* On small graphs of any kind the isoperimetric number and the worst load are those of all subsets.
 */
static void test_all_subsets(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 2, LB_RANDOM_TEST, 1);
        for (int i = 0; i < 300; i++) {
                int32_t nnode = 1 + (int32_t)lb_random_below(&random, 9);
                int32_t napprank =
                    nnode + (int32_t)lb_random_below(&random, (uint64_t)(14 - nnode));
                int32_t degree = 1 + (int32_t)lb_random_below(&random, (uint64_t)nnode);
                struct graph *graph =
                    made(napprank, nnode, degree, i % 2 ? GRAPH_METHOD_RANDOM : GRAPH_METHOD_GREEDY,
                         lb_random_next(&random));
                struct graph_judgement judgement = judged(graph, 0);
                struct truth truth = enumerate(graph);
                assert_true(judgement.exact && judgement.worst_load_exact);
                assert_true(fabs(judgement.isoperimetric - truth.isoperimetric) < 1e-12);
                assert_true(fabs(judgement.worst_load - truth.worst_load) < 1e-12);
                assert_true(fabs(judgement.scaled - truth.isoperimetric * napprank / nnode) <
                            1e-12);
                check_set(graph, &judgement);
                graph_judgement_finish(&judgement);
                graph_destroy(graph);
        }
}

/* Can loads be spread with no node above `capacity`? Augmenting by unit loads, small numbers only.
 */
struct spread {
        const struct graph *graph;
        int32_t capacity;
        int32_t on_node[16], flow[256]; /* [nnode], [nedge] */
        bool visited[16];
};

static bool augment(struct spread *spread, int32_t apprank)
{
        const struct graph *graph = spread->graph;
        for (int32_t e = graph->apprank_first[apprank]; e < graph->apprank_first[apprank + 1];
             e++) {
                int32_t node = graph->edge_node[e];
                if (spread->visited[node])
                        continue;
                spread->visited[node] = true;
                bool room = spread->on_node[node] < spread->capacity;
                for (int32_t i = graph->node_first[node]; !room && i < graph->node_first[node + 1];
                     i++) {
                        int32_t f = graph->node_edge[i];
                        if (spread->flow[f] == 0 || !augment(spread, graph->edge_apprank[f]))
                                continue;
                        spread->flow[f]--;
                        spread->on_node[node]--;
                        room = true;
                }
                if (!room)
                        continue;
                spread->flow[e]++;
                spread->on_node[node]++;
                return true;
        }
        return false;
}

static bool can_spread(const struct graph *graph, const int32_t *load, int32_t capacity)
{
        struct spread spread = { .graph = graph, .capacity = capacity };
        for (int32_t a = 0; a < graph->napprank; a++)
                for (int32_t i = 0; i < load[a]; i++) {
                        memset(spread.visited, 0, sizeof(spread.visited));
                        if (!augment(&spread, a))
                                return false;
                }
        return true;
}

/* Give the appranks `total` in all, `most` each as far as it reaches, in a random order. */
static void load_randomly(struct lb_random *random, int32_t napprank, int32_t most, int32_t total,
                          int32_t *load)
{
        int32_t order[16];
        for (int32_t a = 0; a < napprank; a++) {
                int32_t j = (int32_t)lb_random_below(random, (uint64_t)a + 1);
                order[a] = order[j];
                order[j] = a;
        }
        for (int32_t i = 0; i < napprank; i++) {
                load[order[i]] = total < most ? total : most;
                total -= load[order[i]];
        }
}

/* Loads up to the worst load can be spread evenly whoever has them; some beyond it cannot. */
static void test_worst_load_means(void **state)
{
        (void)state;
        enum { N = 9, MEAN = 60 };
        struct lb_random random;
        lb_random_init(&random, 4, LB_RANDOM_TEST, 2);
        for (uint64_t seed = 0; seed < 6; seed++) {
                struct graph *graph =
                    made(N, N, 2 + (int32_t)(seed % 3), GRAPH_METHOD_RANDOM, seed);
                struct graph_judgement judgement = judged(graph, 0);
                int32_t most = (int32_t)floor(judgement.worst_load * MEAN + 1e-9);
                bool beyond_fails = false;
                for (int i = 0; i < 200; i++) {
                        int32_t load[16];
                        load_randomly(&random, N, most, N * MEAN, load);
                        assert_true(can_spread(graph, load, MEAN));
                        load_randomly(&random, N, most + 2, N * MEAN, load);
                        beyond_fails |= !can_spread(graph, load, MEAN);
                }
                assert_true(beyond_fails);
                graph_judgement_finish(&judgement);
                graph_destroy(graph);
        }
}

/* Loads of imbalance 2 can be spread to a node imbalance of 2 / scaled, and some not better. */
static void test_scaled_means(void **state)
{
        (void)state;
        enum { V = 10, N = 5, MEAN = 60 };
        struct lb_random random;
        lb_random_init(&random, 5, LB_RANDOM_TEST, 3);
        for (uint64_t seed = 0; seed < 4; seed++) {
                struct graph *graph = made(V, N, 2, GRAPH_METHOD_RANDOM, seed);
                struct graph_judgement judgement = judged(graph, 0);
                double node_mean = (double)V * MEAN / N;
                int32_t most = (int32_t)ceil(node_mean * 2 / judgement.scaled - 1e-9);
                bool less_fails = false;
                for (int i = 0; i < 400; i++) {
                        int32_t load[16];
                        load_randomly(&random, V, 2 * MEAN, V * MEAN, load);
                        assert_true(can_spread(graph, load, most));
                        less_fails |= !can_spread(graph, load, most - 1);
                }
                assert_true(less_fails);
                graph_judgement_finish(&judgement);
                graph_destroy(graph);
        }
}

/* Too small a budget gives bounds that hold the exact number between them. */
static void test_bounds(void **state)
{
        (void)state;
        for (uint64_t seed = 0; seed < 12; seed++) {
                int32_t per_node = 1 + (int32_t)(seed % 2), degree = 2 + (int32_t)(seed % 4);
                struct graph *graph = made(28 * per_node, 28, degree, GRAPH_METHOD_RANDOM, seed);
                struct graph_judgement exact = judged(graph, 0), bound = judged(graph, 1);
                assert_true(exact.exact);
                assert_true(exact.isoperimetric_lower == exact.isoperimetric);
                assert_true(bound.isoperimetric_lower <= exact.isoperimetric);
                assert_true(bound.isoperimetric >= exact.isoperimetric);
                assert_true(bound.exact || bound.isoperimetric_lower < bound.isoperimetric);
                check_set(graph, &bound);
                graph_judgement_finish(&exact);
                graph_judgement_finish(&bound);
                graph_destroy(graph);
        }
}

/* The ends of the scale: no offloading, the ring, the complete graph; of any size, without a
 * search. */
static void test_known(void **state)
{
        (void)state;
        static const struct {
                int32_t napprank, nnode, degree;
                double isoperimetric, second_singular, worst_load;
                bool connected;
        } cases[] = {
                { 1, 1, 1, 1, 0, 1, true },
                { 3, 1, 1, 1, 0, 3, true },
                { 24, 24, 1, 1, 1, 1, false },
                { 24, 12, 1, 0.5, 1, 1, false },
                { 48, 24, 24, 1, 0, 48, true },
                { 300, 300, 300, 2, 0, 300, true },
                { 16, 16, 2, 1.125, 0.98078528, 15.0 / 14, true },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct graph *graph = made(cases[i].napprank, cases[i].nnode, cases[i].degree,
                                           GRAPH_METHOD_CIRCULANT, 1);
                struct graph_judgement judgement = judged(graph, 0);
                assert_true(judgement.exact);
                assert_true(fabs(judgement.isoperimetric - cases[i].isoperimetric) < 1e-12);
                assert_true(fabs(judgement.second_singular - cases[i].second_singular) < 1e-7);
                assert_true(fabs(judgement.worst_load - cases[i].worst_load) < 1e-12);
                assert_int_equal(judgement.connected, cases[i].connected);
                graph_judgement_finish(&judgement);
                graph_destroy(graph);
        }
}

/* The sparse eigensolver of large graphs finds what is known of random ones; no proof is claimed.
 */
static void test_large(void **state)
{
        (void)state;
        struct graph *graph = made(1200, 600, 3, GRAPH_METHOD_RANDOM, 1);
        struct graph_judgement judgement = judged(graph, 100);
        /* random biregular graphs: (sqrt(d - 1) + sqrt(2d - 1)) / sqrt(2d^2), Brito et al. 2018 */
        double expected = (sqrt(2) + sqrt(5)) / sqrt(18);
        assert_true(fabs(judgement.second_singular - expected) < 0.02);
        assert_true(judgement.isoperimetric_lower < judgement.isoperimetric);
        assert_false(judgement.exact);
        graph_judgement_finish(&judgement);
        graph_destroy(graph);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_published),
                cmocka_unit_test(test_all_subsets),
                cmocka_unit_test(test_worst_load_means),
                cmocka_unit_test(test_scaled_means),
                cmocka_unit_test(test_bounds),
                cmocka_unit_test(test_known),
                cmocka_unit_test(test_large),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
