/* SPDX-License-Identifier: BSD-3-Clause */
/* Short slices are asked for without a change of what else the scheduler knows of a thread. */
#define _GNU_SOURCE /* SCHED_BATCH */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "real/node/slice.h"

static void test_policy_and_nice_stay(void **state)
{
        (void)state;
        int policy = sched_getscheduler(0), nice = getpriority(PRIO_PROCESS, 0);
        slice_shorten();
        slice_shorten();
        assert_int_equal(sched_getscheduler(0), policy);
        assert_int_equal(getpriority(PRIO_PROCESS, 0), nice);
}

/* A user who has chosen another policy keeps it. */
static void test_batch_is_left_alone(void **state)
{
        (void)state;
        struct sched_param none = { 0 };
        if (sched_setscheduler(0, SCHED_BATCH, &none) < 0)
                skip();
        slice_shorten();
        assert_int_equal(sched_getscheduler(0), SCHED_BATCH);
        assert_int_equal(sched_setscheduler(0, SCHED_OTHER, &none), 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_policy_and_nice_stay),
                cmocka_unit_test(test_batch_is_left_alone),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
