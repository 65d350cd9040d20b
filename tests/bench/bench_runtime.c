/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "real/lbrun.h"

/*
 * What a task costs, from creation to completion, against the same compiler's OpenMP tasks and
 * against a bare MPI ping-pong, in the same run:
 *
 *      lbrun --nodes 1 --cores 2 --degree 1 -- bench_runtime_openmpi local
 *      lbrun --nodes 2 --cores 2 --degree 2 -- bench_runtime_openmpi offload
 *      lbrun --nodes 2 --cores 2 --degree 2 --param place_tasks_per_core=64 -- \
 *              bench_runtime_openmpi window
 *
 * - Local: empty tasks without accesses, with one each of its own, and in chains of inout; OpenMP
 *   with as many threads as the node has cores.
 * - Offload: one task at a time on data that is at the helper, and one that reads LARGE_BYTES from
 *   home, which the bare message brings to memory that has been touched: so the first time, in
 *   which the helper touches its own, is told apart; then what an idle helper uses of a core.
 * - Window: WINDOW tasks at a time on data that is at the helper. By default it would be sent two a
 *   core, the rest would run at home, and their data be there from then on. Blocks of tasks and of
 *   bare messages take turns; how many tasks ran at home is told.
 */
enum {
        TASKS = 200000,
        CHAINS = 64,
        TRIES = 5, /* the best counts: the machine is shared */
        ROUNDS = 20000,
        WINDOW = 64,
        BLOCKS = 40,
        BLOCK_ROUNDS = 50,
        SMALL_BYTES = 64,
        LARGE_BYTES = 64 << 20,
        LARGE_ROUNDS = 10,
        IDLE_S = 3,
};

static double now_s(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double least(double a, double b)
{
        return a < b ? a : b;
}

/* ---- Local ---- */

struct argument {
        int64_t number;
};
static void empty(void *argument)
{
        (void)argument;
}

static atomic_long ran_here; /* in this process */
static void counted(void *argument)
{
        (void)argument;
        atomic_fetch_add_explicit(&ran_here, 1, memory_order_relaxed);
}

static void empty_openmp(const struct argument *argument)
{
        __asm__ volatile("" : : "r"(argument) : "memory");
}

static char chain_data[CHAINS], *own_data;

enum kind { BARE, OWN, CHAIN };

static double lbrun_s(enum kind kind)
{
        double start_s = now_s();
        for (int64_t i = 0; i < TASKS; i++) {
                struct argument argument = { i };
                struct lbrun_access access = { LBRUN_INOUT, own_data + i, 1 };
                if (kind == CHAIN)
                        access.address = &chain_data[i % CHAINS];
                lbrun_task(empty, &argument, sizeof(argument), kind != BARE, &access, NULL);
        }
        lbrun_taskwait();
        return now_s() - start_s;
}

static void create_openmp(enum kind kind)
{
        for (int64_t i = 0; i < TASKS; i++) {
                struct argument argument = { i };
                __attribute__((unused)) char *data =
                    kind == CHAIN ? &chain_data[i % CHAINS] : own_data + i; /* gcc sees no use */
                if (kind == BARE) {
#pragma omp task firstprivate(argument)
                        empty_openmp(&argument);
                } else {
#pragma omp task firstprivate(argument) depend(inout : data[0])
                        empty_openmp(&argument);
                }
        }
#pragma omp taskwait
}

static double openmp_s(enum kind kind)
{
        double start_s = now_s();
#pragma omp parallel num_threads(lbrun_cores_per_node())
#pragma omp single
        create_openmp(kind);
        return now_s() - start_s;
}

static void bench_local(void)
{
        static const char *const names[] = { "no access", "one access, independent",
                                             "one access, 64 chains" };
        own_data = calloc(1, TASKS);
        if (!own_data)
                return;
        printf("%-28s %12s %12s %8s\n", "empty task", "lbrun ns", "OpenMP ns", "ratio");
        for (enum kind kind = BARE; kind <= CHAIN; kind++) {
                double ours_s = 1e9, openmp = 1e9;
                for (int i = 0; i < TRIES; i++) {
                        ours_s = least(ours_s, lbrun_s(kind));
                        openmp = least(openmp, openmp_s(kind));
                }
                printf("%-28s %12.0f %12.0f %8.2f\n", names[kind], ours_s / TASKS * 1e9,
                       openmp / TASKS * 1e9, ours_s / openmp);
        }
        free(own_data);
}

/* ---- Offload ---- */

/* PMPI: the plain calls, which burn their cores while they wait. Ranks 0 and 1 of the world. */
static double pingpong_s(char *data, int bytes, int rounds)
{
        int rank;
        MPI_Comm world = lbrun_world();
        PMPI_Comm_rank(world, &rank);
        PMPI_Barrier(world);
        double start_s = now_s();
        for (int i = 0; i < rounds && rank < 2; i++) {
                if (rank == 0)
                        PMPI_Send(data, bytes, MPI_BYTE, 1, 0, world);
                PMPI_Recv(data, bytes, MPI_BYTE, 1 - rank, 0, world, MPI_STATUS_IGNORE);
                if (rank == 1)
                        PMPI_Send(data, bytes, MPI_BYTE, 0, 0, world);
        }
        return (now_s() - start_s) / rounds;
}

/* Seconds a message, many at a time: a window of them, then one back. */
static double window_s(char *data, int rounds)
{
        MPI_Request request[WINDOW];
        MPI_Status status[WINDOW];
        int rank;
        MPI_Comm world = lbrun_world();
        PMPI_Comm_rank(world, &rank);
        PMPI_Barrier(world);
        double start_s = now_s();
        for (int i = 0; i < rounds && rank < 2; i++) {
                for (int k = 0; k < WINDOW; k++) {
                        char *at = data + k * SMALL_BYTES;
                        if (rank == 0)
                                PMPI_Isend(at, SMALL_BYTES, MPI_BYTE, 1, 0, world, &request[k]);
                        else
                                PMPI_Irecv(at, SMALL_BYTES, MPI_BYTE, 0, 0, world, &request[k]);
                }
                PMPI_Waitall(WINDOW, request, status);
                if (rank == 0)
                        PMPI_Recv(data, 1, MPI_BYTE, 1, 1, world, MPI_STATUS_IGNORE);
                else
                        PMPI_Send(data, 1, MPI_BYTE, 0, 1, world);
        }
        return (now_s() - start_s) / rounds / WINDOW;
}

enum { ANCHORS = 16, ANCHORS_MAX = 160 }; /* for a window: home has room for WINDOW a core */

struct anchor {
        int32_t place, padding[15];
        char data[];
};
static int32_t anchor_place[ANCHORS_MAX];
static int anchors = ANCHORS;

static void make_anchor(void *argument)
{
        struct anchor *anchor = *(struct anchor **)argument;
        usleep(20000);
        anchor->place = lbrun_place();
}

static void copy_place(void *argument)
{
        struct anchor *const *anchor = argument;
        for (int i = 0; i < anchors; i++)
                anchor_place[i] = anchor[i]->place;
}

/* Data that is at the helper, of at least so many bytes: tasks on it go there. */
static struct anchor *find_anchor(size_t bytes)
{
        struct anchor *anchor[ANCHORS_MAX], *found = NULL;
        struct lbrun_access access[ANCHORS_MAX];
        bytes += sizeof(struct anchor);
        for (int i = 0; i < anchors; i++) {
                anchor[i] = lbrun_alloc(bytes);
                struct lbrun_access all = { LBRUN_OUT, anchor[i], bytes };
                access[i] = (struct lbrun_access){ LBRUN_IN, anchor[i], sizeof(struct anchor) };
                lbrun_task(make_anchor, &anchor[i], sizeof(anchor[i]), 1, &all, NULL);
        }
        lbrun_task(copy_place, anchor, (size_t)anchors * sizeof(anchor[0]), anchors, access,
                   &(struct lbrun_options){ .flags = LBRUN_HERE });
        lbrun_taskwait_noflush();
        for (int i = 0; i < anchors; i++)
                if (anchor_place[i] > 0)
                        found = anchor[i];
        return found;
}

/* Seconds a task, so many between two waits, each with data of its own: where that is. */
static double tasks_s(char *data, int tasks, int rounds)
{
        double start_s = now_s();
        for (int i = 0; i < rounds; i++) {
                for (int k = 0; k < tasks; k++) {
                        struct lbrun_access access = { LBRUN_INOUT, data + k * SMALL_BYTES,
                                                       SMALL_BYTES };
                        lbrun_task(counted, &data, sizeof(data), 1, &access, NULL);
                }
                lbrun_taskwait_noflush();
        }
        return (now_s() - start_s) / rounds / tasks;
}

static double least_tasks_s(char *data, int tasks)
{
        double least_s = 1e9;
        for (int i = 0; i < TRIES; i++)
                least_s = least(least_s, tasks_s(data, tasks, ROUNDS / tasks));
        return least_s;
}

/* How often this process's threads have gone to sleep, or were made to wait. */
static double switches(void)
{
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        return (double)(usage.ru_nvcsw + usage.ru_nivcsw);
}

struct large {
        double first_s, least_s; /* least: of the others */
};

/* The data is made at home for each round, so it must travel. */
static struct large large_s(struct anchor *anchor, char *data)
{
        struct lbrun_access access[] = { { LBRUN_OUT, data, LARGE_BYTES },
                                         { LBRUN_INOUT, anchor->data, 2 * (size_t)LARGE_BYTES } };
        struct large large = { 0, 1e9 };
        for (int i = 0; i < LARGE_ROUNDS; i++) {
                access[0].mode = LBRUN_OUT;
                lbrun_task(empty, NULL, 0, 1, access,
                           &(struct lbrun_options){ .flags = LBRUN_HERE });
                lbrun_taskwait_noflush();
                access[0].mode = LBRUN_IN;
                double start_s = now_s();
                lbrun_task(empty, NULL, 0, 2, access, NULL);
                lbrun_taskwait_noflush();
                double took_s = now_s() - start_s;
                if (i == 0)
                        large.first_s = took_s;
                else
                        large.least_s = least(large.least_s, took_s);
        }
        return large;
}

static double cpu_s(void)
{
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double helper_cpu_s[2];

static void tell_cpu(void *argument)
{
        struct anchor *anchor = *(struct anchor **)argument;
        double used_s = cpu_s();
        memcpy(anchor->data, &used_s, sizeof(used_s));
}

static void copy_cpu(void *argument)
{
        struct anchor *anchor = *(struct anchor **)argument;
        memcpy(&helper_cpu_s[1], anchor->data, sizeof(double));
}

/* Processor time that the helper has used so far. */
static double helper_s(struct anchor *anchor)
{
        struct lbrun_access access = { LBRUN_INOUT, anchor->data, SMALL_BYTES };
        lbrun_task(tell_cpu, &anchor, sizeof(anchor), 1, &access, NULL);
        access.mode = LBRUN_IN;
        lbrun_task(copy_cpu, &anchor, sizeof(anchor), 1, &access,
                   &(struct lbrun_options){ .flags = LBRUN_HERE });
        lbrun_taskwait_noflush();
        return helper_cpu_s[1];
}

static void print_line(const char *what, double ours_s, double bare_s)
{
        printf("%-28s %12.2f %12.2f %8.2f\n", what, ours_s * 1e6, bare_s * 1e6, ours_s / bare_s);
}

struct bare {
        double round_s, large_s; /* and back; one way */
};

static void bench_offload(char *data, const struct bare *bare)
{
        double local_s = least_tasks_s(data, 1);
        struct anchor *anchor = find_anchor(2 * (size_t)LARGE_BYTES);
        if (!anchor) {
                printf("no task was offloaded: nothing to measure\n");
                return;
        }
        printf("%-28s %12s %12s %8s\n", "offloaded task", "lbrun us", "MPI us", "ratio");
        double before = switches();
        print_line("round trip, small", least_tasks_s(anchor->data, 1), bare->round_s);
        double each = (switches() - before) / (TRIES * ROUNDS);
        struct large large = large_s(anchor, data);
        print_line("64 MiB there", large.least_s, bare->large_s);
        printf("the first time %.1f ms, as the helper's memory has not been touched\n",
               large.first_s * 1e3);
        printf("at home: %.1f us, a task that stays; %.2f switches of threads a round trip\n",
               local_s * 1e6, each);
        double before_s = helper_s(anchor);
        sleep(IDLE_S);
        printf("an idle helper uses %.2f %% of a core\n",
               (helper_s(anchor) - before_s) / IDLE_S * 100);
}

static int compare(const void *a, const void *b)
{
        const double *x = a, *y = b;
        return (*x > *y) - (*x < *y);
}

static void print_window(double *ours_s, double *bare_s)
{
        qsort(ours_s, BLOCKS, sizeof(*ours_s), compare);
        qsort(bare_s, BLOCKS, sizeof(*bare_s), compare);
        printf("%-28s %12s %12s %8s\n", "one of 64 at a time", "lbrun us", "MPI us", "ratio");
        print_line("least", ours_s[0], bare_s[0]);
        print_line("lower quartile", ours_s[BLOCKS / 4], bare_s[BLOCKS / 4]);
        print_line("median", ours_s[BLOCKS / 2], bare_s[BLOCKS / 2]);
        printf("%.1f %% of the tasks ran at home\n",
               (double)ran_here * 100 / (BLOCKS * BLOCK_ROUNDS * WINDOW));
}

static void bench_window(int rank)
{
        static double ours_s[BLOCKS], bare_s[BLOCKS];
        struct anchor *anchor = NULL;
        char *data = lbrun_alloc(WINDOW * SMALL_BYTES);
        memset(data, 1, WINDOW * SMALL_BYTES);
        anchors = ANCHORS_MAX;
        if (rank == 0)
                anchor = find_anchor(WINDOW * SMALL_BYTES);
        for (int i = 0; i < BLOCKS; i++) {
                bare_s[i] = window_s(data, BLOCK_ROUNDS);
                if (anchor)
                        ours_s[i] = tasks_s(anchor->data, WINDOW, BLOCK_ROUNDS);
        }
        if (anchor)
                print_window(ours_s, bare_s);
        else if (rank == 0)
                printf("no task was offloaded: nothing to measure\n");
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        int rank, size;
        MPI_Comm_rank(lbrun_world(), &rank);
        MPI_Comm_size(lbrun_world(), &size);
        if (argc > 1 && strcmp(argv[1], "local") == 0 && rank == 0)
                bench_local();
        if (argc > 1 && strcmp(argv[1], "offload") == 0 && size > 1) {
                char *data = lbrun_alloc(LARGE_BYTES);
                memset(data, 1, LARGE_BYTES);
                struct bare bare = { 1e9, 1e9 };
                for (int i = 0; i < TRIES; i++)
                        bare.round_s = least(bare.round_s, pingpong_s(data, SMALL_BYTES, ROUNDS));
                for (int i = 0; i < LARGE_ROUNDS; i++)
                        bare.large_s = least(bare.large_s, pingpong_s(data, LARGE_BYTES, 1) / 2);
                if (rank == 0)
                        bench_offload(data, &bare);
        }
        if (argc > 1 && strcmp(argv[1], "window") == 0 && size > 1)
                bench_window(rank);
        MPI_Barrier(lbrun_world());
        lbrun_stop();
        return 0;
}
