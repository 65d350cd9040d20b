/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A first rank that hands out tasks, and workers that compute each in a parallel region: nothing
 * repeats that could be timed, for the first rank waits in MPI_Waitany and the others poll. The
 * first rank prints whether each came back with the right result. tasks SECONDS [STEPS [WAY]]:
 *
 *   SECONDS  handed out so long; with WAY "home" at most, until each rank may use the CPUs that it
 *            could at first; with "silent" nothing is done so long, and the program ends then;
 *            "nested": the same, and each thread of a region in the iterations has a team of two
 *   STEPS    before, and after, so many iterations in which all meet, the first with most of the
 *            work; each rank says on which CPUs it is when they end, and how many threads a region
 *            had at most
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mask_now.h"

static int rank, size, until_home, nested;
static int widest; /* CPUs that a thread of an inner team might use, at most */
static cpu_set_t first;

enum { WORKERS_MAX = 64, STOP = -1, TASK = 1, RESULT = 2 };

static void compute(double duration_s)
{
#pragma omp parallel
        {
                double end_s = MPI_Wtime() + duration_s;
                while (MPI_Wtime() < end_s)
                        ;
        }
}

static int is_home(void)
{
        cpu_set_t now = mask_now();
        return CPU_EQUAL(&now, &first);
}

static void note_width(void)
{
        cpu_set_t now = mask_now();
        int cpus = CPU_COUNT(&now);
#pragma omp critical
        widest = cpus > widest ? cpus : widest;
}

static void rest(void)
{
        nanosleep(&(struct timespec){ .tv_nsec = rank == 0 ? 5000000 : 1000000 }, NULL);
}

static void rest_within(void)
{
#pragma omp parallel num_threads(2)
        {
                note_width();
                rest();
        }
}

/* Asleep: other work of the machine does not change that. Returns how many threads there were,
 * which must not be asked for, as their number would be one that the program knows. */
static int region(void)
{
        int threads = 0;
#pragma omp parallel
        {
#pragma omp atomic
                threads++;
                (nested ? rest_within : rest)();
        }
        return threads;
}

/* The first rank has several regions, so that it may use what another lends in the next one. */
static void iterate(int steps, const char *when)
{
        cpu_set_t now;
        int most = 0;
        for (int i = 0, sum; i < steps; i++) {
                for (int k = 0; k < (rank == 0 ? 4 : 1); k++) {
                        int threads = region();
                        most = threads > most ? threads : most;
                }
                MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        now = mask_now();
        if (nested && steps > 0)
                fprintf(stderr, "%s: rank %d, inner threads on up to %d CPUs\n", when, rank,
                        widest);
        if (steps > 0)
                fprintf(stderr, "%s: rank %d, first CPU %d, %s, %d threads\n", when, rank,
                        __builtin_ffsl((long)now.__bits[0]) - 1, is_home() ? "home" : "moved",
                        most);
}

static void send(int *what, int count, int to, int tag)
{
        int sent = 0;
        MPI_Request request;
        MPI_Isend(what, count, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
        while (!sent)
                MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
}

static void hand_out(int nworker, double duration_s)
{
        MPI_Request requests[WORKERS_MAX];
        int task = 0, back[WORKERS_MAX][2], given[WORKERS_MAX], which, good = 1, home = 0;
        double end_s = MPI_Wtime() + duration_s;
        for (int w = 0; w < nworker; w++) {
                given[w] = task++;
                send(&given[w], 1, w + 1, TASK);
                MPI_Irecv(back[w], 2, MPI_INT, w + 1, RESULT, MPI_COMM_WORLD, &requests[w]);
        }
        for (int left = nworker; left > 0;) {
                MPI_Waitany(nworker, requests, &which, MPI_STATUS_IGNORE);
                good = good && back[which][0] == 2 * given[which];
                home = until_home && back[which][1] && is_home();
                given[which] = MPI_Wtime() < end_s && !home ? task++ : STOP;
                send(&given[which], 1, which + 1, TASK);
                if (given[which] == STOP)
                        left--;
                else
                        MPI_Irecv(back[which], 2, MPI_INT, which + 1, RESULT, MPI_COMM_WORLD,
                                  &requests[which]);
        }
        printf("%s\n", good ? "all came back" : "wrong results");
        if (until_home)
                fprintf(stderr, "%s\n", home ? "all at home" : "not at home");
        fprintf(stderr, "%d tasks\n", task);
}

static void serve(void)
{
        for (int task[2], got;;) {
                MPI_Request request;
                MPI_Irecv(task, 1, MPI_INT, 0, TASK, MPI_COMM_WORLD, &request);
                for (got = 0; !got;)
                        MPI_Test(&request, &got, MPI_STATUS_IGNORE);
                if (task[0] == STOP)
                        return;
                compute(0.002 * (1 + task[0] * 7 % 5));
                task[0] *= 2;
                task[1] = is_home();
                send(task, 2, 0, RESULT);
        }
}

/* No call and no region; then both, so that a rank can give CPUs up before another takes them. */
static void be_silent(int duration_s)
{
        nanosleep(&(struct timespec){ .tv_sec = duration_s }, NULL);
        for (int i = 0; i < 3; i++) {
                (void)region();
                MPI_Barrier(MPI_COMM_WORLD);
        }
        if (rank == 0)
                printf("all came back\n");
}

int main(int argc, char **argv)
{
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (argc < 2 || size > WORKERS_MAX)
                return 2;
        first = mask_now();
        int steps = argc > 2 ? atoi(argv[2]) : 0;
        until_home = argc > 3 && strcmp(argv[3], "home") == 0;
        nested = argc > 3 && strcmp(argv[3], "nested") == 0;
        int silent = argc > 3 && (nested || strcmp(argv[3], "silent") == 0);
        omp_set_max_active_levels(nested ? 2 : 1);
        iterate(steps, "before");
        if (silent)
                be_silent(atoi(argv[1]));
        else if (rank == 0)
                hand_out(size - 1, atof(argv[1]));
        else
                serve();
        iterate(silent ? 0 : steps, "after");
        MPI_Finalize();
        return 0;
}
