/* SPDX-License-Identifier: BSD-3-Clause */
/* The changes that a core can go through, all of them from all states: with the built-in manager,
 * and with the one over DLB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "real/node/core_state.h"
#include "real/node/cores_dlb_state.h"

enum { NWORKER = 3, NSTATE = (NWORKER + 1) * (NWORKER + 1) * 2 };

static const core_change changes[] = {
        core_to_pool,     core_take_own,  core_ask_back,       core_take_returned,  core_give_up,
        core_take_pooled, core_give_back, core_take_over_idle, core_take_over_used, core_leave,
};
enum { NCHANGE = sizeof(changes) / sizeof(changes[0]) };
static const core_change dlb_changes[] = {
        core_dlb_lend,        core_dlb_take_back, core_dlb_ask,   core_dlb_drop,    core_dlb_borrow,
        core_dlb_borrow_only, core_dlb_let_go,    core_dlb_claim, core_dlb_unclaim, core_dlb_leave,
};
enum { NDLBCHANGE = sizeof(dlb_changes) / sizeof(dlb_changes[0]) };

static struct core state_at(int32_t i)
{
        return (struct core){
                .owner = i % (NWORKER + 1) - 1,
                .user = i / (NWORKER + 1) % (NWORKER + 1) - 1,
                .asked = i / ((NWORKER + 1) * (NWORKER + 1)),
        };
}

static bool same(struct core a, struct core b)
{
        return a.owner == b.owner && a.user == b.user && a.asked == b.asked && a.apart == b.apart;
}

/* Asked back is a core of an owner that has a user. */
static bool sound(struct core core)
{
        return !core.asked || (core.owner != CORE_NOBODY && core.user != CORE_NOBODY);
}

/* A word keeps what was packed, for the largest numbers too, and none is zero. */
static void test_pack(void **state)
{
        (void)state;
        static const int32_t number[] = { CORE_NOBODY, 0, 1, 255, 256, 32766 };
        enum { N = sizeof(number) / sizeof(number[0]) };
        for (int i = 0; i < N * N * 4; i++) {
                const struct core core = { number[i % N], number[i / N % N], i / (N * N) % 2,
                                           i / (N * N) / 2 };
                assert_true(same(core_unpack(core_pack(core)), core));
                assert_true(core_pack(core) != 0);
        }
}

/* Nobody takes a core from its user, its owner or the owner that it is asked back for: a change by
 * one worker touches only what is its own or nobody's. */
static void check_change(core_change change, int32_t me, struct core before)
{
        struct core after = before;
        if (!change(me, &after)) {
                assert_true(same(before, after));
                return;
        }
        if (after.user != before.user)
                assert_true(before.user == me || before.user == CORE_NOBODY);
        if (after.owner != before.owner)
                assert_true(before.owner == me || before.owner == CORE_NOBODY);
        if (after.user != before.user && after.user != CORE_NOBODY && after.user != me)
                assert_true(before.asked && after.user == before.owner);
        if (before.asked && !after.asked)
                assert_int_equal(before.owner, me);
}

static void test_changes(void **state)
{
        (void)state;
        for (int32_t i = 0; i < NSTATE; i++)
                for (int32_t me = 0; me < NWORKER && sound(state_at(i)); me++)
                        for (int c = 0; c < NCHANGE; c++) {
                                struct core after = state_at(i);
                                check_change(changes[c], me, state_at(i));
                                changes[c](me, &after);
                                assert_true(sound(after));
                        }
}

/* With DLB a core that is asked back may be without a user; with itself as its owner's guest only
 * where it is apart. */
static bool dlb_sound(struct core core)
{
        return !core.asked ||
               (core.owner != CORE_NOBODY && (core.owner != core.user || core.apart));
}

/* The same for the changes with DLB; and what is apart stays so. */
static void test_dlb_changes(void **state)
{
        (void)state;
        for (int32_t i = 0; i < 2 * NSTATE; i++) {
                struct core before = state_at(i % NSTATE);
                before.apart = i >= NSTATE;
                for (int32_t me = 0; me < NWORKER && dlb_sound(before); me++)
                        for (int c = 0; c < NDLBCHANGE; c++) {
                                struct core after = before;
                                check_change(dlb_changes[c], me, before);
                                dlb_changes[c](me, &after);
                                assert_true(dlb_sound(after));
                                assert_true(after.apart >= before.apart);
                        }
        }
}

/* A burial with DLB: the dead has nothing, the living what they had, and it happens once. */
static void test_dlb_bury(void **state)
{
        (void)state;
        for (int32_t i = 0; i < NSTATE; i++) {
                const struct core before = state_at(i);
                struct core after = before;
                if (!dlb_sound(before))
                        continue;
                bool changed = core_dlb_bury(0, &after);
                assert_int_equal(changed, before.owner == 0 || before.user == 0);
                assert_int_equal(changed, after.apart);
                assert_true(dlb_sound(after) && after.owner != 0 && after.user != 0);
                assert_int_equal(after.owner, before.owner > 0 ? before.owner : CORE_NOBODY);
                if (before.user > 0)
                        assert_int_equal(after.user, before.user);
                assert_false(core_dlb_bury(0, &after));
        }
}

/* After a burial the dead is neither owner nor user, the living keep what they had, and a second
 * one changes nothing. */
static void test_bury(void **state)
{
        (void)state;
        for (int32_t i = 0; i < NSTATE; i++) {
                const struct core before = state_at(i);
                struct core after = before;
                if (!sound(before))
                        continue;
                bool changed = core_bury(0, &after);
                assert_int_equal(changed, before.owner == 0 || before.user == 0);
                assert_true(sound(after));
                assert_true(after.owner != 0 && after.user != 0);
                if (before.owner > 0)
                        assert_int_equal(after.owner, before.owner);
                if (before.user > 0)
                        assert_int_equal(after.user, before.user);
                assert_false(core_bury(0, &after));
        }
}

/* What is asked back comes to its owner whether its borrower returns it, leaves or dies. */
static void test_asked_comes_home(void **state)
{
        (void)state;
        static const core_change ends[] = { core_give_back, core_leave, core_bury };
        for (int i = 0; i < 3; i++) {
                struct core core = { .owner = 1, .user = 2, .asked = true };
                assert_true(ends[i](2, &core));
                assert_int_equal(core.user, 1);
                assert_true(core_take_returned(1, &core));
                assert_false(core_take_returned(1, &core));
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_pack),     cmocka_unit_test(test_changes),
                cmocka_unit_test(test_bury),     cmocka_unit_test(test_dlb_changes),
                cmocka_unit_test(test_dlb_bury), cmocka_unit_test(test_asked_comes_home),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
