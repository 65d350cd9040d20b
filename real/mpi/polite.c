/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/mpi/polite_impl.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "real/mpi/clock.h"
#include "real/mpi/transport.h"

static const int64_t PAUSE_MIN_NS = 2000;
static const int64_t PAUSE_MAX_NS = 200000;
enum { PAUSE_PART = 8 }; /* of the time waited so far */

/* One per process by nature: the profiling interface has no argument for it. */
static struct {
        atomic_int_fast64_t main_ns;
        atomic_int_fast64_t spin_ns;
        polite_hook sleeps, goes_on;
        bool asleep; /* of the main thread: sleeps() was called */
} polite_process = { .spin_ns = 20000 };

int64_t polite_mpi_ns(void)
{
        return atomic_load(&polite_process.main_ns);
}

void polite_set_spin(double spin_us)
{
        atomic_store(&polite_process.spin_ns, (int64_t)(spin_us * 1e3));
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

static void fall_asleep(void)
{
        if (!polite_process.sleeps || polite_process.asleep || !is_main_thread())
                return;
        polite_process.asleep = true;
        polite_process.sleeps();
}

static void wake_up(void)
{
        if (!is_main_thread() || !polite_process.asleep)
                return;
        polite_process.asleep = false;
        if (polite_process.goes_on)
                polite_process.goes_on();
}

struct polite polite_begin(void)
{
        return (struct polite){ .start_ns = clock_ns(), .request = MPI_REQUEST_NULL };
}

void polite_rest(int64_t start_ns)
{
        int64_t waited_ns = clock_ns() - start_ns;
        int64_t pause_ns = (waited_ns - atomic_load(&polite_process.spin_ns)) / PAUSE_PART;
        if (pause_ns < PAUSE_MIN_NS) {
                sched_yield();
                return;
        }
        fall_asleep();
        if (pause_ns > PAUSE_MAX_NS)
                pause_ns = PAUSE_MAX_NS;
        nanosleep(&(struct timespec){ .tv_nsec = pause_ns }, NULL);
}

int polite_wait(MPI_Request *request, MPI_Status *status)
{
        int64_t start_ns = clock_ns();
        for (;;) {
                int done = 0;
                int code = PMPI_Test(request, &done, status);
                if (code != MPI_SUCCESS || done)
                        return code;
                polite_rest(start_ns);
        }
}

int polite_done(struct polite *wait, int code)
{
        wake_up();
        if (is_main_thread())
                atomic_fetch_add(&polite_process.main_ns, clock_ns() - wait->start_ns);
        return code;
}

int polite_end_status(struct polite *wait, int code, MPI_Status *status)
{
        return polite_done(wait, code == MPI_SUCCESS ? polite_wait(&wait->request, status) : code);
}

int polite_end(struct polite *wait, int code)
{
        return polite_end_status(wait, code, MPI_STATUS_IGNORE);
}

int polite_gather_ranks(MPI_Comm comm)
{
        MPI_Request request;
        int code = PMPI_Ibarrier(comm, &request);
        return code == MPI_SUCCESS ? polite_wait(&request, MPI_STATUS_IGNORE) : code;
}

/*
 * The calls themselves. Parts of a static library are linked only where something names them, which
 * a Fortran program of MPICH does not (its bindings, a shared library, call the C ones): these do.
 */
extern const char polite_collective_linked, polite_comm_linked, polite_point_linked;
extern const char *const polite_linked[];
const char *const polite_linked[] = { &polite_collective_linked, &polite_comm_linked,
                                      &polite_point_linked };
