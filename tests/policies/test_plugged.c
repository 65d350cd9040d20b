/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "policies/plugged.h"

static void file_of(const char *name, char path[static 512])
{
        snprintf(path, 512, "%s/plugin-%s.so", PLUGINS, name);
}

static void expect_refusal(const char *name, const char *message)
{
        char path[512];
        struct lb_error err = { .kind = LB_ERROR_NONE };
        file_of(name, path);
        if (plugged_load(path, &err) == 0 || !strstr(err.text, message))
                fail_msg("%s: '%s' lacks '%s'", name, err.text, message);
        assert_int_equal(err.kind, LB_ERROR_INPUT);
        assert_null(system_find("homely"));
}

/* What is wrong with a plugin is said, and nothing of it is taken in. */
static void test_wrong(void **state)
{
        (void)state;
        expect_refusal("NO_PLUGIN", "it defines no lb_plugin");
        expect_refusal("OTHER_ABI", "built for plugin ABI 12, allowed is 11");
        expect_refusal("NO_SYSTEM", "the plugin has no system");
        expect_refusal("TAKEN_NAME", "its system 'local' is taken");
        expect_refusal("ODD_NAME", "its system is named 'my system'");
        expect_refusal("UNKNOWN_LEND", "names the lending policy 'usury', which is neither");
        expect_refusal("WITHOUT_REFILL", "has no place or refill");
        expect_refusal("ODD_PARAM", "the default of its parameter 'share': found 2, allowed is");
        expect_refusal("missing", "cannot be found: No such file");
        struct lb_error err;
        assert_int_equal(plugged_load("/dev/null", &err), -1);
        assert_int_equal(plugged_load("/", &err), -1);
}

static int count_systems(void)
{
        int count = 0;
        while (system_at(count))
                count++;
        return count;
}

/* One that is right is found by all lookups, behind what is built in; twice is once. */
static void test_right(void **state)
{
        (void)state;
        char path[512];
        struct lb_error err;
        int before = count_systems();
        file_of("right", path);
        for (int i = 0; i < 2; i++)
                assert_int_equal(plugged_load(path, &err), 0);
        assert_int_equal(count_systems(), before + 1);
        assert_ptr_equal(system_at(before), system_find("homely"));
        assert_string_equal(system_find("homely")->place, "home");
        assert_non_null(place_find("home"));
        assert_non_null(place_find("locality"));
        assert_null(alloc_find("home"));
        assert_null(system_at(-1 + before + 2));
        assert_non_null(plugged_at(0));
        assert_null(plugged_at(1));
        assert_int_equal(plugged_at(0)->path[0], '/');
}

/* A second plugin stands beside the first, and may not take its names. */
static void test_second(void **state)
{
        (void)state;
        struct lb_error err;
        char path[512];
        assert_int_equal(plugged_load(EXAMPLE, &err), 0);
        assert_non_null(system_find("latest"));
        assert_non_null(alloc_find("latest"));
        assert_non_null(system_find("homely"));
        assert_int_equal(plugged_load(MIGRATING, &err), 0);
        assert_string_equal(system_find("steady")->host, "chameleon");
        assert_string_equal(migrate_find("steady")->params[0].name, "steady_margin");
        file_of("again", path);
        assert_int_equal(plugged_load(path, &err), -1);
        assert_non_null(strstr(err.text, "its placement policy 'home' is taken"));
}

/* steady, the middle one of three, which has many more tasks than the others know: it is its own
 * counterpart, and pushes none. The first of them pushes to the last. */
static void test_middle(void **state)
{
        (void)state;
        struct lb_error err;
        assert_int_equal(plugged_load(MIGRATING, &err), 0);
        const struct migrate_type *steady = migrate_find("steady");
        static const int64_t load[3] = { 4, 2, 0 };
        static const int32_t order[3] = { 2, 1, 0 }, sending[3] = { 0 };
        double param[8];
        char own[256];
        struct migrate_move move[3];
        struct migrate_view view = { .rank = 1,
                                     .nrank = 3,
                                     .local = { .nthread = 1, .queued = 40 },
                                     .load = load,
                                     .order = order,
                                     .position = 1,
                                     .load_sum = 6,
                                     .sending = sending };
        lb_param_defaults(steady->params, param);
        assert_true(steady->state_size(3, param) <= sizeof(own));
        assert_int_equal(steady->init(own, 3, param, &err), 0);
        assert_int_equal(steady->decide(own, &view, move), 0);
        view.rank = 0;
        view.position = 2;
        assert_int_equal(steady->decide(own, &view, move), 1);
        assert_int_equal(move[0].rank, 2);
        assert_int_equal(move[0].ntask, 4);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_wrong),
                cmocka_unit_test(test_right),
                cmocka_unit_test(test_second),
                cmocka_unit_test(test_middle),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
