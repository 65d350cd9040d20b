/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known work of processes that ranks run: runs STEPS system|popen|spawn|fork|poll|beside|sleep. In
 * each step rank i runs one that has 50 (i + 1) ms of processor time, and waits for it before all
 * meet: in system(), at the end of its output, in waitpid(), or looking again each millisecond.
 * beside: it computes 50 ms itself meanwhile. sleep: the process sleeps, ten times as long. Prints
 * what the rank and its processes used of the processor.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

static char *program, work[32];
static double work_s;

static void run_system(const char *line)
{
        if (system(line) != 0)
                abort();
}

static void run_popen(const char *line)
{
        char text[16];
        FILE *output = popen(line, "r");
        while (output && fgets(text, sizeof(text), output))
                ;
        if (!output || pclose(output) != 0)
                abort();
}

static void run_spawn(const char *line)
{
        char *const arguments[] = { program, (char[]){ "0" }, (char[]){ "child" }, work, NULL };
        pid_t child;
        (void)line;
        if (posix_spawn(&child, program, NULL, NULL, arguments, environ) != 0 ||
            waitpid(child, NULL, 0) != child)
                abort();
}

static pid_t begin_child(void)
{
        pid_t child = fork();
        if (child != 0)
                return child;
        burn(work_s);
        _exit(0);
}

static void run_fork(const char *line)
{
        (void)line;
        waitpid(begin_child(), NULL, 0);
}

static void run_poll(const char *line)
{
        pid_t child = begin_child();
        (void)line;
        while (waitpid(child, NULL, WNOHANG) == 0)
                nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void run_beside(const char *line)
{
        pid_t child = begin_child();
        (void)line;
        burn(0.05);
        waitpid(child, NULL, 0);
}

static void run_sleep(const char *line)
{
        char other[64];
        (void)line;
        snprintf(other, sizeof(other), "sleep %g", 10 * work_s);
        run_system(other);
}

static const struct {
        const char *name;
        void (*run)(const char *line);
} ways[] = {
        { "system", run_system }, { "popen", run_popen }, { "spawn", run_spawn },
        { "fork", run_fork },     { "poll", run_poll },   { "beside", run_beside },
        { "sleep", run_sleep },
};

static double children_s(void)
{
        struct rusage usage;
        getrusage(RUSAGE_CHILDREN, &usage);
        return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
        int rank, sum, steps = argc > 2 ? atoi(argv[1]) : 0;
        char line[4096];
        double own_s = 0, others_s;
        if (argc > 3) {
                burn(atof(argv[3]));
                return 0;
        }
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        program = argv[0];
        others_s = children_s();
        work_s = 0.05 * (rank + 1);
        snprintf(work, sizeof(work), "%g", work_s);
        snprintf(line, sizeof(line), "%s 0 child %s", program, work);
        for (int step = 0; step < steps; step++) {
                double begin_s = used_s();
                for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
                        if (strcmp(argv[2], ways[i].name) == 0)
                                ways[i].run(line);
                own_s += used_s() - begin_s;
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        printf("used %d %.6f\n", rank, own_s + children_s() - others_s);
        MPI_Finalize();
        return 0;
}
