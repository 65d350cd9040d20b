/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of known loads that knows nothing of lbrun: loads HOW STEPS UNIT_S LOAD... In each step
 * rank i has LOAD[i] units of processor time, then all meet in MPI_Allreduce; the last LOAD is that
 * of all further ranks. HOW is a list of words with '+' between:
 *
 *   burn      processor time; "rest" sleeps instead, "wall" burns by the wall clock
 *   swap      from the middle on rank i has the load of the last rank but i
 *   apart     they do not meet, but pass a ring of messages; "turns": in the middle third they meet
 *   sub       the steps meet in halves of the ranks as well, and a ring of messages is passed
 *   phases    in the second half they meet in MPI_Allgather instead, and have 0.6 of the load
 *   mixed     they meet in one or two more calls, of which nothing repeats
 *   tail      after all steps each rank sleeps for a second
 *   chat      each rank sends itself 20000 messages in each step
 *   kill, abort, leave, code: at three quarters rank 1 is killed by SIGKILL, calls MPI_Abort(3), or
 *             exit(7) without MPI_Finalize; all end with exit code 3
 *   where     at the end each rank prints the CPUs that it may use
 *
 * The first rank prints a sum of all that was sent, which is the same in every run.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mask_now.h"

static double clock_s(clockid_t clock)
{
        struct timespec now;
        clock_gettime(clock, &now);
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void burn(clockid_t clock, double duration_s)
{
        double end_s = clock_s(clock) + duration_s;
        while (clock_s(clock) < end_s)
                ;
}

static void rest(double duration_s)
{
        struct timespec left = { .tv_sec = (time_t)duration_s };
        left.tv_nsec = (long)((duration_s - (double)left.tv_sec) * 1e9);
        while (nanosleep(&left, &left) != 0)
                ;
}

static void work(const char *how, double load_s)
{
        if (strstr(how, "rest"))
                rest(load_s);
        else
                burn(strstr(how, "wall") ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, load_s);
}

static double pass_on(int rank, int size, double mine)
{
        double got = 0;
        int to = (rank + 1) % size, from = (rank + size - 1) % size;
        MPI_Request request;
        MPI_Irecv(&got, 1, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, &request);
        MPI_Send(&mine, 1, MPI_DOUBLE, to, 7, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return got;
}

static double exchange(MPI_Comm half, int rank, int size, double mine)
{
        double got = pass_on(rank, size, mine), part = 0;
        MPI_Allreduce(&got, &part, 1, MPI_DOUBLE, MPI_SUM, half);
        MPI_Bcast(&part, 1, MPI_DOUBLE, 0, half);
        return part;
}

/* Which one has no order. */
static void mix(int step)
{
        static char got[4096];
        char mine = (char)step;
        uint32_t random = (uint32_t)step * 2654435761u;
        random = (random ^ random >> 15) * 2246822519u >> 13;
        for (uint32_t i = 0; i <= random % 2; i++, random /= 4)
                if (random / 2 % 4 == 0)
                        MPI_Barrier(MPI_COMM_WORLD);
                else if (random / 2 % 4 == 1)
                        MPI_Allgather(&mine, 1, MPI_CHAR, got, 1, MPI_CHAR, MPI_COMM_WORLD);
                else if (random / 2 % 4 == 2)
                        MPI_Alltoall(got, 1, MPI_CHAR, got + 2048, 1, MPI_CHAR, MPI_COMM_WORLD);
                else
                        MPI_Allreduce(&mine, got, 1, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
}

/* Their sum. */
static double gather(double mine, int size)
{
        double all[1024], sum = 0;
        MPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int i = 0; i < size; i++)
                sum += all[i];
        return sum;
}

static double chat(double mine)
{
        enum { MESSAGES = 20000 };
        double got = 0;
        for (int i = 0; i < MESSAGES; i++) {
                MPI_Sendrecv(&mine, 1, MPI_DOUBLE, 0, 8, &got, 1, MPI_DOUBLE, 0, 8, MPI_COMM_SELF,
                             MPI_STATUS_IGNORE);
                mine = got;
        }
        return got;
}

static void misbehave(const char *how, int rank)
{
        if (rank != 1)
                return;
        if (strstr(how, "kill"))
                raise(SIGKILL);
        if (strstr(how, "abort"))
                MPI_Abort(MPI_COMM_WORLD, 3);
        if (strstr(how, "leave"))
                exit(7);
}

static void print_cpus(int rank)
{
        cpu_set_t set = mask_now();
        printf("rank %d:", rank);
        for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &set))
                        printf(" %zu", cpu);
        printf("\n");
}

int main(int argc, char **argv)
{
        int rank, size;
        MPI_Comm half = MPI_COMM_NULL;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (argc < 5)
                return 2;
        const char *how = argv[1];
        int steps = atoi(argv[2]);
        double sum = 0, start_s = 0, middle_s = 0;
        if (!strstr(how, "apart"))
                MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        for (int step = 0; step < steps; step++) {
                int place = strstr(how, "swap") && 2 * step >= steps ? size - 1 - rank : rank;
                double mine = 1.0 / (3 + rank + step), all;
                bool second = strstr(how, "phases") && 2 * step >= steps;
                work(how, (second ? 0.6 : 1) * atof(argv[3]) *
                              atof(argv[4 + place < argc ? 4 + place : argc - 1]));
                if (step == 3 * steps / 4)
                        misbehave(how, rank);
                if (strstr(how, "chat"))
                        mine = chat(mine);
                if (strstr(how, "mixed"))
                        mix(step);
                if (strstr(how, "sub"))
                        mine += exchange(half, rank, size, mine);
                if (strstr(how, "apart") || (strstr(how, "turns") && step * 3 / steps != 1))
                        all = pass_on(rank, size, mine);
                else if (second)
                        all = gather(mine, size);
                else
                        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                sum += all;
                if (step == 0)
                        start_s = clock_s(CLOCK_MONOTONIC);
                if (step == steps / 2)
                        middle_s = clock_s(CLOCK_MONOTONIC);
        }
        if (strstr(how, "tail"))
                rest(1);
        if (strstr(how, "where"))
                print_cpus(rank);
        if (rank == 0) {
                printf("sum %a\n", sum);
                if (steps > 3)
                        fprintf(stderr, "loads: %.4f s per step in the second half\n",
                                (clock_s(CLOCK_MONOTONIC) - middle_s) / (steps - 1 - steps / 2));
        }
        (void)start_s;
        if (half != MPI_COMM_NULL)
                MPI_Comm_free(&half);
        MPI_Finalize();
        return strstr(how, "code") ? 3 : 0;
}
