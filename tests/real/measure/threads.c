/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known work of threads that are no OpenMP team: threads STEPS join|pool. In each step two threads
 * of rank i have 20 (i + 1) ms of processor time each, while the first waits for them outside MPI;
 * then it does 20 ms alone; then all meet. So a step of rank i is 20 (i + 1) + 20 ms, on whatever
 * CPUs there are. Threads are made anew and joined, one by pthread_exit(), or stay and are told.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "burn.h"

enum { THREADS = 2 };

static int rank;
static pthread_barrier_t begin, end;

static void *work(void *exits)
{
        burn(0.02 * (rank + 1));
        if (exits)
                pthread_exit(NULL);
        return NULL;
}

static void *serve(void *steps)
{
        for (int step = 0; step < *(int *)steps; step++) {
                pthread_barrier_wait(&begin);
                burn(0.02 * (rank + 1));
                pthread_barrier_wait(&end);
        }
        return NULL;
}

static void make(pthread_t *thread, void *(*what)(void *), void *arg)
{
        if (pthread_create(thread, NULL, what, arg) != 0)
                abort();
}

int main(int argc, char **argv)
{
        pthread_t thread[THREADS];
        int sum, level, steps = argc > 2 ? atoi(argv[1]) : 1;
        int pool = argc > 2 && strcmp(argv[2], "pool") == 0;
        pthread_barrier_init(&begin, NULL, THREADS + 1);
        pthread_barrier_init(&end, NULL, THREADS + 1);
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        for (int i = 0; pool && i < THREADS; i++)
                make(&thread[i], serve, &steps);
        for (int step = 0; step < steps; step++) {
                for (int i = 0; !pool && i < THREADS; i++)
                        make(&thread[i], work, i ? &rank : NULL);
                if (pool)
                        pthread_barrier_wait(&begin);
                for (int i = 0; !pool && i < THREADS; i++)
                        pthread_join(thread[i], NULL);
                if (pool)
                        pthread_barrier_wait(&end);
                burn(0.02);
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        for (int i = 0; pool && i < THREADS; i++)
                pthread_join(thread[i], NULL);
        MPI_Finalize();
        return 0;
}
