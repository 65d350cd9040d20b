/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's beginning and end, as the program or lbrun_start() and lbrun_stop() ask for them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "real/mpi/polite_impl.h"
#include "real/mpi/transport.h"
#include "real/node/lifeline.h"

/* ---- Beginning ---- */

int life_init(int *argc, char ***argv)
{
        lifeline_reach(LIFE_INIT);
        int status = PMPI_Init(argc, argv);
        lifeline_reach(LIFE_INITIALISED);
        return status;
}

int life_init_thread(int *argc, char ***argv, int required, int *provided)
{
        lifeline_reach(LIFE_INIT);
        int status = PMPI_Init_thread(argc, argv, required, provided);
        lifeline_reach(LIFE_INITIALISED);
        return status;
}

/* ---- An end that lasts too long ---- */

/*
 * MPICH over UCX may wait for ever in MPI_Finalize() for what nobody sends (pmodels/mpich 6596),
 * when all is done. A timer of this thread ends the wait: it jumps out of the call, and the program
 * goes on to its exit code. So it is only where the process must end soon and somebody sees to it:
 * under a keeper. The timer ticks many times: the job may be stopped for a while, and
 * the keeper may know that others have left already.
 */
enum { TICKS = 100 };
static double limit_s;
static sigjmp_buf way_out;
static volatile sig_atomic_t ticks;

void polite_set_finalize(double s)
{
        limit_s = s;
}

static void tick(int signal)
{
        (void)signal;
        if (++ticks >= TICKS || atomic_load(&lifeline_own()->hurry))
                siglongjmp(way_out, 1);
}

struct alarm_clock {
        timer_t timer;
        struct sigaction before;
        sigset_t mask;
};

static bool alarm_set(struct alarm_clock *clock)
{
        int64_t tick_ns = (int64_t)(limit_s * 1e9 / TICKS) + 1;
        struct timespec period = { tick_ns / 1000000000, tick_ns % 1000000000 };
        struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };
        struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMAX };
        event._sigev_un._tid = (int)syscall(SYS_gettid);
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGRTMAX);
        if (timer_create(CLOCK_MONOTONIC, &event, &clock->timer) < 0)
                return false;
        ticks = 0;
        sigaction(SIGRTMAX, &action, &clock->before);
        pthread_sigmask(SIG_UNBLOCK, &set, &clock->mask);
        timer_settime(clock->timer, 0, &(struct itimerspec){ period, period }, NULL);
        return true;
}

/* One that has expired may still come: it is let in before the handler goes. */
static void alarm_end(const struct alarm_clock *clock)
{
        timer_delete(clock->timer);
        sigaction(SIGRTMAX, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
        pthread_sigmask(SIG_SETMASK, &clock->mask, NULL);
        sigaction(SIGRTMAX, &clock->before, NULL);
}

/* For the keeper, which ends the program if that does not come to its end by itself. */
static void note_exit(int code, void *nothing)
{
        (void)nothing;
        atomic_store(&lifeline_own()->code, (code & 255) + 1);
}

static int finalise_in_time(void)
{
        static struct alarm_clock clock; /* not in registers, which the jump would lose */
        if (sigsetjmp(way_out, 1) != 0) {
                alarm_end(&clock);
                on_exit(note_exit, NULL); /* before what MPI has registered, which may fail */
                lifeline_reach(LIFE_ABANDONED);
                return MPI_SUCCESS;
        }
        if (!alarm_set(&clock))
                return PMPI_Finalize();
        int status = PMPI_Finalize();
        alarm_end(&clock);
        return status;
}

/* When all have met, none has anything left to do that others would have to wait for. */
int life_finalize(void)
{
        if (!lifeline_is_watched() || limit_s <= 0)
                return PMPI_Finalize();
        polite_meet(MPI_COMM_WORLD);
        lifeline_reach(LIFE_FINALIZE);
        int status = finalise_in_time();
        lifeline_reach(LIFE_FINALISED); /* no more than where it was left */
        return status;
}

/* Launchers are quick to kill all ranks, and MPICH's their keepers, too: who began is told first.
 */
int life_abort(MPI_Comm comm, int code)
{
        lifeline_foretell((code & 255) << 8);
        return PMPI_Abort(comm, code);
}
