/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/real/apps/programs.h"

static struct output output;

/* Small runs whose results have a checksum: name, then options. */
static const char *const runs[][2] = {
        { "matmul", "--size 60 --tasks 9,4 --iterations 2" },
        { "cholesky", "--size 150 --block 32 --matrices 2,1 --iterations 2" },
        { "nbody", "--bodies 700 --block 50 --iterations 3" },
        { "micropp", "--elements 17 --nodes 4 --iterations 3" },
};

/* With MPI and OpenMP tasks, on two and three ranks, results are bitwise those of the serial run.
 */
static void test_as_serial(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
                char right[32], found[32];
                programs_run(&output, "./%s-serial %s", runs[i][0], runs[i][1]);
                programs_expect(&output, 0);
                programs_value(&output, "checksum: ", right, sizeof(right));
                for (int nrank = 2; nrank <= 3; nrank++) {
                        programs_run(&output, MPIRUN " -n %d ./%s-plain-" MPI_NAME " %s", nrank,
                                     runs[i][0], runs[i][1]);
                        programs_expect(&output, 0);
                        programs_value(&output, "checksum: ", found, sizeof(found));
                        assert_string_equal(found, right);
                }
        }
}

/* The synthetic program runs, and finds that its tasks ran as often as they should. */
static void test_synthetic(void **state)
{
        (void)state;
        programs_run(&output, MPIRUN " -n 2 ./synthetic-plain-" MPI_NAME
                                     " --iterations 2 --tasks-per-core 5 --task-ms 1 --bytes 5000"
                                     " --slow-node 1:2");
        programs_expect(&output, 0);
        assert_non_null(strstr(output.text, "iteration 1: "));
        assert_non_null(strstr(output.text, "time per iteration: mean "));
}

static size_t count(const char *text, const char *part)
{
        size_t n = 0;
        for (; (text = strstr(text, part)); text++)
                n++;
        return n;
}

/* --help ends with 0 and wrong options with 2 and one message, in all programs and ranks. */
static void test_command_line(void **state)
{
        (void)state;
        static const char *const names[] = { "synthetic", "matmul", "cholesky", "nbody",
                                             "micropp" };
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                programs_run(&output, MPIRUN " -n 2 ./%s-plain-" MPI_NAME " --help", names[i]);
                programs_expect(&output, 0);
                assert_int_equal(count(output.text, "--seed N"), 1);
                programs_run(&output, MPIRUN " -n 2 ./%s-plain-" MPI_NAME " --sed 3", names[i]);
                programs_expect(&output, 2);
                assert_int_equal(
                    count(output.text, "unknown option '--sed', did you mean '--seed'?"), 1);
        }
        programs_run(&output, MPIRUN " -n 2 ./matmul-plain-" MPI_NAME " --tasks 1,2,3");
        programs_expect(&output, 2);
        assert_int_equal(
            count(output.text, "matmul: --tasks: found 3 numbers, allowed is at most 2"), 1);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_as_serial),
                cmocka_unit_test(test_synthetic),
                cmocka_unit_test(test_command_line),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
