/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/measure/kept.h"

/* Who sleeps has lost its CPU, who looks twice in a row mostly has not, and one time is enough;
 * where Linux or the C library do not tell, it is never known. */
static void test_kept(void **state)
{
        enum { TIMES = 100 };
        (void)state;
        bool known = kept_begin();
        int kept = 0;
        for (int i = 0; i < TIMES; i++) {
                kept_since();
                kept += kept_since();
                nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
                assert_false(kept_since());
        }
        assert_true(known ? kept > TIMES / 2 : kept == 0);
        if (!known)
                skip();
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_kept) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
