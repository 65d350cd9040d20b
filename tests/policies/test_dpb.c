/* SPDX-License-Identifier: BSD-3-Clause */
/* Moving processors among the processes of a node: contract, formula, undo; the profiling library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "policies/dpb.h"
#include "policies/profile.h"
#include "tests/policies/allocations.h"

enum { NPROCESS_MAX = 12 };

/* A node of processes that divide their work ideally. */
struct node {
        int32_t nprocess;
        double work[NPROCESS_MAX], compute_s[NPROCESS_MAX], mpi_s[NPROCESS_MAX];
        int32_t cpus[NPROCESS_MAX];
};

static struct dpb_view measure(struct node *node)
{
        double most = 0;
        for (int32_t p = 0; p < node->nprocess; p++) {
                node->compute_s[p] = node->work[p] / node->cpus[p];
                most = node->compute_s[p] > most ? node->compute_s[p] : most;
        }
        for (int32_t p = 0; p < node->nprocess; p++)
                node->mpi_s[p] = most - node->compute_s[p];
        return (struct dpb_view){ 0, node->compute_s, node->mpi_s, node->cpus };
}

static double slowest(struct node *node)
{
        struct dpb_view view = measure(node);
        return view.compute_s[0] + view.mpi_s[0];
}

static void *made(const struct dpb_type *type, int32_t nprocess, const double *param)
{
        struct lb_error err;
        void *state = calloc(1, type->state_size(nprocess, param));
        assert_int_equal(type->init(state, nprocess, param, &err), 0);
        return state;
}

static void set(double *param, const char *name, double value)
{
        int place = lb_param_find(dpb_steal_params, name);
        assert_true(place >= 0);
        param[place] = value;
}

/* Decide once on numbers alone. */
static enum dpb_action decide(const struct dpb_type *type, void *state, struct node *node)
{
        struct dpb_view view = measure(node);
        int32_t cpus[NPROCESS_MAX];
        enum dpb_action action = type->decide(state, &view, cpus);
        memcpy(node->cpus, cpus, (size_t)node->nprocess * sizeof(*cpus));
        return action;
}

static void try_contract(const struct dpb_type *type, struct lb_random *random)
{
        double param[16];
        lb_param_defaults(type->params, param);
        struct node node = { .nprocess = 1 + (int32_t)lb_random_below(random, NPROCESS_MAX) };
        size_t bytes = (size_t)node.nprocess * sizeof(int32_t);
        size_t size = type->state_size(node.nprocess, param);
        void *state = made(type, node.nprocess, param), *copy = malloc(size);
        struct lb_error err;
        int32_t ncpu = node.nprocess + (int32_t)lb_random_below(random, 40);
        assert_int_equal(dpb_equal(ncpu, node.nprocess, node.cpus, &err), 0);
        for (int step = 0; step < 60; step++) {
                for (int32_t p = 0; p < node.nprocess; p++)
                        node.work[p] =
                            lb_random_unit(random) < 0.2 ? 0 : lb_random_unit(random) * 3.7;
                struct dpb_view view = measure(&node);
                int32_t one[NPROCESS_MAX], two[NPROCESS_MAX], sum = 0;
                memcpy(copy, state, size);
                long before = nallocation;
                enum dpb_action action = type->decide(state, &view, one);
                assert_int_equal(nallocation, before);
                assert_int_equal(action, type->decide(copy, &view, two));
                assert_memory_equal(one, two, bytes);
                for (int32_t p = 0; p < node.nprocess; p++) {
                        assert_true(one[p] >= 1);
                        sum += one[p];
                }
                assert_int_equal(sum, ncpu);
                if (action == DPB_KEEP)
                        assert_memory_equal(one, node.cpus, bytes);
                memcpy(node.cpus, one, bytes);
        }
        free(state);
        free(copy);
}

/* Every policy: each process one processor at least, none is lost, same view same decision, no
 * allocation in decide(). */
static void policies_keep_the_contract(void **unused)
{
        (void)unused;
        struct lb_random random;
        lb_random_init(&random, 21, LB_RANDOM_TEST, 5);
        for (int i = 0; dpb_types[i]; i++) {
                assert_string_equal(dpb_types[i]->name, dpb_names[i]);
                assert_ptr_equal(dpb_find(dpb_names[i]), dpb_types[i]);
                for (int trial = 0; trial < 50; trial++)
                        try_contract(dpb_types[i], &random);
        }
        assert_null(dpb_find("none such"));
}

/* Section 3.2 by hand: computation 3 and 1 s, 8 processors each: t' = 2 s, 8 x 3 / 2 - 8 = 4. */
static void the_formula_of_the_paper(void **unused)
{
        (void)unused;
        double param[16];
        lb_param_defaults(dpb_steal_params, param);
        void *state = made(dpb_find("dpb"), 2, param);
        struct node node = { .nprocess = 2, .work = { 8, 24 }, .cpus = { 8, 8 } };
        assert_int_equal(decide(dpb_find("dpb"), state, &node), DPB_MOVE);
        assert_int_equal(node.cpus[0], 4);
        assert_int_equal(node.cpus[1], 12);
        assert_int_equal(decide(dpb_find("dpb"), state, &node), DPB_KEEP);
        free(state);
}

/* The victim is the process with least computation that has more than one processor. */
static void a_last_processor_is_never_taken(void **unused)
{
        (void)unused;
        double param[16];
        lb_param_defaults(dpb_steal_params, param);
        void *state = made(dpb_find("dpb"), 3, param);
        struct node node = { .nprocess = 3, .work = { 0.1, 2, 30 }, .cpus = { 1, 2, 3 } };
        assert_int_equal(decide(dpb_find("dpb"), state, &node), DPB_MOVE);
        assert_int_equal(node.cpus[0], 1);
        assert_int_equal(node.cpus[1], 1);
        assert_int_equal(node.cpus[2], 4);
        assert_int_equal(decide(dpb_find("dpb"), state, &node), DPB_KEEP);
        free(state);
}

/* How the number is made whole: 2.67 of the formula, where all of them get better; then 0.48, where
 * "one" moves one nevertheless, and none where the formula promises nothing. */
static void rounding_is_a_choice(void **unused)
{
        (void)unused;
        static const int32_t moved[] = { 2, 3, 3, 2 }, little[] = { 0, 0, 1, 1 };
        for (int rounding = 0; rounding < 4; rounding++) {
                double param[16];
                lb_param_defaults(dpb_steal_params, param);
                set(param, "dpb_rounding", rounding);
                void *state = made(dpb_find("dpb"), 2, param);
                struct node node = { .nprocess = 2, .work = { 4, 2 }, .cpus = { 8, 8 } };
                decide(dpb_find("dpb"), state, &node);
                assert_int_equal(node.cpus[0], 8 + moved[rounding]);
                free(state);
                state = made(dpb_find("dpb"), 2, param);
                struct node near = { .nprocess = 2, .work = { 1.12, 1 }, .cpus = { 8, 8 } };
                decide(dpb_find("dpb"), state, &near);
                assert_int_equal(near.cpus[0], 8 + little[rounding]);
                free(state);
                state = made(dpb_find("dpb"), 2, param);
                struct node even = { .nprocess = 2, .work = { 1, 1 }, .cpus = { 8, 8 } };
                assert_int_equal(decide(dpb_find("dpb"), state, &even), DPB_KEEP);
                free(state);
        }
}

/* A move that made iterations longer is undone, and is not tried again until they change; without
 * the filter it is: ping-pong. */
static void a_bad_move_is_undone(void **unused)
{
        (void)unused;
        for (int again = 0; again < 2; again++) {
                double param[16];
                lb_param_defaults(dpb_steal_params, param);
                set(param, "dpb_rounding", 2);
                set(param, "dpb_retry", again);
                void *state = made(dpb_find("dpb"), 2, param);
                struct node node = { .nprocess = 2, .work = { 1.01, 1 }, .cpus = { 2, 2 } };
                double before = slowest(&node);
                assert_int_equal(decide(dpb_find("dpb"), state, &node), DPB_MOVE);
                assert_true(slowest(&node) > before);
                assert_int_equal(decide(dpb_find("dpb"), state, &node), DPB_UNDO);
                assert_int_equal(node.cpus[0], 2);
                assert_int_equal(decide(dpb_find("dpb"), state, &node),
                                 again ? DPB_MOVE : DPB_KEEP);
                free(state);
        }
}

/* What its host has put back to be timed is no move of its own that failed: it moves again. */
static void what_the_host_put_back_is_no_bad_move(void **unused)
{
        (void)unused;
        double param[16];
        lb_param_defaults(dpb_steal_params, param);
        void *state = made(dpb_find("dpb"), 2, param);
        struct node node = { .nprocess = 2, .work = { 24, 6 }, .cpus = { 4, 4 } };
        assert_int_equal(decide(dpb_find("dpb"), state, &node), DPB_MOVE);
        int32_t gained = node.cpus[0];
        node.cpus[0] = node.cpus[1] = 4;
        node.work[0] *= 1.01;
        assert_int_equal(decide(dpb_find("dpb"), state, &node), DPB_MOVE);
        assert_int_equal(node.cpus[0], gained);
        free(state);
}

/* After an undo, other loads are answered again. */
static void a_change_of_load_ends_the_rest(void **unused)
{
        (void)unused;
        double param[16];
        lb_param_defaults(dpb_steal_params, param);
        set(param, "dpb_rounding", 2);
        void *state = made(dpb_find("dpb"), 2, param);
        struct node node = { .nprocess = 2, .work = { 1.01, 1 }, .cpus = { 2, 2 } };
        decide(dpb_find("dpb"), state, &node);
        decide(dpb_find("dpb"), state, &node);
        node.work[0] = 1.05;
        assert_int_equal(decide(dpb_find("dpb"), state, &node), DPB_KEEP);
        node.work[0] = 4;
        assert_int_equal(decide(dpb_find("dpb"), state, &node), DPB_MOVE);
        assert_int_equal(node.cpus[0], 3);
        free(state);
}

/* Ideal loops and constant loads: whatever the loads, it comes to rest, and never ends slower than
 * equipartition. */
static void it_comes_to_rest_and_is_no_worse(void **unused)
{
        (void)unused;
        double param[16];
        struct lb_random random;
        struct lb_error err;
        lb_param_defaults(dpb_steal_params, param);
        lb_random_init(&random, 8, LB_RANDOM_TEST, 6);
        for (int trial = 0; trial < 500; trial++) {
                struct node node = { .nprocess = 2 + (int32_t)lb_random_below(&random, 7) };
                for (int32_t p = 0; p < node.nprocess; p++)
                        node.work[p] = lb_random_unit(&random);
                int32_t ncpu = 16 + (int32_t)lb_random_below(&random, 32);
                assert_int_equal(dpb_equal(ncpu, node.nprocess, node.cpus, &err), 0);
                double before = slowest(&node);
                void *state = made(dpb_find("dpb"), node.nprocess, param);
                for (int step = 0; step < 100; step++)
                        decide(dpb_find("dpb"), state, &node);
                assert_int_equal(decide(dpb_find("dpb"), state, &node), DPB_KEEP);
                assert_true(slowest(&node) <= before * (1 + 1e-9));
                free(state);
        }
}

/* One process, no load, no imbalance: nothing moves, nothing divides by zero. */
static void nothing_to_do(void **unused)
{
        (void)unused;
        static const struct node nodes[] = {
                { .nprocess = 1, .work = { 3 }, .cpus = { 16 } },
                { .nprocess = 2, .work = { 0, 0 }, .cpus = { 8, 8 } },
                { .nprocess = 3, .work = { 1, 1, 1 }, .cpus = { 4, 4, 4 } },
                { .nprocess = 2, .work = { 5, 1 }, .cpus = { 1, 1 } },
        };
        for (int i = 0; dpb_types[i]; i++)
                for (size_t n = 0; n < sizeof(nodes) / sizeof(nodes[0]); n++) {
                        double param[16];
                        struct node node = nodes[n];
                        lb_param_defaults(dpb_types[i]->params, param);
                        void *state = made(dpb_types[i], node.nprocess, param);
                        assert_int_equal(decide(dpb_types[i], state, &node), DPB_KEEP);
                        free(state);
                }
}

/* The benchmarks' own division: whole parts, what is left to whom has most each, at least one. */
static void processors_by_known_work(void **unused)
{
        (void)unused;
        static const struct {
                int32_t ncpu, nprocess;
                double work[4];
                int32_t cpus[4];
        } cases[] = {
                { 16, 2, { 0.266, 0.734 }, { 4, 12 } },
                { 16, 4, { 0.01, 0.01, 0.01, 0.97 }, { 1, 1, 1, 13 } },
                { 7, 3, { 0, 0, 0 }, { 3, 2, 2 } },
                { 4, 4, { 1, 2, 3, 50 }, { 1, 1, 1, 1 } },
        };
        struct lb_error err;
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
                int32_t cpus[4];
                assert_int_equal(
                    dpb_by_work(cases[c].ncpu, cases[c].nprocess, cases[c].work, cpus, &err), 0);
                for (int32_t p = 0; p < cases[c].nprocess; p++)
                        assert_int_equal(cpus[p], cases[c].cpus[p]);
        }
        int32_t none[4];
        assert_int_equal(dpb_equal(3, 4, none, &err), -1);
        assert_non_null(strstr(err.text, "found 4 processes for 3 processors"));
}

/* The profiling library: 30 ms of computation and 10 ms of MPI an iteration, whichever call begins
 * it, and after a reset the iteration under way does not count. */
static void times_of_an_iteration_are_measured(void **unused)
{
        (void)unused;
        struct profile_setup setup = { .window = 16, .confirm = 2, .periods = 2, .discard = true };
        struct profile *profile = malloc(profile_size(&setup));
        double compute_s, mpi_s;
        int ready = 0;
        int64_t now = 0;
        profile_init(profile, &setup);
        for (int i = 0; i < 6; i++) {
                profile_call(profile, 1, now, now + 4000000);
                profile_call(profile, 2, now + 4000000, now + 10000000);
                now += 40000000;
                ready += profile_ready(profile);
        }
        assert_int_equal(ready, 1); /* three iterations to find it, one discarded, two measured */
        profile_means(profile, &compute_s, &mpi_s);
        assert_true(compute_s > 0.02999 && compute_s < 0.03001);
        assert_true(mpi_s > 0.00999 && mpi_s < 0.01001);
        assert_int_equal(profile_period(profile), 2);
        profile_reset(profile);
        assert_false(profile_ready(profile));
        free(profile);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(policies_keep_the_contract),
                cmocka_unit_test(the_formula_of_the_paper),
                cmocka_unit_test(a_last_processor_is_never_taken),
                cmocka_unit_test(rounding_is_a_choice),
                cmocka_unit_test(a_bad_move_is_undone),
                cmocka_unit_test(what_the_host_put_back_is_no_bad_move),
                cmocka_unit_test(a_change_of_load_ends_the_rest),
                cmocka_unit_test(it_comes_to_rest_and_is_no_worse),
                cmocka_unit_test(nothing_to_do),
                cmocka_unit_test(processors_by_known_work),
                cmocka_unit_test(times_of_an_iteration_are_measured),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
