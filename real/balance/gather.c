/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/gather.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "real/mpi/polite_impl.h"

/* Of a rank, in the node's memory. Who has posted two more than another has found complete cannot
 * be: the next one needs that of all. So two words do. */
struct slot {
        alignas(64) _Atomic int64_t posted;
        struct gather_word word[2];
};

struct gather {
        int32_t rank, size;
        struct slot *slot; /* [size]; NULL: by MPI */
        MPI_Comm comm;
        MPI_Request request;
        int64_t posted, completed;
        struct gather_word own, words[]; /* [size] */
};

size_t gather_bytes(int32_t nmate)
{
        return (size_t)nmate * sizeof(struct slot);
}

struct gather *gather_create(MPI_Comm world, int32_t rank, int32_t size, void *board)
{
        struct gather *gather = calloc(1, sizeof(*gather) + (size_t)size * sizeof(gather->own));
        MPI_Comm comm = MPI_COMM_NULL;
        if (!board)
                PMPI_Comm_dup(world, &comm);
        if (!gather)
                return NULL;
        gather->rank = rank;
        gather->size = size;
        gather->slot = board;
        gather->comm = comm;
        gather->request = MPI_REQUEST_NULL;
        return gather;
}

void gather_destroy(struct gather *gather)
{
        free(gather);
}

int64_t gather_posted(const struct gather *gather)
{
        return gather->posted;
}

int64_t gather_completed(const struct gather *gather)
{
        return gather->completed;
}

static void post_by_mpi(struct gather *gather)
{
        const int bytes = sizeof(gather->own);
        PMPI_Iallgather(&gather->own, bytes, MPI_BYTE, gather->words, bytes, MPI_BYTE, gather->comm,
                        &gather->request);
}

void gather_post(struct gather *gather, const struct gather_word *word)
{
        gather->posted++;
        gather->own = *word;
        if (!gather->slot) {
                post_by_mpi(gather);
                return;
        }
        struct slot *slot = &gather->slot[gather->rank];
        slot->word[gather->posted % 2] = *word;
        atomic_store(&slot->posted, gather->posted);
}

static bool all_posted(const struct gather *gather)
{
        for (int32_t i = 0; i < gather->size; i++)
                if (atomic_load(&gather->slot[i].posted) < gather->posted)
                        return false;
        return true;
}

static void copy_words(struct gather *gather)
{
        for (int32_t i = 0; i < gather->size; i++)
                gather->words[i] = gather->slot[i].word[gather->posted % 2];
}

const struct gather_word *gather_look(struct gather *gather)
{
        int done = 1;
        if (gather->completed == gather->posted)
                return NULL;
        if (!gather->slot)
                PMPI_Test(&gather->request, &done, MPI_STATUS_IGNORE);
        else if (!all_posted(gather))
                return NULL;
        else
                copy_words(gather);
        if (!done)
                return NULL;
        gather->completed = gather->posted;
        return gather->words;
}

void gather_end(struct gather *gather, MPI_Comm world)
{
        int64_t most = 0;
        if (gather->slot)
                return;
        MPI_Request all;
        int code = PMPI_Iallreduce(&gather->posted, &most, 1, MPI_INT64_T, MPI_MAX, world, &all);
        if (polite_end(code, &all, MPI_STATUS_IGNORE) != MPI_SUCCESS)
                return;
        PMPI_Wait(&gather->request, MPI_STATUS_IGNORE);
        for (; gather->posted < most; gather->posted++) {
                post_by_mpi(gather);
                PMPI_Wait(&gather->request, MPI_STATUS_IGNORE);
        }
}
