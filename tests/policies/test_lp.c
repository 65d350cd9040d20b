/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <glpk.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "policies/lp.h"
#include "tests/policies/solve_instance.h"

/* What both solvers make of an instance. */
struct both {
        double fractional;
        double *cores;
        struct solve_result exact, rounded;
        int32_t *exact_cores, *rounded_cores;
};

static void solve_both(const struct instance *x, struct both *b)
{
        const struct lb_shape *s = &x->shape;
        struct solve_instance in = { s, x->load, NULL };
        struct lb_error err = { 0 };
        b->cores = instance_array(s->nworker, sizeof(double));
        b->exact_cores = instance_array(s->nworker, sizeof(int32_t));
        b->rounded_cores = instance_array(s->nworker, sizeof(int32_t));
        struct solve_lp *lp = solve_lp_create(s, &err);
        assert_non_null(lp);
        assert_int_equal(
            solve_lp_run(lp, x->load, b->cores, b->rounded_cores, &b->fractional, &err), 0);
        solve_lp_destroy(lp);
        solve_evaluate(&in, b->rounded_cores, &b->rounded);
        assert_int_equal(solve_exact(&in, x->workspace, b->exact_cores, &b->exact, &err), 0);
}

static void forget_both(struct both *b)
{
        free(b->cores);
        free(b->exact_cores);
        free(b->rounded_cores);
}

static void check_node(const struct instance *x, const struct both *b, int32_t n)
{
        double sum = 0;
        int64_t whole = 0;
        for (int32_t i = x->node_first[n]; i < x->node_first[n + 1]; i++) {
                int32_t w = x->node_worker[i];
                assert_true(b->cores[w] >= lb_shape_least(&x->shape, w));
                assert_true(b->rounded_cores[w] >= lb_shape_least(&x->shape, w));
                assert_true(fabs(b->rounded_cores[w] - b->cores[w]) < 1.000001);
                sum += b->cores[w];
                whole += b->rounded_cores[w];
        }
        assert_true(fabs(sum - x->cores[n]) < 1e-5);
        assert_int_equal(whole, x->cores[n]);
}

/* fractional <= integer optimum <= rounded; both allocations are valid and give out all cores. */
static void test_order_of_objectives(void **state)
{
        (void)state;
        for (uint64_t seed = 0; seed < 120; seed++) {
                struct instance x;
                struct both b;
                int32_t nnode = 4 + (int32_t)(seed % 13);
                instance_machine(&x, nnode, 1 + (int32_t)(seed % 3), 1 + (int32_t)(seed % 4), 24,
                                 seed);
                instance_loads(&x, 1 + (double)(seed % 7) / 2.385, seed);
                for (int32_t w = 0; w < x.shape.nworker && seed % 5 == 0; w++)
                        x.talk_only[w] = !x.home[w];
                x.shape.talk_only = seed % 5 == 0 ? x.talk_only : NULL;
                solve_both(&x, &b);
                assert_true(b.fractional <= b.exact.objective * (1 + 1e-8));
                assert_true(b.exact.objective <= b.rounded.objective);
                for (int32_t n = 0; n < nnode; n++)
                        check_node(&x, &b, n);
                forget_both(&b);
                instance_free(&x);
        }
}

/* Where loads are whole cores that all fit, the program has a whole solution: both solvers find it.
 */
static void test_equal_where_whole(void **state)
{
        (void)state;
        static const double load[] = { 20, 4, 9, 3 };
        struct instance x;
        struct both b;
        instance_machine(&x, 4, 1, 3, 9, 5);
        memcpy(x.load, load, sizeof(load));
        solve_both(&x, &b);
        assert_true(fabs(b.fractional - 1) < 1e-8);
        assert_true(b.exact.objective == 1);
        forget_both(&b);
        instance_free(&x);
}

/* A published graph ("0.1;1.2;..."), the work per apprank of the original sweep's draw in us, and
 * the least iteration time over perfect balance that its linear program allows (another solver's).
 */
struct published {
        int32_t nnode;
        const char *graph;
        double work_us[16], floor;
};

static void read_graph(struct instance *x, const struct published *p)
{
        instance_start(x, p->nnode, p->nnode, p->nnode * p->nnode);
        char *at = (char *)p->graph;
        int32_t w = 0;
        for (int32_t a = 0; a < p->nnode; a++) {
                x->cores[a] = 48;
                x->first[a] = w;
                x->home[w] = true;
                x->load[a] = p->work_us[a];
                do
                        x->node[w++] = (int32_t)strtol(at, &at, 10);
                while (*at++ == '.');
        }
        x->first[p->nnode] = w;
        instance_finish(x);
}

/* Figure 8 of the paper, published graphs and loads: the program reproduces the known floors. */
static void test_published_floors(void **state)
{
        (void)state;
        static const struct published table[] = {
                { 4, "0.1;1.2;2.3;3.0", { 63821, 18909, 13698, 103571 }, 1.1316698837015313 },
                { 4, "0.1;1.2;2.3;3.0", { 744, 5265, 189285, 4705 }, 1.9331330699206688 },
                { 4, "0.1.3;1.0.2;2.1.3;3.0.2", { 744, 5265, 189285, 4705 }, 1.3167718012503105 },
                { 4,
                  "0.1.2.3;1.0.2.3;2.0.1.3;3.0.1.2",
                  { 744, 5265, 189285, 4705 },
                  1.017477427812671 },
                { 8,
                  "0.1;1.2;2.3;3.4;4.5;5.6;6.7;7.0",
                  { 42573, 61026, 34829, 2003, 21823, 103571, 79185, 54988 },
                  1.2355396988252547 },
                { 8,
                  "0.1.2.3;1.2.4.6;2.3.6.7;3.0.4.7;4.0.1.5;5.1.2.6;6.4.5.7;7.0.3.5",
                  { 13790, 19913, 189285, 18617, 15504, 20813, 27702, 94374 },
                  1.0095250476252382 },
                { 16,
                  "0.1.9.11;1.2.6.10;2.0.3.14;3.4.12.13;4.2.5.9;5.6.7.11;6.7.8.14;7.3.5.8;8.3.4.9;"
                  "9.0.6.10;10.11.12.15;11.1.5.12;12.7.13.15;13.1.8.14;14.4.10.15;15.0.2.13",
                  { 16508, 93680, 113502, 5011, 42443, 13734, 104105, 50435, 19902, 17642, 19435,
                    71597, 55051, 135714, 11786, 29453 },
                  1.004938122101403 },
        };
        for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
                struct instance x;
                struct both b;
                double sum = 0;
                read_graph(&x, &table[i]);
                for (int32_t a = 0; a < x.shape.napprank; a++)
                        sum += x.load[a];
                solve_both(&x, &b);
                double perfect = sum / (48 * x.shape.nnode);
                assert_true(fabs(b.fractional / perfect - table[i].floor) < 1e-6);
                assert_true(b.exact.objective / perfect < table[i].floor * 1.05);
                assert_true(b.exact.objective <= b.rounded.objective);
                forget_both(&b);
                instance_free(&x);
        }
}

/*
 * The second phase leaves no core off home that could be at home: with loads that fit at home,
 * helpers have just their one core, whatever the tolerance of the simplex.
 */
static void test_home_preferred(void **state)
{
        (void)state;
        for (uint64_t seed = 0; seed < 40; seed++) {
                struct instance x;
                struct both b;
                instance_machine(&x, 8, 2, 3, 20, seed);
                for (int32_t a = 0; a < x.shape.napprank; a++)
                        x.load[a] = 1;
                solve_both(&x, &b);
                double off = 0;
                for (int32_t w = 0; w < x.shape.nworker; w++)
                        off += x.home[w] ? 0 : b.cores[w];
                assert_true(off >= 8 * 2 * 2 - 1e-6);
                assert_true(off <= (double)b.exact.offloaded_cores + 1e-4);
                forget_both(&b);
                instance_free(&x);
        }
}

/* A warm start finds the same objective as a cold one. */
static void test_warm_is_cold(void **state)
{
        (void)state;
        struct instance x;
        struct lb_error err = { 0 };
        instance_machine(&x, 16, 2, 4, 48, 3);
        struct solve_lp *warm = solve_lp_create(&x.shape, &err);
        struct solve_lp *cold = solve_lp_create(&x.shape, &err);
        assert_true(warm && cold);
        for (uint64_t seed = 0; seed < 30; seed++) {
                double a, b;
                instance_loads(&x, 1 + (double)(seed % 9) / 2, seed);
                solve_lp_forget(cold);
                assert_int_equal(solve_lp_run(warm, x.load, NULL, NULL, &a, &err), 0);
                assert_int_equal(solve_lp_run(cold, x.load, NULL, NULL, &b, &err), 0);
                assert_true(fabs(a - b) <= 1e-8 * b);
        }
        solve_lp_destroy(warm);
        solve_lp_destroy(cold);
        instance_free(&x);
}

/* After solve_lp_forget() an answer depends on the loads alone, not on what was solved before. */
static void test_forgotten_runs_repeat(void **state)
{
        (void)state;
        struct instance x;
        struct lb_error err = { 0 };
        double objective, other;
        instance_machine(&x, 8, 2, 4, 48, 3);
        int32_t *again = instance_array(x.shape.nworker, sizeof(int32_t));
        struct solve_lp *lp = solve_lp_create(&x.shape, &err);
        assert_non_null(lp);
        instance_loads(&x, 2.385, 1);
        assert_int_equal(solve_lp_run(lp, x.load, NULL, x.owned, &objective, &err), 0);
        instance_loads(&x, 4, 2);
        assert_int_equal(solve_lp_run(lp, x.load, NULL, again, &other, &err), 0);
        instance_loads(&x, 2.385, 1);
        solve_lp_forget(lp);
        assert_int_equal(solve_lp_run(lp, x.load, NULL, again, &other, &err), 0);
        assert_true(objective == other);
        assert_memory_equal(again, x.owned, (size_t)x.shape.nworker * sizeof(int32_t));
        solve_lp_destroy(lp);
        free(again);
        instance_free(&x);
}

/* Loads no simplex likes: still an answer near the integer optimum, or a message, never an abort.
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
                { DBL_TRUE_MIN, 0, 0, 0 },
        };
        for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
                struct instance x;
                struct both b;
                instance_machine(&x, 4, 1, 4, 12, 7);
                memcpy(x.load, loads[i], sizeof(loads[i]));
                solve_both(&x, &b);
                assert_true(b.fractional <= b.exact.objective * (1 + 1e-8));
                for (int32_t n = 0; n < 4; n++)
                        check_node(&x, &b, n);
                forget_both(&b);
                instance_free(&x);
        }
}

/* Bad loads and nodes too small are refused with a message that names them. */
static void test_refusals(void **state)
{
        (void)state;
        static const double bad[] = { -1, NAN, INFINITY };
        struct instance x;
        struct lb_error err = { 0 };
        double objective;
        instance_machine(&x, 4, 1, 2, 12, 7);
        struct solve_lp *lp = solve_lp_create(&x.shape, &err);
        assert_non_null(lp);
        for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
                x.load[2] = bad[i];
                assert_int_equal(solve_lp_run(lp, x.load, NULL, NULL, &objective, &err), -1);
                assert_non_null(strstr(err.text, "load of apprank 2"));
        }
        solve_lp_destroy(lp);
        x.cores[3] = 1;
        assert_null(solve_lp_create(&x.shape, &err));
        assert_string_equal(err.text, "node 3 has 1 cores for 2 workers, each needs one");
        instance_free(&x);
}

/* Take GLPK's memory up to 4 kB short of 1 MB, and then have it stop at 1 MB. */
static void *fill_memory(void)
{
        size_t total;
        glp_mem_usage(NULL, NULL, &total, NULL);
        assert_true(total < 500000);
        void *filler = glp_alloc(1, (1 << 20) - 4096 - (int)total);
        glp_mem_limit(1);
        return filler;
}

/* GLPK's own failure, here for want of memory, is a message; the next run starts afresh. */
static void test_glpk_failure(void **state)
{
        (void)state;
        struct instance x;
        struct lb_error err = { 0 };
        double objective;
        instance_machine(&x, 16, 2, 8, 48, 7);
        instance_loads(&x, 2, 7);
        struct solve_lp *lp = solve_lp_create(&x.shape, &err);
        assert_non_null(lp);
        void *filler = fill_memory();
        assert_int_equal(solve_lp_run(lp, x.load, NULL, x.owned, &objective, &err), -1);
        assert_int_equal(err.kind, LB_ERROR_OTHER);
        assert_non_null(strstr(err.text, "GLPK failed: "));
        glp_mem_limit(INT_MAX);
        glp_free(filler);
        assert_int_equal(solve_lp_run(lp, x.load, NULL, x.owned, &objective, &err), 0);
        solve_lp_destroy(lp);
        instance_free(&x);
        glp_free_env();
}

static void *solve_in_thread(void *argument)
{
        const uint64_t *seed = argument;
        struct instance x;
        struct both b;
        instance_machine(&x, 12, 2, 4, 48, *seed);
        instance_loads(&x, 2.385, *seed);
        solve_both(&x, &b);
        assert_true(b.fractional <= b.exact.objective * (1 + 1e-8));
        forget_both(&b);
        instance_free(&x);
        return NULL;
}

/* Threads solve at the same time and leave nothing behind when they end. */
static void test_threads(void **state)
{
        (void)state;
        pthread_t thread[4];
        uint64_t seed[4] = { 1, 2, 3, 4 };
        for (int i = 0; i < 4; i++)
                assert_int_equal(pthread_create(&thread[i], NULL, solve_in_thread, &seed[i]), 0);
        for (int i = 0; i < 4; i++)
                assert_int_equal(pthread_join(thread[i], NULL), 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_order_of_objectives),
                cmocka_unit_test(test_equal_where_whole),
                cmocka_unit_test(test_home_preferred),
                cmocka_unit_test(test_warm_is_cold),
                cmocka_unit_test(test_forgotten_runs_repeat),
                cmocka_unit_test(test_odd_loads),
                cmocka_unit_test(test_refusals),
                cmocka_unit_test(test_glpk_failure),
                cmocka_unit_test(test_published_floors),
                cmocka_unit_test(test_threads),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
