/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Controls of a whole job, on real boards and cores, in a world whose time is made up. What must
 * hold of every node (tests/real/control/world.c) is checked after every step of every test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "policies/system.h"
#include "policies/alloc.h"
#include "tests/real/control/world.h"

/* Nothing is balanced by the baseline: the worst apprank takes its load over the mean. */
static void baseline_takes_what_the_imbalance_says(void **unused)
{
        (void)unused;
        struct control_figures figures;
        struct world_spec spec = world_skewed("baseline");
        spec.degree = 1;
        assert_float_equal(world_ratio_of(&spec, &figures), 2.0, 0.01);
        assert_int_equal(figures.lent + figures.borrowed + figures.ownership_changes, 0);
        assert_int_equal(figures.decisions, 0);
}

/*
 * LeWI and DROM help each alone and more together, local less than global; each does nothing where
 * it is switched off. The bounds are lbsim's times for the same job, with 3 % to spare.
 */
static void systems_reach_what_lbsim_says_of_them(void **unused)
{
        (void)unused;
        static const struct {
                const char *system;
                bool lewi, drom, boundary;
                double most;
        } cases[] = {
                { "local", false, false, false, 2.00 }, { "local", true, false, false, 1.56 },
                { "local", false, true, false, 1.48 },  { "local", true, true, false, 1.20 },
                { "local", true, true, true, 1.10 },    { "global", true, true, false, 1.13 },
                { "global", true, true, true, 1.04 },   { "global", false, true, true, 1.08 },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct world_spec spec = world_skewed(cases[i].system);
                struct control_figures f;
                spec.no_lewi = !cases[i].lewi;
                spec.no_drom = !cases[i].drom;
                spec.boundary = cases[i].boundary;
                double ratio = world_ratio_of(&spec, &f);
                if (ratio > 1.03 * cases[i].most)
                        fail_msg("case %d: %.3f of the least time, at most %.3f", (int)i, ratio,
                                 cases[i].most);
                assert_int_equal(f.lent > 0, cases[i].lewi);
                assert_int_equal(f.borrowed > 0, cases[i].lewi);
                assert_int_equal(f.ownership_changes > 0, cases[i].drom);
                assert_int_equal(f.decisions > 0, cases[i].drom);
        }
}

/* Helpers sleep until the cut asks for them: fewer than there are do what all do, one that nobody
 * needs any more owns nothing again. */
static void helpers_wake_where_the_cut_binds(void **unused)
{
        (void)unused;
        struct world_spec spec = world_skewed("dynamic");
        spec.degree = 4;
        spec.boundary = true;
        struct world *world = world_create(&spec);
        for (int32_t w = 0; w < world->job->nworker; w++)
                assert_int_equal(world_owned(world, w) > 0, world->job->shape.worker_home[w]);
        double ratio = world_ratio(world, 18);
        struct control_figures f = world_figures(world);
        if (ratio > 1.08)
                fail_msg("%.3f of the least time", ratio);
        assert_in_range(f.wakes - f.retirements, 1, 4);
        for (int32_t a = 0; a < spec.napprank; a++)
                world->spec.task_ms[a] = 20;
        for (int64_t end_ns = world->now_ns + 100000000000; world->now_ns < end_ns;)
                world_iterate(world);
        f = world_figures(world);
        assert_int_equal(f.wakes, f.retirements);
        for (int32_t w = 0; w < world->job->nworker; w++)
                assert_int_equal(world_owned(world, w) > 0, world->job->shape.worker_home[w]);
        world_destroy(world);
}

/* Beside helpers that are awake others sleep, which the cut wakes where they are not enough. */
static void helpers_beyond_the_degree_wake(void **unused)
{
        (void)unused;
        struct world_spec spec = world_skewed("tight");
        spec.boundary = spec.asks = spec.at_hand = true;
        spec.poll_s = 0.05;
        spec.degree = 2;
        spec.nsleeper = 2;
        spec.task_ms[0] = 100;
        struct world *world = world_create(&spec);
        const struct job *job = world->job;
        assert_int_equal(job_sleeping(job), 8);
        for (int32_t w = 0; w < job->nworker; w++)
                assert_int_equal(world_owned(world, w) == 0, job->sleeps[w]);
        double ratio = world_ratio(world, 30);
        struct control_figures f = world_figures(world);
        if (ratio > 1.1)
                fail_msg("%.3f of the least time", ratio);
        assert_in_range(f.wakes, 1, 2);
        assert_int_equal(f.retirements, 0);
        int32_t woken = 0;
        for (int32_t w = 0; w < job->nworker; w++)
                woken += job->sleeps[w] && world_owned(world, w) > 0;
        assert_int_equal(woken, f.wakes);
        world_destroy(world);

        spec.nsleeper = 0;
        world = world_create(&spec);
        assert_true(world_ratio(world, 30) > 1.3);
        world_destroy(world);
}

/* The local policy's known value (paper 5.4.1): busy 30, 10 and 0 of 48 cores. */
static const struct world_spec known_spec = {
        .system = "dlb", .nnode = 1, .ncore = 48, .napprank = 3, .degree = 1
};
static const double known_busy[] = { 30, 10, 0 };
static const int32_t known_cores[] = { 36, 11, 1 };

/* Owned follows. */
static void local_targets_are_the_policys_and_ownership_follows(void **unused)
{
        (void)unused;
        struct world *world = world_create(&known_spec);
        for (int32_t w = 0; w < 3; w++)
                assert_int_equal(world_target(world, w), 16);
        world_drive(world, known_busy, 5);
        for (int32_t w = 0; w < 3; w++) {
                assert_int_equal(world_target(world, w), known_cores[w]);
                assert_int_equal(world_owned(world, w), known_cores[w]);
        }
        assert_int_equal(world_figures(world).ownership_changes, 36 - 16);
        world_destroy(world);
}

static void hold_all(struct world *world, bool holds)
{
        for (int32_t w = 0; w < world->job->nworker; w++)
                control_hold_owners(world->worker[w].control, holds);
}

/* Held, all own what they did at first, and again after a while; then at once what was decided. */
static void owners_are_held_and_let_go(void **unused)
{
        (void)unused;
        struct world *world = world_create(&known_spec);
        hold_all(world, true);
        for (int time = 0; time < 2; time++) {
                world_drive(world, known_busy, 5);
                for (int32_t w = 0; w < 3; w++)
                        assert_int_equal(world_owned(world, w), 16);
                hold_all(world, false);
                for (int32_t w = 0; w < 3; w++)
                        assert_int_equal(world_target(world, w), known_cores[w]);
                world_drive(world, known_busy, 2);
                for (int32_t w = 0; w < 3; w++)
                        assert_int_equal(world_owned(world, w), known_cores[w]);
                hold_all(world, true);
        }
        world_destroy(world);
}

/* What the decider has heard of all nodes by mail gives the targets that the policy itself gives.
 */
static void global_targets_are_the_policys_on_every_node(void **unused)
{
        (void)unused;
        struct world_spec spec = world_skewed("global");
        struct world *world = world_create(&spec);
        const struct job *job = world->job;
        int32_t nworker = job->nworker, target[32], owned[32];
        double busy[32] = { 0 };
        struct lb_error err;
        for (int32_t w = 0; w < nworker; w++)
                busy[w] = job->shape.worker_home[w] ? 7.5 - 1.75 * (w / 3) : 0.25;
        world_drive(world, busy, 12);

        void *state = calloc(1, alloc_find("global")->state_size(&job->shape, job->alloc_param));
        assert_int_equal(alloc_find("global")->init(state, &job->shape, job->alloc_param, &err), 0);
        for (int32_t w = 0; w < nworker; w++)
                owned[w] = world_owned(world, w);
        struct alloc_view view = { .interval_ns = 500000000,
                                   .busy_cores = busy,
                                   .owned_cores = owned };
        alloc_find("global")->observe(state, &view);
        alloc_find("global")->decide(state, &view, target);
        for (int32_t w = 0; w < nworker; w++) {
                assert_int_equal(world_target(world, w), target[w]);
                assert_int_equal(world_owned(world, w), target[w]);
        }
        assert_true(world->nmail > 0);
        free(state);
        world_destroy(world);
}

/*
 * Ownership = idle: a worker that uses all it owns keeps it, however much that is too much;
 * boundary: it gives up a core when its task ends.
 */
static void cores_in_use_move_at_task_boundaries_only(void **unused)
{
        (void)unused;
        for (int boundary = 0; boundary < 2; boundary++) {
                struct world_spec spec = { .system = "dlb",
                                           .nnode = 1,
                                           .ncore = 8,
                                           .napprank = 2,
                                           .degree = 1,
                                           .no_lewi = true,
                                           .cpu = true,
                                           .boundary = boundary,
                                           .ntask = { 40, 40 },
                                           .task_ms = { 1000, 1000 } };
                struct world *world = world_create(&spec);
                world->worker[0].cpu_share = 0.2;
                world_iterate(world);
                assert_int_equal(world_figures(world).ownership_changes > 0, boundary);
                world_destroy(world);
        }
}

/* With load = cpu, tasks that sleep are no load; with load = wall they are. */
static void load_is_wall_or_processor_time_as_asked(void **unused)
{
        (void)unused;
        static const double busy[] = { 12, 12 };
        for (int cpu = 0; cpu < 2; cpu++) {
                struct world_spec spec = { .system = "dlb",
                                           .nnode = 1,
                                           .ncore = 32,
                                           .napprank = 2,
                                           .degree = 1,
                                           .cpu = cpu };
                struct world *world = world_create(&spec);
                world->worker[1].cpu_share = 1.0 / 3;
                world_drive(world, busy, 4);
                assert_int_equal(world_target(world, 0), cpu ? 24 : 16);
                assert_int_equal(world_target(world, 1), cpu ? 8 : 16);
                assert_float_equal(world_figures(world).max_load_gap, 2.0 / 3, 1e-6);
                world_destroy(world);
        }
}

/* Tasks that sleep are no sign of other work on the cores. */
static void sleeping_tasks_are_no_load_gap(void **unused)
{
        (void)unused;
        static const double busy[] = { 4, 4 };
        struct world_spec spec = {
                .system = "dlb", .nnode = 1, .ncore = 8, .napprank = 2, .degree = 1
        };
        struct world *world = world_create(&spec);
        world->worker[0].cpu_share = world->worker[1].cpu_share = 0.02;
        world_drive(world, busy, 2);
        assert_float_equal(world_figures(world).max_load_gap, 0, 0);
        world_destroy(world);
}

/* Any job: all tasks end, and what must hold of cores does, whatever is switched on. */
static void any_job_ends_and_keeps_the_invariants(void **unused)
{
        (void)unused;
        static const char *const systems[] = { "baseline", "dlb", "local", "global", "dynamic" };
        struct lb_random random;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 0);
        for (int i = 0; i < 60; i++) {
                struct world_spec spec = {
                        .system = systems[lb_random_below(&random, 5)],
                        .nnode = 1 + (int32_t)lb_random_below(&random, 4),
                        .ncore = 12 + (int32_t)lb_random_below(&random, 8),
                        .no_lewi = lb_random_below(&random, 4) == 0,
                        .no_drom = lb_random_below(&random, 4) == 0,
                        .boundary = lb_random_below(&random, 2) == 0,
                        .borrow_ahead = (int32_t)lb_random_below(&random, 3),
                };
                spec.napprank = spec.nnode * (1 + (int32_t)lb_random_below(&random, 3));
                spec.degree = 1 + (int32_t)lb_random_below(&random, (uint64_t)spec.nnode);
                if (i % 3 == 0 && !spec.no_lewi && system_find(spec.system)->lewi)
                        spec.ncore = spec.napprank / spec.nnode; /* for homes alone */
                for (int32_t a = 0; a < spec.napprank; a++) {
                        spec.ntask[a] = (int32_t)lb_random_below(&random, 150);
                        spec.task_ms[a] = 1 + (int32_t)lb_random_below(&random, 60);
                }
                struct world *world = world_create(&spec);
                for (int k = 0; k < 4; k++)
                        world_iterate(world);
                world_destroy(world);
        }
}

/* A clock that says more cores were busy than there are: it counts as all of them. */
static void no_more_cores_are_busy_than_there_are(void **unused)
{
        (void)unused;
        struct world_spec spec = {
                .system = "dlb", .nnode = 1, .ncore = 8, .napprank = 2, .degree = 1
        };
        static const double busy[] = { 80, 8 };
        struct world *world = world_create(&spec);
        world_drive(world, busy, 5);
        assert_int_equal(world_target(world, 0), 4);
        assert_int_equal(world_target(world, 1), 4);
        world_destroy(world);
}

/* A worker at home that has not written yet is not idle: nothing is decided until it has, of its
 * node or, where all are decided for at one place, anywhere. */
struct begin {
        struct world *world;
        double busy[4];
        int32_t late, initial[4]; /* the home that has not begun; targets */
};

static void begin_without_one(struct begin *b, int32_t nnode)
{
        struct world_spec spec = { .system = nnode == 1 ? "dlb" : "global",
                                   .nnode = nnode,
                                   .ncore = 8,
                                   .napprank = 2,
                                   .degree = nnode };
        *b = (struct begin){ .world = world_create(&spec), .busy = { 8.0 / (3 - nnode) } };
        b->late = b->world->job->shape.apprank_first[1];
        b->busy[b->late] = -1;
        for (int32_t w = 0; w < b->world->job->nworker; w++)
                b->initial[w] = world_target(b->world, w);
}

static bool is_as_initially(const struct begin *b)
{
        bool same = true;
        for (int32_t w = 0; w < b->world->job->nworker; w++)
                same = same && world_target(b->world, w) == b->initial[w];
        return same;
}

static void who_has_not_begun_is_not_idle(void **unused)
{
        (void)unused;
        for (int32_t nnode = 1; nnode <= 2; nnode++) {
                struct begin b;
                begin_without_one(&b, nnode);
                world_drive(b.world, b.busy, 6);
                assert_true(is_as_initially(&b));
                b.busy[b.late] = 0;
                world_drive(b.world, b.busy, 6);
                assert_false(is_as_initially(&b));
                world_destroy(b.world);
        }
}

/* Nor was it idle before it began. */
static void who_begins_late_is_measured_from_then(void **unused)
{
        (void)unused;
        for (int32_t nnode = 1; nnode <= 2; nnode++) {
                struct begin b;
                begin_without_one(&b, nnode);
                world_drive(b.world, b.busy, 6);
                b.busy[b.late] = b.busy[0];
                for (int32_t second = 0; second < 6; second++) {
                        world_drive(b.world, b.busy, 1);
                        assert_true(is_as_initially(&b));
                }
                world_destroy(b.world);
        }
}

/* Every worker of a node is due at the same time in every period, the leader a little later. */
static void polls_of_a_node_come_together(void **unused)
{
        (void)unused;
        struct world_spec spec = world_skewed("local");
        struct world *world = world_create(&spec);
        double busy[32] = { 0 };
        world_drive(world, busy, 1.7);
        const struct lb_shape *s = &world->job->shape;
        for (int32_t n = 0; n < s->nnode; n++) {
                int64_t due[3];
                for (int32_t l = 0; l < 3; l++) {
                        int32_t w = s->node_worker[s->node_first[n] + l];
                        due[l] = control_due_ns(world->worker[w].control, world->now_ns);
                        assert_in_range(due[l] - world->now_ns, 0, 510000000);
                }
                int64_t lag = (due[0] - due[1] + 500000000) % 500000000;
                assert_int_equal(due[1], due[2]);
                assert_in_range(lag, 1, 20000000);
        }
        world_destroy(world);
}

/*
 * Where they follow the program's iterations, polls come as often as one of a node's appranks
 * needs, for all of its workers at the same time, and on other nodes as before; less often again
 * where iterations become longer.
 */
static void polls_follow_the_iterations_of_the_node(void **unused)
{
        (void)unused;
        static const struct {
                int32_t iteration_ms, count, poll_us;
        } phases[] = { { 60, 20, 12500 }, { 10, 40, 6250 }, { 1000, 8, 50000 } };
        struct world_spec spec = world_skewed("local");
        spec.napprank = 8; /* two of each node, of which the second has longer iterations */
        spec.degree = 2;
        spec.poll_s = 0.05;
        spec.poll_iterations = 0.25;
        struct world *world = world_create(&spec);
        const struct lb_shape *s = &world->job->shape;
        const double busy[32] = { 0 };
        for (size_t p = 0; p < sizeof(phases) / sizeof(phases[0]); p++) {
                for (int32_t i = 0; i < phases[p].count; i++) {
                        control_iteration(world->worker[0].control, world->now_ns);
                        if (i % 3 == 0)
                                control_iteration(world->worker[spec.degree].control,
                                                  world->now_ns);
                        world_drive(world, busy, phases[p].iteration_ms * 1e-3);
                }
                for (int32_t w = 0; w < s->nworker; w++) {
                        int32_t first = s->node_worker[s->node_first[s->worker_node[w]]];
                        bool home = s->worker_node[w] == s->worker_node[0];
                        int64_t period_ns = (home ? phases[p].poll_us : 50000) * INT64_C(1000);
                        int64_t after = control_due_ns(world->worker[w].control, world->now_ns);
                        int64_t leader =
                            control_due_ns(world->worker[first].control, world->now_ns);
                        assert_in_range(after - world->now_ns, 0, period_ns + 1000000);
                        int64_t lag = (leader - after + period_ns) % period_ns;
                        assert_in_range(lag, 0, 1000000);
                }
                int64_t before = world->npoll;
                world_drive(world, busy, 1);
                assert_in_range(world->npoll - before, 4 * (1000000 / phases[p].poll_us + 58),
                                4 * (1000000 / phases[p].poll_us + 62));
        }
        world_destroy(world);
}

/* The linear program needs GLPK, which is not in users' programs. */
static void solver_lp_is_refused(void **unused)
{
        (void)unused;
        struct world_spec spec = world_skewed("global");
        spec.solver_lp = true;
        struct job *job = world_job(&spec);
        struct lb_error err;
        struct control_spec control = { .job = job };
        assert_null(control_create(&control, &err));
        assert_non_null(
            strstr(err.text, "'global-lp' is not part of live jobs: the linear program needs"));
        assert_int_equal(err.kind, LB_ERROR_INPUT);
        job_destroy(job);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(baseline_takes_what_the_imbalance_says),
                cmocka_unit_test(systems_reach_what_lbsim_says_of_them),
                cmocka_unit_test(helpers_wake_where_the_cut_binds),
                cmocka_unit_test(helpers_beyond_the_degree_wake),
                cmocka_unit_test(local_targets_are_the_policys_and_ownership_follows),
                cmocka_unit_test(owners_are_held_and_let_go),
                cmocka_unit_test(global_targets_are_the_policys_on_every_node),
                cmocka_unit_test(cores_in_use_move_at_task_boundaries_only),
                cmocka_unit_test(load_is_wall_or_processor_time_as_asked),
                cmocka_unit_test(sleeping_tasks_are_no_load_gap),
                cmocka_unit_test(any_job_ends_and_keeps_the_invariants),
                cmocka_unit_test(no_more_cores_are_busy_than_there_are),
                cmocka_unit_test(who_has_not_begun_is_not_idle),
                cmocka_unit_test(who_begins_late_is_measured_from_then),
                cmocka_unit_test(polls_of_a_node_come_together),
                cmocka_unit_test(polls_follow_the_iterations_of_the_node),
                cmocka_unit_test(solver_lp_is_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
