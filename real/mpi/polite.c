/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/mpi/polite_impl.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "real/interpose/interpose.h"
#include "real/mpi/transport.h"

static const int64_t PAUSE_MIN_NS = 2000, PAUSE_MAX_NS = 200000;
enum { PAUSE_PART = 8 }; /* of the time waited so far */

/* One per process by nature: MPI calls have no argument for it. */
static struct {
        atomic_int_fast64_t main_ns;
        atomic_int_fast64_t spin_ns;
        atomic_bool off;
        bool untimed; /* set before MPI begins */
        polite_hook sleeps, goes_on;
        _Atomic(polite_call) told, over;
        polite_call plain;
        polite_met met;
        polite_choice choice;
        polite_vain vain;
        bool inside;      /* the main thread is in a call of the program that may wait */
        bool asleep;      /* of the main thread: sleeps() was called */
        int64_t start_ns; /* of the main thread: of the call it is in */
} polite_process = { .spin_ns = 20000 };

int64_t polite_mpi_ns(void)
{
        return atomic_load(&polite_process.main_ns);
}

void polite_set_spin(double spin_us)
{
        atomic_store(&polite_process.spin_ns, (int64_t)(spin_us * 1e3));
}

void polite_set_on(bool on)
{
        atomic_store(&polite_process.off, !on);
}

void polite_forgo_times(void)
{
        polite_process.untimed = true;
}

bool polite_is_on(void)
{
        return !atomic_load(&polite_process.off);
}

static bool is_main_thread(void)
{
        static _Thread_local int known; /* 0: not yet, 1: it is, 2: it is not */
        if (known == 0)
                known = syscall(SYS_gettid) == getpid() ? 1 : 2;
        return known == 1;
}

void polite_set_hooks(polite_hook sleeps, polite_hook goes_on)
{
        polite_process.sleeps = sleeps;
        polite_process.goes_on = goes_on;
}

void polite_set_told(polite_call told)
{
        atomic_store(&polite_process.told, told);
}

void polite_set_over(polite_call over)
{
        atomic_store(&polite_process.over, over);
}

void polite_set_plain(polite_call plain)
{
        polite_process.plain = plain;
}

void polite_set_met(polite_met met)
{
        polite_process.met = met;
}

void polite_set_choice(polite_choice choice)
{
        polite_process.choice = choice;
}

void polite_set_vain(polite_vain vain)
{
        polite_process.vain = vain;
}

/* What waits before or after a call of the program has its own way to tell. */
static void fall_asleep(void)
{
        if (!polite_process.sleeps || !is_main_thread() || !polite_process.inside ||
            polite_process.asleep)
                return;
        polite_process.asleep = true;
        polite_process.sleeps();
}

static void wake_up(void)
{
        if (!polite_process.asleep)
                return;
        polite_process.asleep = false;
        if (polite_process.goes_on)
                polite_process.goes_on();
}

int64_t polite_pause_ns(int64_t start_ns, int64_t most_ns)
{
        int64_t waited_ns = clock_ns() - start_ns;
        int64_t pause_ns = (waited_ns - atomic_load(&polite_process.spin_ns)) / PAUSE_PART;
        if (pause_ns < PAUSE_MIN_NS) {
                sched_yield();
                return 0;
        }
        fall_asleep();
        return pause_ns < most_ns ? pause_ns : most_ns;
}

void polite_rest(int64_t start_ns)
{
        int64_t pause_ns = polite_pause_ns(start_ns, PAUSE_MAX_NS);
        if (pause_ns > 0)
                nanosleep(&(struct timespec){ .tv_nsec = pause_ns }, NULL);
}

int polite_wait(MPI_Request *request, MPI_Status *status)
{
        return polite_wait_since(clock_ns(), request, status);
}

/* `vain`: whether it was in vain; NULL: it never is. */
static int wait_for(int64_t start_ns, MPI_Request *request, MPI_Status *status, bool *vain)
{
        for (;;) {
                int done = 0;
                int code = PMPI_Test(request, &done, status);
                if (code != MPI_SUCCESS || done)
                        return code;
                polite_rest(start_ns);
                if (vain && polite_process.vain && polite_process.vain(start_ns)) {
                        *vain = true;
                        return MPI_SUCCESS;
                }
        }
}

int polite_wait_since(int64_t start_ns, MPI_Request *request, MPI_Status *status)
{
        return wait_for(start_ns, request, status, NULL);
}

int polite_end_unless_vain(int code, MPI_Request *request, bool *vain)
{
        *vain = false;
        if (code == MPI_SUCCESS)
                code = wait_for(clock_ns(), request, MPI_STATUS_IGNORE, vain);
        if (code == MPI_SUCCESS && polite_process.met)
                polite_process.met(!*vain);
        return code;
}

int polite_end(int code, MPI_Request *request, MPI_Status *status)
{
        return code == MPI_SUCCESS ? polite_wait(request, status) : code;
}

/* ---- Calls of the program ---- */

static bool begins_duplicate(enum interpose_name name)
{
#if MPI_VERSION >= 4
        if (name == INTERPOSE_Comm_idup_with_info)
                return true;
#endif
        return name == INTERPOSE_Comm_idup;
}

void polite_enter(const struct interpose_call *call)
{
        polite_call told = atomic_load(&polite_process.told);
        bool waits = interpose_may_wait(call->kind) && is_main_thread();
        if (waits)
                polite_process.inside = true;
        if (told)
                told(call);
        if (begins_duplicate(call->name))
                polite_duplicates(call->comm);
        if (waits && !polite_process.untimed)
                polite_process.start_ns = clock_ns();
}

static void end_wait(void)
{
        polite_process.inside = false;
        wake_up();
        if (!polite_process.untimed)
                atomic_fetch_add(&polite_process.main_ns, clock_ns() - polite_process.start_ns);
}

void polite_leave(const struct interpose_call *call)
{
        if (interpose_may_wait(call->kind) && is_main_thread())
                end_wait();
        polite_call over = atomic_load(&polite_process.over);
        if (over)
                over(call);
}

/* MPI's beginning and end are not waits. */
bool polite_own(const struct interpose_call *call)
{
        if (call->kind == INTERPOSE_LIFE)
                return true;
        if (interpose_is_collective(call->kind) && polite_is_duplicated(call->comm))
                return false;
        return !atomic_load(&polite_process.off) &&
               (!polite_process.choice || polite_process.choice(call));
}

void polite_plain(const struct interpose_call *call)
{
        if (polite_process.plain)
                polite_process.plain(call);
}
