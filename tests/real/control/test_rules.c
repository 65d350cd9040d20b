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

/* With `lend_to_last` it is for whose waiting tasks last longest, of which each tells on its own.
 */
static void a_lent_core_is_for_who_ends_last(void **unused)
{
        (void)unused;
        struct world *world = world_create(&(struct world_spec){ .system = "dlb",
                                                                 .nnode = 1,
                                                                 .ncore = NCORE,
                                                                 .napprank = NWORKER,
                                                                 .degree = 1,
                                                                 .lend_to_last = true,
                                                                 .no_drom = true });
        int32_t core = lend(world, 2);
        tell(world, 0, 1, 0);
        tell(world, 1, 3, 0);
        board_worker(world->worker[0].board, 0)->task_us = 2385;
        board_worker(world->worker[1].board, 1)->task_us = 785;
        assert_int_equal(needs(world, 1, LEND_OCCASION_NONE), 0);
        assert_int_equal(needs(world, 0, LEND_OCCASION_NONE), 1);
        assert_int_equal(cores_builtin.user(world->worker[1].cores, core), 0);
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

/* From where loads count on, the first poll tells of the time up to it, however short: it is due at
 * the node's time, not at once, and decides. Else it notes where everybody is. */
static void the_first_poll_tells_of_the_beginning(void **unused)
{
        (void)unused;
        for (int begins = 0; begins < 2; begins++) {
                struct world *world = make(true);
                int32_t gained[NCORE];
                bool idle[NCORE] = { false };
                struct control *leader = world->worker[0].control;
                int64_t now_ns = INT64_C(7000000000) + leader->phase_ns - leader->poll_ns / 8;
                for (int32_t w = 0; w < NWORKER; w++)
                        board_worker(world->worker[w].board, w)->at_ns = now_ns;
                for (int32_t w = 0; begins && w < NWORKER; w++)
                        control_loads_begin(world->worker[w].control, now_ns);
                assert_int_equal(control_due_ns(leader, now_ns) > now_ns, begins);
                now_ns += leader->poll_ns / 8;
                assert_true(control_due_ns(leader, now_ns) <= now_ns);
                for (int32_t w = 0; w < NWORKER; w++) {
                        struct board_worker *row = board_worker(world->worker[w].board, w);
                        row->busy_ns = w == 1 ? OWNED * leader->poll_ns / 8 : 0;
                        row->at_ns = now_ns;
                }
                int32_t before = world_target(world, 1);
                control_poll(leader, now_ns, idle, gained);
                assert_int_equal(world_target(world, 1) > before, begins);
                world_destroy(world);
        }
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

/* ---- Asking ---- */

/*
 * A core that is lent wakes the next worker that may ask for tasks for it. One with ready tasks
 * takes cores itself and asks for none: the call to ask would be lost with it.
 */
static void who_has_tasks_is_not_woken_to_ask(void **unused)
{
        (void)unused;
        enum { HELPER, OTHER, HOME }; /* node 2: of appranks 0 and 1, and apprank 2 */
        for (int32_t ready = 0; ready <= 1; ready++) {
                struct world *world = world_create(&(struct world_spec){ .system = "global",
                                                                         .nnode = 3,
                                                                         .ncore = 8,
                                                                         .napprank = 3,
                                                                         .degree = 3,
                                                                         .no_drom = true,
                                                                         .asks = true });
                const struct lb_shape *s = &world->job->shape;
                struct world_worker *on[3];
                uint32_t before[3];
                for (int32_t l = 0; l < 3; l++) {
                        on[l] = &world->worker[s->node_worker[s->node_first[2] + l]];
                        before[l] = board_ticket(on[l]->board);
                }
                assert_true(s->worker_home[s->node_worker[s->node_first[2] + HOME]]);
                board_worker(on[HELPER]->board, HELPER)->ready = ready;
                int32_t core = 0;
                while (cores_builtin.owner(on[HOME]->cores, core) != HOME)
                        core++;
                assert_true(control_core_idle(on[HOME]->control, world->now_ns, core));
                /* to ask, or to take the core */
                assert_true(board_ticket(on[HELPER]->board) != before[HELPER]);
                assert_int_equal(board_ticket(on[OTHER]->board) != before[OTHER], ready);
                world_destroy(world);
        }
}

/* ---- What placement is shown ---- */

static int64_t shown_finished_ns;

static int64_t refill_looks(void *state, const struct place_view *view)
{
        (void)state;
        shown_finished_ns = view->finished_ns;
        return 0;
}

/* How long the task took, where one has finished; nothing else, else. */
static void placement_is_shown_how_long_a_task_took(void **unused)
{
        (void)unused;
        static const int32_t tasks[2] = { 0 };
        struct world *world = world_create(&(struct world_spec){
            .system = "local", .nnode = 2, .ncore = 4, .napprank = 2, .degree = 2 });
        struct control *home = world->worker[0].control;
        struct place_type looks = *home->placing.type;
        const struct place_type *own = home->placing.type;
        assert_int_equal(home->place, 0);
        looks.refill = refill_looks;
        home->placing.type = &looks;
        control_finished(home, 123456789);
        control_refill(home, world->now_ns, tasks, 1, 1, PLACE_FINISHED);
        assert_int_equal(shown_finished_ns, 123456789);
        control_refill(home, world->now_ns, tasks, 1, 0, PLACE_IDLE);
        assert_int_equal(shown_finished_ns, 0);
        home->placing.type = own;
        world_destroy(world);
}

static int nrefill;

static int64_t refill_counts(void *state, const struct place_view *view)
{
        (void)state;
        (void)view;
        nrefill++;
        return 0;
}

/* Who learns from finished tasks hears of each, and nobody of other things while none is held. */
static void who_learns_hears_of_every_finished_task(void **unused)
{
        (void)unused;
        static const int32_t tasks[2] = { 0 };
        for (int learns = 0; learns < 2; learns++) {
                struct world *world = world_create(&(struct world_spec){ .system = "local",
                                                                         .tail = learns,
                                                                         .nnode = 2,
                                                                         .ncore = 4,
                                                                         .napprank = 2,
                                                                         .degree = 2 });
                struct control *home = world->worker[0].control;
                const struct place_type *own = home->placing.type;
                struct place_type counts = *own;
                counts.refill = refill_counts;
                home->placing.type = &counts;
                nrefill = 0;
                assert_int_equal(control_learns(home), learns);
                control_finished(home, 123456789);
                control_refill(home, world->now_ns, tasks, 0, 1, PLACE_FINISHED);
                assert_int_equal(nrefill, learns);
                control_refill(home, world->now_ns, tasks, 0, 0, PLACE_IDLE);
                assert_int_equal(nrefill, learns);
                home->placing.type = own;
                world_destroy(world);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_lent_core_is_for_the_neediest),
                cmocka_unit_test(a_lent_core_is_for_who_ends_last),
                cmocka_unit_test(a_borrowed_core_goes_home_to_an_owner_with_work),
                cmocka_unit_test(only_held_tasks_are_borrowed_ahead_for),
                cmocka_unit_test(new_targets_are_acted_on_at_once),
                cmocka_unit_test(the_first_poll_tells_of_the_beginning),
                cmocka_unit_test(helpers_know_what_home_holds),
                cmocka_unit_test(who_has_tasks_is_not_woken_to_ask),
                cmocka_unit_test(placement_is_shown_how_long_a_task_took),
                cmocka_unit_test(who_learns_hears_of_every_finished_task),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
