/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank without MPI's headers: lbrun is built for neither MPI. What both have in common is enough:
 * the functions below have the same types in both, and MPI_THREAD_MULTIPLE is 3. For the number of
 * ranks the world's handle is needed, which is a number in one and an address in the other.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "real/launch/doctor/doctor.h"

enum { FAILED = 1, THREAD_MULTIPLE = 3, MPICH_WORLD = 0x44000000, VERSION_SIZE = 8192 };

/* A function's address in a variable of its type; -1 where there is none. */
static int find(void *library, const char *name, void *function)
{
        void *address = dlsym(library, name);
        memcpy(function, &address, sizeof(address));
        if (address)
                return 0;
        printf("the library has no %s\n", name);
        return -1;
}

static int count_ranks(void *library)
{
        int ranks = 0;
        void *world = dlsym(library, "ompi_mpi_comm_world");
        if (world) {
                int (*size)(void *, int *);
                if (find(library, "MPI_Comm_size", &size) == 0)
                        size(world, &ranks);
        } else {
                int (*size)(int, int *);
                if (find(library, "MPI_Comm_size", &size) == 0)
                        size(MPICH_WORLD, &ranks);
        }
        return ranks;
}

static int probe(void *library)
{
        char version[VERSION_SIZE];
        int length = 0, level = -1;
        int (*start)(int *, char ***, int, int *), (*stop)(void), (*say)(char *, int *);
        if (find(library, "MPI_Init_thread", &start) < 0 ||
            find(library, "MPI_Finalize", &stop) < 0 ||
            find(library, "MPI_Get_library_version", &say) < 0)
                return FAILED;
        if (start(NULL, NULL, THREAD_MULTIPLE, &level) != 0) {
                printf("MPI_Init_thread() failed\n");
                return FAILED;
        }
        say(version, &length);
        version[strcspn(version, ",\n")] = '\0';
        for (char *c = version; *c; c++)
                *c = *c == '\t' ? ' ' : *c;
        printf("%d %d %s\n", level, count_ranks(library), version);
        fflush(stdout);
        return stop() == 0 ? 0 : FAILED;
}

int doctor_probe_main(char *const *library)
{
        const char *why = "none given";
        for (; *library; library++) {
                void *handle = dlopen(*library, RTLD_NOW | RTLD_GLOBAL);
                if (handle)
                        return probe(handle);
                why = dlerror();
        }
        printf("no MPI library can be loaded: %s\n", why);
        return FAILED;
}
