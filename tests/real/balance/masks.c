/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hybrid program that asks for its CPUs, and starts threads and programs between its regions; the
 * first rank says what went wrong with it, and has most of the work, asleep.
 *
 *      masks STEPS         what it starts has as many CPUs as the threads of the region before;
 *                          asked for its CPUs, it has as many as it was launched with; or those
 *                          that it has chosen
 *      masks STEPS sized   each thread is below the number of processors that there was said to be
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mask_now.h"

static int rank, launched, checked, wrong;

static void rest(long ms)
{
        nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static int cpus_now(void)
{
        cpu_set_t mask = mask_now();
        return CPU_COUNT(&mask);
}

static int cpus_asked(void)
{
        cpu_set_t mask, self;
        sched_getaffinity(0, sizeof(mask), &mask);
        pthread_getaffinity_np(pthread_self(), sizeof(self), &self);
        return CPU_EQUAL(&mask, &self) ? CPU_COUNT(&mask) : -1;
}

static void *in_thread(void *count)
{
        *(int *)count = cpus_now();
        return NULL;
}

static int of_a_thread(void *(*start)(void *))
{
        pthread_t thread;
        int count = 0;
        pthread_create(&thread, NULL, start, &count);
        pthread_join(thread, NULL);
        return count;
}

static int of_thread(void)
{
        return of_a_thread(in_thread);
}

/* How many of the CPUs, chosen one after the other, are what there is then said to be. */
static void *choose_each(void *count)
{
        cpu_set_t all, one, mask, self;
        sched_getaffinity(0, sizeof(all), &all);
        for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
                if (!CPU_ISSET(cpu, &all))
                        continue;
                CPU_ZERO(&one);
                CPU_SET(cpu, &one);
                if (cpu % 2)
                        (void)sched_setaffinity(0, sizeof(one), &one);
                else
                        (void)pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
                sched_getaffinity(0, sizeof(mask), &mask);
                pthread_getaffinity_np(pthread_self(), sizeof(self), &self);
                *(int *)count += CPU_EQUAL(&mask, &one) && CPU_EQUAL(&self, &one);
        }
        return NULL;
}

static int of_child(void)
{
        int status = 0;
        pid_t child = fork();
        if (child == 0)
                _exit(cpus_now());
        return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : -1;
}

/* The first word of what is said on standard output. */
static int of_popen(void)
{
        int count = -1;
        FILE *from = popen("env -u LD_PRELOAD -u OMP_NUM_THREADS nproc", "r");
        if (from && fscanf(from, "%d", &count) != 1)
                count = -1;
        if (from)
                pclose(from);
        return count;
}

static int of_system(void)
{
        return WEXITSTATUS(system("exit `env -u LD_PRELOAD -u OMP_NUM_THREADS nproc`"));
}

/* Each time another of the ways to execute a program. */
static void execute(int way)
{
        static char question[] = "exit `env -u LD_PRELOAD -u OMP_NUM_THREADS nproc`";
        char *const words[] = { "sh", "-c", question, NULL };
        const char *path = "/bin/sh";
        switch (way) {
        case 0:
                execvp(words[0], words);
                break;
        case 1:
                execl(path, words[0], words[1], question, (char *)NULL);
                break;
        case 2:
                execlp(words[0], words[0], words[1], question, (char *)NULL);
                break;
        case 3:
                execle(path, words[0], words[1], question, (char *)NULL, environ);
                break;
        case 4:
                execvpe(words[0], words, environ);
                break;
        case 5:
                execv(path, words);
                break;
        case 6:
                execve(path, words, environ);
                break;
        case 7:
                fexecve(open(path, O_RDONLY), words, environ);
                break;
        }
        _exit(0);
}

static int of_exec(void)
{
        static int way;
        int status = 0;
        pid_t child = vfork();
        if (child == 0)
                execute(way % 8);
        way++;
        return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : -1;
}

/* Returns on how many CPUs its threads were, together. */
static int region(void)
{
        cpu_set_t all;
        CPU_ZERO(&all);
#pragma omp parallel
        {
                cpu_set_t mine = mask_now();
#pragma omp critical
                CPU_OR(&all, &all, &mine);
                rest(rank == 0 ? 5 : 1);
        }
        return CPU_COUNT(&all);
}

static void expect(const char *what, int found, int expected)
{
        if (found < expected && wrong++ < 10)
                printf("%s: %d CPUs, expected %d\n", what, found, expected);
}

static void check(int step, int cpus)
{
        static const struct {
                const char *what;
                int (*count)(void);
        } starts[] = { { "thread", of_thread },
                       { "fork", of_child },
                       { "popen", of_popen },
                       { "system", of_system },
                       { "exec", of_exec } };
        int nstarts = sizeof(starts) / sizeof(starts[0]);
        checked++;
        expect("asked", cpus_asked(), launched);
        expect(starts[step % nstarts].what, starts[step % nstarts].count(), cpus);
}

static void start(int step)
{
        int cpus = 0;
        for (int i = 0; i < (rank == 0 ? 4 : 1); i++)
                cpus = region();
        if (rank == 0 && cpus > 1) /* first: whatever is started leaves the one CPU */
                check(step, cpus);
        expect("chosen", of_a_thread(choose_each), launched);
}

static void size(void)
{
        int room = omp_get_num_procs(), beyond = 0;
#pragma omp parallel reduction(+ : beyond)
        {
                beyond += omp_get_thread_num() >= room;
                rest(rank == 0 ? 9 : 1);
        }
        checked++;
        expect("processors", room, beyond ? room + beyond : 0);
}

int main(int argc, char **argv)
{
        int steps = argc > 1 ? atoi(argv[1]) : 0, sized = argc > 2, all;
        launched = cpus_now();
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        for (int step = 0; step < steps; step++) {
                if (sized)
                        size();
                else
                        start(step);
                MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        if (rank == 0)
                printf("%d wrong\n", all);
        if (rank == 0)
                fprintf(stderr, "checked %d times\n", checked);
        MPI_Finalize();
        return 0;
}
