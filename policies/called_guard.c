/* SPDX-License-Identifier: BSD-3-Clause */
/* Crashes of policies: named, then left to take their course. */
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <stdlib.h>

#include "policies/called.h"

static const struct {
        int number;
        const char *name;
} deadly[] = {
        { SIGSEGV, ": segmentation fault" },
        { SIGBUS, ": bus error" },
        { SIGFPE, ": arithmetic exception" },
        { SIGILL, ": illegal instruction" },
        { SIGABRT, ": aborted" },
};
enum { NDEADLY = sizeof(deadly) / sizeof(deadly[0]), STACK_SIZE = 64 * 1024 };

/* What a signal handler can reach is global; written once, by called_guard(). */
static void (*tell)(const char *text);
static struct sigaction before[NDEADLY];

static void on_signal(int number, siginfo_t *info, void *context)
{
        (void)context;
        int d = 0;
        while (d < NDEADLY - 1 && deadly[d].number != number)
                d++;
        if (called_is()) {
                char text[2 * CALLED_WHERE_SIZE];
                called_say(&called_here, "crashed in", deadly[d].name, text, sizeof(text));
                tell(text);
        }
        sigaction(number, &before[d], NULL);
        /* A fault is met again by going on; what kill() or raise() sent is not. */
        if (info->si_code <= 0)
                raise(number);
}

void called_guard(void (*fallen)(const char *text))
{
        struct sigaction action = { .sa_sigaction = on_signal,
                                    .sa_flags = SA_SIGINFO | SA_ONSTACK };
        sigemptyset(&action.sa_mask);
        tell = fallen;
        for (int d = 0; d < NDEADLY; d++)
                sigaction(deadly[d].number, &action, &before[d]);
}

void called_fall(const char *text)
{
        if (tell)
                tell(text);
}

/* What the kernel alone knows of is a leak to those that look for leaks. */
static _Thread_local struct {
        void *memory;
        stack_t before; /* of a sanitizer's, say */
} own;

void called_guard_enter(void)
{
        stack_t stack = { .ss_sp = malloc(STACK_SIZE), .ss_size = STACK_SIZE };
        if (stack.ss_sp && sigaltstack(&stack, &own.before) == 0)
                own.memory = stack.ss_sp;
        else
                free(stack.ss_sp);
}

void called_guard_leave(void)
{
        if (!own.memory || sigaltstack(&own.before, NULL) < 0)
                return;
        free(own.memory);
        own.memory = NULL;
}
