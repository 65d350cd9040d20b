/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "real/runtime/process.h"

void fail(const char *call, const char *format, ...)
{
        const struct process *p = &lbrun_process;
        char text[1024];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        if (p->job && !p->alone)
                fprintf(stderr, "lbrun: rank %d (apprank %d, node %d): %s: %s\n", p->rank,
                        p->apprank, p->node, call, text);
        else
                fprintf(stderr, "lbrun: rank %d: %s: %s\n", p->rank, call, text);
        fflush(stderr);
        int initialised = 0, finalised = 0;
        MPI_Initialized(&initialised);
        MPI_Finalized(&finalised);
        if (initialised && !finalised) {
                nanosleep(&(struct timespec){ .tv_nsec = 100000000 },
                          NULL); /* else MPICH's launcher may
                                  lose the message */
                MPI_Abort(MPI_COMM_WORLD, 1);
        }
        _exit(1);
}

void fail_at_exit(void)
{
        struct process *p = &lbrun_process;
        if (p->started)
                fail("exit", "the program ended without lbrun_stop()");
}
