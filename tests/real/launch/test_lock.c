/* SPDX-License-Identifier: BSD-3-Clause */
/* Two of one test program in one folder would read what the other's job said: the second waits. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/real/launch/launch_test.h"

enum { MOMENT_MS = 300 };

static atomic_bool *is_over;

/* The second begins when this one has the folder. */
static void be_first(int told)
{
        test_setup(NULL);
        if (write(told, "", 1) != 1)
                _exit(2);
        poll(NULL, 0, MOMENT_MS);
        atomic_store(is_over, true);
        _exit(0);
}

static int code_of(pid_t pid)
{
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_second_waits(void **state)
{
        (void)state;
        char folder[] = "/tmp/lbrun-test-XXXXXX", byte;
        int told[2];
        is_over =
            mmap(NULL, sizeof(*is_over), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_true(is_over != MAP_FAILED);
        assert_non_null(mkdtemp(folder));
        assert_int_equal(chdir(folder), 0);
        assert_int_equal(pipe(told), 0);
        pid_t first = fork();
        if (first == 0)
                be_first(told[1]);
        assert_int_equal(read(told[0], &byte, 1), 1);
        pid_t second = fork();
        if (second == 0) {
                test_setup(NULL);
                _exit(atomic_load(is_over) ? 0 : 1);
        }
        assert_int_equal(code_of(second), 0);
        assert_int_equal(code_of(first), 0);
        unlink("lock");
        rmdir("graphs");
        assert_int_equal(chdir("/"), 0);
        rmdir(folder);
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_second_waits) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
