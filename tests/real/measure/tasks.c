/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks with known work: tasks STEPS [sleep|wait|loop]. In each step rank i makes 4 (i + 1) tasks
 * of 5 ms of processor time (sleep: of time asleep), which its team of two runs at the barrier that
 * ends the region (wait: one of them waits for them; loop: they are a taskloop's); then all meet.
 * So a step of rank i is 20 (i + 1) ms of work.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int sleeps;

static double used_s(clockid_t clock)
{
        struct timespec used;
        clock_gettime(clock, &used);
        return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static void work(double duration_s)
{
        clockid_t clock = sleeps ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
        double end_s = used_s(clock) + duration_s;
        while (sleeps && used_s(clock) < end_s)
                nanosleep(&(struct timespec){ .tv_nsec = (long)(1e9 * (end_s - used_s(clock))) },
                          NULL);
        while (used_s(clock) < end_s)
                ;
}

/* What a task is given must reach it whole, bytes and alignment. */
static void step(int count, int wait, int loop, char *done)
{
        struct {
                _Alignas(64) double duration_s;
                int number;
        } task = { .duration_s = 0.005 };
#pragma omp parallel num_threads(2)
#pragma omp master
        {
                for (int i = 0; i < count && !loop; i++) {
                        task.number = i;
#pragma omp task firstprivate(task)
                        {
                                work(task.duration_s);
                                done[task.number] += ((size_t)&task % 64 == 0);
                        }
                }
                if (wait) {
#pragma omp taskwait
                }
                if (loop) {
#pragma omp taskloop num_tasks(count) firstprivate(task)
                        for (int i = 0; i < count; i++) {
                                work(task.duration_s);
                                done[i] += ((size_t)&task % 64 == 0);
                        }
                }
        }
}

int main(int argc, char **argv)
{
        int rank, level, steps = argc > 1 ? atoi(argv[1]) : 1, wrong = 0, all;
        const char *how = argc > 2 ? argv[2] : "";
        char done[1024] = { 0 };
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        sleeps = strcmp(how, "sleep") == 0;
        for (int i = 0; i < steps; i++) {
                step(4 * (rank + 1), strcmp(how, "wait") == 0, strcmp(how, "loop") == 0, done);
                MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        for (int i = 0; i < 4 * (rank + 1); i++)
                wrong += done[i] != steps;
        MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Finalize();
        return all != 0;
}
