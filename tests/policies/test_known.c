/* SPDX-License-Identifier: BSD-3-Clause */
/* Known values of the policies: the paper's examples, and the original's rules where they differ.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/alloc.h"
#include "policies/alloc_global.h"
#include "policies/alloc_impl.h"
#include "policies/average.h"
#include "policies/host/node.h"
#include "policies/lend.h"
#include "policies/place.h"

/* One node of `cores` cores with nhome appranks' own workers and nhelper helpers. */
struct one_node {
        int32_t cores, apprank_first[17], zeros[16], up[16], node_first[2];
        bool home[16];
        struct lb_shape shape;
};

static void one_node_init(struct one_node *n, int32_t cores, int32_t nhome, int32_t nhelper)
{
        memset(n, 0, sizeof(*n));
        n->cores = cores;
        for (int32_t w = 0; w <= nhome + nhelper; w++)
                n->apprank_first[w] = w;
        for (int32_t w = 0; w < nhome + nhelper; w++) {
                n->up[w] = w;
                n->home[w] = w < nhome;
        }
        n->node_first[1] = nhome + nhelper;
        n->shape = (struct lb_shape){ 1,
                                      nhome + nhelper,
                                      nhome + nhelper,
                                      &n->cores,
                                      n->apprank_first,
                                      n->zeros,
                                      n->up,
                                      n->home,
                                      n->node_first,
                                      n->up,
                                      NULL,
                                      0.5 };
}

/* 48 cores, two appranks per node, degree three: 22 + 22 + 4 x 1 (paper, 5.4). */
static void initial_ownership_is_the_papers(void **unused)
{
        (void)unused;
        struct one_node n;
        struct lb_error err;
        int32_t owned[16];
        one_node_init(&n, 48, 2, 4);
        assert_int_equal(alloc_initial(&n.shape, owned, &err), 0);
        const int32_t expected[] = { 22, 22, 1, 1, 1, 1 };
        assert_memory_equal(owned, expected, sizeof(expected));
        one_node_init(&n, 13, 3, 0); /* what does not divide goes to the last */
        assert_int_equal(alloc_initial(&n.shape, owned, &err), 0);
        assert_int_equal(owned[2], 5);
        one_node_init(&n, 5, 2, 4);
        assert_int_equal(alloc_initial(&n.shape, owned, &err), -1);
        assert_non_null(strstr(err.text, "node 0 has 5 cores for 6 workers"));
}

/* Helpers of a node that has too few cores own none; its appranks share what there is. */
static void talk_only_workers_own_nothing(void **unused)
{
        (void)unused;
        struct one_node n;
        struct lb_error err;
        bool talk_only[8];
        int32_t owned[8];
        one_node_init(&n, 5, 2, 4);
        n.shape.talk_only = talk_only;
        assert_int_equal(alloc_talk_only(&n.shape, NULL, ALLOC_TALK_SCARCE, talk_only), 4);
        assert_int_equal(alloc_initial(&n.shape, owned, &err), 0);
        const int32_t expected[] = { 2, 3, 0, 0, 0, 0 };
        assert_memory_equal(owned, expected, sizeof(expected));
        assert_int_equal(alloc_check(&n.shape, owned, &err), 0);
        assert_int_equal(alloc_check(&n.shape, (int32_t[]){ 0, 5, 0, 0, 0, 0 }, &err), -1);
        assert_non_null(strstr(err.text, "worker 0 is given 0 cores, allowed is at least 1"));
        n.cores = 6; /* one for each */
        assert_int_equal(alloc_talk_only(&n.shape, NULL, ALLOC_TALK_SCARCE, talk_only), 0);
        assert_int_equal(alloc_talk_only(&n.shape, NULL, ALLOC_TALK_HELPERS, talk_only), 4);
        assert_int_equal(alloc_talk_only(&n.shape, NULL, ALLOC_TALK_NEVER, talk_only), 0);
        n.cores = 1; /* none for one of the appranks */
        alloc_talk_only(&n.shape, NULL, ALLOC_TALK_SCARCE, talk_only);
        assert_int_equal(alloc_initial(&n.shape, owned, &err), -1);
        assert_non_null(strstr(err.text, "node 0 has 1 cores for 2 appranks, each must own"));
}

/* Helpers that sleep bring a core when they are woken, as long as there can be one. */
static void sleeping_workers_are_no_talkers(void **unused)
{
        (void)unused;
        struct one_node n;
        bool talk_only[8];
        const bool all[] = { false, false, true, true, true, true };
        const bool last[] = { false, false, false, false, false, true };
        one_node_init(&n, 3, 2, 4);
        assert_int_equal(alloc_talk_only(&n.shape, all, ALLOC_TALK_SCARCE, talk_only), 0);
        assert_int_equal(alloc_talk_only(&n.shape, all, ALLOC_TALK_HELPERS, talk_only), 0);
        assert_int_equal(alloc_talk_only(&n.shape, last, ALLOC_TALK_SCARCE, talk_only), 3);
        n.cores = 5; /* one for each that is awake */
        assert_int_equal(alloc_talk_only(&n.shape, last, ALLOC_TALK_SCARCE, talk_only), 0);
        n.cores = 2; /* the appranks' */
        assert_int_equal(alloc_talk_only(&n.shape, all, ALLOC_TALK_SCARCE, talk_only), 4);
        assert_int_equal(alloc_talk_only(&n.shape, all, ALLOC_TALK_NEVER, talk_only), 0);
}

static void local_decides(const struct one_node *n, const double *param, const double *busy,
                          int32_t *owned)
{
        const struct alloc_type *local = alloc_find("local");
        struct lb_error err;
        void *state = calloc(1, local->state_size(&n->shape, param));
        assert_int_equal(local->init(state, &n->shape, param, &err), 0);
        int32_t now[16];
        assert_int_equal(alloc_initial(&n->shape, now, &err), 0);
        struct alloc_view view = { 500000000, 500000000, busy, now, 0 };
        local->observe(state, &view);
        local->decide(state, &view, owned);
        free(state);
}

/* Ownership in proportion to busy cores, at least one each (paper, 5.4.1). */
static void local_is_proportional(void **unused)
{
        (void)unused;
        struct one_node n;
        one_node_init(&n, 48, 1, 2);
        double param[8];
        lb_param_defaults(alloc_find("local")->params, param);
        static const struct {
                double busy[3];
                int32_t owned[3];
        } cases[] = {
                { { 30, 10, 0 }, { 36, 11, 1 } }, { { 16, 16, 16 }, { 16, 16, 16 } },
                { { 0.2, 0, 0 }, { 46, 1, 1 } },  { { 0, 0, 0 }, { 46, 1, 1 } },
                { { 1, 47, 0 }, { 1, 46, 1 } },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                int32_t owned[16];
                local_decides(&n, param, cases[i].busy, owned);
                assert_memory_equal(owned, cases[i].owned, sizeof(cases[i].owned));
        }
}

/*
 * The original's targets (docs/facts.md O2) for averages 20, 20, 0, 0 are 24, 24, 3, 3; the first
 * owner gives up 21 cores, and who claims first gets them. Where nobody asks for less than it has,
 * nothing moves.
 */
static void local_original_rounds_up_and_the_first_to_claim_wins(void **unused)
{
        (void)unused;
        struct one_node n;
        one_node_init(&n, 48, 1, 3);
        const struct alloc_type *local = alloc_find("local");
        double param[8];
        lb_param_defaults(local->params, param);
        for (int i = 0; local->params[i].name; i++)
                if (local->params[i].differs)
                        param[i] = local->params[i].original;
        const double busy[] = { 20, 20, 0, 0 }, busy_home[] = { 45, 0, 0, 0 };
        const int32_t claimed[] = { 24, 22, 1, 1 }, unmoved[] = { 45, 1, 1, 1 };
        int32_t owned[16];
        local_decides(&n, param, busy, owned);
        assert_memory_equal(owned, claimed, sizeof(claimed));
        local_decides(&n, param, busy_home, owned);
        assert_memory_equal(owned, unmoved, sizeof(unmoved));
        for (int i = 0; local->params[i].name; i++) /* no more than what each must have */
                if (strcmp(local->params[i].name, "local_floor_cores") == 0)
                        param[i] = 0;
        local_decides(&n, param, busy_home, owned);
        assert_memory_equal(owned, unmoved, sizeof(unmoved));
}

/* The window forgets, the exponential mean fades: known values. */
static void averages_are_what_they_say(void **unused)
{
        (void)unused;
        char memory[1024];
        struct average *average = (void *)memory;
        double busy = 0;
        struct alloc_view view = { 0, 500000000, &busy, NULL, 0 };
        average_init(average, 1, AVERAGE_WINDOW, 2, 0.5);
        for (int i = 1; i <= 6; i++) {
                busy = i;
                average_observe(average, &view);
        }
        assert_true(fabs(average_get(average, 0) - ((3 + 4 + 5 + 6) / 4.0)) < 1e-9);
        average_limit(average, 0.75); /* what is older is still there, and does not count */
        assert_true(fabs(average_get(average, 0) - ((5 + 6) / 2.0)) < 1e-9);
        average_limit(average, 100);
        assert_true(fabs(average_get(average, 0) - ((3 + 4 + 5 + 6) / 4.0)) < 1e-9);

        average_init(average, 1, AVERAGE_EXPONENTIAL, 1, 0.5);
        busy = 8;
        for (int i = 0; i < 4; i++)
                average_observe(average, &view);
        busy = 0;
        average_observe(average, &view);
        average_observe(average, &view);
        assert_true(fabs(average_get(average, 0) - (8 * 0.36787944117)) <
                    1e-9); /* one time constant */
}

/* Decisions come by iterations where these are short, but never so often that deciding
 * is more than a twentieth of the time. */
static void periods_follow_iterations(void **unused)
{
        (void)unused;
        static const struct {
                double period_s, iterations;
                int64_t iteration_ns, period_ns;
        } rows[] = {
                { 2, 0, 1000000, 2000000000 },     { 2, 3, 0, 2000000000 },
                { 2, 3, 70000000, 210000000 },     { 2, 3, 900000000, 2000000000 },
                { 2, 3, 1000, -1 /* its cost */ },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                const struct alloc_type *type = &alloc_global;
                double param[GLOBAL_NPARAM];
                lb_param_defaults(type->params, param);
                param[GLOBAL_PERIOD_S] = rows[i].period_s;
                param[GLOBAL_PERIOD_ITERATIONS] = rows[i].iterations;
                int64_t cost_ns = (int64_t)(20 * alloc_cost_s(type, 64, param) * 1e9 + 0.5);
                int64_t expected = rows[i].period_ns < 0 ? cost_ns : rows[i].period_ns;
                assert_true(cost_ns > 3000 && cost_ns < 210000000);
                assert_int_equal(alloc_period_ns(type, 64, rows[i].iteration_ns, param), expected);
        }
}

struct placer {
        const struct place_type *type;
        char state[256];
        int32_t tasks[3], owned[3], target[3], usable[3];
        struct place_view view;
};

static void placer_init(struct placer *p, bool original)
{
        double param[16];
        struct lb_error err;
        memset(p, 0, sizeof(*p));
        p->type = place_find("locality");
        lb_param_defaults(p->type->params, param);
        for (int i = 0; original && p->type->params[i].name; i++)
                if (p->type->params[i].differs)
                        param[i] = p->type->params[i].original;
        assert_int_equal(p->type->init(p->state, 3, param, &err), 0);
        p->view = (struct place_view){ .nworker = 3,
                                       .occasion = PLACE_READY,
                                       .tasks = p->tasks,
                                       .owned_cores = p->owned,
                                       .target_cores = p->target,
                                       .usable_cores = p->usable };
}

/* Fewer than two tasks per owned core at the best node, else at another, else held (paper, 5.5). */
static void placement_follows_the_paper(void **unused)
{
        (void)unused;
        struct placer p;
        placer_init(&p, false);
        static const struct {
                int32_t tasks[3], owned[3], data, to;
        } cases[] = {
                { { 3, 0, 0 }, { 2, 1, 1 }, 0, 0 },          /* room at home */
                { { 4, 1, 0 }, { 2, 1, 1 }, 0, 2 },          /* full: the emptier of the others */
                { { 4, 2, 2 }, { 2, 1, 1 }, 0, PLACE_HOLD }, /* full everywhere */
                { { 0, 1, 0 }, { 2, 1, 1 }, 1, 1 },          /* where the data is */
                { { 0, 2, 0 }, { 2, 1, 1 }, 1, 0 },          /* first on ties */
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                memcpy(p.tasks, cases[i].tasks, sizeof(p.tasks));
                memcpy(p.owned, cases[i].owned, sizeof(p.owned));
                for (int w = 0; w < 3; w++)
                        p.usable[w] = p.target[w] = 40; /* borrowed cores do not count */
                p.view.data_worker = cases[i].data;
                assert_int_equal(p.type->place(p.state, &p.view), cases[i].to);
        }
}

/* A finished task lets held ones through up to two per owned core. */
static void held_tasks_are_taken_as_tasks_finish(void **unused)
{
        (void)unused;
        struct placer p;
        placer_init(&p, false);
        p.view.occasion = PLACE_FINISHED;
        p.view.worker = 1;
        p.owned[1] = 3;
        p.tasks[1] = 5;
        p.view.held_tasks = 9;
        assert_int_equal(p.type->refill(p.state, &p.view), 1);
        p.tasks[1] = 0;
        assert_int_equal(p.type->refill(p.state, &p.view), 6);
        p.view.held_tasks = 4;
        assert_int_equal(p.type->refill(p.state, &p.view), 4);
        p.tasks[1] = 7;
        assert_int_equal(p.type->refill(p.state, &p.view), 0);
}

/* The original allows 2 (cores - 1) + 1 tasks and sends at most two per finish message
 * (docs/facts.md O1).
 */
static void placement_original_leaves_one_core_out(void **unused)
{
        (void)unused;
        struct placer p;
        placer_init(&p, true);
        p.usable[0] = p.owned[0] = 3;
        p.tasks[0] = 4;
        assert_int_equal(p.type->place(p.state, &p.view), 0);
        p.tasks[0] = 5;
        assert_int_equal(p.type->place(p.state, &p.view), PLACE_HOLD);
        p.usable[1] = 10; /* borrowed cores do count */
        assert_int_equal(p.type->place(p.state, &p.view), 1);
        p.view.occasion = PLACE_FINISHED;
        p.view.worker = 1;
        p.view.held_tasks = 1000;
        assert_int_equal(p.type->refill(p.state, &p.view), 2);
}

/* LeWI: own lent cores are reclaimed first, then the pool is borrowed from. */
static void lewi_reclaims_before_it_borrows(void **unused)
{
        (void)unused;
        const struct lend_type *lewi = lend_find("lewi");
        double param[16];
        char state[256] = { 0 };
        struct lb_error err;
        lb_param_defaults(lewi->params, param);
        assert_int_equal(lewi->init(state, 2, param, &err), 0);
        int32_t owned[] = { 4, 4 }, lent[] = { 3, 0 }, none[] = { 0, 0 }, ready[] = { 2, 5 };
        struct lend_view view = { .occasion = LEND_NEEDS_CORES,
                                  .worker = 0,
                                  .nworker = 2,
                                  .pool = 1,
                                  .owned_cores = owned,
                                  .lent_cores = lent,
                                  .borrowed_cores = none,
                                  .reclaiming_cores = none,
                                  .running_tasks = none,
                                  .tasks = none,
                                  .ready_tasks = ready,
                                  .held_tasks_known = none,
                                  .task_us = none };
        struct lend_decision out;
        lewi->decide(state, &view, &out);
        assert_int_equal(out.action, LEND_RECLAIM);
        assert_int_equal(out.count, 2);
        lent[0] = 0;
        lewi->decide(state, &view, &out);
        assert_int_equal(out.action, LEND_BORROW);
        view.occasion = LEND_CORE_LENT;
        lewi->decide(state, &view, &out);
        assert_int_equal(out.borrower, 1); /* most tasks waiting */
        view.occasion = LEND_OWNED_IDLE;
        lewi->decide(state, &view, &out);
        assert_int_equal(out.action, LEND_LEND);
}

/* With `lend_to_last` a lent core goes to whose waiting tasks would end last with the cores that
 * run one; where nobody has ended a task, to who has most for each of these. */
static void a_lent_core_goes_to_who_ends_last(void **unused)
{
        (void)unused;
        static const struct {
                int32_t ready[3], running[3], task_us[3], borrower;
        } table[] = {
                { { 2, 5, 0 }, { 2, 2, 2 }, { 900, 300, 5000 }, 0 }, /* 1800, 1050, nothing */
                { { 2, 5, 0 }, { 2, 1, 2 }, { 900, 301, 5000 }, 1 }, /* 1800, 1806 */
                { { 1, 9, 0 }, { 0, 6, 0 }, { 700, 580, 0 }, 1 },    /* 1400, 1450 */
                { { 3, 5, 0 }, { 1, 2, 2 }, { 0, 0, 5000 }, 0 },     /* nobody knows */
                { { 3, 1, 0 }, { 1, 1, 2 }, { 0, 300, 0 }, 1 },
                { { 0, 0, 0 }, { 1, 1, 1 }, { 900, 300, 200 }, -1 },
        };
        const struct lend_type *lewi = lend_find("lewi");
        double param[16];
        char state[256] = { 0 };
        struct lb_error err;
        lb_param_defaults(lewi->params, param);
        param[lb_param_find(lewi->params, "lend_to_last")] = 1;
        assert_int_equal(lewi->init(state, 3, param, &err), 0);
        for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
                struct lend_view view = { .occasion = LEND_CORE_LENT,
                                          .worker = -1,
                                          .nworker = 3,
                                          .pool = 1,
                                          .running_tasks = table[i].running,
                                          .ready_tasks = table[i].ready,
                                          .task_us = table[i].task_us };
                struct lend_decision out;
                lewi->decide(state, &view, &out);
                assert_int_equal(out.borrower, table[i].borrower);
                assert_int_equal(out.action, table[i].borrower < 0 ? LEND_NOTHING : LEND_BORROW);
        }
}

/* What a task takes follows the last sixteen, and is never more than a figure holds. */
static void durations_are_of_the_last_tasks(void **unused)
{
        (void)unused;
        assert_int_equal(node_task_us(0, 2385000), 2385);
        assert_int_equal(node_task_us(2385, 2385000), 2385);
        assert_int_equal(node_task_us(2385, 4001000), 2385 + 101);
        assert_int_equal(node_task_us(2385, 785000), 2385 - 100);
        assert_int_equal(node_task_us(0, INT64_MAX), INT32_MAX);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(initial_ownership_is_the_papers),
                cmocka_unit_test(talk_only_workers_own_nothing),
                cmocka_unit_test(sleeping_workers_are_no_talkers),
                cmocka_unit_test(local_is_proportional),
                cmocka_unit_test(local_original_rounds_up_and_the_first_to_claim_wins),
                cmocka_unit_test(averages_are_what_they_say),
                cmocka_unit_test(periods_follow_iterations),
                cmocka_unit_test(placement_follows_the_paper),
                cmocka_unit_test(held_tasks_are_taken_as_tasks_finish),
                cmocka_unit_test(placement_original_leaves_one_core_out),
                cmocka_unit_test(lewi_reclaims_before_it_borrows),
                cmocka_unit_test(a_lent_core_goes_to_who_ends_last),
                cmocka_unit_test(durations_are_of_the_last_tasks),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
