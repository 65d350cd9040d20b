/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "policies/called.h"
#include "real/runtime/process.h"

static const struct timespec for_message = { .tv_nsec = 100000000 }; /* MPICH may lose it else */
static const struct timespec for_keeper = { .tv_sec = 1 };
static atomic_bool aborting; /* by the program, which MPI tells */

void fail_expect_end(void)
{
        atomic_store(&aborting, true);
}

static atomic_bool ending;
static atomic_int end_code = 1; /* what this process is to end with */

/* Ends all ranks, after some time. MPI_Abort() may call exit(), and so come here again. */
static _Noreturn void end_job(const struct timespec *moment)
{
        int code = atomic_load(&end_code);
        static _Thread_local bool here;
        int initialised = 0, finalised = 0;
        MPI_Initialized(&initialised);
        MPI_Finalized(&finalised);
        while (atomic_exchange(&ending, true) && !here)
                pause(); /* another thread is about to */
        if (!here && initialised && !finalised) {
                here = true;
                nanosleep(moment, NULL);
                lifeline_foretell(code << 8);
                PMPI_Abort(MPI_COMM_WORLD, code);
        }
        _exit(code);
}

LB_PRINTF(2, 0)
static void say(const char *call, const char *format, va_list args)
{
        const struct process *p = &lbrun_process;
        int32_t rank = p->pid ? p->rank : job_rank_from_environment(); /* before lbrun_start() */
        char text[1024];
        vsnprintf(text, sizeof(text), format, args);
        if (p->job && !p->alone)
                fprintf(stderr, "lbrun: rank %d (apprank %d, node %d): %s: %s\n", p->rank,
                        p->apprank, p->node, call, text);
        else if (rank >= 0)
                fprintf(stderr, "lbrun: rank %d: %s: %s\n", (int)rank, call, text);
        else
                fprintf(stderr, "lbrun: %s: %s\n", call, text);
        fflush(stderr);
}

void fail(const char *call, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        say(call, format, args);
        va_end(args);
        end_job(&for_message);
}

void lbrun_fail(const char *text)
{
        fail("lbrun_fail", "%s", text ? text : "no text");
}

/* MPI ends a program as well where a peer of it has died, which lbrun is about to know, and the
 * launcher to end all for: if not, we do. */
static void fail_in_doubt(const char *call, const char *format, ...) LB_PRINTF(2, 3);

static void fail_in_doubt(const char *call, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        say(call, format, args);
        va_end(args);
        lifeline_doubt();
        end_job(&for_keeper);
}

/* That rank's keeper tells lbrun, and the launcher ends all: if not, we do. */
void fail_for(int32_t rank, const char *call, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        say(call, format, args);
        va_end(args);
        lifeline_follow(rank);
        end_job(&for_keeper);
}

void warn(const char *call, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        say(call, format, args);
        va_end(args);
}

static atomic_bool failed;

void fail_later(const char *call, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        say(call, format, args);
        va_end(args);
        atomic_store(&failed, true);
}

/* The code is the program's own, unless that says that all is well, which it is not. */
void fail_at_exit(int code, void *nothing)
{
        (void)nothing;
        const struct process *p = &lbrun_process;
        const struct thread *t = thread_current();
        if (getpid() != p->pid || atomic_load(&aborting))
                return;
        if (!p->started) {
                if (atomic_exchange(&failed, false) && (code & 255) == 0)
                        exit(atomic_load(&end_code)); /* glibc goes on with what comes after this */
                return;
        }
        char text[CALLED_WHERE_SIZE];
        if (called_is()) {
                called_say(&called_here, "ended the program in", "", text, sizeof(text));
                fail("decision", "%s", text);
        }
        if (!atomic_load(&ending) && (code & 255) != 0)
                atomic_store(&end_code, code & 255);
        if (t && t->task && t->task != &p->root)
                fail("exit", "the program ended without lbrun_stop(), in a task");
        fail_in_doubt("exit", "the program ended without lbrun_stop()");
}
