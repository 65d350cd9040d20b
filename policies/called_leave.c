/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Part of each program that loads plugins, not of a library (policies/called.h). A policy that ends
 * the program would end it with whatever code it likes, and the results were gone without a word. A
 * plugin's calls of exit() and its like come here before they come to the C library, since a
 * program's own functions go first.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "policies/called.h"

static void ask(const char *how)
{
        if (!called_is())
                return;
        char text[2 * CALLED_WHERE_SIZE];
        called_say(&called_here, "ended the program in", how, text, sizeof(text));
        called_fall(text);
}

/* The C library's, which is there. */
static _Noreturn void go_on(const char *name, int code)
{
        union {
                void *object;
                void (*function)(int);
        } next = { .object = dlsym(RTLD_NEXT, name) };
        if (next.object)
                next.function(code);
        for (;;)
                syscall(SYS_exit_group, code);
}

void exit(int code)
{
        ask(": exit()");
        go_on("exit", code);
}

void quick_exit(int code)
{
        ask(": quick_exit()");
        go_on("quick_exit", code);
}

/* Weak: the preset coverage has one of its own (tests/coverage_exit.c). */
__attribute__((weak)) void _exit(int code)
{
        ask(": _exit()");
        go_on("_exit", code);
}

void _Exit(int code)
{
        ask(": _Exit()");
        go_on("_exit", code);
}

void pthread_exit(void *value)
{
        ask(": pthread_exit()");
        union {
                void *object;
                void (*function)(void *);
        } next = { .object = dlsym(RTLD_NEXT, "pthread_exit") };
        next.function(value);
        abort();
}
