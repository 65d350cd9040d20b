/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <mpi.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "real/mpi/transport.h"

/*
 * Messages of the transport against a bare MPI ping-pong in the same run, between two ranks:
 *
 *      mpirun -np 2 bench_transport_openmpi
 *
 * - Bare: MPI_Send and MPI_Recv of the main threads, which burn their cores while they wait.
 * - Transport: a handler posts the answer; the main threads sleep.
 */
enum {
        SMALL_BYTES = 64,
        LARGE_BYTES = 64 << 20,
        ROUNDS_MAX = 20000,
        ROUNDS_BYTES = 1 << 30,
        ASLEEP_ROUNDS = 200,
        IDLE_S = 2,
        TRIES = 5, /* the best counts: the machine is shared */
};

struct bench {
        int rank;
        struct transport *transport;
        sem_t over;
        int64_t rounds_left; /* on rank 0 */
        const char *data;
        size_t data_bytes;
};

static double now_s(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double cpu_s(void)
{
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* PMPI: the plain calls, not our polite ones. */
static double bare_s(const struct bench *bench, char *data, size_t bytes, int rounds)
{
        int other = 1 - bench->rank;
        PMPI_Barrier(MPI_COMM_WORLD);
        double start_s = now_s();
        for (int i = 0; i < rounds; i++) {
                if (bench->rank == 0)
                        PMPI_Send(data, (int)bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
                PMPI_Recv(data, (int)bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (bench->rank == 1)
                        PMPI_Send(data, (int)bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
        }
        return (now_s() - start_s) / rounds;
}

static void post(struct bench *bench)
{
        char body[SMALL_BYTES] = "";
        transport_post(bench->transport, &(struct transport_post){
                                             .destination = 1 - bench->rank,
                                             .body = body,
                                             .body_bytes = sizeof(body),
                                             .data = bench->data,
                                             .data_bytes = bench->data_bytes,
                                         });
}

static void on_message(void *user, const struct transport_message *message)
{
        struct bench *bench = user;
        (void)message;
        if (bench->rank == 0 && --bench->rounds_left == 0)
                sem_post(&bench->over);
        else
                post(bench);
}

/* Between barriers, as rank 1's data is told before. */
static double transport_s(struct bench *bench, const char *data, size_t bytes, int rounds)
{
        bench->data = data;
        bench->data_bytes = bytes;
        bench->rounds_left = rounds;
        MPI_Barrier(MPI_COMM_WORLD);
        double start_s = now_s();
        if (bench->rank == 0) {
                post(bench);
                sem_wait(&bench->over);
        }
        double round_s = (now_s() - start_s) / rounds;
        MPI_Barrier(MPI_COMM_WORLD);
        return round_s;
}

static double least(double a, double b)
{
        return a < b ? a : b;
}

/* A small message has a body, a large one data. */
static void compare(struct bench *bench, const char *what, char *data, size_t bytes)
{
        bool small = bytes <= SMALL_BYTES;
        size_t fit = ROUNDS_BYTES / bytes;
        int rounds = fit > ROUNDS_MAX ? ROUNDS_MAX : (int)fit;
        double bare = 1e9, ours = 1e9;
        for (int try = 0; try < TRIES; try++) {
                bare = least(bare, bare_s(bench, data, bytes, rounds));
                ours =
                    least(ours, transport_s(bench, small ? NULL : data, small ? 0 : bytes, rounds));
        }
        if (bench->rank == 0)
                printf("%-34s %12.2f %12.2f us %6.2f\n", what, bare * 1e6, ours * 1e6, ours / bare);
}

/* Each round after a pause in which both ranks have gone to sleep. */
static void asleep(struct bench *bench)
{
        double sum_s = 0.0;
        for (int i = 0; i < ASLEEP_ROUNDS; i++) {
                nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
                sum_s += transport_s(bench, NULL, 0, 1);
        }
        if (bench->rank == 0)
                printf("%-34s %12s %12.2f us\n", "64 bytes, both asleep before", "",
                       sum_s / ASLEEP_ROUNDS * 1e6);
}

static void idle(const struct bench *bench)
{
        MPI_Barrier(MPI_COMM_WORLD);
        double start_s = cpu_s();
        nanosleep(&(struct timespec){ .tv_sec = IDLE_S }, NULL);
        double share = (cpu_s() - start_s) / IDLE_S;
        if (bench->rank == 0)
                printf("%-34s %12s %12.3f %%\n", "processor time while idle", "", share * 100.0);
}

static struct transport *create(struct bench *bench)
{
        char job[32];
        struct lb_error err;
        snprintf(job, sizeof(job), "bench-%ld", (long)getpid());
        MPI_Bcast(job, sizeof(job), MPI_CHAR, 0, MPI_COMM_WORLD);
        struct transport_spec spec = {
                .parent = MPI_COMM_WORLD,
                .job = job,
                .spin_us = 50.0,
                .message_poll_us = 200.0,
                .handler = { on_message },
                .user = bench,
        };
        struct transport *transport = transport_create(&spec, &err);
        if (transport)
                return transport;
        fprintf(stderr, "%s\n", err.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
        abort();
}

int main(int argc, char **argv)
{
        int level, nrank;
        struct bench bench = { .rounds_left = 0 };
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &nrank);
        void *wish = (void *)(uintptr_t)0x200000000000u; /* the same in both ranks */
        char *data =
            mmap(wish, LARGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (nrank != 2 || data != wish) {
                fprintf(stderr, "%s\n", nrank != 2 ? "run with 2 processes" : "no memory");
                MPI_Abort(MPI_COMM_WORLD, 1);
        }
        memset(data, 1, LARGE_BYTES);
        sem_init(&bench.over, 0, 0);
        bench.transport = create(&bench);
        if (bench.rank == 0)
                printf("%-34s %12s %12s    %6s\n", "round trip of", "bare MPI", "transport",
                       "ratio");
        compare(&bench, "64 bytes", data, SMALL_BYTES);
        compare(&bench, "1 KiB of data", data, 1 << 10);
        compare(&bench, "8 KiB of data", data, 8 << 10);
        compare(&bench, "64 KiB of data", data, 64 << 10);
        compare(&bench, "1 MiB of data", data, 1 << 20);
        compare(&bench, "64 MiB of data", data, LARGE_BYTES);
        asleep(&bench);
        idle(&bench);
        transport_destroy(bench.transport);
        sem_destroy(&bench.over);
        munmap(data, LARGE_BYTES);
        MPI_Finalize();
        return 0;
}
