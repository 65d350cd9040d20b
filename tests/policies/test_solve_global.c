/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "policies/alloc.h"
#include "policies/lp.h"
#include "tests/policies/solve_instance.h"

/* One policy on one machine. */
struct host {
        const struct alloc_type *type;
        double *param;
        void *state;
        struct alloc_view view;
        int32_t *now;
        double *busy;
};

static void host_start(struct host *h, const struct alloc_type *type, struct instance *x,
                       const char *name, double value)
{
        struct lb_error err = { 0 };
        *h = (struct host){ .type = type };
        h->param = instance_array((int32_t)lb_param_count(type->params), sizeof(double));
        lb_param_defaults(type->params, h->param);
        if (name)
                h->param[lb_param_find(type->params, name)] = value;
        h->state = calloc(1, type->state_size(&x->shape, h->param));
        assert_non_null(h->state);
        assert_int_equal(type->init(h->state, &x->shape, h->param, &err), 0);
        h->now = instance_array(x->shape.nworker, sizeof(int32_t));
        h->busy = instance_array(x->shape.nworker, sizeof(double));
        assert_int_equal(alloc_initial(&x->shape, h->now, &err), 0);
        h->view = (struct alloc_view){ .interval_ns = 500000000,
                                       .busy_cores = h->busy,
                                       .owned_cores = h->now };
}

static void host_stop(struct host *h)
{
        h->type->release(h->state);
        free(h->state);
        free(h->param);
        free(h->now);
        free(h->busy);
}

/* Each apprank's load is measured on its home worker. */
static void host_decide(struct host *h, const struct instance *x, int32_t *owned_cores)
{
        for (int32_t a = 0; a < x->shape.napprank; a++)
                h->busy[x->first[a]] = x->load[a];
        h->type->observe(h->state, &h->view);
        h->type->decide(h->state, &h->view, owned_cores);
        struct lb_error err = { 0 };
        assert_int_equal(alloc_check(&x->shape, owned_cores, &err), 0);
}

/* Both policies decide valid targets; the linear program's is never better than the integer
 * optimum. */
static void test_both_solvers(void **state)
{
        (void)state;
        for (uint64_t seed = 0; seed < 40; seed++) {
                struct instance x;
                struct host exact, lp;
                struct solve_result best, rounded;
                instance_machine(&x, 6 + (int32_t)(seed % 5), 2, 3, 48, seed);
                instance_loads(&x, 1 + (double)(seed % 6) / 2.385, seed);
                struct solve_instance in = { &x.shape, x.load, NULL };
                host_start(&exact, alloc_find("global"), &x, NULL, 0);
                host_start(&lp, &alloc_global_lp, &x, NULL, 0);
                host_decide(&exact, &x, x.owned);
                solve_evaluate(&in, x.owned, &best);
                host_decide(&lp, &x, x.owned);
                solve_evaluate(&in, x.owned, &rounded);
                assert_true(best.objective <= rounded.objective * (1 + 1e-12));
                assert_true(rounded.objective < best.objective * 1.2);
                host_stop(&exact);
                host_stop(&lp);
                instance_free(&x);
        }
}

/* What global-lp decides depends on what it has seen, not on how often it was asked. */
static void test_same_view_same_decision(void **state)
{
        (void)state;
        struct instance x;
        struct host often, once;
        instance_machine(&x, 8, 2, 4, 48, 3);
        instance_loads(&x, 2.385, 3);
        host_start(&often, &alloc_global_lp, &x, NULL, 0);
        host_start(&once, &alloc_global_lp, &x, NULL, 0);
        int32_t *again = instance_array(x.shape.nworker, sizeof(int32_t));
        for (int i = 0; i < 5; i++) {
                x.load[i] *= 1.7;
                host_decide(&often, &x, again);
                memcpy(once.busy, often.busy, (size_t)x.shape.nworker * sizeof(double));
                if (i < 4)
                        once.type->observe(once.state, &once.view);
        }
        host_decide(&once, &x, x.owned);
        assert_memory_equal(again, x.owned, (size_t)x.shape.nworker * sizeof(int32_t));
        free(again);
        host_stop(&often);
        host_stop(&once);
        instance_free(&x);
}

/* Solved in groups of nodes, helpers outside their apprank's group have their one core. */
static void test_partition(void **state)
{
        (void)state;
        struct instance x;
        struct host h;
        instance_machine(&x, 8, 2, 4, 48, 3);
        instance_loads(&x, 3.1, 3);
        host_start(&h, &alloc_global_lp, &x, "partition_nodes", 2);
        host_decide(&h, &x, x.owned);
        for (int32_t w = 0; w < x.shape.nworker; w++)
                if (x.node[w] / 2 != x.node[x.first[x.apprank[w]]] / 2)
                        assert_int_equal(x.owned[w], 1);
        host_stop(&h);
        instance_free(&x);
}

/* Nothing measured: everything stays as it is. */
static void test_nothing_measured(void **state)
{
        (void)state;
        struct instance x;
        struct host h;
        instance_machine(&x, 4, 2, 2, 48, 3);
        host_start(&h, &alloc_global_lp, &x, NULL, 0);
        host_decide(&h, &x, x.owned);
        assert_memory_equal(h.now, x.owned, (size_t)x.shape.nworker * sizeof(int32_t));
        host_stop(&h);
        instance_free(&x);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_both_solvers),
                cmocka_unit_test(test_same_view_same_decision),
                cmocka_unit_test(test_partition),
                cmocka_unit_test(test_nothing_measured),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
