/* SPDX-License-Identifier: BSD-3-Clause */
/* What the transport is on beside MPI, where all ranks are in one process: bells that nobody hears,
 * inboxes that nobody is reached by, no thread. */
#include <stdlib.h>

#include "real/mpi/transport_impl.h"
#include "tests/real/mpi/simulated_impl.h"

struct bell {
        int32_t rank;
};

struct bell *bell_open(const char *job, int32_t nrank, int32_t rank, const bool *local,
                       struct lb_error *err)
{
        struct bell *bell = malloc(sizeof(*bell));
        (void)job;
        (void)nrank;
        (void)local;
        (void)err;
        if (bell)
                bell->rank = rank;
        return bell;
}

void bell_close(struct bell *bell)
{
        free(bell);
}

void bell_ring(struct bell *bell, int32_t rank)
{
        (void)bell;
        if (!simulated_has(rank))
                simulated_die("a bell of no rank rings");
}

/* No rank is reached by shared memory: all goes by MPI. */
struct inbox {
        int32_t nothing;
};

struct inbox *inbox_open(const char *job, int32_t nrank, int32_t rank, const bool *local,
                         struct lb_error *err)
{
        (void)job, (void)nrank, (void)rank, (void)local, (void)err;
        return malloc(sizeof(struct inbox));
}

void inbox_close(struct inbox *inbox)
{
        free(inbox);
}

bool inbox_reaches(const struct inbox *inbox, int32_t rank)
{
        (void)inbox, (void)rank;
        return false;
}

bool inbox_reaches_all(const struct inbox *inbox)
{
        (void)inbox;
        return false;
}

void *inbox_begin(struct inbox *inbox, int32_t rank, size_t bytes)
{
        (void)inbox, (void)rank, (void)bytes;
        simulated_die("a message by shared memory");
}

void inbox_end(void *message)
{
        (void)message;
}

bool inbox_is_empty(const struct inbox *inbox)
{
        (void)inbox;
        return true;
}

const void *inbox_first(struct inbox *inbox, int32_t *from)
{
        (void)inbox, (void)from;
        return NULL;
}

void inbox_drop(struct inbox *inbox)
{
        (void)inbox;
}

void inbox_show(struct inbox *inbox, int32_t rank, uint64_t count)
{
        (void)inbox, (void)rank, (void)count;
}

uint64_t inbox_shown(const struct inbox *inbox, int32_t rank)
{
        (void)inbox, (void)rank;
        return 0;
}

int thread_start(struct transport *t, struct lb_error *err)
{
        (void)err;
        t->thread = pthread_self();
        return 0;
}

void thread_stop(struct transport *t)
{
        (void)t;
}

bool request_done(const struct transport *t, MPI_Request *request)
{
        int done = 1;
        if (*request != MPI_REQUEST_NULL)
                transport_check(t, PMPI_Test(request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        return done;
}
