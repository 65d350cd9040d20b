/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/unbind.h"

static cpu_set_t started, bound;

/* As a library does that binds its thread when it is loaded. */
__attribute__((constructor)) static void bind_thread(void)
{
        size_t cpu = 0;
        if (sched_getaffinity(0, sizeof(started), &started) < 0)
                return;
        while (!CPU_ISSET(cpu, &started))
                cpu++;
        CPU_ZERO(&bound);
        CPU_SET(cpu, &bound);
        (void)sched_setaffinity(0, sizeof(bound), &bound);
}

static void test_started_mask(void **state)
{
        (void)state;
        cpu_set_t now;
        assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
        assert_true(CPU_EQUAL(&now, &bound));
        lb_unbind();
        assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
        assert_true(CPU_EQUAL(&now, &started));
        lb_unbind();
        assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
        assert_true(CPU_EQUAL(&now, &started));
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_started_mask) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
