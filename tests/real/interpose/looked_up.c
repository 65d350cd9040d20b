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
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *library, *openmp;

static void *open_library(const char *path)
{
        void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!opened) {
                fprintf(stderr, "%s\n", dlerror());
                exit(3);
        }
        return opened;
}

static void *symbol_of(void *from, const char *name)
{
        void *found = dlsym(from, name);
        if (!found) {
                fprintf(stderr, "%s\n", dlerror());
                exit(3);
        }
        return found;
}

static void *symbol(const char *name)
{
        return symbol_of(library, name);
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
        return basename(info.dli_fname);
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
        library = open_library(argv[1]);
        openmp = open_library("libgomp.so.1");
        __typeof__(&omp_set_num_threads) set_threads =
            (__typeof__(&omp_set_num_threads))symbol_of(openmp, "omp_set_num_threads");
        MPI_Comm world = HANDLE(MPI_Comm, "ompi_mpi_comm_world", MPI_COMM_WORLD);
        MPI_Datatype number = HANDLE(MPI_Datatype, "ompi_mpi_double", MPI_DOUBLE);
        MPI_Op add = HANDLE(MPI_Op, "ompi_mpi_op_sum", MPI_SUM);
        int rank;
        MPI(Init)(&argc, &argv);
        MPI(Comm_rank)(world, &rank);
        double total = 0;
        int others = 0;
        for (int step = 0; step < atoi(argv[2]); step++) {
                int asked = 1 + step % 2, threads = 0;
                set_threads(asked);
#pragma omp parallel reduction(+ : threads)
                {
                        compute(rank == 0 ? 0.003 : 0.001);
                        threads++;
                }
                others += threads != asked;
                double mine = rank + step, sum;
                MPI(Allreduce)(&mine, &sum, 1, number, add, world);
                total += sum;
        }
        bool none = !dlsym(library, "MPI_No_such_call") && dlerror();
        MPI(Finalize)();
        if (rank == 0) {
                printf("%g %d\n", total, others);
                fprintf(stderr, "found %s, next %s, PMPI %s%s\n", home(symbol("MPI_Barrier")),
                        home(dlsym(RTLD_NEXT, "MPI_Barrier")), home(symbol("PMPI_Barrier")),
                        none ? "" : ", and what does not exist");
        }
        return 0;
}
