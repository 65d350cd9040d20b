/* SPDX-License-Identifier: BSD-3-Clause */
/* After the worst apprank the next worst: against all allocations of small instances. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/policies/solve_instance.h"

enum { APPRANKS_MOST = 4, WORKERS_MOST = 8 };

/* The ratios of load to cores in falling order, and the cores off home. */
struct order {
        double ratio[APPRANKS_MOST];
        int64_t offloaded;
};

struct search {
        const struct instance *x;
        int32_t cores[WORKERS_MOST];
        struct order best;
        bool found;
};

static int by_value(const void *a, const void *b)
{
        double x = *(const double *)a, y = *(const double *)b;
        return (x < y) - (x > y);
}

static struct order order_of(const struct instance *x, const int32_t *cores)
{
        struct order order = { .offloaded = 0 };
        for (int32_t a = 0; a < x->shape.napprank; a++) {
                int32_t sum = 0;
                for (int32_t w = x->first[a]; w < x->first[a + 1]; w++) {
                        sum += cores[w];
                        order.offloaded += x->home[w] ? 0 : cores[w];
                }
                order.ratio[a] = x->load[a] / sum;
        }
        qsort(order.ratio, (size_t)x->shape.napprank, sizeof(double), by_value);
        return order;
}

static int compare(const struct order *a, const struct order *b, int32_t count)
{
        for (int32_t i = 0; i < count; i++)
                if (a->ratio[i] < b->ratio[i] || a->ratio[i] > b->ratio[i])
                        return a->ratio[i] < b->ratio[i] ? -1 : 1;
        return (a->offloaded > b->offloaded) - (a->offloaded < b->offloaded);
}

/* All ways to give worker w and those after it cores of what the nodes have left. */
static void try_all(struct search *s, int32_t w, int32_t *left)
{
        const struct lb_shape *shape = &s->x->shape;
        if (w == shape->nworker) {
                struct order order = order_of(s->x, s->cores);
                if (!s->found || compare(&order, &s->best, shape->napprank) < 0)
                        s->best = order;
                s->found = true;
                return;
        }
        int32_t node = s->x->node[w];
        for (int32_t c = 1; c <= left[node]; c++) {
                s->cores[w] = c;
                left[node] -= c;
                try_all(s, w + 1, left);
                left[node] += c;
        }
}

/* Every node is home to an apprank, so that all cores are given out. */
static void random_instance(struct instance *x, struct lb_random *random)
{
        int32_t nnode = 1 + (int32_t)lb_random_below(random, 3), at = 0;
        int32_t napprank = nnode + (int32_t)lb_random_below(random, (uint64_t)(5 - nnode));
        bool few = lb_random_below(random, 2) == 0;
        bool far = lb_random_below(random, 4) == 0; /* loads that have nearly died away */
        instance_start(x, napprank, nnode, WORKERS_MOST);
        for (int32_t a = 0; a < napprank; a++) {
                x->first[a] = at;
                x->home[at] = true;
                x->node[at++] = a % nnode;
                int32_t n = (int32_t)lb_random_below(random, (uint64_t)nnode);
                if (n != a % nnode && at + napprank - a - 1 < WORKERS_MOST)
                        x->node[at++] = n;
                x->load[a] = few ? (double)lb_random_below(random, 4) : lb_random_unit(random) * 10;
                if (far)
                        x->load[a] = ldexp(x->load[a], -(int)lb_random_below(random, 180));
        }
        x->first[napprank] = at;
        for (int32_t n = 0; n < nnode; n++)
                x->cores[n] = 4 + (int32_t)lb_random_below(random, 4);
        instance_finish(x);
}

/* Are loads equal? Which of them then gets a core that is not enough for all is not said. */
static bool loads_tie(const struct instance *x)
{
        for (int32_t a = 0; a < x->shape.napprank; a++)
                for (int32_t b = 0; b < a; b++)
                        if (x->load[a] <= x->load[b] && x->load[a] >= x->load[b])
                                return true;
        return false;
}

static void compare_with_all(struct instance *x)
{
        struct search s = { .x = x };
        struct solve_instance in = { &x->shape, x->load, NULL };
        struct solve_result result, exact;
        struct lb_error err;
        int32_t left[4];
        memcpy(left, x->cores, (size_t)x->shape.nnode * sizeof(*left));
        try_all(&s, 0, left);
        int status = solve_lexicographic(&in, x->workspace, x->owned, &result, &err);
        assert_int_equal(status, s.found ? 0 : -1);
        if (!s.found)
                return;
        struct order mine = order_of(x, x->owned);
        for (int32_t i = 0; i < x->shape.napprank; i++)
                assert_true(mine.ratio[i] == s.best.ratio[i]);
        if (!loads_tie(x))
                assert_int_equal(mine.offloaded, s.best.offloaded);
        assert_int_equal(solve_exact(&in, x->workspace, x->owned, &exact, &err), 0);
        assert_true(exact.objective == result.objective);
}

/* No allocation has a smaller worst ratio, then second worst, and so on, nor, where no loads
 * are equal, the same with fewer cores off home. */
static void test_next_worst(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 4, LB_RANDOM_TEST, 0);
        for (int i = 0; i < 3000; i++) {
                struct instance x;
                random_instance(&x, &random);
                compare_with_all(&x);
                instance_free(&x);
        }
}

/* Equal loads on a large machine, where all tie: everybody has the same. */
static void test_all_equal(void **state)
{
        (void)state;
        struct instance x;
        struct solve_result result;
        struct lb_error err;
        instance_machine(&x, 64, 2, 3, 48, 5);
        for (int32_t a = 0; a < x.shape.napprank; a++)
                x.load[a] = 1.5;
        struct solve_instance in = { &x.shape, x.load, NULL };
        assert_int_equal(solve_lexicographic(&in, x.workspace, x.owned, &result, &err), 0);
        assert_true(result.objective == 1.5 / 24);
        instance_free(&x);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_next_worst),
                cmocka_unit_test(test_all_equal),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
