/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What lbrun calibrate measures with; rank 0 prints a line "calibrate NAME VALUE" for each
 * repetition.
 *
 *      mpirun -n 2 ... PROBE network                           between rank 0 and the last one
 *      lbrun --nodes 1 --cores 2 --degree 1 -- PROBE tasks
 *      lbrun --nodes 2 --cores 2 --degree 2 -- PROBE offload
 *
 * - latency_us: half a round trip of 8 bytes; bandwidth_GBps: of LARGE_BYTES.
 * - message_cpu_us: processor time of the sender for one of many small messages.
 * - create_us, task_us: processor time to create an empty task with one access, and to schedule,
 *   start and finish it.
 * - offload_us: from the creation of an empty task for an idle helper until it has ended.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "real/lbrun.h"
#include "real/mpi/together.h"

enum {
        REPETITIONS = 15,
        ROUNDS = 200,
        LARGE_BYTES = 4 << 20,
        LARGE_ROUNDS = 4,
        MESSAGES = 500,
        TASKS = 20000,
        OFFLOADS = 100,
        ANCHORS = 16,
};

static void print(const char *name, double value)
{
        printf("calibrate %s %.9g\n", name, value);
        fflush(stdout);
}

/* ---- Network: the plain calls, which burn their cores while they wait ---- */

struct pair {
        int rank, other; /* other: -1 for ranks between */
        char *data;
};

static double round_trip_s(const struct pair *pair, int bytes, int rounds)
{
        PMPI_Barrier(MPI_COMM_WORLD);
        double start_s = clock_s();
        for (int i = 0; i < rounds && pair->other >= 0; i++) {
                if (pair->rank == 0)
                        PMPI_Send(pair->data, bytes, MPI_BYTE, pair->other, 0, MPI_COMM_WORLD);
                PMPI_Recv(pair->data, bytes, MPI_BYTE, pair->other, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE);
                if (pair->rank != 0)
                        PMPI_Send(pair->data, bytes, MPI_BYTE, pair->other, 0, MPI_COMM_WORLD);
        }
        return (clock_s() - start_s) / rounds;
}

static double send_cpu_s(const struct pair *pair)
{
        PMPI_Barrier(MPI_COMM_WORLD);
        double start_s = clock_of_s(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < MESSAGES && pair->rank == 0; i++)
                PMPI_Send(pair->data, 8, MPI_BYTE, pair->other, 0, MPI_COMM_WORLD);
        double used_s = clock_of_s(CLOCK_THREAD_CPUTIME_ID) - start_s;
        for (int i = 0; i < MESSAGES && pair->rank != 0 && pair->other >= 0; i++)
                PMPI_Recv(pair->data, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return used_s / MESSAGES;
}

static void measure_network(const struct pair *pair)
{
        (void)round_trip_s(pair, LARGE_BYTES, 1); /* connections are made */
        for (int i = 0; i < REPETITIONS; i++) {
                double small_s = round_trip_s(pair, 8, ROUNDS) / 2;
                double large_s = round_trip_s(pair, LARGE_BYTES, LARGE_ROUNDS) / 2;
                double cpu_s = send_cpu_s(pair);
                if (pair->rank != 0)
                        continue;
                print("latency_us", small_s * 1e6);
                print("bandwidth_GBps", LARGE_BYTES / large_s * 1e-9);
                print("message_cpu_us", cpu_s * 1e6);
        }
}

/* Where the last rank is on the node of the first, that is no network between nodes. */
static void say_where(const struct pair *pair)
{
        MPI_Comm node;
        int there = 0, size;
        machines_split(MPI_COMM_WORLD, &node);
        MPI_Group all, some;
        PMPI_Comm_group(MPI_COMM_WORLD, &all);
        PMPI_Comm_group(node, &some);
        PMPI_Comm_size(MPI_COMM_WORLD, &size);
        int last = size - 1, found;
        PMPI_Group_translate_ranks(all, 1, &last, some, &found);
        there = found != MPI_UNDEFINED;
        if (pair->rank == 0)
                print("same_node", there);
        PMPI_Group_free(&all);
        PMPI_Group_free(&some);
        PMPI_Comm_free(&node);
}

static int run_network(int *argc, char ***argv)
{
        int size;
        struct pair pair = { .other = -1 };
        PMPI_Init(argc, argv);
        PMPI_Comm_rank(MPI_COMM_WORLD, &pair.rank);
        PMPI_Comm_size(MPI_COMM_WORLD, &size);
        pair.other = pair.rank == 0 ? size - 1 : pair.rank == size - 1 ? 0 : -1;
        pair.data = calloc(1, LARGE_BYTES);
        if (size > 1 && pair.data) {
                say_where(&pair);
                measure_network(&pair);
        } else if (pair.rank == 0) {
                print("ranks", size);
        }
        free(pair.data);
        PMPI_Finalize();
        return 0;
}

/* ---- Tasks ---- */

static void empty(void *argument)
{
        (void)argument;
}

static atomic_int gate; /* 1: the first task runs, 2: it may end */

static void hold(void *argument)
{
        (void)argument;
        atomic_store(&gate, 1);
        while (atomic_load(&gate) != 2)
                usleep(200);
}

/* Tasks that wait for one that another core holds: they are created, and only then run. */
static void measure_tasks(void)
{
        char *data = lbrun_alloc(1);
        struct lbrun_access out = { LBRUN_OUT, data, 1 }, in = { LBRUN_IN, data, 1 };
        for (int i = 0; i < REPETITIONS; i++) {
                atomic_store(&gate, 0);
                lbrun_task(hold, NULL, 0, 1, &out, NULL);
                while (atomic_load(&gate) != 1)
                        usleep(200);
                double begin_s = clock_of_s(CLOCK_THREAD_CPUTIME_ID);
                for (int64_t t = 0; t < TASKS; t++)
                        lbrun_task(empty, &t, sizeof(t), 1, &in, NULL);
                double created_s = clock_of_s(CLOCK_THREAD_CPUTIME_ID) - begin_s;
                begin_s = clock_of_s(CLOCK_PROCESS_CPUTIME_ID);
                atomic_store(&gate, 2);
                lbrun_taskwait();
                double ended_s = clock_of_s(CLOCK_PROCESS_CPUTIME_ID) - begin_s;
                print("create_us", created_s / TASKS * 1e6);
                print("task_us", ended_s / TASKS * 1e6);
        }
        lbrun_free(data);
}

/* ---- Offloading ---- */

static int32_t anchor_place[ANCHORS];

struct anchor {
        int32_t place;
        char data[60];
};

static void make_anchor(void *argument)
{
        struct anchor *anchor = *(struct anchor **)argument;
        usleep(20000);
        anchor->place = lbrun_place();
}

static void copy_places(void *argument)
{
        struct anchor *const *anchor = argument;
        for (int i = 0; i < ANCHORS; i++)
                anchor_place[i] = anchor[i]->place;
}

/* Data that is at the helper: tasks on it go there. */
static struct anchor *find_anchor(void)
{
        struct anchor *anchor[ANCHORS], *found = NULL;
        struct lbrun_access access[ANCHORS];
        for (int i = 0; i < ANCHORS; i++) {
                anchor[i] = lbrun_alloc(sizeof(*anchor[i]));
                struct lbrun_access all = { LBRUN_OUT, anchor[i], sizeof(*anchor[i]) };
                access[i] = (struct lbrun_access){ LBRUN_IN, anchor[i], sizeof(*anchor[i]) };
                lbrun_task(make_anchor, &anchor[i], sizeof(anchor[i]), 1, &all, NULL);
        }
        lbrun_task(copy_places, anchor, sizeof(anchor), ANCHORS, access,
                   &(struct lbrun_options){ .flags = LBRUN_HERE });
        lbrun_taskwait_noflush();
        for (int i = 0; i < ANCHORS && !found; i++)
                if (anchor_place[i] > 0)
                        found = anchor[i];
        return found;
}

static void measure_offload(void)
{
        struct anchor *anchor = find_anchor();
        if (!anchor)
                return;
        struct lbrun_access access = { LBRUN_INOUT, anchor, sizeof(*anchor) };
        for (int i = 0; i < REPETITIONS; i++) {
                double begin_s = clock_s();
                for (int t = 0; t < OFFLOADS; t++) {
                        lbrun_task(empty, &t, sizeof(t), 1, &access, NULL);
                        lbrun_taskwait_noflush();
                }
                print("offload_us", (clock_s() - begin_s) / OFFLOADS * 1e6);
        }
}

int main(int argc, char **argv)
{
        const char *what = argc > 1 ? argv[1] : "";
        int rank;
        if (strcmp(what, "network") == 0)
                return run_network(&argc, &argv);
        if (strcmp(what, "tasks") != 0 && strcmp(what, "offload") != 0) {
                fprintf(stderr, "%s: started by lbrun calibrate\n", argv[0]);
                return 2;
        }
        lbrun_start(&argc, &argv);
        MPI_Comm_rank(lbrun_world(), &rank);
        if (rank == 0 && strcmp(what, "tasks") == 0)
                measure_tasks();
        if (rank == 0 && strcmp(what, "offload") == 0)
                measure_offload();
        MPI_Barrier(lbrun_world());
        lbrun_stop();
        return 0;
}
