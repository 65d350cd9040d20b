/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's calls, of the ranks that are in one process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/interpose/interpose.h"
#include "real/mpi/polite_impl.h"
#include "real/mpi/together.h"
#include "tests/real/mpi/simulated_impl.h"

int PMPI_Isend(const void *buffer, int count, MPI_Datatype type, int destination, int tag,
               MPI_Comm comm, MPI_Request *handle)
{
        struct request *send = sea_request_new();
        (void)type;
        send->sends = true;
        send->rank = sea_comm_rank(comm);
        send->comm = sea_comm_number(comm);
        send->peer = destination;
        send->tag = tag;
        send->memory = (char *)(uintptr_t)buffer;
        send->bytes = (size_t)count;
        int64_t *latest = &sea.latest[send->rank][destination][send->comm];
        send->due = sea.now + sea_delay();
        *latest = send->due > *latest ? send->due : *latest;
        send->due = *latest;
        sea_list_add(&sea.send[destination][send->comm], send);
        if (send->bytes <= EAGER_BYTES && sea_unit() < 0.5) { /* and so it is complete */
                send->copy = malloc(send->bytes + 1);
                if (!send->copy)
                        simulated_die("out of memory");
                memcpy(send->copy, sea_at(send->rank, send->memory), send->bytes);
                send->done = true;
                send->done_at = sea.now + sea_delay();
        }
        *handle = sea_request_handle(send);
        return MPI_SUCCESS;
}

static struct request *receive_new(const struct request *what, MPI_Request *handle)
{
        struct request *receive = sea_request_new();
        int32_t index = receive->index;
        *receive = *what;
        receive->index = index;
        *handle = sea_request_handle(receive);
        return receive;
}

static struct request of_receive(void *buffer, int count, int source, int tag, MPI_Comm comm)
{
        return (struct request){ .rank = sea_comm_rank(comm),
                                 .comm = sea_comm_number(comm),
                                 .peer = source,
                                 .tag = tag,
                                 .memory = buffer,
                                 .bytes = (size_t)count };
}

static void waits_again(struct request *receive)
{
        receive->active = true;
        receive->done = false;
        sea_list_add(&sea.receive[receive->rank][receive->comm], receive);
}

int PMPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request *handle)
{
        struct request what = of_receive(buffer, count, source, tag, comm);
        (void)type;
        waits_again(receive_new(&what, handle));
        return MPI_SUCCESS;
}

int PMPI_Recv_init(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Request *handle)
{
        struct request what = of_receive(buffer, count, source, tag, comm);
        (void)type;
        what.persistent = true;
        receive_new(&what, handle);
        return MPI_SUCCESS;
}

int PMPI_Start(MPI_Request *handle)
{
        struct request *receive = sea_request_of(handle);
        if (receive->active)
                simulated_die("a receive is started that waits already");
        waits_again(receive);
        return MPI_SUCCESS;
}

int PMPI_Test(MPI_Request *handle, int *found, MPI_Status *status)
{
        struct request *request = sea_request_of(handle);
        *found = request->done && request->done_at <= sea.now && sea_unit() < 0.8;
        if (!*found)
                return MPI_SUCCESS;
        if (status != MPI_STATUS_IGNORE)
                status->MPI_SOURCE = request->source;
        request->active = false;
        sea.untold -= !request->sends;
        if (request->persistent)
                return MPI_SUCCESS;
        *handle = MPI_REQUEST_NULL;
        if (request->sends && !request->arrived)
                request->forgotten = true; /* its copy is on its way */
        else
                sea_request_drop(request);
        return MPI_SUCCESS;
}

/* Of a receive that waits: nothing comes any more. */
int PMPI_Cancel(MPI_Request *handle)
{
        struct request *request = sea_request_of(handle);
        struct request_list *list = &sea.receive[request->rank][request->comm];
        struct request **r = &list->first;
        while (*r && *r != request)
                r = &(*r)->next;
        if (!*r)
                simulated_die("a receive is cancelled that does not wait");
        sea_list_cut(list, r);
        return MPI_SUCCESS;
}

int PMPI_Wait(MPI_Request *handle, MPI_Status *status)
{
        (void)handle;
        (void)status;
        return MPI_SUCCESS;
}

int PMPI_Request_free(MPI_Request *handle)
{
        sea_request_drop(sea_request_of(handle));
        *handle = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
        int32_t rank = sea_comm_rank(comm);
        *made = sea_comm_handle(rank, sea.dups[rank]++ % COMMS);
        return MPI_SUCCESS;
}

int PMPI_Comm_free(MPI_Comm *comm)
{
        *comm = MPI_COMM_NULL;
        return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
        (void)comm;
        (void)handler;
        return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
        *rank = sea_comm_rank(comm);
        return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
        (void)comm;
        *size = sea.nrank;
        return MPI_SUCCESS;
}

int PMPI_Query_thread(int *level)
{
        *level = MPI_THREAD_MULTIPLE;
        return MPI_SUCCESS;
}

/* Collective calls: each rank is here alone, and all is well with all. */
int PMPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm)
{
        (void)type;
        (void)op;
        (void)comm;
        memcpy(to, from, (size_t)count * sizeof(int));
        return MPI_SUCCESS;
}

/* Of transport_destroy(): all that was posted was handled. */
int PMPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm, MPI_Request *request)
{
        (void)from;
        (void)type;
        (void)op;
        (void)comm;
        memset(to, 0, (size_t)count * sizeof(int64_t));
        *request = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
}

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
        (void)comm;
        *request = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
}

int PMPI_Error_string(int code, char *text, int *length)
{
        *length = snprintf(text, MPI_MAX_ERROR_STRING, "error %d", code);
        return MPI_SUCCESS;
}

int PMPI_Abort(MPI_Comm comm, int code)
{
        (void)comm;
        (void)code;
        abort();
}

void interpose_hide(bool begins)
{
        (void)begins;
}

int polite_wait(MPI_Request *request, MPI_Status *status)
{
        (void)request;
        (void)status;
        return MPI_SUCCESS;
}

int machines_gather(MPI_Comm comm, uint64_t *identity)
{
        (void)comm;
        memset(identity, 0, (size_t)sea.nrank * sizeof(*identity));
        return MPI_SUCCESS;
}

/* Of what tells processes apart: here is one, so that all data goes by MPI. */
int PMPI_Allgather(const void *own, int own_count, MPI_Datatype own_type, void *all, int count,
                   MPI_Datatype type, MPI_Comm comm)
{
        (void)own, (void)own_count, (void)own_type, (void)type, (void)comm;
        memset(all, 0, (size_t)sea.nrank * (size_t)count);
        return MPI_SUCCESS;
}

int PMPI_Alltoall(const void *own, int own_count, MPI_Datatype own_type, void *all, int count,
                  MPI_Datatype type, MPI_Comm comm)
{
        return PMPI_Allgather(own, own_count, own_type, all, count, type, comm);
}
