/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "real/launch/balance_report.h"

/* What the report says of iterations that were timed before a change alone. */
static bool says(int64_t changes, const char *words)
{
        struct leaf leaf = { .size = 1, .nmate = 1, .ncpu = 1, .without_s = 1, .changes = changes };
        struct balance_report report = { .system = "packing", .leaf = &leaf, .count = 1 };
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        balance_report_print(&report, out);
        fclose(out);
        bool found = strstr(text, words) != NULL;
        free(text);
        return found;
}

static void test_changed_is_not_unchanged(void **state)
{
        (void)state;
        assert_true(says(0, "nothing was to be changed"));
        assert_false(says(1, "nothing was to be changed"));
        assert_true(says(1, "none after the change was compared"));
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_changed_is_not_unchanged) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
