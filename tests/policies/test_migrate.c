/* SPDX-License-Identifier: BSD-3-Clause */
/* Migration policies: known decisions, one threshold at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/migrate.h"

enum { NRANK = 4 };

static const int64_t loads[NRANK] = { 9, 1, 5, 3 };
static const int32_t order[NRANK] = { 1, 3, 2, 0 }, position[NRANK] = { 3, 0, 2, 1 };

struct setting {
        double param[32];
        int32_t sending[NRANK];
        struct migrate_view view;
};

/* Rank 0 or another of loads 9 1 5 3, all of it waiting, with the paper's defaults. */
static void setting_init(struct setting *s, int32_t rank)
{
        *s = (struct setting){ .view = {
                                   .rank = rank,
                                   .nrank = NRANK,
                                   .local = { .nthread = 3, .queued = loads[rank] },
                                   .load = loads,
                                   .order = order,
                                   .position = position[rank],
                                   .load_sum = 18,
                                   .changes = 7,
                               } };
        lb_param_defaults(migrate_params, s->param);
}

static void setting_set(struct setting *s, const char *name, double value)
{
        int place = lb_param_find(migrate_params, name);
        assert_true(place >= 0);
        s->param[place] = value;
}

/* To whom it pushes how many: rank * 100 + tasks; -1 for none. */
static int decision(struct setting *s, const char *policy)
{
        const struct migrate_type *type = migrate_find(policy);
        char state[1024];
        struct lb_error err;
        struct migrate_move move[NRANK];
        s->view.sending = s->sending;
        assert_true(type->state_size(NRANK, s->param) <= sizeof(state));
        assert_int_equal(type->init(state, NRANK, s->param, &err), 0);
        int32_t count = type->decide(state, &s->view, move);
        if (count == 0)
                return -1;
        assert_int_equal(count, 1);
        assert_int_equal(type->decide(state, &s->view, move), 0); /* until something changes */
        s->view.changes++;
        assert_int_equal(type->decide(state, &s->view, move), 1);
        return move[0].rank * 100 + (int)move[0].ntask;
}

/* Figure 1: sorted, the heaviest pushes to the lightest and the second to the second. */
static void pairs_push_inwards(void **unused)
{
        (void)unused;
        static const int expected[NRANK] = { 101, -1, 301, -1 };
        for (int32_t rank = 0; rank < NRANK; rank++) {
                struct setting s;
                setting_init(&s, rank);
                assert_int_equal(decision(&s, "pairs"), expected[rank]);
        }
}

/* Figure 1: all above the average push to the same rank. */
static void least_contends(void **unused)
{
        (void)unused;
        static const int expected[NRANK] = { 101, -1, 101, -1 };
        for (int32_t rank = 0; rank < NRANK; rank++) {
                struct setting s;
                setting_init(&s, rank);
                assert_int_equal(decision(&s, "least"), expected[rank]);
                setting_init(&s, rank);
                assert_int_equal(decision(&s, "none"), -1);
        }
}

/* Each threshold, just met and just not. */
static void thresholds_hold_back(void **unused)
{
        (void)unused;
        static const struct {
                const char *name;
                double value;
                int expected;
        } cases[] = {
                { "migrate_min_abs", 8, 101 },    { "migrate_min_abs", 8.5, -1 },
                { "migrate_min_rel", 0.88, 101 }, { "migrate_min_rel", 0.9, -1 },
                { "migrate_min_local", 9, 101 },  { "migrate_min_local", 10, -1 },
                { "migrate_at_once", 3, 103 },    { "migrate_at_once", 100, 108 },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct setting s;
                setting_init(&s, 0);
                setting_set(&s, cases[i].name, cases[i].value);
                assert_int_equal(decision(&s, "pairs"), cases[i].expected);
        }
}

/* "e.g. number of threads": three threads times 3 tasks are there, times 4 are not. */
static void minimum_may_be_for_each_thread(void **unused)
{
        (void)unused;
        struct setting s;
        setting_init(&s, 0);
        setting_set(&s, "migrate_per_thread", 1);
        setting_set(&s, "migrate_min_local", 3);
        assert_int_equal(decision(&s, "pairs"), 101);
        setting_set(&s, "migrate_min_local", 4);
        assert_int_equal(decision(&s, "pairs"), -1);
}

/* A share of the difference of 8, but never more than wait, and never to a rank that is still being
 * sent to. */
static void share_queue_and_sends_limit_it(void **unused)
{
        (void)unused;
        struct setting s;
        setting_init(&s, 0);
        setting_set(&s, "migrate_at_once", 100);
        setting_set(&s, "migrate_share", 0.3);
        assert_int_equal(decision(&s, "pairs"), 102);
        setting_set(&s, "migrate_share", 1);
        s.view.local.queued = 5;
        assert_int_equal(decision(&s, "pairs"), 105);
        s.sending[1] = 1;
        assert_int_equal(decision(&s, "pairs"), -1);
}

/* Ranks that are level keep their tasks, whatever the thresholds. */
static void level_ranks_keep_their_tasks(void **unused)
{
        (void)unused;
        static const int64_t level[NRANK] = { 6, 6, 6, 6 };
        static const int32_t by_number[NRANK] = { 0, 1, 2, 3 };
        for (int32_t rank = 0; rank < NRANK; rank++) {
                struct setting s;
                setting_init(&s, rank);
                setting_set(&s, "migrate_min_abs", 0);
                setting_set(&s, "migrate_min_rel", 0);
                s.view.load = level;
                s.view.order = by_number;
                s.view.position = rank;
                s.view.load_sum = 24;
                s.view.local.queued = 6;
                assert_int_equal(decision(&s, "pairs"), -1);
                assert_int_equal(decision(&s, "least"), -1);
        }
}

/* Load: what waits, and with migrate_load = unfinished also what runs. */
static void load_counts_what_it_says(void **unused)
{
        (void)unused;
        const struct migrate_local local = { 3, 4, 10, 100, 1000, 10000 };
        struct setting s;
        char state[1024];
        struct lb_error err;
        setting_init(&s, 0);
        assert_int_equal(migrate_types[0]->init(state, NRANK, s.param, &err), 0);
        assert_int_equal(migrate_types[0]->load(state, &local), 114);
        setting_set(&s, "migrate_load", 1);
        assert_int_equal(migrate_types[0]->init(state, NRANK, s.param, &err), 0);
        assert_int_equal(migrate_types[0]->load(state, &local), 1114);
}

/* Wrong moves of a user's policy are named. */
static void wrong_moves_are_refused(void **unused)
{
        (void)unused;
        static const struct {
                struct migrate_move move;
                const char *message;
        } cases[] = {
                { { 0, 1 },
                  "rank 0 moves 1 tasks to rank 0, allowed is at least one, to another of 4" },
                { { 4, 1 },
                  "rank 0 moves 1 tasks to rank 4, allowed is at least one, to another of 4" },
                { { 1, 0 },
                  "rank 0 moves 0 tasks to rank 1, allowed is at least one, to another of 4" },
                { { 1, 10 }, "rank 0 moves 10 tasks, allowed are the 9 that are waiting" },
        };
        struct setting s;
        setting_init(&s, 0);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct lb_error err;
                assert_int_equal(migrate_check(&s.view, &cases[i].move, 1, &err), -1);
                assert_string_equal(err.text, cases[i].message);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(pairs_push_inwards),
                cmocka_unit_test(least_contends),
                cmocka_unit_test(thresholds_hold_back),
                cmocka_unit_test(minimum_may_be_for_each_thread),
                cmocka_unit_test(share_queue_and_sends_limit_it),
                cmocka_unit_test(level_ranks_keep_their_tasks),
                cmocka_unit_test(load_counts_what_it_says),
                cmocka_unit_test(wrong_moves_are_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
