/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every core manager promises (real/node/cores.h), as stories of several processes.
 *
 *   test_cores [builtin|dlb]
 *
 * DLB is the library that LBRUN_DLB_LIB names: the tests' own stand-in, or a real one; without it
 * the test is skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/real/node/node_world.h"

/* Two workers: A has cores 0 and 1, B has 2 and 3. */
enum { A, B, C };
static const int32_t two_each[] = { 2, 2 };

/* --- orders by name --- */

static int32_t lend(struct world *world, int32_t worker, int32_t core)
{
        return world_value(world, worker, WORLD_LEND, core);
}

static int32_t giveback(struct world *world, int32_t worker, int32_t core)
{
        return world_value(world, worker, WORLD_GIVEBACK, core);
}

static int32_t drop(struct world *world, int32_t worker, int32_t core)
{
        return world_value(world, worker, WORLD_DROP, core);
}

static int32_t owner(struct world *world, int32_t core)
{
        return world_value(world, A, WORLD_OWNER, core);
}

static int32_t user(struct world *world, int32_t core)
{
        return world_value(world, A, WORLD_USER, core);
}

static bool usable(struct world *world, int32_t worker, int32_t core)
{
        return world_value(world, worker, WORLD_USABLE, core);
}

static bool must_return(struct world *world, int32_t worker, int32_t core)
{
        return world_value(world, worker, WORLD_MUST_RETURN, core);
}

/* An order that lists cores: it must return `count` and have listed `core` first (-1: none). */
static void expect(struct world *world, int32_t worker, enum world_order order, int32_t max,
                   const int32_t count_and_first[static 2])
{
        const struct world_reply reply = world_ask(world, worker, order, max);
        assert_int_equal(reply.value, count_and_first[0]);
        if (count_and_first[0] > 0 || count_and_first[1] >= 0)
                assert_int_equal(reply.core[0], count_and_first[1]);
}
#define EXPECT(world, worker, order, max, count, first)                                            \
        expect(world, worker, order, max, (const int32_t[2]){ count, first })

static void expect_figures(struct world *world, int32_t worker, const int32_t figure[static 4])
{
        const struct world_reply reply = world_ask(world, worker, WORLD_FIGURES, 0);
        for (int i = 0; i < 4; i++)
                assert_int_equal(reply.core[i], figure[i]);
}
#define FIGURES(world, worker, owned, lent, borrowed, reclaiming)                                  \
        expect_figures(world, worker, (const int32_t[4]){ owned, lent, borrowed, reclaiming })

/* --- stories --- */

/* At the start each worker owns and may use its consecutive cores, and the pool is empty. */
static void story_start(struct world *world)
{
        for (int32_t core = 0; core < 4; core++) {
                assert_int_equal(owner(world, core), core / 2);
                assert_int_equal(user(world, core), core / 2);
                assert_int_equal(usable(world, A, core), core < 2);
                assert_int_equal(usable(world, B, core), core >= 2);
        }
        assert_int_equal(world_value(world, A, WORLD_POOL, 0), 0);
        EXPECT(world, A, WORLD_BORROW, 4, 0, -1);
        EXPECT(world, B, WORLD_RECLAIM, 4, 0, -1);
        EXPECT(world, B, WORLD_RETURNED, 4, 0, -1);
        EXPECT(world, B, WORLD_CLAIM, 4, 0, -1);
        FIGURES(world, A, 2, 0, 0, 0);
}

/* A lent core is nobody's until another borrows it; then it is the borrower's alone. */
static void story_lend_borrow(struct world *world)
{
        assert_int_equal(lend(world, A, 1), CORES_DONE);
        assert_false(usable(world, A, 1));
        assert_int_equal(user(world, 1), -1);
        assert_int_equal(world_value(world, B, WORLD_POOL, 0), 1);
        EXPECT(world, B, WORLD_BORROW, 4, 1, 1);
        assert_true(usable(world, B, 1));
        assert_false(usable(world, A, 1));
        assert_int_equal(owner(world, 1), A);
        assert_int_equal(world_value(world, B, WORLD_POOL, 0), 0);
        assert_false(must_return(world, B, 1));
        FIGURES(world, A, 2, 1, 0, 0);
        FIGURES(world, B, 2, 0, 1, 0);
        EXPECT(world, A, WORLD_BORROW, 4, 0, -1);
}

/* A worker may lend all it has, and what it lends is never borrowed by itself. */
static void story_lend_all(struct world *world)
{
        assert_int_equal(lend(world, A, 0), CORES_DONE);
        assert_int_equal(lend(world, A, 1), CORES_DONE);
        EXPECT(world, A, WORLD_BORROW, 4, 0, -1);
        const struct world_reply got = world_ask(world, B, WORLD_BORROW, 1);
        assert_int_equal(got.value, 1);
        EXPECT(world, B, WORLD_BORROW, 4, 1, 1 - got.core[0]);
        FIGURES(world, B, 2, 0, 2, 0);
}

/* A lent core that lies in the pool is the owner's again at once. */
static void story_reclaim_pooled(struct world *world)
{
        assert_int_equal(lend(world, A, 0), CORES_DONE);
        EXPECT(world, A, WORLD_RECLAIM, 1, 1, 0);
        assert_true(usable(world, A, 0));
        EXPECT(world, B, WORLD_BORROW, 4, 0, -1);
        FIGURES(world, A, 2, 0, 0, 0);
}

/* A core in use that is asked back is usable by its owner only after the borrower returned it, and
 * is reported once. */
static void story_reclaim_used(struct world *world)
{
        lend(world, A, 1);
        EXPECT(world, B, WORLD_BORROW, 1, 1, 1);
        EXPECT(world, A, WORLD_RECLAIM, 1, 0, -1);
        FIGURES(world, A, 2, 1, 0, 1);
        assert_true(must_return(world, B, 1));
        assert_true(usable(world, B, 1));
        assert_false(usable(world, A, 1));
        EXPECT(world, A, WORLD_RETURNED, 4, 0, -1);
        EXPECT(world, A, WORLD_RECLAIM, 1, 0, -1);

        assert_int_equal(giveback(world, B, 1), CORES_DONE);
        assert_false(usable(world, B, 1));
        assert_false(must_return(world, B, 1));
        EXPECT(world, B, WORLD_BORROW, 4, 0, -1);
        assert_true(usable(world, A, 1));
        EXPECT(world, A, WORLD_RETURNED, 4, 1, 1);
        EXPECT(world, A, WORLD_RETURNED, 4, 0, -1);
        FIGURES(world, A, 2, 0, 0, 0);
        FIGURES(world, B, 2, 0, 0, 0);
}

/* What is in the pool comes first, what is in use is asked back for the rest, not more than asked
 * for. */
static void story_reclaim_count(struct world *world)
{
        lend(world, A, 0);
        EXPECT(world, B, WORLD_BORROW, 1, 1, 0);
        lend(world, A, 1);
        EXPECT(world, A, WORLD_RECLAIM, 1, 1, 1);
        assert_false(must_return(world, B, 0));
        lend(world, A, 1);
        EXPECT(world, A, WORLD_RECLAIM, 2, 1, 1);
        assert_true(must_return(world, B, 0));
}

/* A borrowed core that nobody asked back goes to the pool, for others and for its owner. */
static void story_giveback_unasked(struct world *world)
{
        lend(world, A, 1);
        world_ask(world, B, WORLD_BORROW, 1);
        assert_int_equal(giveback(world, B, 1), CORES_DONE);
        assert_int_equal(user(world, 1), -1);
        EXPECT(world, A, WORLD_RETURNED, 4, 0, -1);
        EXPECT(world, B, WORLD_BORROW, 1, 1, 1);
        giveback(world, B, 1);
        EXPECT(world, A, WORLD_RECLAIM, 1, 1, 1);
}

/* A core that has come back can be lent or dropped without having been reported. */
static void story_lend_returned(struct world *world)
{
        lend(world, A, 1);
        world_ask(world, B, WORLD_BORROW, 1);
        world_ask(world, A, WORLD_RECLAIM, 1);
        giveback(world, B, 1);
        assert_int_equal(lend(world, A, 1), CORES_DONE);
        EXPECT(world, A, WORLD_RETURNED, 4, 0, -1);
        EXPECT(world, B, WORLD_BORROW, 1, 1, 1);
        assert_false(must_return(world, B, 1));
}

/* What a worker does not have it cannot lend, return or drop; nothing changes, also for cores that
 * do not exist. */
static void story_denied(struct world *world)
{
        static const int32_t foreign[] = { 2, 3, 4, -1, INT32_MAX };
        for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
                assert_int_equal(lend(world, A, foreign[i]), CORES_DENIED);
                assert_int_equal(giveback(world, A, foreign[i]), CORES_DENIED);
                assert_int_equal(drop(world, A, foreign[i]), CORES_DENIED);
                assert_false(usable(world, A, foreign[i]));
                assert_false(must_return(world, A, foreign[i]));
        }
        assert_int_equal(giveback(world, A, 0), CORES_DENIED);
        lend(world, A, 0);
        assert_int_equal(lend(world, A, 0), CORES_DENIED);
        assert_int_equal(giveback(world, A, 0), CORES_DENIED);
        world_ask(world, B, WORLD_BORROW, 1);
        assert_int_equal(lend(world, A, 0), CORES_DENIED);
        assert_int_equal(lend(world, B, 0), CORES_DENIED);
        assert_int_equal(drop(world, B, 0), CORES_DENIED);
        EXPECT(world, A, WORLD_RECLAIM, 0, 0, -1);
        assert_false(must_return(world, B, 0));
        assert_int_equal(user(world, 0), B);
        assert_int_equal(owner(world, 0), A);
}

/* Ownership moves when the old owner drops a core and the new one claims it, which may use it at
 * once. */
static void story_drop_claim(struct world *world)
{
        assert_int_equal(drop(world, A, 1), CORES_DONE);
        assert_false(usable(world, A, 1));
        assert_int_equal(owner(world, 1), -1);
        EXPECT(world, B, WORLD_CLAIM, 4, 1, 1);
        assert_int_equal(owner(world, 1), B);
        assert_true(usable(world, B, 1));
        FIGURES(world, A, 1, 0, 0, 0);
        FIGURES(world, B, 3, 0, 0, 0);
        assert_int_equal(lend(world, B, 1), CORES_DONE);
        EXPECT(world, A, WORLD_BORROW, 1, 1, 1);
}

/* Not more is claimed than asked for; the list ends with -1. */
static void story_claim_count(struct world *world)
{
        drop(world, B, 2);
        struct world_reply got = world_ask(world, A, WORLD_CLAIM, 0);
        assert_int_equal(got.value, 0);
        assert_int_equal(owner(world, 2), -1);
        got = world_ask(world, A, WORLD_CLAIM, 3);
        assert_int_equal(got.value, 1);
        assert_int_equal(got.core[0], 2);
        assert_int_equal(got.core[1], -1);
        assert_int_equal(got.core[2], -1);
}

/* A lent core can be dropped while it is in the pool. */
static void story_drop_pooled(struct world *world)
{
        lend(world, A, 0);
        assert_int_equal(drop(world, A, 0), CORES_DONE);
        EXPECT(world, A, WORLD_RECLAIM, 1, 0, -1);
        EXPECT(world, B, WORLD_CLAIM, 1, 1, 0);
        assert_true(usable(world, B, 0));
}

/* A lent core in use changes owner under its user, who goes on, and returns it to the new owner if
 * that asks. */
static void story_drop_used(struct world *world)
{
        static const int32_t owned[] = { 2, 1, 1 };
        struct world three;
        world_start(&three, world->type, 3, owned);
        lend(&three, A, 1);
        EXPECT(&three, B, WORLD_BORROW, 1, 1, 1);
        EXPECT(&three, A, WORLD_RECLAIM, 1, 0, -1);
        assert_int_equal(drop(&three, A, 1), CORES_DONE);
        assert_false(must_return(&three, B, 1));
        EXPECT(&three, C, WORLD_CLAIM, 4, 1, -1);
        assert_int_equal(owner(&three, 1), C);
        assert_int_equal(user(&three, 1), B);
        assert_true(usable(&three, B, 1));
        assert_false(usable(&three, C, 1));
        FIGURES(&three, C, 2, 1, 0, 0);
        EXPECT(&three, C, WORLD_RECLAIM, 1, 0, -1);
        assert_true(must_return(&three, B, 1));
        giveback(&three, B, 1);
        EXPECT(&three, C, WORLD_RETURNED, 1, 1, 1);
        assert_false(usable(&three, A, 1));
        world_stop(&three);
}

/* A core that is asked back and dropped is still owed to who asked: another one of its own is asked
 * back in its place. */
static void story_drop_asked(struct world *world)
{
        static const int32_t owned[] = { 3, 1, 1 };
        struct world three;
        world_start(&three, world->type, 3, owned);
        lend(&three, A, 1);
        lend(&three, A, 2);
        assert_int_equal(world_value(&three, B, WORLD_BORROW, 2), 2);
        EXPECT(&three, A, WORLD_RECLAIM, 1, 0, -1);
        FIGURES(&three, A, 3, 2, 0, 1);
        assert_int_equal(drop(&three, A, 1), CORES_DONE);
        FIGURES(&three, A, 2, 1, 0, 1);
        assert_true(must_return(&three, B, 2));
        giveback(&three, B, 2);
        EXPECT(&three, A, WORLD_RETURNED, 4, 1, 2);
        world_stop(&three);
}

/* A borrower that claims what it uses becomes its owner without a pause. */
static void story_claim_borrowed(struct world *world)
{
        lend(world, A, 0);
        world_ask(world, B, WORLD_BORROW, 1);
        drop(world, A, 0);
        assert_true(usable(world, B, 0));
        EXPECT(world, B, WORLD_CLAIM, 1, 1, -1);
        assert_true(usable(world, B, 0));
        assert_int_equal(owner(world, 0), B);
        FIGURES(world, B, 3, 0, 0, 0);
        assert_int_equal(giveback(world, B, 0), CORES_DENIED);
        assert_int_equal(lend(world, B, 0), CORES_DONE);
}

/* A dropped core that its borrower gives back waits to be claimed. */
static void story_giveback_dropped(struct world *world)
{
        lend(world, A, 0);
        world_ask(world, B, WORLD_BORROW, 1);
        drop(world, A, 0);
        assert_int_equal(giveback(world, B, 0), CORES_DONE);
        assert_int_equal(owner(world, 0), -1);
        EXPECT(world, B, WORLD_CLAIM, 1, 1, 0);
}

/* A worker never drops its last core, lent or not. */
static void story_last_core(struct world *world)
{
        assert_int_equal(drop(world, A, 0), CORES_DONE);
        assert_int_equal(drop(world, A, 1), CORES_DENIED);
        lend(world, A, 1);
        assert_int_equal(drop(world, A, 1), CORES_DENIED);
        world_ask(world, B, WORLD_BORROW, 4);
        assert_int_equal(drop(world, A, 1), CORES_DENIED);
        assert_int_equal(owner(world, 1), A);
}

/* Who leaves gives back what it borrowed, and leaves the rest to the others. */
static void story_leave(struct world *world)
{
        static const int32_t owned[] = { 1, 2, 2 };
        struct world three;
        world_start(&three, world->type, 3, owned);
        lend(&three, C, 3);
        lend(&three, C, 4);
        assert_int_equal(world_value(&three, B, WORLD_BORROW, 2), 2);
        EXPECT(&three, C, WORLD_RECLAIM, 1, 0, -1);
        world_leave(&three, B);
        assert_int_equal(world_value(&three, A, WORLD_DEAD, 0), -1);
        assert_int_equal(world_value(&three, C, WORLD_RETURNED, 4), 1);
        assert_int_equal(world_value(&three, C, WORLD_RECLAIM, 4), 1);
        assert_int_equal(world_value(&three, A, WORLD_BORROW, 4), 2);
        world_stop(&three);
}

/* The cores of the dead are for the living: what it owned to claim or borrow, what it used back to
 * the pool or to who asked for it. */
static void story_bury(struct world *world)
{
        static const int32_t owned[] = { 3, 2, 1 };
        struct world three;
        world_start(&three, world->type, 3, owned);
        lend(&three, A, 1);
        lend(&three, A, 2);
        lend(&three, B, 3);
        assert_int_equal(world_value(&three, B, WORLD_BORROW, 2), 2);
        EXPECT(&three, C, WORLD_BORROW, 1, 1, 3);
        world_ask(&three, A, WORLD_RECLAIM, 1);
        assert_int_equal(world_value(&three, A, WORLD_DEAD, 0), -1);
        world_kill(&three, B);
        assert_int_equal(world_value(&three, A, WORLD_DEAD, 0), B);
        assert_int_equal(world_value(&three, C, WORLD_DEAD, 0), B);
        world_ask(&three, C, WORLD_BURY, B);
        world_ask(&three, A, WORLD_BURY, B);
        FIGURES(&three, A, 3, 1, 0, 0);

        assert_int_equal(world_value(&three, A, WORLD_RETURNED, 4), 1);
        assert_int_equal(world_value(&three, A, WORLD_RECLAIM, 4), 1);
        assert_true(usable(&three, C, 3));
        assert_int_equal(owner(&three, 3), -1);
        EXPECT(&three, C, WORLD_BORROW, 4, 1, 4);
        EXPECT(&three, A, WORLD_CLAIM, 4, 2, -1);
        EXPECT(&three, A, WORLD_RECLAIM, 4, 0, -1);
        assert_true(must_return(&three, C, 3));
        assert_true(must_return(&three, C, 4));
        assert_int_equal(giveback(&three, C, 4), CORES_DONE);
        EXPECT(&three, A, WORLD_RETURNED, 4, 1, 4);
        world_stop(&three);
}

/* Nobody is buried alive, nor after having left, nor is there harm in numbers of no worker. */
static void story_bury_living(struct world *world)
{
        static const int32_t number[] = { A, B, 2, -1, INT32_MAX };
        for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
                world_ask(world, A, WORLD_BURY, number[i]);
        story_start(world);
}

/* Who sleeps is woken by what concerns it: a core for its ready task, its core coming back, its
 * borrowed core asked back, a core to claim. */
static void story_wakes(struct world *world)
{
        world_ask(world, B, WORLD_TICKET, 0);
        world_ask(world, B, WORLD_TELL_READY, 1);
        EXPECT(world, B, WORLD_BORROW, 1, 0, -1);
        world_begin(world, B, WORLD_WAIT, 0);
        lend(world, A, 0);
        world_end(world, B);
        EXPECT(world, B, WORLD_BORROW, 1, 1, 0);
        world_ask(world, B, WORLD_TELL_READY, 0);

        world_ask(world, B, WORLD_TICKET, 0);
        world_begin(world, B, WORLD_WAIT, 0);
        world_ask(world, A, WORLD_RECLAIM, 1);
        world_end(world, B);

        world_ask(world, A, WORLD_TICKET, 0);
        world_begin(world, A, WORLD_WAIT, 0);
        giveback(world, B, 0);
        world_end(world, A);
        EXPECT(world, A, WORLD_RETURNED, 1, 1, 0);

        world_ask(world, B, WORLD_TELL_TARGET, 3);
        world_ask(world, B, WORLD_TICKET, 0);
        world_begin(world, B, WORLD_WAIT, 0);
        drop(world, A, 0);
        world_end(world, B);
        EXPECT(world, B, WORLD_CLAIM, 1, 1, 0);
}

/* --- all stories with all core managers --- */

typedef void (*story)(struct world *world);
static const story stories[] = {
        story_start,
        story_lend_borrow,
        story_lend_all,
        story_reclaim_pooled,
        story_reclaim_used,
        story_reclaim_count,
        story_giveback_unasked,
        story_lend_returned,
        story_denied,
        story_drop_claim,
        story_claim_count,
        story_drop_pooled,
        story_drop_used,
        story_drop_asked,
        story_claim_borrowed,
        story_giveback_dropped,
        story_last_core,
        story_leave,
        story_bury,
        story_bury_living,
        story_wakes,
};

/* The stories hold for every core manager, each on a fresh node, and leave no segment. */
static void test_stories(void **state)
{
        for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
                struct world world;
                world_start(&world, *state, 2, two_each);
                stories[i](&world);
                world_stop(&world);
        }
}

/* Whichever is free first goes back, in the built-in manager: one core is asked for, and all who
 * use one are woken, since any may keep it idle, asleep. */
static void test_any_user_is_woken(void **state)
{
        static const int32_t owned[] = { 2, 1, 1 };
        struct world world;
        if (*state != &cores_builtin)
                return;
        world_start(&world, *state, 3, owned);
        lend(&world, A, 0);
        EXPECT(&world, B, WORLD_BORROW, 1, 1, 0);
        lend(&world, A, 1);
        EXPECT(&world, C, WORLD_BORROW, 1, 1, 1);
        for (int32_t w = B; w <= C; w++) {
                world_ask(&world, w, WORLD_TICKET, 0);
                world_begin(&world, w, WORLD_WAIT, 0);
        }
        world_ask(&world, A, WORLD_RECLAIM, 1);
        world_end(&world, B);
        world_end(&world, C);
        assert_true(must_return(&world, B, 0));
        assert_true(must_return(&world, C, 1));
        giveback(&world, C, 1);
        EXPECT(&world, A, WORLD_RETURNED, 1, 1, 1);
        assert_false(must_return(&world, B, 0));
        world_stop(&world);
}

int main(int argc, char **argv)
{
        const struct cores_type *type = world_manager(argc, argv);
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_prestate(test_stories, (void *)type),
                cmocka_unit_test_prestate(test_any_user_is_woken, (void *)type),
        };
        return type ? cmocka_run_group_tests(tests, NULL, NULL) : WORLD_SKIP;
}
