/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is being called: seen from outside, and named when it crashes. */
#define _XOPEN_SOURCE 700
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "policies/called.h"

static void test_how_long_a_call_lasts(void **state)
{
        struct called_look look = { .count = 0 };
        (void)state;
        assert_int_equal(called_lasts_ns(&called_here, &look, 100), 0);
        called_begin("mine", "decide");
        assert_true(called_is());
        assert_int_equal(called_lasts_ns(&called_here, &look, 1000), 0);
        assert_int_equal(called_lasts_ns(&called_here, &look, 5000), 4000);
        called_end();
        assert_false(called_is());
        assert_int_equal(called_lasts_ns(&called_here, &look, 6000), 0);
}

/* The same function again is another call, even where no look fell between the two. */
static void test_calls_are_told_apart(void **state)
{
        struct called_look look = { .count = 0 };
        (void)state;
        called_begin("mine", "decide");
        assert_int_equal(called_lasts_ns(&called_here, &look, 1000), 0);
        called_end();
        called_begin("mine", "decide");
        assert_int_equal(called_lasts_ns(&called_here, &look, 9000), 0);
        assert_int_equal(called_lasts_ns(&called_here, &look, 9500), 500);
        called_end();
}

static void test_what_is_said(void **state)
{
        char text[2 * CALLED_WHERE_SIZE], small[12];
        (void)state;
        called_begin("mine", "place");
        called_say(&called_here, "has not returned from", "", text, sizeof(text));
        assert_string_equal(text, "policy 'mine' has not returned from place()");
        called_end();
        called_where("point %d", 3);
        called_begin("mine", "place");
        called_say(&called_here, "crashed in", ": aborted", text, sizeof(text));
        assert_string_equal(text, "policy 'mine' crashed in place(): aborted (point 3)");
        assert_int_equal(called_say(&called_here, "crashed in", "", small, sizeof(small)), 11);
        assert_string_equal(small, "policy 'min");
        called_end();
        called_where("%s", "");
}

/* ---- Crashes, each in a process of its own ---- */

static int pipe_end;

static void write_it(const char *text)
{
        if (write(pipe_end, text, strlen(text)) < 0)
                _exit(9);
}

static void write_and_leave(const char *text)
{
        write_it(text);
        _exit(7);
}

static int recurse(volatile int *deep)
{
        volatile int here[128] = { *deep };
        return *deep == -1 ? 0 : recurse(here) + here[1];
}

/* Not for a sanitizer to find first. */
__attribute__((no_sanitize("undefined"))) static void fault(void)
{
        volatile int *volatile nowhere = NULL;
        *nowhere = 1;
}

static void divide(void)
{
        raise(SIGFPE); /* not all processors trap */
}

static void overflow(void)
{
        volatile int deep = 0;
        recurse(&deep);
}

/* Runs crash() in a child; its status, and what was told in text[size]. */
static int crash_in_child(void (*crash)(void), void (*tell)(const char *), bool in_policy,
                          char *text, size_t size)
{
        int ends[2], status;
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
                pipe_end = ends[1];
                for (int number = 1; number < 32; number++)
                        signal(number, SIG_DFL); /* not those of the test framework */
                called_guard(tell);
                called_guard_enter();
                if (in_policy)
                        called_begin("mine", "decide");
                crash();
                _exit(0);
        }
        close(ends[1]);
        ssize_t length = read(ends[0], text, size - 1);
        text[length < 0 ? 0 : length] = '\0';
        close(ends[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        return status;
}

static void test_crashes_are_named(void **state)
{
        static const struct {
                void (*crash)(void);
                const char *text;
                int signal_number;
        } cases[] = {
                { fault, "policy 'mine' crashed in decide(): segmentation fault", SIGSEGV },
                { overflow, "policy 'mine' crashed in decide(): segmentation fault", SIGSEGV },
                { divide, "policy 'mine' crashed in decide(): arithmetic exception", SIGFPE },
                { abort, "policy 'mine' crashed in decide(): aborted", SIGABRT },
        };
        char text[512];
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                int status = crash_in_child(cases[i].crash, write_and_leave, true, text, 512);
                assert_string_equal(text, cases[i].text);
                assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
                status = crash_in_child(cases[i].crash, write_it, true, text, 512);
                assert_string_equal(text, cases[i].text);
                assert_true(WIFSIGNALED(status) && WTERMSIG(status) == cases[i].signal_number);
        }
}

/* Nothing is said of a policy where the host itself crashes, and it dies as it would have. */
static void test_crashes_of_others_are_not_ours(void **state)
{
        char text[512];
        (void)state;
        int status = crash_in_child(fault, write_and_leave, false, text, sizeof(text));
        assert_string_equal(text, "");
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

/* A stack for signals that a thread has already (a sanitizer's) is its own again afterwards. */
static void test_stack_is_given_back(void **state)
{
        static char memory[64 * 1024];
        const stack_t mine = { .ss_sp = memory, .ss_size = sizeof(memory) };
        stack_t before, now;
        (void)state;
        assert_int_equal(sigaltstack(&mine, &before), 0);
        called_guard_enter();
        assert_int_equal(sigaltstack(NULL, &now), 0);
        assert_ptr_not_equal(now.ss_sp, memory);
        called_guard_leave();
        called_guard_leave(); /* nothing is left to be given back */
        assert_int_equal(sigaltstack(&before, &now), 0);
        assert_ptr_equal(now.ss_sp, memory);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_how_long_a_call_lasts),
                cmocka_unit_test(test_calls_are_told_apart),
                cmocka_unit_test(test_what_is_said),
                cmocka_unit_test(test_crashes_are_named),
                cmocka_unit_test(test_crashes_of_others_are_not_ours),
                cmocka_unit_test(test_stack_is_given_back),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
