/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "graphs/ceiling.h"
#include "graphs/expand.h"
#include "graphs/judge.h"
#include "graphs/lift.h"
#include "graphs/symmetry.h"

static struct graph_spec spec_of(int32_t napprank, int32_t nnode, int32_t degree, uint64_t seed)
{
        return (struct graph_spec){ .napprank = napprank,
                                    .nnode = nnode,
                                    .degree = degree,
                                    .method = GRAPH_METHOD_RANDOM,
                                    .seed = seed };
}

static struct graph *lift(const struct graph_spec *spec, int32_t period)
{
        struct lb_error err = { 0 };
        struct graph *graph = lift_create(spec, period, &err);
        if (!graph)
                fail_msg("%s", err.text);
        return graph;
}

/* Plain enumeration, over the sets of nodes: the least of nodes per apprank within. */
static struct ratio enumerate(const struct graph *graph)
{
        uint32_t need[64] = { 0 };
        struct ratio least = { graph->nnode, 1 };
        int32_t size_max = graph->napprank > 1 ? graph->napprank / 2 : 1;
        for (int32_t e = 0; e < graph->nedge; e++)
                need[graph->edge_apprank[e]] |= 1U << graph->edge_node[e];
        for (uint32_t set = 1; set < 1U << graph->nnode; set++) {
                int32_t size = 0;
                for (int32_t a = 0; a < graph->napprank; a++)
                        size += (need[a] & ~set) == 0;
                size = size < size_max ? size : size_max;
                struct ratio ratio = { __builtin_popcount(set), size };
                if (size > 0 && ratio_compare(ratio, least) < 0)
                        least = ratio;
        }
        return least;
}

static struct expansion improve(const struct graph *graph, int64_t budget, bool bound)
{
        int32_t size_max = graph->napprank > 1 ? graph->napprank / 2 : 1;
        struct expansion found;
        struct lb_error err = { 0 };
        if (expansion_guess(graph, size_max, &found, &err) ||
            expansion_improve(graph, size_max, budget, bound, &found, &err))
                fail_msg("%s", err.text);
        return found;
}

static struct ratio set_of(const struct expansion *found)
{
        return (struct ratio){ found->nnode, found->size };
}

static struct ratio low_of(const struct expansion *found)
{
        return (struct ratio){ found->low_nnode, found->low_size };
}

/* Graphs with much, little and no symmetry: the exact number is that of plain enumeration. */
static void test_symmetric_graphs(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 1);
        for (uint64_t seed = 0; seed < 120; seed++) {
                static const int32_t periods[] = { 1, 2, 3, 4, 6, 6 };
                int32_t nnode = 12, per_node = 1 + (int32_t)(seed % 3);
                int32_t degree = 2 + (int32_t)lb_random_below(&random, 4);
                struct graph_spec spec = spec_of(nnode * per_node, nnode, degree, seed);
                struct graph *graph = lift(&spec, periods[seed % 6]);
                struct expansion found = improve(graph, 1000000, false);
                struct ratio truth = enumerate(graph);
                assert_true(found.exact);
                assert_int_equal(ratio_compare(set_of(&found), truth), 0);
                assert_int_equal(ratio_compare(low_of(&found), truth), 0);
                expansion_finish(&found);
                graph_destroy(graph);
        }
}

/* Whatever the budget, the number lies between the proven bound and the best set; bounds only get
 * better with the budget's tenfold. */
static void test_any_budget(void **state)
{
        (void)state;
        for (uint64_t seed = 0; seed < 20; seed++) {
                struct graph_spec spec = spec_of(16 * (1 + (int32_t)(seed % 2)), 16, 3, seed);
                struct lb_error err = { 0 };
                struct graph *graph = graph_create(&spec, &err);
                struct ratio truth = enumerate(graph);
                for (int64_t budget = 1; budget <= 1000; budget *= 10) {
                        struct expansion found = improve(graph, budget, true);
                        assert_true(ratio_compare(low_of(&found), truth) <= 0);
                        assert_true(ratio_compare(set_of(&found), truth) >= 0);
                        assert_true(!found.exact ||
                                    ratio_compare(low_of(&found), set_of(&found)) == 0);
                        expansion_finish(&found);
                }
                graph_destroy(graph);
        }
}

/* 64 appranks on 64 nodes at degree 4, out of reach of enumeration, are certified within the
 * default budget; so are 96 on 48. */
static void test_reach(void **state)
{
        (void)state;
        static const int32_t sizes[][2] = { { 64, 64 }, { 96, 48 } };
        for (int i = 0; i < 2; i++) {
                struct graph_spec spec = spec_of(sizes[i][0], sizes[i][1], 4, 1);
                struct lb_error err = { 0 };
                struct graph *graph = graph_create(&spec, &err);
                struct graph_judgement judgement;
                if (graph_judge(graph, 0, &judgement, &err))
                        fail_msg("%s", err.text);
                assert_true(judgement.exact);
                graph_judgement_finish(&judgement);
                graph_destroy(graph);
        }
}

/* Where the budget does not suffice for the number, it still raises the proven bound. */
static void test_bound_is_raised(void **state)
{
        (void)state;
        struct graph_spec spec = spec_of(80, 80, 4, 1);
        struct lb_error err = { 0 };
        struct graph *graph = graph_create(&spec, &err);
        struct graph_judgement few, many;
        if (graph_judge(graph, 1, &few, &err) || graph_judge(graph, 24000, &many, &err))
                fail_msg("%s", err.text);
        assert_false(few.exact || many.exact);
        assert_true(many.isoperimetric_lower > few.isoperimetric_lower);
        assert_true(many.isoperimetric <= few.isoperimetric);
        graph_judgement_finish(&few);
        graph_judgement_finish(&many);
        graph_destroy(graph);
}

static bool is_symmetry(const struct graph *graph, const int32_t *image_of)
{
        /* The appranks' sets of nodes, and their images, are the same multiset: compare sorted
         * sums of powers, as bits of 32 nodes. */
        uint64_t before = 0, after = 0;
        for (int32_t a = 0; a < graph->napprank; a++) {
                uint64_t set = 0, image = 0;
                for (int32_t e = graph->apprank_first[a]; e < graph->apprank_first[a + 1]; e++) {
                        set |= UINT64_C(1) << graph->edge_node[e];
                        image |= UINT64_C(1) << image_of[graph->edge_node[e]];
                }
                before += lb_random_at(1, set, 0);
                after += lb_random_at(1, image, 0);
        }
        return before == after;
}

/* A ring has its turns and reflections; a lift has its turns; every symmetry is one. */
static void test_symmetries(void **state)
{
        (void)state;
        static const struct {
                int32_t nnode, degree, period, at_least;
        } cases[] = { { 16, 2, 1, 15 }, { 24, 4, 1, 23 }, { 24, 4, 4, 5 }, { 30, 3, 6, 4 } };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct graph_spec spec =
                    spec_of(cases[i].nnode, cases[i].nnode, cases[i].degree, 3);
                struct graph *graph = lift(&spec, cases[i].period);
                struct symmetry symmetry;
                struct lb_error err = { 0 };
                assert_int_equal(symmetry_create(graph, 100, &symmetry, &err), 0);
                assert_true(symmetry.count >= cases[i].at_least && symmetry.count <= 100);
                for (int32_t k = 0; k < symmetry.count; k++)
                        assert_true(is_symmetry(graph, symmetry.image_of + k * graph->nnode));
                symmetry_finish(&symmetry);
                graph_destroy(graph);
        }
}

/* No graph exceeds the ceiling of its size. */
static void test_ceiling(void **state)
{
        (void)state;
        for (uint64_t seed = 0; seed < 200; seed++) {
                struct lb_random random;
                lb_random_init(&random, seed, LB_RANDOM_TEST, 5);
                int32_t nnode = 2 + (int32_t)lb_random_below(&random, 11);
                int32_t per_node = 1 + (int32_t)lb_random_below(&random, 3);
                int32_t degree = 1 + (int32_t)lb_random_below(&random, (uint64_t)nnode);
                struct graph_spec spec = spec_of(nnode * per_node, nnode, degree, seed);
                struct lb_error err = { 0 };
                struct graph *graph = graph_create(&spec, &err);
                struct ratio ceiling = ceiling_of(spec.napprank, nnode, degree);
                assert_true(ratio_compare(enumerate(graph), ceiling) <= 0);
                graph_destroy(graph);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_symmetric_graphs),
                cmocka_unit_test(test_any_budget),
                cmocka_unit_test(test_reach),
                cmocka_unit_test(test_bound_is_raised),
                cmocka_unit_test(test_symmetries),
                cmocka_unit_test(test_ceiling),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
