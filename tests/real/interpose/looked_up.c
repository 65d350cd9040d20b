/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * looked_up LIBRARY STEPS: a program that loads MPI's library itself, for itself alone, and looks
 * its functions up there. One rank of two computes three times as long as the other. The first
 * prints a sum, and to standard error whose MPI_Barrier is found there and behind the program
 * ("next"): a library's name.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *library;

static void *symbol(const char *name)
{
        void *found = dlsym(library, name);
        if (!found) {
                fprintf(stderr, "%s\n", dlerror());
                exit(3);
        }
        return found;
}

#define MPI(name) ((__typeof__(&MPI_##name))symbol("MPI_" #name))
#ifdef OPEN_MPI
#define HANDLE(type, open_mpi, other) ((type)symbol(open_mpi))
#else
#define HANDLE(type, open_mpi, other) (other)
#endif

static const char *home(void *function)
{
        Dl_info info;
        if (!function || !dladdr(function, &info))
                return "nobody";
        const char *name = strrchr(info.dli_fname, '/');
        return name ? name + 1 : info.dli_fname;
}

static void compute(double seconds)
{
        struct timespec begin, now;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        do
                clock_gettime(CLOCK_MONOTONIC, &now);
        while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) <
               seconds);
}

int main(int argc, char **argv)
{
        library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) {
                fprintf(stderr, "%s\n", dlerror());
                return 3;
        }
        MPI_Comm world = HANDLE(MPI_Comm, "ompi_mpi_comm_world", MPI_COMM_WORLD);
        MPI_Datatype number = HANDLE(MPI_Datatype, "ompi_mpi_double", MPI_DOUBLE);
        MPI_Op add = HANDLE(MPI_Op, "ompi_mpi_op_sum", MPI_SUM);
        int rank;
        MPI(Init)(&argc, &argv);
        MPI(Comm_rank)(world, &rank);
        double total = 0;
        for (int step = 0; step < atoi(argv[2]); step++) {
                compute(rank == 0 ? 0.003 : 0.001);
                double mine = rank + step, sum;
                MPI(Allreduce)(&mine, &sum, 1, number, add, world);
                total += sum;
        }
        bool none = !dlsym(library, "MPI_No_such_call") && dlerror();
        MPI(Finalize)();
        if (rank == 0) {
                printf("%g\n", total);
                fprintf(stderr, "found %s, next %s, PMPI %s%s\n", home(symbol("MPI_Barrier")),
                        home(dlsym(RTLD_NEXT, "MPI_Barrier")), home(symbol("PMPI_Barrier")),
                        none ? "" : ", and what does not exist");
        }
        return 0;
}
