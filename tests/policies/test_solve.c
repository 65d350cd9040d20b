/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "policies/alloc.h"
#include "tests/policies/solve_instance.h"

/* Everything a brute-force search over all allocations of a small instance keeps. */
struct brute {
        const struct instance *x;
        const int32_t *now; /* present ownership or NULL */
        bool
            whole; /* nodes with an apprank at home are given out whole; else any number of cores */
        int32_t cores[16];
        double load; /* the best objective: load / have */
        int64_t have;
        int64_t offloaded, moved;
        bool found;
};

/* The largest load / cores, compared exactly: products of 53 and 6 bits fit a long double. */
static void worst(const struct brute *b, double *load, int64_t *have)
{
        const struct lb_shape *s = &b->x->shape;
        *load = -1;
        *have = 1;
        for (int32_t a = 0; a < s->napprank; a++) {
                int64_t sum = 0;
                for (int32_t w = s->apprank_first[a]; w < s->apprank_first[a + 1]; w++)
                        sum += b->cores[w];
                if ((long double)b->x->load[a] * (long double)*have <=
                    (long double)*load * (long double)sum)
                        continue;
                *load = b->x->load[a];
                *have = sum;
        }
}

static void judge(struct brute *b)
{
        const struct lb_shape *s = &b->x->shape;
        int64_t offloaded = 0, moved = 0, have;
        double load;
        worst(b, &load, &have);
        for (int32_t w = 0; w < s->nworker; w++) {
                offloaded += s->worker_home[w] ? 0 : b->cores[w];
                if (b->now && b->cores[w] > b->now[w])
                        moved += b->cores[w] - b->now[w];
        }
        long double mine = (long double)load * (long double)b->have;
        long double best = (long double)b->load * (long double)have;
        bool better = !b->found || mine < best;
        if (!better && mine == best)
                better =
                    offloaded < b->offloaded || (offloaded == b->offloaded && moved < b->moved);
        if (!better)
                return;
        b->found = true;
        b->load = load;
        b->have = have;
        b->offloaded = offloaded;
        b->moved = moved;
}

static bool homed(const struct lb_shape *s, int32_t node)
{
        for (int32_t i = s->node_first[node]; i < s->node_first[node + 1]; i++)
                if (s->worker_home[s->node_worker[i]])
                        return true;
        return false;
}

/* What the node's workers from place i on must have. */
static int32_t least_from(const struct lb_shape *s, int32_t node, int32_t i)
{
        int32_t least = 0;
        for (; i < s->node_first[node + 1]; i++)
                least += lb_shape_least(s, s->node_worker[i]);
        return least;
}

/* Try all ways to give `left` cores of a node to its workers from place i on, then the next nodes.
 */
static void search(struct brute *b, int32_t node, int32_t i, int32_t left)
{
        const struct lb_shape *s = &b->x->shape;
        if (node == s->nnode) {
                judge(b);
                return;
        }
        int32_t rest = s->node_first[node + 1] - i;
        if (rest == 0) {
                bool open = left > 0 && b->whole && homed(s, node);
                if (!open && node + 1 < s->nnode)
                        search(b, node + 1, s->node_first[node + 1], s->cores[node + 1]);
                else if (!open)
                        search(b, node + 1, 0, 0);
                return;
        }
        int32_t c = lb_shape_least(s, s->node_worker[i]);
        for (; c <= left - least_from(s, node, i + 1); c++) {
                b->cores[s->node_worker[i]] = c;
                search(b, node, i + 1, left - c);
        }
}

static void brute_force(struct brute *b)
{
        search(b, 0, 0, b->x->shape.cores[0]);
}

/* Loads that tie often, and some that do not. */
static double random_load(struct lb_random *random, uint64_t kind)
{
        switch (kind) {
        case 0:
                return (double)lb_random_below(random, 4);
        case 1:
                return (double)lb_random_below(random, 40) / 10;
        case 2:
                return lb_random_unit(random) * pow(10, (double)lb_random_below(random, 13));
        default:
                return ldexp(lb_random_unit(random), (int)lb_random_below(random, 1900) - 950);
        }
}

static void random_instance(struct instance *x, struct lb_random *random, int32_t most_cores)
{
        int32_t nnode = 1 + (int32_t)lb_random_below(random, 4);
        int32_t napprank = 1 + (int32_t)lb_random_below(random, 5), at = 0;
        uint64_t kind = lb_random_below(random, 4);
        instance_start(x, napprank, nnode, 9);
        for (int32_t a = 0; a < napprank; a++) {
                x->first[a] = at;
                x->home[at] = true;
                x->node[at++] = (int32_t)lb_random_below(random, (uint64_t)nnode);
                int32_t degree = 1 + (int32_t)lb_random_below(random, (uint64_t)nnode);
                for (; degree > 1 && at + napprank - a - 1 < 9; degree--) {
                        int32_t n = (int32_t)lb_random_below(random, (uint64_t)nnode);
                        if (!instance_has(x, x->first[a], at, n))
                                x->node[at++] = n;
                }
                x->load[a] = random_load(random, kind);
        }
        x->first[napprank] = at;
        for (int32_t n = 0; n < nnode; n++)
                x->cores[n] = 1 + (int32_t)lb_random_below(random, (uint64_t)most_cores);
        instance_finish(x);
        if (lb_random_below(random, 3) > 0)
                return;
        x->shape.talk_only = x->talk_only;
        for (int32_t w = 0; w < at; w++)
                x->talk_only[w] = !x->home[w] && lb_random_below(random, 2);
}

/* A random present ownership; not always one that a machine could have. */
static void random_ownership(const struct instance *x, struct lb_random *random, int32_t *now)
{
        for (int32_t w = 0; w < x->shape.nworker; w++)
                now[w] = (int32_t)lb_random_below(random, 6);
}

/* Every worker has a core (a talk-only one none), no node gives more than it has, and all where an
 * apprank is at home. */
static void check_valid(const struct instance *x)
{
        const struct lb_shape *s = &x->shape;
        for (int32_t n = 0; n < s->nnode; n++) {
                int64_t sum = 0;
                for (int32_t i = s->node_first[n]; i < s->node_first[n + 1]; i++) {
                        assert_true(x->owned[s->node_worker[i]] >=
                                    lb_shape_least(s, s->node_worker[i]));
                        sum += x->owned[s->node_worker[i]];
                }
                assert_true(sum <= s->cores[n]);
                if (homed(s, n))
                        assert_int_equal(sum, s->cores[n]);
        }
}

static int64_t cores_of(const struct instance *x, int32_t apprank)
{
        int64_t sum = 0;
        for (int32_t w = x->first[apprank]; w < x->first[apprank + 1]; w++)
                sum += x->owned[w];
        return sum;
}

static bool feasible(const struct instance *x)
{
        for (int32_t n = 0; n < x->shape.nnode; n++)
                if (least_from(&x->shape, n, x->node_first[n]) > x->cores[n])
                        return false;
        return true;
}

/* Cores an apprank must have for load / cores to be less than the objective, one per worker at
 * least. */
static int64_t need_for_less(const struct instance *x, int32_t apprank,
                             const struct solve_result *result)
{
        int64_t need = 0;
        for (int32_t w = x->first[apprank]; w < x->first[apprank + 1]; w++)
                need += lb_shape_least(&x->shape, w);
        while (x->load[apprank] / (double)need >= result->objective)
                need++;
        return need;
}

/* The cut alone proves that no objective is smaller: its appranks have workers on its nodes only,
 * and would need more cores than these have. */
static void check_cut(const struct instance *x, const struct solve_result *result)
{
        bool apprank_in[128], node_in[64];
        int64_t need = 0, room = 0;
        int32_t nnode = 0, napprank = 0;
        solve_cut(&x->shape, x->workspace, apprank_in, node_in);
        for (int32_t n = 0; n < x->shape.nnode; n++) {
                room += node_in[n] ? x->cores[n] : 0;
                nnode += node_in[n];
        }
        for (int32_t w = 0; w < x->shape.nworker; w++) {
                if (apprank_in[x->apprank[w]])
                        assert_true(node_in[x->node[w]]);
                else
                        room -= node_in[x->node[w]] ? lb_shape_least(&x->shape, w) : 0;
        }
        for (int32_t a = 0; a < x->shape.napprank; a++) {
                need += apprank_in[a] ? need_for_less(x, a, result) : 0;
                napprank += apprank_in[a];
        }
        assert_int_equal(nnode, result->cut_nodes);
        assert_int_equal(napprank, result->cut_appranks);
        assert_true(result->objective <= 0 || need > room);
}

static void compare_with_brute(struct instance *x, const int32_t *now, bool whole)
{
        struct solve_instance in = { &x->shape, x->load, now };
        struct solve_result result;
        struct lb_error err = { 0 };
        int status = solve_exact(&in, x->workspace, x->owned, &result, &err);
        if (!feasible(x)) {
                assert_int_equal(status, -1);
                assert_non_null(strstr(err.text, "node "));
                return;
        }
        assert_int_equal(status, 0);
        check_valid(x);
        struct brute b = { .x = x, .now = now, .whole = whole };
        brute_force(&b);
        assert_true(b.found);
        assert_true(result.objective == b.load / (double)b.have);
        assert_int_equal(result.offloaded_cores, b.offloaded);
        if (whole)
                assert_int_equal(result.moved_cores, b.moved);
        assert_true(b.load == 0 || result.cut_appranks > 0);
        check_cut(x, &result);
}

static void run_brute(int32_t count, int32_t most_cores, bool owned, bool whole, uint64_t seed)
{
        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_TEST, 0);
        for (int32_t i = 0; i < count; i++) {
                struct instance x;
                int32_t now[16];
                random_instance(&x, &random, most_cores);
                random_ownership(&x, &random, now);
                compare_with_brute(&x, owned ? now : NULL, whole);
                instance_free(&x);
        }
}

/* The objective and the cores off home are the least over all integer allocations. */
static void test_least_objective(void **state)
{
        (void)state;
        run_brute(20000, 8, false, true, 1);
}

/* With a present ownership the cores moved are the least, too. */
static void test_least_moved(void **state)
{
        (void)state;
        run_brute(20000, 8, true, true, 2);
        run_brute(100000, 6, true, true, 9);
}

/* Leaving cores of a node unowned would gain nothing. */
static void test_whole_nodes_cost_nothing(void **state)
{
        (void)state;
        run_brute(5000, 5, false, false, 3);
}

/* Is a core that an apprank does not need for the objective with the one that has most load per
 * core? */
static void check_surplus(const struct instance *x, double objective, int32_t a)
{
        const struct lb_shape *s = &x->shape;
        int32_t home = s->apprank_first[a];
        int64_t have = cores_of(x, a);
        if (x->owned[home] == 1 || x->load[a] / (double)(have - 1) > objective)
                return;
        for (int32_t b = 0; b < s->napprank; b++)
                if (x->node[s->apprank_first[b]] == x->node[home])
                        assert_true(x->load[a] / (double)(have - 1) >=
                                    x->load[b] / (double)cores_of(x, b));
}

/* Without a present ownership, cores that nobody needs go where the load per core is highest. */
static void test_surplus_goes_to_the_most_loaded(void **state)
{
        (void)state;
        for (uint64_t seed = 0; seed < 300; seed++) {
                struct instance x;
                instance_machine(&x, 5, 3, 2, 16, seed);
                instance_loads(&x, 1.2 + (double)(seed % 10), seed);
                struct solve_instance in = { &x.shape, x.load, NULL };
                struct solve_result result;
                struct lb_error err;
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &result, &err), 0);
                check_valid(&x);
                for (int32_t a = 0; a < x.shape.napprank; a++)
                        check_surplus(&x, result.objective, a);
                instance_free(&x);
        }
}

/* An optimum given as the present ownership is kept as it is. */
static void test_optimum_stays(void **state)
{
        (void)state;
        for (uint64_t seed = 0; seed < 60; seed++) {
                struct instance x;
                instance_machine(&x, 12, 2, 3, 48, seed);
                instance_loads(&x, 2.385, seed);
                struct solve_instance in = { &x.shape, x.load, NULL };
                struct solve_result result;
                struct lb_error err;
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &result, &err), 0);
                int32_t *now = instance_array(x.shape.nworker, sizeof(*now));
                memcpy(now, x.owned, (size_t)x.shape.nworker * sizeof(*now));
                in.owned_cores = now;
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &result, &err), 0);
                assert_memory_equal(now, x.owned, (size_t)x.shape.nworker * sizeof(*now));
                assert_int_equal(result.moved_cores, 0);
                free(now);
                instance_free(&x);
        }
}

/* From the last allocation, after loads changed, the optimum is that of a start from nothing. */
static void test_warm_is_cold(void **state)
{
        (void)state;
        for (uint64_t seed = 0; seed < 40; seed++) {
                struct instance x;
                struct lb_random random;
                struct solve_result cold, warm;
                struct lb_error err;
                lb_random_init(&random, seed, LB_RANDOM_TEST, 7);
                instance_machine(&x, 40, 2, 4, 48, seed);
                instance_loads(&x, 1 + (double)(seed % 7) / 2, seed);
                int32_t *now = instance_array(x.shape.nworker, sizeof(*now));
                struct solve_instance in = { &x.shape, x.load, NULL };
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &cold, &err), 0);
                memcpy(now, x.owned, (size_t)x.shape.nworker * sizeof(*now));
                for (int32_t a = 0; a < x.shape.napprank; a++)
                        x.load[a] *= 1 + 0.2 * lb_random_unit(&random);
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &cold, &err), 0);
                in.owned_cores = now;
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &warm, &err), 0);
                check_valid(&x);
                check_cut(&x, &warm);
                assert_true(warm.objective == cold.objective);
                assert_int_equal(warm.offloaded_cores, cold.offloaded_cores);
                free(now);
                instance_free(&x);
        }
}

/* Every apprank on every node: hand out one core after the other where the load per core is
 * highest. */
static double closed_form(const struct instance *x, int64_t total)
{
        int32_t degree = x->shape.nnode;
        int64_t cores[64];
        for (int32_t a = 0; a < x->shape.napprank; a++) {
                cores[a] = degree;
                total -= degree;
        }
        for (; total >= 0; total--) {
                int32_t most = 0;
                for (int32_t a = 1; a < x->shape.napprank; a++)
                        if (x->load[a] / (double)cores[a] > x->load[most] / (double)cores[most])
                                most = a;
                if (total == 0)
                        return x->load[most] / (double)cores[most];
                cores[most]++;
        }
        return NAN;
}

/* Where every apprank reaches every node, the optimum depends on the sum of all cores only. */
static void test_complete_graph(void **state)
{
        (void)state;
        for (uint64_t seed = 0; seed < 40; seed++) {
                struct instance x;
                int32_t nnode = 2 + (int32_t)(seed % 7);
                instance_machine(&x, nnode, 2, nnode, 30, seed);
                instance_loads(&x, 1 + (double)(seed % 5) / 3, seed);
                struct solve_instance in = { &x.shape, x.load, NULL };
                struct solve_result result;
                struct lb_error err;
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &result, &err), 0);
                assert_true(result.objective == closed_form(&x, nnode * 30));
                instance_free(&x);
        }
}

/* Loads that differ by many orders of magnitude, equal loads, no load: an allocation all the same.
 */
static void test_odd_loads(void **state)
{
        (void)state;
        static const double loads[][4] = {
                { 0, 0, 0, 0 },
                { 1, 1, 1, 1 },
                { 1, 1e-12, 1e12, 1e24 },
                { DBL_MAX, DBL_MIN, DBL_TRUE_MIN, 0 },
                { DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX },
                { DBL_TRUE_MIN, DBL_TRUE_MIN, 0, 0 },
                { 0.1, 0.2, 0.3, 0.6 },
        };
        static const double objective[] = { 0, 1.0 / 12, 1e24 / 36, DBL_MAX / 36, DBL_MAX / 12,
                                            0, 0.1 / 4 };
        for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
                struct instance x;
                instance_machine(&x, 4, 1, 4, 12, 7);
                memcpy(x.load, loads[i], sizeof(loads[i]));
                struct solve_instance in = { &x.shape, x.load, NULL };
                struct solve_result result;
                struct lb_error err;
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &result, &err), 0);
                check_valid(&x);
                assert_true(result.objective == objective[i]);
                instance_free(&x);
        }
}

/* The known value of solve.c's head comment. */
static void test_known_value(void **state)
{
        (void)state;
        struct instance x;
        struct solve_result result;
        struct lb_error err;
        instance_machine(&x, 4, 1, 4, 48, 7);
        memcpy(x.load, (double[]){ 90, 10, 10, 10 }, 4 * sizeof(double));
        struct solve_instance in = { &x.shape, x.load, NULL };
        assert_int_equal(solve_exact(&in, x.workspace, x.owned, &result, &err), 0);
        assert_true(result.objective == 0.625);
        assert_int_equal(cores_of(&x, 0), 144);
        assert_int_equal(result.offloaded_cores, 108);
        instance_free(&x);
}

/* Same instance, same answer, whatever the workspace held before and however it is aligned. */
static void test_same_answer(void **state)
{
        (void)state;
        struct instance x;
        struct solve_result result;
        struct lb_error err;
        instance_machine(&x, 20, 2, 4, 48, 11);
        instance_loads(&x, 3.1, 11);
        struct solve_instance in = { &x.shape, x.load, NULL };
        size_t size = solve_workspace_size(&x.shape), bytes = (size_t)x.shape.nworker * 4;
        assert_int_equal(solve_exact(&in, x.workspace, x.owned, &result, &err), 0);
        int32_t *again = instance_array(x.shape.nworker, sizeof(*again));
        char *other = malloc(size + 7);
        assert_non_null(other);
        for (int i = 0; i < 7; i++) {
                memset(other, 0x11 * (i + 1), size + 7);
                assert_int_equal(solve_exact(&in, other + i, again, NULL, &err), 0);
                assert_memory_equal(again, x.owned, bytes);
        }
        free(other);
        free(again);
        instance_free(&x);
}

/* The objective grows with the loads and shrinks with the cores; scaling loads by 3 scales it by 3.
 */
static void test_monotone(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 5, LB_RANDOM_TEST, 0);
        for (uint64_t seed = 0; seed < 60; seed++) {
                struct instance x;
                struct solve_result base, more;
                struct lb_error err;
                instance_machine(&x, 9, 2, 3, 20, seed);
                instance_loads(&x, 2.385, seed);
                struct solve_instance in = { &x.shape, x.load, NULL };
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &base, &err), 0);
                x.load[lb_random_below(&random, 18)] *= 1.3;
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &more, &err), 0);
                assert_true(more.objective >= base.objective);
                base = more;
                x.cores[lb_random_below(&random, 9)] += 3;
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &more, &err), 0);
                assert_true(more.objective <= base.objective);
                base = more;
                for (int32_t a = 0; a < 18; a++)
                        x.load[a] *= 3;
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &more, &err), 0);
                assert_true(fabs(more.objective - 3 * base.objective) <= 1e-15 * more.objective);
                instance_free(&x);
        }
}

/* An apprank that only its own node can serve binds: the cut names it and that node. */
static void test_cut(void **state)
{
        (void)state;
        struct instance x;
        struct solve_result result;
        struct lb_error err;
        instance_machine(&x, 4, 1, 1, 10, 1);
        memcpy(x.load, (double[]){ 1, 7, 2, 3 }, 4 * sizeof(double));
        struct solve_instance in = { &x.shape, x.load, NULL };
        assert_int_equal(solve_exact(&in, x.workspace, x.owned, &result, &err), 0);
        assert_true(result.objective == 0.7);
        assert_int_equal(result.cut_appranks, 1);
        assert_int_equal(result.cut_nodes, 1);
        bool apprank_in[4], node_in[4];
        solve_cut(&x.shape, x.workspace, apprank_in, node_in);
        assert_true(apprank_in[1] && node_in[1]);
        instance_free(&x);
}

/* Two appranks that have two of four nodes, with loads that the other nodes' idle cores make look
 * small: they lack more cores at once than there are appranks. */
static void test_many_cores_short(void **state)
{
        enum { CORES = 1000 };
        static const int32_t first[] = { 0, 2, 4, 5, 6 }, node[] = { 0, 1, 1, 0, 2, 3 };
        struct lb_error err = { 0 };
        struct lb_random random;
        struct instance x;
        (void)state;
        lb_random_init(&random, 5, LB_RANDOM_TEST, 0);
        instance_start(&x, 4, 4, 6);
        for (int32_t n = 0; n < 4; n++)
                x.cores[n] = CORES;
        memcpy(x.first, first, sizeof(first));
        memcpy(x.node, node, sizeof(node));
        for (int32_t w = 0; w < 6; w++)
                x.home[w] = w != 1 && w != 3;
        instance_finish(&x);
        for (int i = 0; i < 50; i++) {
                struct solve_instance in = { &x.shape, x.load, NULL };
                struct solve_result result;
                double least = INFINITY;
                for (int32_t a = 0; a < 4; a++)
                        x.load[a] = (a < 2 ? 5 : 0.1) * (0.2 + lb_random_unit(&random));
                for (int32_t k = 2; k <= 2 * CORES - 2; k++)
                        least = fmin(least, fmax(x.load[0] / k, x.load[1] / (2 * CORES - k)));
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, &result, &err), 0);
                assert_true(result.objective == least);
        }
        instance_free(&x);
}

/* What cannot be solved is refused with a message that names the apprank or the node. */
static void test_refusals(void **state)
{
        (void)state;
        static const double bad[] = { -1, NAN, INFINITY };
        struct instance x;
        struct lb_error err;
        instance_machine(&x, 4, 1, 2, 12, 7);
        struct solve_instance in = { &x.shape, x.load, NULL };
        for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
                x.load[2] = bad[i];
                assert_int_equal(solve_exact(&in, x.workspace, x.owned, NULL, &err), -1);
                assert_non_null(strstr(err.text, "load of apprank 2 is "));
        }
        x.load[2] = 1;
        x.cores[3] = 1;
        assert_int_equal(solve_exact(&in, x.workspace, x.owned, NULL, &err), -1);
        assert_string_equal(err.text, "node 3 has 1 cores for 2 workers, each needs one");
        instance_free(&x);
}

/* The largest counts of cores that a shape can hold do not overflow. */
static void test_huge_nodes(void **state)
{
        (void)state;
        struct instance x;
        struct solve_result result;
        struct lb_error err;
        instance_machine(&x, 6, 2, 3, INT32_MAX, 3);
        instance_loads(&x, 5, 3);
        struct solve_instance in = { &x.shape, x.load, NULL };
        assert_int_equal(solve_exact(&in, x.workspace, x.owned, &result, &err), 0);
        check_valid(&x);
        assert_true(result.objective >= 12 / (6.0 * INT32_MAX));
        instance_free(&x);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_least_objective),
                cmocka_unit_test(test_least_moved),
                cmocka_unit_test(test_whole_nodes_cost_nothing),
                cmocka_unit_test(test_surplus_goes_to_the_most_loaded),
                cmocka_unit_test(test_optimum_stays),
                cmocka_unit_test(test_warm_is_cold),
                cmocka_unit_test(test_complete_graph),
                cmocka_unit_test(test_odd_loads),
                cmocka_unit_test(test_known_value),
                cmocka_unit_test(test_same_answer),
                cmocka_unit_test(test_monotone),
                cmocka_unit_test(test_cut),
                cmocka_unit_test(test_many_cores_short),
                cmocka_unit_test(test_refusals),
                cmocka_unit_test(test_huge_nodes),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
