/* SPDX-License-Identifier: BSD-3-Clause */
/* A call of one rank that an exception leaves, thrown by an error handler (as in C++, by the same
 * means), among calls of all. */
#include <mpi.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unwind.h>

enum { ROUNDS = 150, THROWS_AT = 20, NOBODY = 99 };

static struct _Unwind_Exception thrown;
static jmp_buf back;
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
        _Unwind_ForcedUnwind(&thrown, go_on, NULL);
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
        for (int round = 0; round < ROUNDS; round++) {
                nanosleep(&(struct timespec){ .tv_nsec = rank == 0 ? 3000000 : 300000 }, NULL);
                if (rank == 0 && round == THROWS_AT)
                        caught += send_to_nobody();
                double value = rank + round;
                MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                sum += all;
        }
        if (rank == 0)
                printf("%d caught, sum %.17g\n", caught, sum);
        MPI_Finalize();
        return 0;
}
