/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Masks of CPUs are lbrun's matter while a program is balanced, and none of what the program does
 * with them is to come out otherwise for that. A thread that asks for its CPUs, to start or size as
 * many of something, is told of those that it would have without lbrun; of those that it has chosen
 * itself, where it has them. And what it starts, threads
 * and programs, has the CPUs of its process: where the thread was put on one of them alone
 * (real/balance/team.h) that would be this one, for good, for all of them. So it leaves it before,
 * and is put on one again with its next region.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "real/balance/cpus.h"
#include "real/balance/team.h"
#include "real/openmp/openmp.h"

/* ---- What it chooses ---- */

/* This thread, last. Where it is moved to others later, `mask` is not what it has. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
        bool any;
        cpu_set_t mask;
} chosen;

static int choose(bool is_self, int code)
{
        if (code == 0 && is_self && !cpus_asks())
                chosen.any = cpus_mask(0, &chosen.mask) == 0;
        return code;
}

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *set)
{
        OPENMP_NEXT(sched_setaffinity)
        return choose(thread == 0 || thread == gettid(), hand_on(thread, size, set));
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
        OPENMP_NEXT(pthread_setaffinity_np)
        return choose(pthread_equal(thread, pthread_self()), hand_on(thread, size, set));
}

/* ---- What it asks ---- */

/* A library of OpenMP's may have as many threads as its process has CPUs now. */
static void tell(bool is_self, size_t size, cpu_set_t *set, const void *caller)
{
        cpu_set_t now, all, told;
        size_t known = size < sizeof(now) ? size : sizeof(now);
        CPU_ZERO(&now);
        memcpy(&now, set, known);
        if (cpus_asks() || !cpus_of_all(&all) || !cpus_told(&told))
                return;
        if (is_self && chosen.any && CPU_EQUAL(&now, &chosen.mask))
                return;
        if (CPU_EQUAL(&now, &all) || (is_self && team_has_put(&now)))
                memcpy(set, openmp_is_library(caller) ? &all : &told, known);
}

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set)
{
        OPENMP_NEXT(sched_getaffinity)
        int code = hand_on(thread, size, set);
        if (code == 0)
                tell(thread == 0 || thread == gettid(), size, set, __builtin_return_address(0));
        return code;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
        OPENMP_NEXT(pthread_getaffinity_np)
        int code = hand_on(thread, size, set);
        if (code == 0)
                tell(pthread_equal(thread, pthread_self()), size, set, __builtin_return_address(0));
        return code;
}

/* ---- What it starts ---- */

#define STARTS(type, name, parameters, arguments)                                                  \
        type name parameters                                                                       \
        {                                                                                          \
                OPENMP_NEXT(name)                                                                  \
                team_spread();                                                                     \
                return hand_on arguments;                                                          \
        }

STARTS(int, pthread_create,
       (pthread_t *restrict thread, const pthread_attr_t *restrict attr, void *(*start)(void *),
        void *restrict arg),
       (thread, attr, start, arg))
STARTS(int, posix_spawn,
       (pid_t *restrict pid, const char *restrict path,
        const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attr,
        char *const argv[restrict], char *const envp[restrict]),
       (pid, path, actions, attr, argv, envp))
STARTS(int, posix_spawnp,
       (pid_t *restrict pid, const char *restrict file,
        const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attr,
        char *const argv[restrict], char *const envp[restrict]),
       (pid, file, actions, attr, argv, envp))
STARTS(int, system, (const char *command), (command))
STARTS(FILE *, popen, (const char *command, const char *mode), (command, mode))
/* By a child of vfork(), of which nothing else is seen. */
STARTS(int, execv, (const char *path, char *const argv[]), (path, argv))
STARTS(int, execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
STARTS(int, execvp, (const char *file, char *const argv[]), (file, argv))
STARTS(int, execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
STARTS(int, fexecve, (int file, char *const argv[], char *const envp[]), (file, argv, envp))

/* With the NULL at their end. */
static size_t count_words(const char *first, va_list words)
{
        size_t count = 1;
        for (const char *word = first; word; word = va_arg(words, const char *))
                count++;
        return count;
}

/* Returns the environment behind them, where the caller has one there. */
static char *const *take_words(char **argv, bool has_environment, char *first, va_list words)
{
        for (*argv++ = first; first; *argv++ = first)
                first = va_arg(words, char *);
        return has_environment ? va_arg(words, char *const *) : NULL;
}

/* A child of vfork() has its parent's heap, so they are on the stack. */
#define EXECUTES(name, has_environment, execute)                                                   \
        int name(const char *file, const char *first, ...)                                         \
        {                                                                                          \
                va_list words;                                                                     \
                va_start(words, first);                                                            \
                char **argv = alloca(count_words(first, words) * sizeof(*argv));                   \
                va_end(words);                                                                     \
                va_start(words, first);                                                            \
                char *const *envp = take_words(argv, has_environment, (char *)first, words);       \
                va_end(words);                                                                     \
                (void)envp;                                                                        \
                return execute;                                                                    \
        }

EXECUTES(execl, false, execv(file, argv))
EXECUTES(execlp, false, execvp(file, argv))
EXECUTES(execle, true, execve(file, argv, envp))

__attribute__((constructor)) static void prepare(void)
{
        (void)pthread_atfork(NULL, NULL, team_spread);
}
