/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_INTERPOSE_INTERPOSE_H
#define LB_REAL_INTERPOSE_INTERPOSE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Every MPI call of a process passes this layer, whoever makes it, in whatever language. It is
 * compiled once for each MPI and linked into the user's program, by the runtime, or into a library
 * that is preloaded; who links it is its guest, and says what to do at each call.
 *
 * The layer defines both names of each call in its table (calls.h):
 *
 *      program     MPI_X     MPI_X of the layer: hands on to the next MPI_X behind it, another
 * tool's tool        MPI_X     or, where there is none, to PMPI_X (tool)     PMPI_X    PMPI_X of
 * the layer: the guest's own way to do X, or MPI's MPI        PMPI_X
 *
 * - A tool behind the layer or before it sees one call of the name that the program used, and no
 *   other: what the guest does to wait is made below, by PMPI_ names.
 * - A call counts once, where it enters the layer first, however often it passes: a tool before the
 *   layer calls PMPI_X, one behind it MPI_X and PMPI_X.
 * - Fortran needs no entries of its own: the bindings of each MPI are libraries that call the C
 *   functions by name, Open MPI's PMPI_X (from mpi_x_ and mpi_x_f08_), MPICH's MPI_X. MPI has then
 *   converted handles, MPI_IN_PLACE, MPI_BOTTOM and MPI_STATUS_IGNORE, and a tool that has Fortran
 *   entries gets its call as without the layer.
 * - Calls that the guest need not know of cost a jump (interpose_pass()).
 * - What MPI calls itself, and what is called from the guest's own way, goes straight to MPI.
 * - Any thread; nothing is allocated, nothing is done before the first call.
 */
enum interpose_kind {
        INTERPOSE_LIFE = 1,       /* MPI begins or ends */
        INTERPOSE_LOCAL,          /* does not wait */
        INTERPOSE_START,          /* collective, does not wait */
        INTERPOSE_SEND,           /* waits; the nonblocking call has the same arguments */
        INTERPOSE_OWN,            /* waits, each its way */
        INTERPOSE_WAITS,          /* waits, only MPI knows how */
        INTERPOSE_COPY,           /* collective, moves data: the nonblocking call does the same */
        INTERPOSE_NEAR,           /* collective among neighbors, of a topology */
        INTERPOSE_MEET,           /* collective, none returns before all have come */
        INTERPOSE_OWN_COLLECTIVE, /* collective, some may return before all have come */
        INTERPOSE_COLLECTIVE      /* collective, only MPI knows who waits */
};

/* INTERPOSE_Allreduce is MPI_Allreduce. */
enum interpose_name {
        INTERPOSE_NONE = 0,
#define CALL(kind, name, nonblocking, comm, parameters, arguments) INTERPOSE_##name,
#include "real/interpose/calls.h"
        INTERPOSE_COUNT
};

struct interpose_call {
        enum interpose_name name;
        enum interpose_kind kind;
        MPI_Comm comm;    /* all of its ranks must make the call; MPI_COMM_NULL: none */
        const void *from; /* where it returns to: the program, a tool, or Fortran's bindings */
        const int *found; /* of a call that polls, once it has returned: 0 where there was nothing;
                             NULL: it does not poll */
        MPI_Win fence;    /* of MPI_Win_fence that may end something; else MPI_WIN_NULL */
        bool failed;      /* once it has returned: it may not have waited for anybody */
};

/* Is it a collective call in which all of its ranks meet: none returns before all have come? */
bool interpose_is_meeting(const struct interpose_call *call);

/* One in which all `nrank` of the world meet? */
bool interpose_meets(const struct interpose_call *call, int nrank);

/* The guest is told of a call of MPI_Test that does nothing: to weigh what a call costs, from
 * within one. */
void interpose_pretend(void);

/* From `begins` to its end the guest is not told of what this thread calls, which is its own and no
 * part of a call of the program, and that is done as MPI does it; but for MPI's end. Nests. */
void interpose_hide(bool begins);

/* Does this process have the library of another MPI than the layer is built for? Then text[size]
 * says what is wrong. Before MPI is initialised. */
bool interpose_is_wrong(char *text, size_t size);

/* Does the environment say that a launcher has started this process? One that a rank starts without
 * that, before MPI is initialised, is a program of one rank of its own. Asked as the program
 * begins, since it and MPI may change the environment. */
bool interpose_is_launched(void);

/* Of a rank whose parent is MPICH's proxy: it ends with that. MPICH's mpiexec waits for the output
 * of ranks whose proxy was killed, and these go on, or wait for each other, for ever. */
void interpose_follow_proxy(void);

/* "MPI_Allreduce" */
const char *interpose_title(enum interpose_name name);

static inline bool interpose_may_wait(enum interpose_kind kind)
{
        return kind >= INTERPOSE_SEND;
}

/* All ranks of a communicator make it. */
static inline bool interpose_is_collective(enum interpose_kind kind)
{
        return kind >= INTERPOSE_COPY || kind == INTERPOSE_START;
}

/* A function for each call, with its name and type. */
struct interpose_calls {
#define CALL(kind, name, nonblocking, comm, parameters, arguments) int(*name) parameters;
#include "real/interpose/calls.h"
};

/* ---- What the guest defines ---- */

struct interpose_guest {
        /* A call of the program begins, and ends; in the thread that makes it. A nested one is not
         * told (a user's reduction that calls MPI). */
        void (*enter)(const struct interpose_call *call);
        void (*leave)(const struct interpose_call *call);
        /* Is this call done the guest's own way? NULL: always. */
        bool (*own)(const struct interpose_call *call);
        /* It is done as MPI does it, from here on. NULL: nobody needs to know. */
        void (*plain)(const struct interpose_call *call);
        /* The guest's own way to do a call; NULL: as MPI does it. MPI_X and PMPI_X from within are
         * MPI's. */
        struct interpose_calls instead;
};
extern const struct interpose_guest interpose_guest;

/* ---- What the guest may ask for ---- */

/* From now on these calls pass at once, to whoever is behind the layer: the guest is not told of
 * them, nor of what MPI calls itself to do them. Asked for each call; may be changed at any time,
 * by any thread; calls under way end as they began. */
void interpose_pass(bool (*which)(enum interpose_name name, enum interpose_kind kind));

/* Is the call this rank's alone, or its and a peer's? MPI makes no collective call to do it. Such
 * are messages, one-sided transfers, and what starts, tests or ends them. */
bool interpose_is_lone(enum interpose_name name, enum interpose_kind kind);

#endif
