/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of one rank that do not return, among calls of all: an exception leaves one, thrown by an
 * error handler (as in C++, by the same means), longjmp() in an error handler the next, and one in
 * a handler of a signal a third, which waits. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unwind.h>

enum { ROUNDS = 150, THROWS_AT = 20, JUMPS_AT = 40, LEAVES_AT = 60, NOBODY = 99 };

static struct _Unwind_Exception thrown;
static jmp_buf back;
static sigjmp_buf before;
static bool jumps;
static uintptr_t catcher; /* on the stack, which grows down */

static _Unwind_Reason_Code go_on(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                 struct _Unwind_Exception *exception,
                                 struct _Unwind_Context *context, void *unused)
{
        (void)version;
        (void)actions;
        (void)class;
        (void)exception;
        (void)unused;
        if (_Unwind_GetCFA(context) > catcher)
                longjmp(back, 1);
        return _URC_NO_REASON;
}

static void throw(MPI_Comm * comm, int *code, ...)
{
        (void)comm;
        (void)code;
        if (jumps)
                longjmp(back, 1);
        _Unwind_ForcedUnwind(&thrown, go_on, NULL);
}

static void leave(int signal)
{
        (void)signal;
        siglongjmp(before, 1);
}

/* Whether it was left. */
static int wait_for_nothing(void)
{
        if (sigsetjmp(before, 1))
                return 1;
        setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = 20000 }, NULL);
        MPI_Probe(0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        return 0;
}

/* Whether it threw. */
static int send_to_nobody(void)
{
        char here = 0;
        catcher = (uintptr_t)&here;
        if (setjmp(back))
                return 1;
        MPI_Send(&here, 1, MPI_CHAR, NOBODY, 0, MPI_COMM_SELF);
        return 0;
}

int main(int argc, char **argv)
{
        int rank, caught = 0;
        double sum = 0, all = 0;
        MPI_Errhandler handler;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_create_errhandler(throw, &handler);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
        signal(SIGALRM, leave);
        for (int round = 0; round < ROUNDS; round++) {
                nanosleep(&(struct timespec){ .tv_nsec = rank == 0 ? 3000000 : 300000 }, NULL);
                jumps = round == JUMPS_AT;
                if (rank == 0 && (round == THROWS_AT || jumps))
                        caught += send_to_nobody();
                if (rank == 0 && round == LEAVES_AT)
                        caught += wait_for_nothing();
                double value = rank + round;
                MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                sum += all;
        }
        if (rank == 0)
                printf("%d caught, sum %.17g\n", caught, sum);
        MPI_Finalize();
        return 0;
}
