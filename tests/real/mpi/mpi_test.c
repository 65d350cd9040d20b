/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "mpi_test.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "real/node/board.h"

void mpi_test_check(bool holds, const char *claim, const char *file, int line)
{
        if (holds)
                return;
        fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, claim);
        fflush(stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
        abort();
}

struct mpi_test_world mpi_test_begin(int *argc, char ***argv)
{
        struct mpi_test_world world;
        int level;
        MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &world.nrank);
        board_clean(NULL); /* what jobs left that were to end by wrong use */
        snprintf(world.job, sizeof(world.job), "test-%ld", (long)getpid());
        MPI_Bcast(world.job, sizeof(world.job), MPI_CHAR, 0, MPI_COMM_WORLD);
        return world;
}

void mpi_test_end(const char *name)
{
        int rank;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0)
                printf("%s: all claims hold\n", name);
        MPI_Finalize();
}

struct transport_spec mpi_test_spec(const struct mpi_test_world *world)
{
        return (struct transport_spec){
                .parent = MPI_COMM_WORLD,
                .job = world->job,
                .spin_us = 50.0,
                .message_poll_us = 200.0,
        };
}

double mpi_test_cpu_s(void)
{
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void mpi_test_sleep(double duration_s)
{
        struct timespec left = { .tv_sec = (time_t)duration_s };
        left.tv_nsec = (long)((duration_s - (double)left.tv_sec) * 1e9);
        while (nanosleep(&left, &left) != 0)
                continue;
}

void mpi_test_fill(void *memory, size_t bytes, uint64_t seed)
{
        unsigned char *byte = memory;
        uint64_t value = seed * 0x9e3779b97f4a7c15u + 1;
        for (size_t i = 0; i < bytes; i++) {
                value = value * 6364136223846793005u + 1442695040888963407u;
                byte[i] = (unsigned char)(value >> 56);
        }
}

bool mpi_test_holds(const void *memory, size_t bytes, uint64_t seed)
{
        const unsigned char *byte = memory;
        uint64_t value = seed * 0x9e3779b97f4a7c15u + 1;
        for (size_t i = 0; i < bytes; i++) {
                value = value * 6364136223846793005u + 1442695040888963407u;
                if (byte[i] != (unsigned char)(value >> 56))
                        return false;
        }
        return true;
}

void mpi_test_plain(const char *name, void *function)
{
        void *found = dlsym(RTLD_NEXT, name); /* behind the program, which has the layer */
        MPI_TEST(found);
        memcpy(function, &found, sizeof(found));
}

#ifdef __SANITIZE_THREAD__ /* its shadow is where others have memory, and the other way round */
static const uintptr_t MAP_ADDRESS = 0x001000000000u;
#else
static const uintptr_t MAP_ADDRESS = 0x200000000000u;
#endif

void *mpi_test_map(size_t bytes)
{
        void *wish = (void *)MAP_ADDRESS;
        void *memory =
            mmap(wish, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        MPI_TEST(memory == wish);
        return memory;
}
