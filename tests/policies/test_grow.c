/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Growth policies: known answers, and what every one must keep to: wishes that can be granted, no
 * allocation in decide(), same calls same decisions, and peace once the load stays the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "graphs/graph.h"
#include "policies/grow.h"
#include "tests/policies/allocations.h"

enum { NODES = 16, APPRANKS = 32, ROOM = 128 };

/* Nodes, appranks and helpers that come and go at once; all of an apprank's work shows at home. */
struct world {
        int32_t nnode, napprank, cores[NODES], home[APPRANKS];
        bool there[APPRANKS][NODES];
        double load[APPRANKS], param[32];
        const struct grow_type *type;
        void *state;
        int64_t time_ns;
        struct grow_edge add[ROOM], retire[ROOM];
        struct grow_decision decision;
};

static void world_init(struct world *w, int32_t nnode, int32_t napprank, int32_t cores)
{
        memset(w, 0, sizeof(*w));
        w->nnode = nnode;
        w->napprank = napprank;
        w->type = grow_find("cut");
        lb_param_defaults(w->type->params, w->param);
        for (int32_t n = 0; n < nnode; n++)
                w->cores[n] = cores;
        for (int32_t a = 0; a < napprank; a++) {
                w->home[a] = graph_home(a, napprank, nnode);
                w->there[a][w->home[a]] = true;
        }
        w->decision = (struct grow_decision){ .room = ROOM, .add = w->add, .retire = w->retire };
}

static struct grow_shape fixed(const struct world *w)
{
        return (struct grow_shape){ w->nnode, w->napprank, w->cores, w->home, 0.5 };
}

static void world_finish(struct world *w)
{
        free(w->state);
        w->state = NULL;
}

static struct graph *graph_of(const struct world *w)
{
        int32_t first[APPRANKS + 1] = { 0 }, node[APPRANKS * NODES], count = 0;
        struct lb_error err;
        for (int32_t a = 0; a < w->napprank; a++) {
                node[count++] = w->home[a];
                for (int32_t n = 0; n < w->nnode; n++)
                        if (w->there[a][n] && n != w->home[a])
                                node[count++] = n;
                first[a + 1] = count;
        }
        struct graph *graph = graph_from_edges(w->napprank, w->nnode, first, node, &err);
        assert_non_null(graph);
        return graph;
}

static void set_busy(const struct world *w, const struct graph *graph, double *busy, bool *home)
{
        for (int32_t e = 0; e < graph->nedge; e++) {
                int32_t a = graph->edge_apprank[e];
                home[e] = e == graph->apprank_first[a];
                busy[e] = home[e] ? w->load[a] : 0;
        }
}

/* Decide twice, the second time by a copy of the state. */
static void decide(struct world *w, const struct grow_view *view)
{
        struct grow_shape shape = fixed(w);
        size_t size = w->type->state_size(&shape, w->param);
        void *copy = malloc(size);
        struct grow_edge add[ROOM], retire[ROOM];
        struct grow_decision again = { .room = ROOM, .add = add, .retire = retire };
        struct lb_error err;
        memcpy(copy, w->state, size);
        long before = nallocation;
        w->type->decide(w->state, view, &w->decision);
        w->type->decide(copy, view, &again);
        assert_int_equal(nallocation, before);
        assert_int_equal(w->decision.nadd, again.nadd);
        assert_int_equal(w->decision.nretire, again.nretire);
        assert_memory_equal(w->add, add, (size_t)again.nadd * sizeof(add[0]));
        assert_memory_equal(w->retire, retire, (size_t)again.nretire * sizeof(add[0]));
        if (grow_check(view, &w->decision, &err) < 0)
                fail_msg("%s", err.text);
        free(copy);
}

/* Two seconds later: four polls, one decision, which is carried out. */
static void step(struct world *w)
{
        struct grow_shape shape = fixed(w);
        struct lb_error err;
        if (!w->state) {
                w->state = calloc(1, w->type->state_size(&shape, w->param));
                assert_int_equal(w->type->init(w->state, &shape, w->param, &err), 0);
        }
        struct graph *graph = graph_of(w);
        double busy[APPRANKS * NODES];
        bool home[APPRANKS * NODES], retiring[APPRANKS * NODES] = { false };
        set_busy(w, graph, busy, home);
        struct lb_shape now = {
                .nnode = w->nnode,
                .napprank = w->napprank,
                .nworker = graph->nedge,
                .cores = w->cores,
                .apprank_first = graph->apprank_first,
                .worker_node = graph->edge_node,
                .worker_apprank = graph->edge_apprank,
                .worker_home = home,
                .node_first = graph->node_first,
                .node_worker = graph->node_edge,
                .poll_s = 0.5,
        };
        struct grow_view view = {
                .interval_ns = 500000000, .shape = &now, .busy_cores = busy, .retiring = retiring
        };
        for (int32_t i = 0; i < 4; i++) {
                view.time_ns = w->time_ns += 500000000;
                w->type->observe(w->state, &view);
        }
        decide(w, &view);
        for (int32_t i = 0; i < w->decision.nadd; i++)
                w->there[w->add[i].apprank][w->add[i].node] = true;
        for (int32_t i = 0; i < w->decision.nretire; i++)
                w->there[w->retire[i].apprank][w->retire[i].node] = false;
        graph_destroy(graph);
}

static int32_t helpers(const struct world *w)
{
        int32_t count = -w->napprank;
        for (int32_t a = 0; a < w->napprank; a++)
                for (int32_t n = 0; n < w->nnode; n++)
                        count += w->there[a][n];
        return count;
}

/* The known value at the head of grow_cut.c: the heavy apprank gets a helper everywhere. */
static void the_stuck_apprank_gets_helpers_and_nobody_else(void **unused)
{
        (void)unused;
        static const double loads[] = { 90, 10, 10, 10 };
        struct world w;
        world_init(&w, 4, 4, 48);
        memcpy(w.load, loads, sizeof(loads));
        step(&w);
        assert_int_equal(w.decision.nadd, 3);
        for (int32_t i = 0; i < 3; i++)
                assert_int_equal(w.add[i].apprank, 0);
        step(&w);
        assert_int_equal(w.decision.nadd, 0);
        world_finish(&w);
}

/* A gain of a tenth is asked for at once, and a fiftieth once it lasts. */
static void world_with_small_gains(struct world *w)
{
        world_init(w, 4, 4, 48);
        w->param[GROW_AVERAGE_S] = 1;
        w->param[GROW_GAIN] = 0.1;
        w->param[GROW_STEADY_GAIN] = 0.02;
}

/* A gain of a twentieth, where a tenth is asked for at once and a fiftieth once it has lasted for
 * five seconds: decisions are two apart, so the fourth is the first that may. Between the second
 * and the third it may be gone for a while, and counts anew. */
static void a_small_gain_counts_where_it_lasts(void **unused)
{
        (void)unused;
        for (int32_t gone = 0; gone < 2; gone++) {
                struct world w;
                world_with_small_gains(&w);
                w.param[GROW_STEADY_S] = 5;
                for (int32_t i = 0; i < 4 + 3 * gone; i++) {
                        assert_int_equal(helpers(&w), 0);
                        for (int32_t a = 0; a < 4; a++)
                                w.load[a] = a == 1 && !(gone && i == 2) ? 43 : 40;
                        step(&w);
                }
                assert_true(helpers(&w) > 0);
                world_finish(&w);
        }
}

/* Those that came for it go after a time of their own, others stay. */
static void helpers_of_a_small_gain_go_sooner(void **unused)
{
        (void)unused;
        static const double most[] = { 43, 90 };
        for (int32_t i = 0; i < 2; i++) {
                struct world w;
                world_with_small_gains(&w);
                w.param[GROW_IDLE_S] = 1e6;
                w.param[GROW_STEADY_IDLE_S] = 10;
                for (int32_t k = 0; k < 30; k++) {
                        for (int32_t a = 0; a < 4; a++)
                                w.load[a] = a == 1 && k < 6 ? most[i] : i == 0 || k >= 6 ? 40 : 10;
                        step(&w);
                        assert_true(k < 4 || k > 10 || helpers(&w) > 0);
                }
                assert_int_equal(helpers(&w) > 0, i == 1);
                world_finish(&w);
        }
}

/* No imbalance, or one smaller than what is worth a start: no helpers. No load: none either. */
static void nothing_is_started_where_nothing_is_gained(void **unused)
{
        (void)unused;
        static const double levels[] = { 0, 17.3, 48 };
        for (size_t i = 0; i < 3; i++) {
                struct world w;
                world_init(&w, 8, 8, 48);
                for (int32_t a = 0; a < 8; a++)
                        w.load[a] = levels[i] * (a == 3 ? 1.015 : 1);
                step(&w);
                assert_int_equal(w.decision.nadd, 0);
                world_finish(&w);
        }
}

/* All nodes full: more helpers gain nothing, whatever the imbalance of the appranks. */
static void no_more_than_the_cores_there_are(void **unused)
{
        (void)unused;
        struct world w;
        world_init(&w, 2, 4, 2);
        w.load[0] = 2;
        step(&w);
        assert_int_equal(w.decision.nadd, 0); /* two workers on each of two cores */
        world_finish(&w);
}

/* Loads of n-body with a slow node: parts of cores are of use where whole ones no longer are. */
static void parts_of_cores_are_worth_having(void **unused)
{
        (void)unused;
        int32_t count[2];
        for (int32_t i = 0; i < 2; i++) {
                struct world w;
                world_init(&w, 16, 32, 16);
                w.param[GROW_PARTS] = i == 0 ? 1 : 8;
                for (int32_t a = 0; a < 32; a++)
                        w.load[a] = 5.52;
                w.load[30] = 8.39;
                w.load[31] = 8.78;
                step(&w);
                count[i] = helpers(&w);
                world_finish(&w);
        }
        assert_true(count[1] > count[0]);
}

/* A helper stays while it is needed, and goes grow_idle_s after it no longer is. */
static void idle_helpers_go_when_their_time_is_over(void **unused)
{
        (void)unused;
        struct world w;
        world_init(&w, 4, 4, 16);
        w.param[GROW_AVERAGE_S] = 2;
        w.param[GROW_IDLE_S] = 10;
        w.load[2] = 16;
        for (int32_t i = 0; i < 10; i++)
                step(&w);
        assert_int_equal(helpers(&w), 3);
        for (int32_t a = 0; a < 4; a++)
                w.load[a] = 9.7;
        for (int32_t i = 0; i < 5; i++) {
                step(&w);
                assert_int_equal(helpers(&w), 3);
        }
        step(&w);
        assert_int_equal(helpers(&w), 0);
        assert_int_equal(w.retire[0].node, 0); /* of those idle since the same time the first */
        world_finish(&w);
}

/* More from the start where nodes have cores for them: half of these, and grow_start_cores of them,
 * stay. */
static void a_wider_start_where_there_are_cores(void **unused)
{
        (void)unused;
        static const struct {
                int32_t keep, degree, nnode, cores, appranks, start;
        } row[] = {
                { 8, 3, 16, 16, 2, 4 },   { 8, 3, 16, 16, 1, 8 }, { 8, 3, 16, 48, 2, 8 },
                { 8, 3, 16, 8, 1, 3 },    { 8, 3, 16, 12, 1, 4 }, { 8, 3, 5, 48, 1, 5 },
                { 8, 10, 16, 48, 1, 10 }, { 8, 1, 16, 48, 1, 1 }, { 0, 3, 16, 48, 1, 3 },
                { 8, 3, 16, 48, 6, 4 },
        };
        for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
                double param[GROW_NPARAM] = { [GROW_START_CORES] = row[i].keep, [GROW_DEGREE] = 8 };
                assert_int_equal(grow_start_degree(param, row[i].degree, row[i].nnode, row[i].cores,
                                                   row[i].appranks),
                                 row[i].start);
        }
}

/* Helpers that were there from the start stay, however idle; those that came later go. */
static void as_many_stay_as_there_were(void **unused)
{
        (void)unused;
        struct world w;
        world_init(&w, 4, 4, 16);
        w.param[GROW_AVERAGE_S] = 2;
        w.param[GROW_IDLE_S] = 10;
        for (int32_t a = 0; a < 4; a++)
                w.there[a][(w.home[a] + 1) % 4] = true;
        w.load[2] = 32;
        for (int32_t i = 0; i < 10; i++)
                step(&w);
        assert_int_equal(helpers(&w), 4 + 2);
        for (int32_t a = 0; a < 4; a++)
                w.load[a] = 9.7;
        for (int32_t i = 0; i < 30; i++)
                step(&w);
        assert_int_equal(helpers(&w), 4);
        for (int32_t a = 0; a < 4; a++)
                assert_int_equal(w.there[a][0] + w.there[a][1] + w.there[a][2] + w.there[a][3], 2);
        world_finish(&w);
}

static void try_random(uint64_t seed)
{
        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_TEST, 7);
        struct world w;
        int32_t nnode = 2 + (int32_t)lb_random_below(&random, NODES - 1);
        world_init(&w, nnode, nnode * (int32_t)(1 + lb_random_below(&random, 2)),
                   4 + (int32_t)lb_random_below(&random, 20));
        w.param[GROW_DEGREE] = (double)(2 + lb_random_below(&random, 7));
        if (seed % 2) {
                w.param[GROW_GAIN] = 0.1;
                w.param[GROW_STEADY_GAIN] = 0.02;
        }
        for (int32_t phase = 0; phase < 3; phase++) {
                for (int32_t a = 0; a < w.napprank; a++)
                        w.load[a] = w.cores[0] * lb_random_unit(&random) * lb_random_unit(&random);
                int32_t quiet = 0;
                for (int32_t i = 0; i < 150; i++) {
                        step(&w);
                        quiet = w.decision.nadd + w.decision.nretire == 0 ? quiet + 1 : 0;
                }
                assert_true(quiet >= 10);
                assert_true(helpers(&w) <= w.napprank * ((int32_t)w.param[GROW_DEGREE] - 1));
        }
        world_finish(&w);
}

/* Random loads that change now and then: wishes can be granted, and there is an end to them. */
static void random_loads_come_to_rest(void **unused)
{
        (void)unused;
        for (uint64_t seed = 1; seed <= 60; seed++)
                try_random(seed);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_stuck_apprank_gets_helpers_and_nobody_else),
                cmocka_unit_test(a_small_gain_counts_where_it_lasts),
                cmocka_unit_test(helpers_of_a_small_gain_go_sooner),
                cmocka_unit_test(nothing_is_started_where_nothing_is_gained),
                cmocka_unit_test(no_more_than_the_cores_there_are),
                cmocka_unit_test(parts_of_cores_are_worth_having),
                cmocka_unit_test(idle_helpers_go_when_their_time_is_over),
                cmocka_unit_test(a_wider_start_where_there_are_cores),
                cmocka_unit_test(as_many_stay_as_there_were),
                cmocka_unit_test(random_loads_come_to_rest),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
