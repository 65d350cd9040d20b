/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known loads: burn UNIT_S STEPS [HOW]. In each step rank i has i + 1 units of processor time, or
 * asleep with "sleep", or rank (i + step) % size has with "drift"; then all meet. Prints nothing.
 * "tell" prints at the end what of its processor time each step had, by its own readings: "used
 * STEP RANK SECONDS". "exit" leaves without MPI_Finalize, "kill" lets rank 1 be killed in the last
 * step, "code" ends with exit code 3.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double used_s(void)
{
        struct timespec used;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
        return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* A hypervisor's other guests may take what looks like processor time: it may be longer. */
static double burn(double duration_s)
{
        double begin_s = used_s(), now_s = begin_s;
        while (now_s < begin_s + duration_s)
                now_s = used_s();
        return now_s - begin_s;
}

static double rest(double duration_s)
{
        struct timespec left = { .tv_sec = (time_t)duration_s };
        left.tv_nsec = (long)((duration_s - (double)left.tv_sec) * 1e9);
        while (nanosleep(&left, &left) != 0)
                ;
        return 0;
}

int main(int argc, char **argv)
{
        int rank, size, sum;
        double unit_s = argc > 2 ? atof(argv[1]) : 0.01;
        int steps = argc > 2 ? atoi(argv[2]) : 1;
        const char *how = argc > 3 ? argv[3] : "";
        double *own_s = calloc((size_t)steps, sizeof(*own_s));
        if (!own_s)
                return 1;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        for (int step = 0; step < steps; step++) {
                int place = strcmp(how, "drift") == 0 ? (rank + step) % size : rank;
                own_s[step] = (strcmp(how, "sleep") == 0 ? rest : burn)(unit_s * (place + 1));
                if (strcmp(how, "kill") == 0 && rank == 1 && step == steps - 1)
                        raise(SIGKILL);
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        for (int step = 0; step < steps && strcmp(how, "tell") == 0; step++)
                printf("used %d %d %.9f\n", step, rank, own_s[step]);
        free(own_s);
        if (strcmp(how, "exit") == 0)
                _Exit(0);
        MPI_Finalize();
        return strcmp(how, "code") == 0 ? 3 : 0;
}
