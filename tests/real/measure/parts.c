/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that are measured in part, or begin MPI otherwise: parts HOW.
 *
 *      regions   region 1 has 40 (i + 1) ms of processor time in rank i, region 2 has 50 ms in each
 *      change    2 s of steps of 10 ms each, then 2 s of steps in which rank 1 has 30 ms
 *      session   MPI by a session only, where it has them, in which rank i has 200 (i + 1) ms; 77
 *                where not
 *      spawn     starts another two, which do the same and spawn nobody
 */
#include <locale.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_s(clockid_t clock)
{
        struct timespec now;
        clock_gettime(clock, &now);
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void burn(double duration_s)
{
        double end_s = now_s(CLOCK_THREAD_CPUTIME_ID) + duration_s;
        while (now_s(CLOCK_THREAD_CPUTIME_ID) < end_s)
                ;
}

static void regions(int rank)
{
        for (int step = 0; step < 5; step++) {
                MPI_Pcontrol(1);
                burn(0.04 * (rank + 1));
                MPI_Barrier(MPI_COMM_WORLD);
                MPI_Pcontrol(-1);
                MPI_Pcontrol(2);
                burn(0.05);
                MPI_Barrier(MPI_COMM_WORLD);
                MPI_Pcontrol(-2);
        }
}

/* By the clock of rank 0, as parts are asked for by time. */
static void change(int rank)
{
        double start_s = now_s(CLOCK_MONOTONIC), passed_s = 0;
        while (passed_s < 4) {
                burn(rank == 1 && passed_s > 2 ? 0.03 : 0.01);
                passed_s = now_s(CLOCK_MONOTONIC) - start_s;
                MPI_Bcast(&passed_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
                MPI_Barrier(MPI_COMM_WORLD);
        }
}

static void spawn(char *program)
{
        MPI_Comm parent, children;
        char how[] = "spawn", *words[] = { how, NULL };
        MPI_Comm_get_parent(&parent);
        if (parent != MPI_COMM_NULL)
                MPI_Barrier(parent);
        else if (MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                                MPI_ERRCODES_IGNORE) == MPI_SUCCESS)
                MPI_Barrier(children);
}

static int session(void)
{
#if MPI_VERSION >= 4
        MPI_Session session;
        MPI_Group group;
        MPI_Comm all;
        int rank;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
        MPI_Comm_create_from_group(group, "parts", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
        MPI_Comm_rank(all, &rank);
        for (int step = 0; step < 10; step++) {
                burn(0.02 * (rank + 1));
                MPI_Barrier(all);
        }
        MPI_Comm_free(&all);
        MPI_Group_free(&group);
        MPI_Session_finalize(&session);
        return 0;
#else
        return 77;
#endif
}

int main(int argc, char **argv)
{
        setlocale(LC_NUMERIC, ""); /* numbers with a comma, where the user has them */
        int rank;
        const char *how = argc > 1 ? argv[1] : "";
        if (strcmp(how, "session") == 0)
                return session();
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (strcmp(how, "regions") == 0)
                regions(rank);
        else if (strcmp(how, "change") == 0)
                change(rank);
        else if (strcmp(how, "spawn") == 0)
                spawn(argv[0]);
        MPI_Finalize();
        return 0;
}
