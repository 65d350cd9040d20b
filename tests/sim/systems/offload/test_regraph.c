/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graph changes while the program runs, and everything that is numbered by worker is numbered
 * anew. Whatever the simulator is given by calloc() is followed by memory that is no valid number
 * of anything: reading or writing beyond an array's end ends the test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/sim/sim_world.h"

enum { BEYOND_BYTES = 8192, NO_NUMBER = 0x5a };

void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
        char *memory = __real_calloc(1, count * size + BEYOND_BYTES);
        if (memory)
                memset(memory + count * size, NO_NUMBER, BEYOND_BYTES);
        return memory;
}

/* Work that moves from one apprank to all, and back: helpers come and go. */
static void helpers_come_and_go(void **unused)
{
        (void)unused;
        for (int32_t nnode = 2; nnode <= 4; nnode++) {
                struct world w;
                double metric[METRIC_COUNT];
                world_init(&w, nnode, 8, 1, "dynamic");
                w.workload[WORKLOAD_MODEL] =
                    lb_param_choice(&workload_params[WORKLOAD_MODEL], "phases");
                w.workload[WORKLOAD_PHASE_ITERATIONS] = 5;
                w.workload[WORKLOAD_ITERATIONS] = 20;
                w.grow_idle_s = 4;
                world_metrics(&w, metric);
                assert_int_equal((int)metric[METRIC_TASKS], 20 * nnode * 8 * 100);
                assert_true(metric[METRIC_PROCESS_STARTS] >= 1);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(helpers_come_and_go) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
