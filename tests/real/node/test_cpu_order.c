/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPUs are taken a physical core at a time, or one of each alone, whatever the machine's numbers;
 * and who takes the CPUs of another process hears of it.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/node/cpu_order.h"

static void write_siblings(const char *root, int cpu, const char *list)
{
        char path[256];
        snprintf(path, sizeof(path), "%s/cpu%d", root, cpu);
        mkdir(path, 0700);
        snprintf(path, sizeof(path), "%s/cpu%d/topology", root, cpu);
        mkdir(path, 0700);
        snprintf(path, sizeof(path), "%s/cpu%d/topology/thread_siblings_list", root, cpu);
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fprintf(out, "%s\n", list);
        fclose(out);
}

/* The two CPUs that this process has, as one physical core, as two, and as unknown. */
static void test_order(void **state)
{
        (void)state;
        char root[] = "cpus-XXXXXX", list[64];
        int32_t own[2], cpu[4] = { -1, -1, -1, -1 };
        if (cpu_order("/nowhere", CPU_HINT_CORE, own, 2) < 2)
                skip();
        assert_non_null(mkdtemp(root));
        cpu_set_t two;
        CPU_ZERO(&two);
        CPU_SET((size_t)own[0], &two);
        CPU_SET((size_t)own[1], &two);
        assert_int_equal(sched_setaffinity(0, sizeof(two), &two), 0);

        assert_int_equal(cpu_order(root, CPU_HINT_CORE, cpu, 4), 2);
        assert_int_equal(cpu[0], own[0]);
        snprintf(list, sizeof(list), "%d-%d", own[0], own[1]);
        write_siblings(root, own[0], list);
        write_siblings(root, own[1], list);
        assert_int_equal(cpu_order(root, CPU_HINT_CORE, cpu, 4), 1);
        assert_int_equal(cpu[0], own[0]);
        assert_int_equal(cpu_order(root, CPU_HINT_THREAD, cpu, 4), 2);
        assert_int_equal(cpu[1], own[1]);
        assert_int_equal(cpu_order(root, CPU_HINT_THREAD, cpu, 1), 1);
}

static void test_claim(void **state)
{
        (void)state;
        int32_t far[] = { 313, 318 }, near[] = { 318 }, other[] = { 317, 400 }, shared = -1;
        int told[2];
        char word = 0;
        assert_int_equal(pipe(told), 0);
        pid_t pid = fork();
        if (pid == 0) {
                int32_t first;
                word = (char)cpu_claim(far, 2, &first);
                _exit(write(told[1], &word, 1) == 1 && pause() ? 1 : 0);
        }
        assert_int_equal(read(told[0], &word, 1), 1);
        assert_int_equal(word, 0);
        assert_int_equal(cpu_claim(near, 1, &shared), 1);
        assert_int_equal(shared, 318);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        assert_int_equal(cpu_claim(other, 2, &shared), 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_order),
                                            cmocka_unit_test(test_claim) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
