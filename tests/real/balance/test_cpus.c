/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "real/balance/cpus.h"

static cpu_set_t set_of(const char *text)
{
        cpu_set_t set;
        assert_true(cpus_parse(text, &set));
        return set;
}

/* Lists are read as they are written; what is no list is none. */
static void test_lists(void **state)
{
        (void)state;
        static const char *const lists[] = { "", "0", "0,2", "0-2", "3,5-7,1023" };
        static const char *const wrong[] = { "x", "3-", "5-3", "1024", "-1", "1;2" };
        char text[64];
        cpu_set_t set;
        for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
                set = set_of(lists[i]);
                cpus_format(&set, text, sizeof(text));
                assert_string_equal(text, lists[i]);
        }
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
                assert_false(cpus_parse(wrong[i], &set));
}

/* Masks of ranks as launchers leave them, the node's set, and where each is at home. */
static const struct {
        const char *allowed, *own[4], *home[4];
} homes[] = {
        { "0-7", { "0", "1", "2", "3" }, { "0", "1", "2", "3" } }, /* one each */
        { "0-7", { "0-1", "2-3", "4-5", "6-7" }, { "0-1", "2-3", "4-5", "6-7" } },
        { "0-7", { "0-7", "0-7", "0-7", "0-7" }, { "0-1", "2-3", "4-5", "6-7" } }, /* none */
        { "2-6,9", { "2", "2", "2", "2" }, { "2", "3", "4", "5" } }, /* all on one: overcommitted */
        { "0-2", { "0-2", "0-2", "0-2", "0-2" }, { NULL } },         /* more ranks than CPUs */
};

static void test_homes(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]); i++) {
                struct lb_error err;
                cpu_set_t allowed = set_of(homes[i].allowed), own[4], home[4];
                for (int r = 0; r < 4; r++)
                        own[r] = set_of(homes[i].own[r]);
                int code = cpus_homes(own, 4, &allowed, home, &err);
                assert_int_equal(code, homes[i].home[0] ? 0 : -1);
                if (code < 0)
                        assert_non_null(strstr(err.text, "found 4 ranks on 3 CPUs"));
                for (int r = 0; code == 0 && r < 4; r++) {
                        cpu_set_t expected = set_of(homes[i].home[r]);
                        assert_true(CPU_EQUAL(&home[r], &expected));
                }
        }
}

/* A move takes all threads along, and they all come back. */
static void test_moving(void **state)
{
        (void)state;
        struct cpus cpus;
        struct lb_error err;
        cpu_set_t before, now, to;
        assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
        assert_int_equal(cpus_look(&cpus, "", &err), 0);
        assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
        assert_true(CPU_EQUAL(&before, &now));
        CPU_ZERO(&to);
        for (size_t cpu = 0; CPU_COUNT(&to) == 0; cpu++)
                if (CPU_ISSET(cpu, &before))
                        CPU_SET(cpu, &to);
        assert_true(cpus_move(&cpus, &to));
        assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
        assert_true(CPU_EQUAL(&to, &now));
        cpus_restore(&cpus);
        assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
        assert_true(CPU_EQUAL(&before, &now));
        cpus_finish(&cpus);
}

static void assert_on(const cpu_set_t *cpus)
{
        cpu_set_t now;
        assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
        assert_true(CPU_EQUAL(cpus, &now));
}

/* Who was moved to one CPU has more when there are more; who chose one stays on it. */
static void test_widening(void **state)
{
        (void)state;
        struct cpus cpus;
        struct lb_error err;
        cpu_set_t before, one;
        assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
        if (CPU_COUNT(&before) < 2)
                skip();
        CPU_ZERO(&one);
        for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
                if (CPU_ISSET(cpu, &before))
                        CPU_SET(cpu, &one);
        assert_int_equal(cpus_look(&cpus, "", &err), 0);
        for (int i = 0; i < 3; i++) {
                assert_true(cpus_move(&cpus, &one));
                assert_on(&one);
                assert_true(cpus_move(&cpus, &before));
                assert_on(&before);
        }
        assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
        assert_true(cpus_move(&cpus, &before));
        assert_on(&one);
        cpus_restore(&cpus);
        assert_on(&before);
        cpus_finish(&cpus);
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_lists),
                                            cmocka_unit_test(test_homes),
                                            cmocka_unit_test(test_moving),
                                            cmocka_unit_test(test_widening) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
