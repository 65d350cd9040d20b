/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alone HOW STEPS: ranks that never all meet. Even ranks sleep for 20 ms in each step, odd ones for
 * 1 ms, and then
 *
 *   fence   what was put into a window comes with its fence
 *   post    even ranks put into a window of the next rank, which posts it, and waits for that
 *   pairs   two and two reduce on a communicator of their own, and all pass a ring of messages
 *   others  two ranks make by turns calls in which nothing can wait in MPI's place: for a lock, for
 * a window that is to be posted, for the root of a collective call, or as its root
 *
 * The last rank prints a sum, the same in every run, and to standard error in how many of the steps
 * of the last quarter, of 80, it gave its CPU away, again and again, while it waited; of the calls
 * that are made by turns that which did so least.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static int rank, size;

enum { KINDS = 6 };
enum { TIMES = 4 }; /* a wait that polls does not give its CPU away so often */
static long given_away(void)
{
        struct rusage used;
        getrusage(RUSAGE_THREAD, &used);
        return used.ru_nvcsw;
}

static void work(void)
{
        nanosleep(&(struct timespec){ .tv_nsec = rank % 2 ? 1000000 : 20000000 }, NULL);
}

static long count_from;
static void wait_begins(void)
{
        work();
        count_from = given_away();
}

/* What comes with the next fence is elsewhere. */
static double fence(MPI_Win window, const double *memory, double mine, int place)
{
        MPI_Put(&mine, 1, MPI_DOUBLE, (rank + 1) % size, place, 1, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
        return memory[place];
}

static MPI_Group only(int one)
{
        MPI_Group world, group;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_incl(world, 1, &one, &group);
        MPI_Group_free(&world);
        return group;
}

static double post(MPI_Win window, const double *memory, double mine)
{
        MPI_Group other = only(rank ^ 1);
        if (rank % 2 == 0) {
                MPI_Win_start(other, 0, window);
                MPI_Put(&mine, 1, MPI_DOUBLE, rank ^ 1, 0, 1, MPI_DOUBLE, window);
                MPI_Win_complete(window);
        } else {
                MPI_Win_post(other, 0, window);
                MPI_Win_wait(window);
        }
        MPI_Group_free(&other);
        return memory[0];
}

static double pairs(MPI_Comm pair, double mine)
{
        double sum, got;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, pair);
        MPI_Sendrecv(&sum, 1, MPI_DOUBLE, (rank + 1) % size, 1, &got, 1, MPI_DOUBLE,
                     (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return got;
}

/* ---- Two ranks: the even one comes late, the odd one waits ---- */

static double locked(MPI_Win window, double *memory, double mine)
{
        if (rank == 0) {
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
                MPI_Send(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
                wait_begins();
                memory[0] = mine;
                MPI_Win_unlock(0, window);
                MPI_Recv(NULL, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                return mine;
        }
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wait_begins();
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Get(&mine, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
        MPI_Win_unlock(0, window);
        return mine;
}

static void unlocked(void)
{
        if (rank == 1)
                MPI_Send(NULL, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
}

static double posted(MPI_Win window, double *memory, double mine)
{
        MPI_Group other = only(rank ^ 1);
        wait_begins();
        if (rank == 0) {
                memory[0] = mine;
                MPI_Win_post(other, 0, window);
                MPI_Win_wait(window);
        } else {
                MPI_Win_start(other, 0, window);
                MPI_Get(&mine, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
                MPI_Win_complete(window);
        }
        MPI_Group_free(&other);
        return mine;
}

static double rooted(int kind, double mine)
{
        double all[2] = { mine, mine }, got = mine;
        wait_begins();
        if (kind == 2)
                MPI_Bcast(&got, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        else if (kind == 3)
                MPI_Reduce(&mine, &got, 1, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
        else if (kind == 4)
                MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
        else
                MPI_Scatter(all, 1, MPI_DOUBLE, &got, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        return got + all[0];
}

static double others(MPI_Win window, double *memory, double mine, int kind)
{
        if (kind == 0)
                return locked(window, memory, mine);
        return kind == 1 ? posted(window, memory, mine) : rooted(kind, mine);
}

/* Of `steps`, as so many of 80. */
static int least(const int *polite, const int *steps)
{
        int count = 80;
        for (int i = 0; i < KINDS; i++)
                if (steps[i] > 0 && 80 * polite[i] / steps[i] < count)
                        count = 80 * polite[i] / steps[i];
        return count;
}

int main(int argc, char **argv)
{
        double sum = 0, *memory;
        int polite[KINDS] = { 0 }, counted[KINDS] = { 0 };
        MPI_Win window;
        MPI_Comm pair;
        if (argc < 3)
                return 2;
        int steps = atoi(argv[2]);
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
        MPI_Win_allocate(2 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                         &window);
        memset(memory, 0, 2 * sizeof(double));
        if (strcmp(argv[1], "fence") == 0)
                MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
        for (int step = 0; step < steps; step++) {
                double mine = 1.0 / (3 + rank + step);
                int kind = strcmp(argv[1], "others") == 0 ? step % KINDS : 0;
                if (strcmp(argv[1], "others") != 0)
                        wait_begins();
                if (strcmp(argv[1], "fence") == 0)
                        sum += fence(window, memory, mine, step % 2);
                else if (strcmp(argv[1], "others") == 0)
                        sum += others(window, memory, mine, kind);
                else if (strcmp(argv[1], "post") == 0)
                        sum += post(window, memory, mine);
                else
                        sum += pairs(pair, mine);
                if (4 * step >= 3 * steps) {
                        counted[kind]++;
                        polite[kind] += given_away() - count_from >= TIMES;
                }
                if (strcmp(argv[1], "others") == 0 && kind == 0)
                        unlocked();
        }
        if (strcmp(argv[1], "fence") == 0)
                MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
        if (rank == size - 1) {
                printf("sum %a\n", sum);
                fprintf(stderr, "polite %d\n", least(polite, counted));
        }
        MPI_Win_free(&window);
        MPI_Comm_free(&pair);
        MPI_Finalize();
        return 0;
}
