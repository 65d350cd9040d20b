/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live ACTION NUMBER [SECONDS], with the runtime: exit NUMBER, at once; sleep for so many seconds;
 * task of so many seconds in every apprank; own: MPI is the program's; late: rank NUMBER does
 * something else for SECONDS first; abort: rank NUMBER calls MPI_Abort() with SECONDS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "real/lbrun.h"

static int rank_of_environment(void)
{
        const char *rank = getenv("OMPI_COMM_WORLD_RANK");
        rank = rank ? rank : getenv("PMI_RANK");
        return rank ? atoi(rank) : 0;
}

static void sleep_in_task(void *argument)
{
        sleep(*(unsigned *)argument);
}

static void at_exit(void)
{
        puts("at exit");
}

int main(int argc, char **argv)
{
        const char *action = argc > 1 ? argv[1] : "exit";
        int number = argc > 2 ? atoi(argv[2]) : 0, level;
        unsigned seconds = (unsigned)number;
        bool own = strcmp(action, "own") == 0;
        if (strcmp(action, "late") == 0 && argc > 3 && rank_of_environment() == number)
                sleep((unsigned)atoi(argv[3]));
        if (own)
                MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        lbrun_start(&argc, &argv);
        atexit(at_exit);
        printf("running rank %d process %d\n", rank_of_environment(), (int)getpid());
        fflush(stdout);
        if (strcmp(action, "sleep") == 0)
                sleep(seconds);
        else if (strcmp(action, "task") == 0)
                lbrun_task(sleep_in_task, &seconds, sizeof(seconds), 0, NULL, NULL);
        else if (strcmp(action, "abort") == 0 && argc > 3 && rank_of_environment() == number) {
                /* MPICH's launcher may lose what it has not passed on by then. */
                nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
                MPI_Abort(MPI_COMM_WORLD, atoi(argv[3]));
        }
        lbrun_iteration();
        lbrun_stop();
        if (own)
                MPI_Finalize();
        return strcmp(action, "exit") == 0 ? number : 0;
}
