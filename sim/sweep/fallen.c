/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sim/sweep/fallen.h"

static const int64_t first_told_ns = 10000000000;
enum { GRACE_S = 30, FAILED = 1, USAGE = 2 };

static _Thread_local struct fallen here;
static _Thread_local bool watched;
static _Atomic double loading_s; /* at most; 0: no limit */

/* ---- On the thread that falls: no lock, no memory, no stdio ---- */

/* exit() and _exit() of this program ask who calls them. A plugin that cannot be loaded is bad
 * input. */
static _Noreturn void leave(const char *text)
{
        int code = called_is_loading() ? USAGE : FAILED;
        char line[sizeof(here.text) + 16] = "lbsim: ";
        strncat(line, text, sizeof(here.text));
        strcat(line, "\n");
        if (write(STDERR_FILENO, line, strlen(line)) < 0)
                syscall(SYS_exit_group, FAILED);
        for (;;)
                syscall(SYS_exit_group, code);
}

_Noreturn void fallen_down(const char *text)
{
        if (!watched)
                leave(text);
        if (!atomic_load(&here.condemned))
                strncat(here.text, text, sizeof(here.text) - 1);
        atomic_store(&here.down, true);
        struct timespec left = { .tv_sec = GRACE_S };
        while (nanosleep(&left, &left) < 0)
                continue;
        leave(here.text);
}

static void on_crash(const char *text)
{
        fallen_down(text);
}

static void on_condemned(int number)
{
        (void)number;
        if (watched && atomic_load(&here.condemned))
                fallen_down("");
}

/* Signals that are a thread's own doing, and the one of condemn(). */
static void let_signals_in(void)
{
        static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGUSR2 };
        sigset_t set;
        sigemptyset(&set);
        for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
                sigaddset(&set, own[i]);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

struct fallen *fallen_enter(void)
{
        let_signals_in();
        here = (struct fallen){ .called = &called_here };
        watched = true;
        called_guard_enter();
        return &here;
}

void fallen_leave(void)
{
        watched = false;
        called_guard_leave();
}

/* ---- On the thread that watches ---- */

static void tell(struct fallen *f, int64_t lasts_ns)
{
        char text[sizeof(f->text)], after[48];
        snprintf(after, sizeof(after), " for %.0f s", (double)lasts_ns * 1e-9);
        called_say(f->called, "has not returned from", after, text, sizeof(text));
        fprintf(stderr, "lbsim: %s\n", text);
        f->told_ns = lasts_ns;
}

static bool look(struct fallen *f, int64_t *lasts_ns)
{
        *lasts_ns = called_lasts_ns(f->called, &f->look, clock_ns());
        if (*lasts_ns == 0)
                f->told_ns = 0;
        else if (*lasts_ns >= (f->told_ns ? 2 * f->told_ns : first_told_ns))
                tell(f, *lasts_ns);
        return atomic_load(&f->down);
}

/* The thread is not to go on while others free what it uses. Whatever it does by now, it stops. */
static void condemn(struct fallen *f, pthread_t thread, double hung_s)
{
        char after[64];
        snprintf(after, sizeof(after), " for %g s, the limit of --hung-s", hung_s);
        called_say(f->called, "has not returned from", after, f->text, sizeof(f->text));
        atomic_store(&f->condemned, true);
        pthread_kill(thread, SIGUSR2);
}

bool fallen_look(struct fallen *f, pthread_t thread, double hung_s)
{
        int64_t lasts_ns;
        if (look(f, &lasts_ns))
                return true;
        if (hung_s <= 0 || (double)lasts_ns * 1e-9 < hung_s)
                return false;
        condemn(f, thread, hung_s);
        return true;
}

/* ---- The whole program ---- */

void fallen_limit_loading(double hung_s)
{
        atomic_store(&loading_s, hung_s);
}

static void end_loading(const struct fallen *f, double limit_s)
{
        char text[sizeof(f->text)], after[64];
        const char *function = atomic_load(&f->called->function);
        if (!function || strcmp(function, CALLED_LOADING) != 0)
                return;
        snprintf(after, sizeof(after), " for %g s, the limit of --hung-s", limit_s);
        called_say(f->called, "has not returned from", after, text, sizeof(text));
        fprintf(stderr, "lbsim: %s\n", text);
        syscall(SYS_exit_group,
                USAGE); /* as _exit() is looked for with the lock that dlopen() has */
}

static void *watch_main(void *argument)
{
        struct fallen *f = argument;
        const struct timespec second = { .tv_sec = 1 };
        int64_t lasts_ns;
        for (;;) {
                nanosleep(&second, NULL);
                double limit_s = atomic_load(&loading_s);
                look(f, &lasts_ns);
                if (limit_s > 0 && (double)lasts_ns * 1e-9 >= limit_s)
                        end_loading(f, limit_s);
        }
        return NULL;
}

/* Without the watcher nothing is lost but a message. */
void fallen_guard(void)
{
        sigset_t all, before;
        pthread_t watcher;
        here = (struct fallen){ .called = &called_here };
        struct sigaction action = { .sa_handler = on_condemned, .sa_flags = SA_RESTART };
        sigemptyset(&action.sa_mask);
        sigaction(SIGUSR2, &action, NULL);
        called_guard(on_crash);
        called_guard_enter();
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        if (pthread_create(&watcher, NULL, watch_main, &here) == 0)
                pthread_detach(watcher);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
}
