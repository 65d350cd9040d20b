/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the controls of a job tell each other, on real boards and cores, in a world whose time is
 * made up: mails, what is held, and who asks for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "tests/real/control/world.h"

/* A mail that is none is passed over. */
static void broken_mails_are_ignored(void **unused)
{
        (void)unused;
        struct world_spec spec = world_skewed("global");
        struct world *world = world_create(&spec);
        struct lb_random random;
        lb_random_init(&random, 12, LB_RANDOM_TEST, 0);
        for (int i = 0; i < 20000; i++) {
                int32_t body[64];
                for (int k = 0; k < 64; k++)
                        body[k] = (int32_t)lb_random_below(&random, 7) - 1;
                size_t bytes = (size_t)lb_random_below(&random, sizeof(body));
                int32_t to = (int32_t)lb_random_below(&random, (uint64_t)world->job->nworker);
                int32_t place =
                    control_mail_arrived(world->worker[to].control, (char *)body, bytes);
                assert_in_range(place + 1, 0, spec.degree);
        }
        world_destroy(world);
}

/* No mail is longer than one that tells of all workers of the largest node, here three. */
static void mails_that_are_too_long_are_refused(void **unused)
{
        (void)unused;
        enum { MAIL_CORES = 1, HEAD_BYTES = 32, LOCAL_BYTES = 16, COUNT_AT = 7 }; /* mail.c */
        struct world_spec spec = world_skewed("local");
        struct world *world = world_create(&spec);
        for (int32_t count = 0; count <= 5; count++) {
                int32_t body[64] = { MAIL_CORES, 1, [COUNT_AT] = count };
                size_t bytes = HEAD_BYTES + (size_t)count * LOCAL_BYTES;
                int32_t place = control_mail_arrived(world->worker[0].control, (char *)body, bytes);
                assert_int_equal(place, count <= 3 ? 1 : -1);
        }
        world_destroy(world);
}

/* Helpers hear from home how many tasks are held, as long as there are any. */
static void helpers_are_told_what_is_held(void **unused)
{
        (void)unused;
        enum { MAIL_HELD = 2 }; /* mail.c */
        struct world_spec spec = world_skewed("local");
        struct world *world = world_create(&spec);
        world_iterate(world);
        int64_t told = world->nmail_of[MAIL_HELD];
        assert_true(told >= 4 * 2); /* appranks x helpers */
        assert_int_equal(told % 2, 0);
        world_destroy(world);
        spec.degree = 2; /* one helper alone is told as well */
        world = world_create(&spec);
        world_iterate(world);
        assert_true(world->nmail_of[MAIL_HELD] >= 4);
        world_destroy(world);
}

/*
 * Between polls that are further apart than iterations, cores that are idle elsewhere get tasks
 * since they ask; who is told that none is held is told when there are, so that every iteration
 * has them.
 */
static void idle_cores_ask_for_tasks(void **unused)
{
        (void)unused;
        enum { MAIL_ASKS = 5, MAIL_NO_TASKS = 6, MAIL_TASKS = 7 }; /* mail.c */
        struct world_spec spec = world_skewed("global");
        struct control_figures figures;
        spec.no_drom = true;
        spec.poll_s = 1000;
        double silent = world_ratio_of(&spec, &figures);
        spec.asks = true;
        double asking = world_ratio_of(&spec, &figures);
        assert_true(asking < 0.8 * silent);
        struct world *world = world_create(&spec);
        for (int32_t i = 0; i < 3; i++) {
                int64_t before = world->nmail_of[MAIL_ASKS];
                world_iterate(world);
                assert_true(world->nmail_of[MAIL_ASKS] > before);
        }
        assert_true(world->nmail_of[MAIL_NO_TASKS] > 0);
        assert_in_range(world->nmail_of[MAIL_TASKS], 1, world->nmail_of[MAIL_NO_TASKS]);
        world_destroy(world);
}

/*
 * What one worker of a node has asked for the others leave: on node 2, whose own apprank has
 * nothing, two helpers together get as many tasks as cores are lent there, beside those that their
 * own cores take anyway.
 */
static void what_is_asked_for_is_not_asked_for_twice(void **unused)
{
        (void)unused;
        struct world_spec spec = { .system = "global",
                                   .nnode = 3,
                                   .ncore = 8,
                                   .napprank = 3,
                                   .degree = 3,
                                   .no_drom = true,
                                   .asks = true,
                                   .poll_s = 1000,
                                   .ntask = { 60, 60, 16 },
                                   .task_ms = { 1000, 1000, 1 } };
        struct world *world = world_create(&spec);
        int32_t tasks = 0;
        world_create_tasks(world);
        for (int32_t ms = 0; ms < 300; ms++)
                world_step(world);
        for (int32_t w = 0; w < world->job->shape.nworker; w++)
                if (world->job->shape.worker_node[w] == 2)
                        tasks += world->tasks[w];
        assert_in_range(tasks, 8, 12);
        world_destroy(world);
}

/*
 * Home forgets with each iteration what helpers had borrowed, and they say it again at their next
 * poll, also where it is what they said last. Else a task that belongs on the last core of the
 * other node stays at home, one second of two.
 */
static void what_is_borrowed_is_told_again(void **unused)
{
        (void)unused;
        struct world_spec spec = { .system = "tight",
                                   .nnode = 2,
                                   .ncore = 8,
                                   .napprank = 2,
                                   .degree = 2,
                                   .asks = true,
                                   .boundary = true,
                                   .at_hand = true,
                                   .poll_s = 0.05,
                                   .ntask = { 32, 0 },
                                   .task_ms = { 1000, 1 } };
        struct world *world = world_create(&spec);
        for (int32_t i = 0; i < 8; i++) {
                assert_in_range(world_iterate(world), 2000, 2100);
                for (int32_t a = 0; a < spec.napprank; a++)
                        control_iteration(world->worker[2 * a].control, world->now_ns);
        }
        world_destroy(world);
}

/* What would repeat the last mail is not sent: where nothing changes there are none. */
static void nothing_new_is_not_told(void **unused)
{
        (void)unused;
        struct world_spec spec = world_skewed("local");
        struct world *world = world_create(&spec);
        double busy[32] = { 0 };
        world_drive(world, busy, 60); /* until nothing is left to be averaged */
        int64_t before = world->nmail;
        assert_true(before > 0);
        world_drive(world, busy, 10);
        assert_int_equal(world->nmail, before);
        world_destroy(world);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(broken_mails_are_ignored),
                cmocka_unit_test(mails_that_are_too_long_are_refused),
                cmocka_unit_test(helpers_are_told_what_is_held),
                cmocka_unit_test(idle_cores_ask_for_tasks),
                cmocka_unit_test(what_is_asked_for_is_not_asked_for_twice),
                cmocka_unit_test(what_is_borrowed_is_told_again),
                cmocka_unit_test(nothing_new_is_not_told),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
