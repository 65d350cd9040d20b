/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules of the cores' protocol that show only where a worker is quicker than others, or a policy
 * answers otherwise than those built in: each by itself, on one node, one call after the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "real/control/control_impl.h"
#include "real/node/core_state.h"
#include "tests/real/control/world.h"

enum { NWORKER = 3, OWNED = 3, NCORE = NWORKER * OWNED };

/* Three workers with three cores each; nothing runs. */
static struct world *make(bool drom)
{
        return world_create(&(struct world_spec){ .system = "dlb",
                                                  .nnode = 1,
                                                  .ncore = NCORE,
                                                  .napprank = NWORKER,
                                                  .degree = 1,
                                                  .borrow_ahead = 1,
                                                  .no_drom = !drom });
}

static void tell(struct world *world, int32_t w, int32_t ready, int32_t held)
{
        struct board_worker *row = board_worker(world->worker[w].board, w);
        row->ready = row->tasks = ready;
        row->held_known = held;
}

/* An own core that becomes idle is lent. */
static int32_t lend(struct world *world, int32_t w)
{
        int32_t core = 0;
        while (cores_builtin.owner(world->worker[w].cores, core) != w)
                core++;
        assert_true(control_core_idle(world->worker[w].control, world->now_ns, core));
        assert_int_equal(cores_builtin.user(world->worker[w].cores, core), CORE_NOBODY);
        return core;
}

static int32_t needs(struct world *world, int32_t w, enum lend_occasion occasion)
{
        int32_t gained[NCORE];
        return control_needs_cores(world->worker[w].control, world->now_ns, occasion, gained);
}

/* Who is woken first and is not meant leaves it. */
static void a_lent_core_is_for_the_neediest(void **unused)
{
        (void)unused;
        struct world *world = make(false);
        int32_t core = lend(world, 2);
        tell(world, 0, 1, 0);
        tell(world, 1, 3, 0);
        assert_int_equal(needs(world, 0, LEND_OCCASION_NONE), 0);
        assert_int_equal(needs(world, 1, LEND_OCCASION_NONE), 1);
        assert_int_equal(cores_builtin.user(world->worker[0].cores, core), 1);
        world_destroy(world);
}

/* Else the owner would have to ask for it; one without work would lend it again. */
static void a_borrowed_core_goes_home_to_an_owner_with_work(void **unused)
{
        (void)unused;
        for (int32_t work = 0; work <= 1; work++) {
                struct world *world = make(false);
                int32_t core = lend(world, 2);
                tell(world, 1, 1, 0);
                assert_int_equal(needs(world, 1, LEND_OCCASION_NONE), 1);
                tell(world, 1, 0, 0);
                tell(world, 2, work, 0);
                assert_true(control_core_idle(world->worker[1].control, world->now_ns, core));
                assert_int_equal(cores_builtin.user(world->worker[0].cores, core),
                                 work ? 2 : CORE_NOBODY);
                world_destroy(world);
        }
}

/* ---- A policy that would always keep, and borrow ahead ---- */

static void decide_greedy(void *state, const struct lend_view *view, struct lend_decision *out)
{
        (void)state;
        bool idle = view->occasion == LEND_BORROWED_IDLE;
        *out = (struct lend_decision){ .action = idle ? LEND_KEEP : LEND_BORROW,
                                       .borrower = view->worker,
                                       .count = 1 };
}

/* Both are for tasks that are held. */
static void only_held_tasks_are_borrowed_ahead_for(void **unused)
{
        (void)unused;
        static const enum lend_occasion ahead[] = { LEND_TOOK_TASK, LEND_POLLED };
        for (int32_t held = 0; held <= 1; held++)
                for (int i = 0; i < 2; i++) {
                        struct world *world = make(false);
                        struct control *c = world->worker[1].control;
                        struct lend_type greedy = *c->lending.type;
                        greedy.decide = decide_greedy;
                        int32_t core = lend(world, 2);
                        c->lending.type = &greedy;
                        tell(world, 1, 0, held);
                        assert_int_equal(needs(world, 1, ahead[i]), held);
                        tell(world, 1, 1, 0);
                        if (!held)
                                assert_int_equal(needs(world, 1, LEND_NEEDS_CORES), 1);
                        tell(world, 1, 0, held);
                        assert_int_equal(control_core_idle(c, world->now_ns, core), !held);
                        world_destroy(world);
                }
}

/* ---- News ---- */

/* Of its leader a worker acts on new targets at once, on none twice. */
static void new_targets_are_acted_on_at_once(void **unused)
{
        (void)unused;
        struct world *world = make(true);
        int32_t gained[NCORE];
        bool idle[NCORE] = { false };
        double busy[NWORKER] = { OWNED, OWNED, OWNED };
        world_drive(world, busy, 3);
        struct control *leader = world->worker[0].control, *c = world->worker[1].control;
        assert_true(leader->leads && !c->leads);
        int64_t now_ns = world->now_ns;
        for (int32_t w = 0; w < NWORKER; w++)
                control_poll(world->worker[w].control, now_ns, idle, gained);
        assert_true(control_due_ns(c, now_ns) > now_ns);
        now_ns += 50000000000; /* one worker has been busy alone for long */
        for (int32_t w = 0; w < NWORKER; w++) {
                struct board_worker *row = board_worker(world->worker[w].board, w);
                row->busy_ns += w == 1 ? OWNED * INT64_C(50000000000) : 0;
                row->at_ns = now_ns;
        }
        int32_t before = world_target(world, 1);
        control_poll(leader, now_ns, idle, gained);
        assert_true(world_target(world, 1) > before);
        assert_int_equal(control_due_ns(c, now_ns), now_ns);
        control_poll(c, now_ns, idle, gained);
        assert_true(control_due_ns(c, now_ns) > now_ns);
        world_destroy(world);
}

/* A helper's board says what its home holds, by its last mail. */
static void helpers_know_what_home_holds(void **unused)
{
        (void)unused;
        struct world *world = world_create(&(struct world_spec){ .system = "local",
                                                                 .nnode = 2,
                                                                 .ncore = 4,
                                                                 .napprank = 2,
                                                                 .degree = 2,
                                                                 .ntask = { 400, 10 },
                                                                 .task_ms = { 20, 20 } });
        int32_t helper = 0, known = 0;
        while (world->worker[helper].control->place == 0 ||
               world->worker[helper].control->first != 0)
                helper++;
        const struct board_worker *row =
            board_worker(world->worker[helper].board, world_local(world->job, helper));
        world_create_tasks(world);
        while (world_tasks_left(world) > 0) {
                world_step(world);
                known += row->held_known > 0;
        }
        for (int32_t ms = 0; ms < 1000; ms++) /* until home has told that there are none left */
                world_step(world);
        assert_true(known > 100);
        assert_int_equal(row->held_known, 0);
        world_destroy(world);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_lent_core_is_for_the_neediest),
                cmocka_unit_test(a_borrowed_core_goes_home_to_an_owner_with_work),
                cmocka_unit_test(only_held_tasks_are_borrowed_ahead_for),
                cmocka_unit_test(new_targets_are_acted_on_at_once),
                cmocka_unit_test(helpers_know_what_home_holds),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
