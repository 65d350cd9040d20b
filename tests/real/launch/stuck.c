/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * To be preloaded: in rank STUCK_RANK (-1: in all) MPI does not return from STUCK_IN, which is init
 * or finalize; with STUCK_AT_EXIT neither does the library's own end.
 */
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int PMPI_Finalize(void);

static int is_stuck(const char *where)
{
        const char *in = getenv("STUCK_IN"), *who = getenv("STUCK_RANK");
        const char *rank = getenv("OMPI_COMM_WORLD_RANK");
        rank = rank ? rank : getenv("PMI_RANK");
        return in && who && rank && strcmp(in, where) == 0 &&
               (atoi(who) < 0 || atoi(who) == atoi(rank));
}

static void stay(void)
{
        for (;;)
                pause();
}

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
        int (*real)(int *, char ***, int, int *);
        *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Init_thread");
        if (is_stuck("init"))
                stay();
        return real(argc, argv, required, provided);
}

int PMPI_Finalize(void)
{
        int (*real)(void);
        *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Finalize");
        if (is_stuck("finalize"))
                stay();
        return real();
}

__attribute__((destructor)) static void at_exit(void)
{
        if (getenv("STUCK_AT_EXIT") && is_stuck("finalize"))
                stay();
}
