/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/real/apps/programs.h"

/* Porting the example takes about ten changed lines, and as many for the task's arguments. */
static void test_few_lines(void **state)
{
        (void)state;
        static struct output output;
        int gone = 0, added = 0;
        programs_run(&output, "diff -U 0 -B " LB_SOURCE_DIR
                              "/real/apps/port/before.c " LB_SOURCE_DIR "/real/apps/port/after.c");
        programs_expect(&output, 1);
        for (const char *c = output.text; *c; c++) {
                bool starts = c > output.text && c[-1] == '\n' && c[1] != c[0];
                gone += starts && *c == '-';
                added += starts && *c == '+';
        }
        assert_in_range(gone, 1, 12);
        assert_in_range(added, 1, 27);
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_few_lines) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
