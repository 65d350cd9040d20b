/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/self.h"
#include "base/text.h"

static void test_places(void **state)
{
        (void)state;
        char file[LB_SELF_SIZE], folder[LB_SELF_SIZE], sister[LB_SELF_SIZE];
        assert_true(lb_self_file(file));
        assert_true(lb_self_folder(folder));
        assert_memory_equal(file, folder, strlen(folder));
        const char *name = file + strlen(folder) + 1;
        assert_null(strchr(name, '/'));
        assert_string_equal(lb_self_sister(name, sister), file);
}

/* What is not beside this program is looked for by its name; so is a name that does not fit. */
static void test_no_sister(void **state)
{
        (void)state;
        char path[LB_SELF_SIZE], name[LB_SELF_SIZE];
        assert_string_equal(lb_self_sister("no-such-program", path), "no-such-program");
        memset(name, 'x', sizeof(name));
        name[sizeof(name) - 2] = '\0';
        assert_string_equal(lb_self_sister(name, path), name);
}

static void test_text(void **state)
{
        (void)state;
        struct lb_text text;
        FILE *out = lb_text_begin(&text);
        assert_non_null(out);
        fprintf(out, "%d and ", 1);
        fputs("two", out);
        char *whole = lb_text_end(&text);
        assert_string_equal(whole, "1 and two");
        assert_int_equal(text.size, 9);
        free(whole);
        assert_null(lb_text_end(&(struct lb_text){ .stream = NULL }));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_places),
                cmocka_unit_test(test_no_sister),
                cmocka_unit_test(test_text),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
