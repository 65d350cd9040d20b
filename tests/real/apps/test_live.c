/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "tests/real/apps/programs.h"

/* The examples under lbrun, on virtual nodes: whatever the nodes, degree and system, results are
 * bitwise those of the serial run. */
enum { RANDOM_RUNS = 5, COMMAND_MAX = 512 };
static const char *const systems[] = { "baseline", "dlb", "local", "global" };

struct shape {
        int nnode, per_node, degree, cores;
        const char *system;
};

static int below(struct lb_random *random, int bound)
{
        return (int)lb_random_below(random, (uint64_t)bound);
}

static struct shape draw(struct lb_random *random)
{
        struct shape shape = { .nnode = 1 + below(random, 4), .per_node = 1 + below(random, 2) };
        shape.system = systems[below(random, 4)];
        bool offloads = shape.system == systems[2] || shape.system == systems[3];
        shape.degree = offloads ? 1 + below(random, shape.nnode) : 1;
        int helpers = shape.per_node * (shape.degree - 1); /* talk-only where cores are too few */
        shape.cores = shape.per_node + (below(random, 3) ? helpers : 0) + below(random, 3);
        return shape;
}

static struct output output;

static void run_under(const struct shape *shape, const char *program, const char *options)
{
        char command[4 * COMMAND_MAX];
        snprintf(command, sizeof(command),
                 "%s --quiet --nodes %d --appranks-per-node %d --degree %d --cores %d "
                 "--system %s -- ./%s-%s %s",
                 LBRUN, shape->nnode, shape->per_node, shape->degree, shape->cores, shape->system,
                 program, MPI_NAME, options);
        programs_run(&output, "%s", command);
        if (output.status != 0)
                fail_msg("exit code %d of %s:\n%s", output.status, command, output.text);
}

static void agree_on(const struct shape *shape, const char *program, const char *options)
{
        char right[32], found[32];
        programs_run(&output, "./%s-serial %s", program, options);
        programs_expect(&output, 0);
        programs_value(&output, "checksum: ", right, sizeof(right));
        run_under(shape, program, options);
        programs_value(&output, "checksum: ", found, sizeof(found));
        if (strcmp(right, found) != 0)
                fail_msg(
                    "%s %s: checksum %s, serial %s, for %d x %d appranks, degree %d, %d cores, "
                    "system %s",
                    program, options, found, right, shape->nnode, shape->per_node, shape->degree,
                    shape->cores, shape->system);
}

/* One shape that offloads much, then random ones. */
static void agree(const char *program, const char *options, uint64_t stream)
{
        struct shape shape = { 3, 1, 3, 4, "global" };
        struct lb_random random;
        lb_random_init(&random, 2024, LB_RANDOM_TEST, stream);
        for (int run = 0; run <= RANDOM_RUNS; run++) {
                agree_on(&shape, program, options);
                shape = draw(&random);
        }
}

/* Independent tasks, each with data of its own, all of one rank. */
static void test_matmul(void **state)
{
        (void)state;
        agree("matmul", "--size 90 --tasks 60 --iterations 3", 0);
}

/* The only core of a node that has no work runs tasks of another: its worker there owns none. */
static void test_one_core_nodes(void **state)
{
        (void)state;
        char offloaded[80];
        static const char *const each[] = { "local", "global" };
        for (int i = 0; i < 2; i++) {
                struct shape shape = { 2, 1, 2, 1, each[i] };
                agree_on(&shape, "matmul", "--size 90 --tasks 60 --iterations 3");
        }
        programs_run(&output,
                     "%s --nodes 2 --cores 1 --degree 2 -- ./matmul-%s --size 90 --tasks 60,0",
                     LBRUN, MPI_NAME);
        programs_expect(&output, 0);
        programs_value(&output, "  tasks offloaded ", offloaded, sizeof(offloaded));
        assert_true(atoi(offloaded) > 0);
}

/* Tasks in the order of their accesses. */
static void test_cholesky(void **state)
{
        (void)state;
        agree("cholesky", "--size 200 --block 20 --matrices 2 --iterations 3", 1);
}

/* Tasks that all read the same, which changes with every step. */
static void test_nbody(void **state)
{
        (void)state;
        agree("nbody", "--bodies 1500 --block 40 --iterations 4", 2);
}

/* Data that stays where it was made, from step to step. */
static void test_micropp(void **state)
{
        (void)state;
        agree("micropp", "--elements 26 --nodes 5 --iterations 4", 3);
}

/* Every task runs once in every iteration, on data that came along. */
static void test_synthetic(void **state)
{
        (void)state;
        static const char *const bytes[] = { "0", "1", "100", "5000", "300000" };
        struct lb_random random;
        lb_random_init(&random, 2024, LB_RANDOM_TEST, 4);
        for (int run = 0; run < RANDOM_RUNS; run++) {
                struct shape shape = draw(&random);
                char options[COMMAND_MAX];
                snprintf(options, sizeof(options),
                         "--iterations 4 --tasks-per-core 12 --task-ms 1 --bytes %s --seed %d %s "
                         "--slow-node 0:2",
                         bytes[run], run, run % 2 ? "--spin" : "");
                run_under(&shape, "synthetic", options);
                assert_non_null(strstr(output.text, "time per iteration: "));
        }
}

/* The ported program prints what it printed before. */
static void test_port(void **state)
{
        (void)state;
        static struct output before;
        struct shape shape = { 2, 2, 2, 5, "local" };
        programs_run(&before, MPIRUN " -n 4 ./port-before-" MPI_NAME);
        programs_expect(&before, 0);
        run_under(&shape, "port-after", "");
        for (int frame = 0; frame < 4; frame++) {
                char key[32], right[64], found[64];
                snprintf(key, sizeof(key), "frame %d: ", frame);
                programs_value(&before, key, right, sizeof(right));
                programs_value(&output, key, found, sizeof(found));
                assert_string_equal(found, right);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_matmul),   cmocka_unit_test(test_one_core_nodes),
                cmocka_unit_test(test_cholesky), cmocka_unit_test(test_nbody),
                cmocka_unit_test(test_micropp),  cmocka_unit_test(test_synthetic),
                cmocka_unit_test(test_port),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
