/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/measure/kept.h"

/* The clock, in which the thread sleeps when it is told to: once. */
static bool sleeps;
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

static void rest(void)
{
        nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
        if (sleeps)
                rest();
        sleeps = false;
        return __real_clock_gettime(clock, now);
}

static bool has_kept(void)
{
        bool kept;
        kept_look(&kept);
        return kept;
}

/* Who sleeps has lost its CPU, who looks twice in a row mostly has not, and one time is enough;
 * where Linux or the C library do not tell, it is never known. */
static void test_kept(void **state)
{
        enum { TIMES = 100 };
        (void)state;
        bool known = kept_begin();
        int kept = 0;
        for (int i = 0; i < TIMES; i++) {
                (void)has_kept();
                kept += has_kept();
                rest();
                assert_false(has_kept());
        }
        assert_true(known ? kept > TIMES / 2 : kept == 0);
        if (!known)
                skip();
}

/* Where it is lost while the clock is read, the time is one after that, and it was not kept; the
 * next stretch begins there, and may be kept again. */
static void test_lost_at_the_clock(void **state)
{
        enum { TIMES = 100 };
        (void)state;
        bool known = kept_begin(), own;
        int kept = 0;
        int64_t last_ns = kept_look(&own);
        for (int i = 0; i < TIMES; i++) {
                sleeps = true;
                int64_t now_ns = kept_look(&own);
                assert_false(own);
                assert_true(now_ns - last_ns >= 50000);
                last_ns = kept_look(&own);
                kept += own;
        }
        assert_true(known ? kept > TIMES / 2 : kept == 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_kept),
                                            cmocka_unit_test(test_lost_at_the_clock) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
