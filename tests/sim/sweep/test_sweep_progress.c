/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/sweep/progress.h"

/* The share and the time left go by the work of the runs, not by their number; runs that an earlier
 * sweep did count as done but not as fast. */
static void test_lines(void **state)
{
        (void)state;
        static const struct {
                double cost, done_cost, elapsed_s;
                int64_t nrun, nreused, ndone;
                int width;
                const char *line;
        } cases[] = {
                { 100, 0, 0, 10, 0, 0, 0, "  0%  0/10 runs  0.0 runs/s  --:-- left" },
                { 100, 25, 10, 10, 0, 5, 0, " 25%  5/10 runs  0.5 runs/s  00:30 left" },
                { 100, 25, 10, 10, 4, 9, 0, " 25%  9/10 runs  0.5 runs/s  00:30 left" },
                { 100, 1, 60, 900, 0, 600, 0, "  1%  600/900 runs  10 runs/s  1:39:00 left" },
                { 100, 50, 10, 10, 0, 5, 8, "[====>   ]  50%  5/10 runs  0.5 runs/s  00:10 left" },
                { 100, 100, 10, 10, 0, 10, 4, "[====] 100%  10/10 runs  1.0 runs/s  00:00 left" },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct progress progress = {
                        .nrun = cases[i].nrun,
                        .nreused = cases[i].nreused,
                        .cost = cases[i].cost,
                };
                struct progress_state now = {
                        .ndone = cases[i].ndone,
                        .cost = cases[i].done_cost,
                };
                char line[160];
                progress_line(&progress, now, cases[i].elapsed_s, cases[i].width, line,
                              sizeof(line));
                assert_string_equal(line, cases[i].line);
        }
}

/* Nothing is drawn where standard error is no terminal, not within the first minute. */
static void test_pipe(void **state)
{
        (void)state;
        FILE *out = tmpfile();
        assert_non_null(out);
        struct progress progress;
        progress_init(&progress, out);
        progress.nrun = 2;
        progress.cost = 1;
        for (int i = 0; i < 100; i++)
                progress_show(&progress, (struct progress_state){ .ndone = 1, .cost = 0.5 });
        progress_finish(&progress);
        assert_int_equal(ftell(out), 0);
        fclose(out);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_lines),
                cmocka_unit_test(test_pipe),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
