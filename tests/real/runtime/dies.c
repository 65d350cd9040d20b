/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank that dies at some moment: dies RANK DELAY_MS [started]. The job goes on for a second, with
 * data that comes and goes; so the moment may be anywhere from before its start to after its end.
 * Where it counts from the start on, the death is none of MPI's own.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "real/lbrun.h"

enum { BYTES = 1 << 20, BLOCKS = 24, STEPS = 20 };

/* SIGALRM ends the process, whatever it does. */
static void die_later(long delay_ms)
{
        struct itimerval after = { .it_value = { delay_ms / 1000, delay_ms % 1000 * 1000 + 1 } };
        setitimer(ITIMER_REAL, &after, NULL);
}

static void touch(void *argument)
{
        char *block = *(char **)argument;
        for (int i = 0; i < BYTES; i += 64)
                block[i]++;
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

static void step(char *const *block)
{
        for (int i = 0; i < BLOCKS; i++) {
                struct lbrun_access access = { LBRUN_INOUT, block[i], BYTES };
                lbrun_task(touch, &block[i], sizeof(block[i]), 1, &access, NULL);
        }
        lbrun_taskwait();
        MPI_Barrier(lbrun_world());
}

int main(int argc, char **argv)
{
        const char *rank = getenv("OMPI_COMM_WORLD_RANK");
        rank = rank ? rank : getenv("PMI_RANK");
        bool dies = argc > 2 && rank && atoi(rank) == atoi(argv[1]), started = argc > 3;
        if (dies && !started)
                die_later(atol(argv[2]));
        lbrun_start(&argc, &argv);
        if (dies && started)
                die_later(atol(argv[2]));
        char *block[BLOCKS];
        for (int i = 0; i < BLOCKS; i++)
                block[i] = lbrun_alloc(BYTES);
        for (int i = 0; i < STEPS; i++) {
                fprintf(stderr, "step %d\n", i); /* whether somebody reads that or not */
                step(block);
        }
        lbrun_stop();
        return 0;
}
