/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hybrid program whose collective calls are not all of one thread, nor all of this world; the
 * first rank prints a sum that does not depend on anything.
 *
 *      threads single STEPS   by whichever thread of a region comes first (MPI_THREAD_SERIALIZED)
 *      threads two STEPS      two threads at the same time, each on its own communicator
 *      threads spawn STEPS    with a process that was spawned half way
 *      threads last STEPS     by another thread than the first, which has left; it ends MPI, too
 *      threads crowd STEPS    beside two threads that poll, and no regions; also how many CPUs they
 * have, the least of any rank, where one of them bound itself to the last
 *      threads named STEPS    after regions that name their number of threads
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mask_now.h"

enum { SPREAD = 3, FIRST_US = 15000, OTHER_US = 500 };

static int rank, size, steps;
static MPI_Comm all;
static double total, beside;

static void rest(long us)
{
        nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

static void step(int s)
{
        double mine = s + rank, sum;
        rest(rank == 0 ? FIRST_US : OTHER_US);
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        total += sum;
}

static void single(void)
{
        unsigned draw = 5 + 77 * (unsigned)rank;
        for (int s = 0; s < steps; s++) {
                draw = draw * 1103515245 + 12345;
                int who = (int)(draw >> 16) % SPREAD;
#pragma omp parallel num_threads(SPREAD)
                {
                        if (omp_get_thread_num() != who)
                                rest(3000);
#pragma omp single
                        step(s);
                }
        }
}

static void *on_the_other(void *nothing)
{
        for (int s = 0; s < 5 * steps; s++) {
                double mine = s * (rank + 1), sum, told;
                rest(rank == 0 ? 1200 : 200);
                MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, all);
                told = rank == s % size ? sum : 0;
                MPI_Bcast(&told, 1, MPI_DOUBLE, s % size, all);
                beside += told;
        }
        return nothing;
}

static void two(void)
{
        pthread_t thread;
        pthread_create(&thread, NULL, on_the_other, NULL);
        for (int s = 0; s < steps; s++)
                step(s);
        pthread_join(thread, NULL);
}

/* With whom was spawned, or who spawned us: they know nothing of each other's rounds. */
static void talk(MPI_Comm between, int root)
{
        MPI_Comm merged;
        int word = 7, sum;
        MPI_Bcast(&word, 1, MPI_INT, root, between);
        MPI_Intercomm_merge(between, root == 0, &merged);
        for (int i = 0; i < 20; i++)
                MPI_Allreduce(&word, &sum, 1, MPI_INT, MPI_SUM, merged);
        total += sum;
        MPI_Barrier(merged);
        MPI_Comm_free(&merged);
        MPI_Comm_disconnect(&between);
}

static void spawn(char *program)
{
        MPI_Comm between;
        char *arguments[] = { "spawn", NULL };
        for (int s = 0; s < steps; s++) {
                step(s);
                if (s != steps / 2)
                        continue;
                MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                               MPI_ERRCODES_IGNORE);
                talk(between, rank == 0 ? MPI_ROOT : MPI_PROC_NULL);
        }
}

static void end(void)
{
        MPI_Comm parent;
        MPI_Comm_get_parent(&parent);
        if (rank == 0 && parent == MPI_COMM_NULL)
                printf("sum %.17g %.17g\n", total, beside);
        MPI_Comm_free(&all);
        MPI_Finalize();
}

static atomic_bool over;

static int cpus_of_thread(void)
{
        cpu_set_t mask = mask_now();
        return CPU_COUNT(&mask);
}

static void *poll(void *is_bound)
{
        cpu_set_t mask = mask_now(), last;
        size_t cpu = CPU_SETSIZE - 1;
        while (!CPU_ISSET(cpu, &mask))
                cpu--;
        CPU_ZERO(&last);
        CPU_SET(cpu, &last);
        if (is_bound)
                sched_setaffinity(0, sizeof(last), &last);
        while (!atomic_load(&over))
                ;
        return is_bound ? NULL : (void *)(intptr_t)cpus_of_thread();
}

static void crowd(void)
{
        long nthread = sysconf(_SC_NPROCESSORS_ONLN) / size + 1; /* more than a part has */
        pthread_t *thread = calloc((size_t)nthread, sizeof(*thread));
        void *cpus = NULL;
        int least;
        for (long i = 0; i < nthread; i++)
                pthread_create(&thread[i], NULL, poll, i > 0 ? &over : NULL);
        for (int s = 0; s < steps; s++)
                step(s);
        atomic_store(&over, true);
        for (long i = nthread - 1; i >= 0; i--)
                pthread_join(thread[i], &cpus);
        free(thread);
        int mine = (int)(intptr_t)cpus;
        MPI_Reduce(&mine, &least, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
        if (rank == 0)
                printf("CPUs %d\n", least);
}

/* Regions whose number of threads is named, more than a part has CPUs. */
static void named(void)
{
        int nthread = (int)sysconf(_SC_NPROCESSORS_ONLN) / size + 1;
        double sum = 0;
        for (int s = 0; s < steps; s++) {
#pragma omp parallel num_threads(nthread) reduction(+ : sum)
                for (int i = 0; i < 20000000; i++)
                        sum += 1;
                step(s);
        }
        if (rank == 0)
                printf("threads %d, sum %.0f\n", nthread, sum);
}

static void *go_on_alone(void *nothing)
{
        (void)nothing;
        for (int s = 0; s < steps; s++)
                step(s);
        end();
        exit(0);
}

static void leave(void)
{
        pthread_t other;
        pthread_create(&other, NULL, go_on_alone, NULL);
        pthread_exit(NULL);
}

int main(int argc, char **argv)
{
        MPI_Comm parent;
        int level =
            argc > 1 && strcmp(argv[1], "two") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
        MPI_Init_thread(&argc, &argv, level, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_dup(MPI_COMM_WORLD, &all);
        MPI_Comm_get_parent(&parent);
        steps = argc > 2 ? atoi(argv[2]) : 0;
        if (parent != MPI_COMM_NULL)
                talk(parent, 0);
        else if (strcmp(argv[1], "single") == 0)
                single();
        else if (strcmp(argv[1], "two") == 0)
                two();
        else if (strcmp(argv[1], "crowd") == 0)
                crowd();
        else if (strcmp(argv[1], "named") == 0)
                named();
        else if (strcmp(argv[1], "last") == 0)
                leave();
        else
                spawn(argv[0]);
        end();
        return 0;
}
