/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of calls, and of the MPI that is here. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "real/interpose/interpose.h"

bool interpose_is_meeting(const struct interpose_call *call)
{
        switch (call->name) {
        case INTERPOSE_Barrier:
        case INTERPOSE_Allgather:
        case INTERPOSE_Allgatherv:
        case INTERPOSE_Alltoall:
        case INTERPOSE_Alltoallv:
        case INTERPOSE_Alltoallw:
#if MPI_VERSION >= 4
        case INTERPOSE_Allgather_c:
        case INTERPOSE_Allgatherv_c:
        case INTERPOSE_Alltoall_c:
        case INTERPOSE_Alltoallv_c:
        case INTERPOSE_Alltoallw_c:
#endif
                return true;
        default:
                return call->kind == INTERPOSE_MEET;
        }
}

bool interpose_meets(const struct interpose_call *call, int nrank)
{
        int size = 0;
        if (!interpose_is_meeting(call))
                return false;
        if (call->comm == MPI_COMM_WORLD)
                return true;
        return call->comm != MPI_COMM_NULL && PMPI_Comm_size(call->comm, &size) == MPI_SUCCESS &&
               size == nrank;
}

bool interpose_is_lone(enum interpose_name name, enum interpose_kind kind)
{
        static const char *const shared[] = { "MPI_File_", "MPI_Comm_", "MPI_Intercomm_",
                                              "MPI_Win_f", "MPI_Buffer_" };
        const char *title = interpose_title(name);
        for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
                if (strncmp(title, shared[i], strlen(shared[i])) == 0)
                        return strncmp(title, "MPI_Win_flush", strlen("MPI_Win_flush")) == 0;
        return kind >= INTERPOSE_LOCAL && kind <= INTERPOSE_WAITS;
}

/* ---- Is this the right library? ---- */

#ifdef OPEN_MPI
static const char *const other_library[] = { "libmpich.so", "libmpi.so.12", NULL };
static const char other_title[] = "MPICH", own_title[] = "Open MPI";
#else
static const char *const other_library[] = { "libmpi.so.40", "libmpi.so.20", NULL };
static const char other_title[] = "Open MPI", own_title[] = "MPICH";
#endif

static int is_other(struct dl_phdr_info *info, size_t size, void *user)
{
        (void)size;
        (void)user;
        const char *name = basename(info->dlpi_name);
        for (int i = 0; other_library[i]; i++)
                if (strncmp(name, other_library[i], strlen(other_library[i])) == 0)
                        return 1;
        return 0;
}

/* The program was started by the launcher of one MPI and has the other: it would run as so many
 * programs of one rank each, or end in the wrong library. */
bool interpose_is_wrong(char *text, size_t size)
{
        if (!dl_iterate_phdr(is_other, NULL))
                return false;
        snprintf(
            text, size,
            "'%.200s' is built with %s, its launcher is that of %s: each rank would run alone; "
            "start it with the launcher of its own MPI (mpirun.openmpi or mpirun.mpich)",
            program_invocation_name, other_title, own_title);
        return true;
}
