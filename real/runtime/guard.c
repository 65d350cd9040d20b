/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What would end, or hang, without a word of where: a policy that does not return is named by a
 * thread that looks once a second; a crash in a policy or a task by a handler, which then lets the
 * signal do what it would have done.
 *
 * - The thread counts its own looks, so that a job that was stopped meanwhile (Ctrl-Z) is not taken
 *   for one that hangs.
 * - The handler runs on a stack of its own: a crash may be for want of stack. It writes one line,
 *   most of what it calls is safe there, and the name of a function is looked up only in a thread
 *   that is not in the middle of a look-up itself.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "real/runtime/process.h"

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
enum { NSIGNAL = sizeof(signals) / sizeof(signals[0]), STACK_BYTES = 64 << 10 };
static struct sigaction before[NSIGNAL];

static pthread_t watcher;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stopped;
static bool stopping;

/* ---- Policies that do not return ---- */

static bool wait_a_second(void)
{
        const struct timespec until = clock_after(1000000000);
        pthread_mutex_lock(&mutex);
        int why = 0;
        while (!stopping && why != ETIMEDOUT)
                why = pthread_cond_timedwait(&stopped, &mutex, &until);
        bool goes_on = !stopping;
        pthread_mutex_unlock(&mutex);
        return goes_on;
}

static void say_late(const struct process *p, const struct called *call, int looks, bool ends)
{
        char after[32], text[512];
        snprintf(after, sizeof(after), " for %d s", looks);
        called_say(call, "has not returned from", after, text, sizeof(text));
        if (ends)
                fail("decision", "worker %d: %s (--param policy_s)", p->worker, text);
        fprintf(stderr, "lbrun: rank %d (apprank %d, node %d): worker %d: %s\n", p->rank,
                p->apprank, p->node, p->worker, text);
}

/* The record of the thread that is in a policy, which it calls with the lock; NULL: none is. */
static const struct called *in_policy(const struct process *p)
{
        const struct called *call = atomic_load_explicit(&p->holder, memory_order_acquire);
        return call && atomic_load_explicit(&call->policy, memory_order_acquire) ? call : NULL;
}

static void *watch(void *argument)
{
        struct process *p = argument;
        const struct called *before_call = NULL;
        uint64_t seen = 0;
        const int most = (int)p->job->param[JOB_POLICY_S], note = most < 6 ? 1 : most / 6;
        for (int looks = 0; wait_a_second();) {
                const struct called *call = in_policy(p);
                uint64_t count = call ? atomic_load(&call->count) : 0;
                looks = call && call == before_call && count == seen ? looks + 1 : 0;
                before_call = call;
                seen = count;
                if (looks == note || looks >= most)
                        say_late(p, call, looks, looks >= most);
        }
        return NULL;
}

/* ---- Crashes ---- */

static void say(const char *text, int size)
{
        if (size > 0 && write(STDERR_FILENO, text, (size_t)size) < 0)
                return;
}

int guard_name_task(char *text, size_t size, const struct task *task)
{
        void *address;
        Dl_info info;
        memcpy(&address, &task->function, sizeof(address));
        if (!dladdr(address, &info) || !info.dli_fname)
                return snprintf(text, size, "%p", address);
        const char *file = basename(info.dli_fname);
        size_t offset = (size_t)((char *)address - (char *)info.dli_fbase);
        if (info.dli_sname && info.dli_saddr == address)
                return snprintf(text, size, "%s() (%s+0x%zx)", info.dli_sname, file, offset);
        return snprintf(text, size, "%s+0x%zx", file, offset);
}

static bool is_shared(const struct process *p, const void *address)
{
        uintptr_t at = (uintptr_t)address;
        return at >= p->memory_begin && at - p->memory_begin < p->memory_bytes;
}

/* What to say of an address that a task at a helper has no memory at, though its apprank may. */
static const char *hint(const struct process *p, int number, const void *address)
{
        if ((p->home && !p->migration) || (number != SIGSEGV && number != SIGBUS) ||
            is_shared(p, address))
                return "";
        return ", outside lbrun_alloc memory: where it runs is nothing else of its apprank's; put "
               "it "
               "there and among the task's accesses, or create the task with LBRUN_HERE";
}

static int describe(char *text, size_t size, int number, const siginfo_t *info, const void *context)
{
        const struct process *p = &lbrun_process;
        const struct thread *t = thread_current();
        char where[64] = "", function[512];
        if (info->si_code > 0 && number != SIGABRT)
                snprintf(where, sizeof(where), " at address %p", info->si_addr);
        if (called_is()) {
                char text_of_call[512], after[128];
                snprintf(after, sizeof(after), ": %s%s", sigdescr_np(number), where);
                called_say(&called_here, "crashed in", after, text_of_call, sizeof(text_of_call));
                return snprintf(text, size, "lbrun: rank %d (apprank %d, node %d): worker %d: %s\n",
                                p->rank, p->apprank, p->node, p->worker, text_of_call);
        }
        if (!t || !t->task || t->task == &p->root)
                return 0;
        if (p->check && number == SIGSEGV && info->si_code > 0 && is_shared(p, info->si_addr))
                return check_describe(p, text, size, info->si_addr, context);
        guard_name_task(function, sizeof(function), t->task);
        return snprintf(text, size,
                        "lbrun: rank %d (apprank %d%s, node %d): task %s crashed: signal %d, "
                        "%s,%s%s\n",
                        p->rank, p->apprank, p->home ? "" : ", helper", p->node, function, number,
                        sigdescr_np(number), where,
                        info->si_code > 0 ? hint(p, number, info->si_addr) : "");
}

/* Whoever was to be called before us may make something else of it; else this is the end. */
static void restore(int number)
{
        for (int i = 0; i < NSIGNAL; i++) {
                if (signals[i] != number)
                        continue;
                sigaction(number, &before[i], NULL);
                if (before[i].sa_handler == SIG_DFL)
                        lifeline_foretell(number);
        }
}

/* The instruction is executed again, and what was to happen before us does; a signal that somebody
 * has sent is sent again. Who crashes while another thread does waits for the end. */
static void on_crash(int number, siginfo_t *info, void *context)
{
        static atomic_bool crashed;
        static _Thread_local bool here;
        char text[2048];
        while (atomic_exchange(&crashed, true) && !here)
                pause();
        if (!here && getpid() == lbrun_process.pid) {
                here = true;
                say(text, describe(text, sizeof(text), number, info, context));
        }
        restore(number);
        if (info->si_code <= 0)
                raise(number);
}

/* Threads that the transport's makes have its mask; a crash with its signal blocked just kills. */
static void unblock_crashes(void)
{
        sigset_t set;
        sigemptyset(&set);
        for (int i = 0; i < NSIGNAL; i++)
                sigaddset(&set, signals[i]);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void guard_thread_start(struct thread *t)
{
        stack_t old;
        unblock_crashes();
        if (sigaltstack(NULL, &old) < 0 || !(old.ss_flags & SS_DISABLE))
                return; /* the program's own, or a sanitizer's */
        t->signal_stack = malloc(STACK_BYTES);
        stack_t stack = { .ss_sp = t->signal_stack, .ss_size = STACK_BYTES };
        if (t->signal_stack)
                sigaltstack(&stack, NULL);
}

void guard_thread_stop(struct thread *t)
{
        stack_t none = { .ss_flags = SS_DISABLE };
        if (!t->signal_stack)
                return;
        sigaltstack(&none, NULL);
        free(t->signal_stack);
        t->signal_stack = NULL;
}

static void catch_crashes(void)
{
        struct sigaction action = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK };
        sigemptyset(&action.sa_mask);
        for (int i = 0; i < NSIGNAL; i++)
                sigaction(signals[i], &action, &before[i]);
}

/* ---- Life ---- */

void guard_start(struct process *p)
{
        pthread_condattr_t clock;
        sigset_t all, old;
        catch_crashes();
        stopping = false;
        pthread_condattr_init(&clock);
        pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
        pthread_cond_init(&stopped, &clock);
        pthread_condattr_destroy(&clock);
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        int why = pthread_create(&watcher, NULL, watch, p);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        if (why)
                fail("lbrun_start", "cannot start a thread: %s", strerror(why));
}

static void restore_signals(void)
{
        struct sigaction now;
        for (int i = 0; i < NSIGNAL; i++) {
                sigaction(signals[i], NULL, &now);
                if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_crash)
                        sigaction(signals[i], &before[i], NULL);
        }
}

void guard_stop(struct process *p)
{
        (void)p;
        pthread_mutex_lock(&mutex);
        stopping = true;
        pthread_cond_signal(&stopped);
        pthread_mutex_unlock(&mutex);
        pthread_join(watcher, NULL);
        pthread_cond_destroy(&stopped);
        restore_signals();
}
