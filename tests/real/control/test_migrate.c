/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank tells its migration policy: loads that others told, with what is on its way to them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/real/control/world.h"

/* Four ranks; rank 0 has nine tasks, and has told so, the others 1, 5 and 3. */
static struct world *four_ranks(void)
{
        struct world_spec spec = {
                .system = "chameleon", .nnode = 4, .ncore = 2, .napprank = 4, .degree = 1
        };
        static const int64_t told[] = { 9, 1, 5, 3 };
        struct world *world = world_create(&spec);
        for (int32_t a = 0; a < 4; a++)
                control_load_told(
                    world->worker[0].control, a,
                    &(struct control_load){ .load = told[a], .outstanding = told[a] });
        return world;
}

/* The rank that rank 0 pushes to, -1: none, with so many tasks under way to each. */
static int32_t victim(struct world *world, const int64_t *under_way)
{
        static const int32_t sending[4];
        struct control *control = world->worker[0].control;
        struct migrate_local local = { .nthread = 2, .queued = 9 };
        const struct migrate_move *move;
        control_load(control, &local, 9);
        int32_t count = control_migrate(control, 1000, false, &local, under_way, sending, &move);
        return count > 0 ? move[0].rank : -1;
}

/* The heaviest rank's counterpart in the order of loads is the lightest. */
static void heaviest_pushes_to_lightest(void **unused)
{
        (void)unused;
        static const int64_t none[4];
        struct world *world = four_ranks();
        assert_int_equal(victim(world, none), 1);
        world_destroy(world);
}

/* What is on its way counts at once; equal loads are in the order of their numbers: 3, 5, 9, 9. */
static void under_way_counts_and_ties_go_by_number(void **unused)
{
        (void)unused;
        static const int64_t under_way[4] = { 0, 8, 0, 0 };
        struct world *world = four_ranks();
        assert_int_equal(victim(world, under_way), 2);
        world_destroy(world);
}

/* After a push nothing more goes until the number of outstanding tasks is another. */
static void one_push_for_each_change(void **unused)
{
        (void)unused;
        static const int64_t none[4];
        struct world *world = four_ranks();
        struct control *control = world->worker[0].control;
        assert_int_equal(victim(world, none), 1);
        assert_int_equal(victim(world, none), -1);
        control_load_told(control, 3, &(struct control_load){ .load = 3, .outstanding = 3 });
        assert_int_equal(victim(world, none), -1);
        control_load_told(control, 3, &(struct control_load){ .load = 3, .outstanding = 2 });
        assert_int_equal(victim(world, none), 1);
        world_destroy(world);
}

/* As all know it: rank 2 counts as the heaviest, also here, and will push to rank 1. */
static void own_load_is_what_was_told(void **unused)
{
        (void)unused;
        static const int64_t none[4];
        struct world *world = four_ranks();
        struct control_load old = { .load = 4, .outstanding = 9 };
        control_load_told(world->worker[0].control, 0, &old);
        assert_int_equal(victim(world, none), -1);
        world_destroy(world);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(heaviest_pushes_to_lightest),
                cmocka_unit_test(under_way_counts_and_ties_go_by_number),
                cmocka_unit_test(one_push_for_each_change),
                cmocka_unit_test(own_load_is_what_was_told),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
