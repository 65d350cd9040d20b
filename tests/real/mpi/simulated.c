/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "tests/real/mpi/simulated.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "real/mpi/polite_impl.h"
#include "real/mpi/together.h"
#include "real/mpi/transport_impl.h"
#include "tests/real/mpi/simulated_impl.h"

enum { REQUESTS = 1 << 16, COMMS = 2, EAGER_BYTES = 4096, WORLD = 2 };

/* A send, or a receive that waits (persistent ones are started again and again). */
struct request {
        struct request *next; /* in its list */
        bool sends, persistent, active, done, arrived, forgotten;
        int32_t rank, comm, peer, tag, source;
        char *memory;
        size_t bytes;
        char *copy;            /* of what went at once */
        struct request *match; /* of a receive: what comes; of a send: where it goes */
        int64_t due;           /* of a send: when it can match; then: when its next part moves */
        int64_t done_at;       /* when it is complete, once all has moved */
        size_t moved;
        int32_t index;
};

struct request_list {
        struct request *first, **end;
};

static struct {
        struct lb_random random;
        int64_t now;
        int32_t nrank;
        size_t bytes;
        char *base, *view[SIMULATED_RANKS]; /* the same memory, and a second time, always there */
        int memory[SIMULATED_RANKS];        /* descriptors */
        int32_t current, dups[SIMULATED_RANKS];
        double late, slow; /* how often, of one; and how long, in steps */
        struct request *request[REQUESTS];
        int32_t nfree, free[REQUESTS];
        /* In the order of the calls; receives that have matched are not there. */
        struct request_list send[SIMULATED_RANKS][COMMS], receive[SIMULATED_RANKS][COMMS];
        struct request_list moving; /* sends that have matched */
        int64_t untold;             /* receives that are complete, which nobody has seen */
        int64_t latest[SIMULATED_RANKS][SIMULATED_RANKS][COMMS]; /* from, to: no send is before */
} sea;

_Noreturn void simulated_die(const char *what)
{
        fprintf(stderr, "simulated MPI: %s\n", what);
        abort();
}

bool simulated_has(int32_t rank)
{
        return rank >= 0 && rank < sea.nrank;
}

static double unit(void)
{
        return lb_random_unit(&sea.random);
}

/* Mostly soon, now and then much later. */
static int64_t delay(void)
{
        double u = unit();
        return unit() < sea.late ? (int64_t)(u * u * u * sea.slow) : 0;
}

/* ---- Lists ---- */

static void list_init(struct request_list *list)
{
        list->first = NULL;
        list->end = &list->first;
}

static void list_add(struct request_list *list, struct request *request)
{
        request->next = NULL;
        *list->end = request;
        list->end = &request->next;
}

/* What *at points to. */
static void list_cut(struct request_list *list, struct request **at)
{
        struct request *request = *at;
        *at = request->next;
        if (!*at)
                list->end = at;
}

/* ---- Handles: numbers that are no handle of any MPI's own ---- */

static struct request *request_new(void)
{
        if (sea.nfree == 0)
                simulated_die("too many requests");
        struct request *request = calloc(1, sizeof(*request));
        if (!request)
                simulated_die("out of memory");
        request->index = sea.free[--sea.nfree];
        sea.request[request->index] = request;
        return request;
}

static void request_drop(struct request *request)
{
        sea.request[request->index] = NULL;
        sea.free[sea.nfree++] = request->index;
        free(request->copy);
        free(request);
}

static void write_handle(void *handle, size_t size, intptr_t number)
{
        memcpy(handle, &number, size); /* little-endian, as all machines that this runs on */
}

static intptr_t read_handle(const void *handle, size_t size)
{
        intptr_t number = 0;
        memcpy(&number, handle, size);
        return number;
}

static struct request *request_of(const MPI_Request *handle)
{
        intptr_t index = read_handle(handle, sizeof(*handle)) - 1;
        if (index < 0 || index >= REQUESTS || !sea.request[index])
                simulated_die("no request");
        return sea.request[index];
}

static MPI_Request request_handle(const struct request *request)
{
        MPI_Request handle;
        write_handle(&handle, sizeof(handle), request->index + 1);
        return handle;
}

static MPI_Comm comm_handle(int32_t rank, int32_t comm)
{
        MPI_Comm handle;
        write_handle(&handle, sizeof(handle), 1 + rank * (WORLD + 1) + comm);
        return handle;
}

static int32_t comm_rank(MPI_Comm handle)
{
        return (int32_t)(read_handle(&handle, sizeof(handle)) - 1) / (WORLD + 1);
}

static int32_t comm_number(MPI_Comm handle)
{
        return (int32_t)(read_handle(&handle, sizeof(handle)) - 1) % (WORLD + 1);
}

/* ---- Memory ---- */

/* Where a rank's address is at any time. */
static char *at(int32_t rank, char *address)
{
        bool in = address >= sea.base && address < sea.base + sea.bytes;
        return in ? sea.view[rank] + (address - sea.base) : address;
}

static void make_memory(int32_t rank)
{
        int fd = memfd_create("rank", MFD_CLOEXEC);
        if (fd < 0 || ftruncate(fd, (off_t)sea.bytes) < 0)
                simulated_die("no memory");
        sea.memory[rank] = fd;
        sea.view[rank] = mmap(NULL, sea.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (sea.view[rank] == MAP_FAILED)
                simulated_die("no memory");
}

void simulated_become(int32_t rank)
{
        if (rank == sea.current)
                return;
        void *there = mmap(sea.base, sea.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                           sea.memory[rank], 0);
        if (there != sea.base)
                simulated_die("no memory");
        sea.current = rank;
}

char *simulated_memory(void)
{
        return sea.base;
}

/* ---- Its life ---- */

void simulated_begin(uint64_t seed, int32_t nrank, size_t bytes)
{
        memset(&sea, 0, sizeof(sea));
        lb_random_init(&sea.random, seed, LB_RANDOM_TEST, 3);
        sea.nrank = nrank;
        sea.bytes = bytes;
        sea.current = -1;
        sea.late = unit();
        sea.slow = 1 + 60 * unit();
        sea.base = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (sea.base == MAP_FAILED)
                simulated_die("no memory");
        for (int32_t i = 0; i < REQUESTS; i++)
                sea.free[sea.nfree++] = REQUESTS - 1 - i;
        list_init(&sea.moving);
        for (int32_t r = 0; r < nrank; r++) {
                make_memory(r);
                for (int32_t c = 0; c < COMMS; c++) {
                        list_init(&sea.send[r][c]);
                        list_init(&sea.receive[r][c]);
                }
        }
}

void simulated_end(void)
{
        if (!simulated_quiet() || sea.nfree != REQUESTS)
                simulated_die("requests are left");
        for (int32_t r = 0; r < sea.nrank; r++) {
                munmap(sea.view[r], sea.bytes);
                close(sea.memory[r]);
        }
        munmap(sea.base, sea.bytes);
}

bool simulated_quiet(void)
{
        bool quiet = !sea.moving.first && sea.untold == 0;
        for (int32_t r = 0; r < sea.nrank; r++)
                for (int32_t c = 0; c < COMMS; c++)
                        quiet &= !sea.send[r][c].first;
        return quiet;
}

/* ---- What is under way ---- */

static bool fits(const struct request *receive, const struct request *send)
{
        return receive->tag == send->tag &&
               (receive->peer == MPI_ANY_SOURCE || receive->peer == send->rank);
}

/* The receive that has waited longest takes it, out of its list; NULL: none does. */
static struct request *take_receive(struct request_list *list, const struct request *send)
{
        struct request **r = &list->first;
        while (*r && !fits(*r, send))
                r = &(*r)->next;
        struct request *found = *r;
        if (found)
                list_cut(list, r);
        return found;
}

static void match(struct request *send, struct request *receive)
{
        if (send->bytes > receive->bytes)
                simulated_die("a message is longer than what it is received into");
        receive->match = send;
        receive->source = send->rank;
        send->match = receive;
        send->due = sea.now + delay();
        list_add(&sea.moving, send);
}

/* What has come matches in the order in which it has. */
static void match_all(int32_t rank, int32_t comm)
{
        struct request_list *list = &sea.send[rank][comm];
        for (struct request **s = &list->first; *s;) {
                struct request *send = *s;
                struct request *receive =
                    send->due <= sea.now ? take_receive(&sea.receive[rank][comm], send) : NULL;
                if (!receive) {
                        s = &send->next;
                        continue;
                }
                list_cut(list, s);
                match(send, receive);
        }
}

/* A half of it, then the rest. True: all is there. */
static bool move(struct request *send)
{
        struct request *receive = send->match;
        bool halves = send->moved == 0 && send->bytes > 1;
        size_t part = halves ? send->bytes / 2 : send->bytes - send->moved;
        const char *from = send->copy ? send->copy : at(send->rank, send->memory);
        memcpy(at(receive->rank, receive->memory) + send->moved, from + send->moved, part);
        send->moved += part;
        send->due = sea.now + delay();
        send->arrived = !halves;
        return send->arrived;
}

static void finish(struct request *request)
{
        request->done = true;
        request->done_at = sea.now + delay();
}

void simulated_step(void)
{
        sea.now++;
        for (int32_t r = 0; r < sea.nrank; r++)
                for (int32_t c = 0; c < COMMS; c++)
                        match_all(r, c);
        for (struct request **s = &sea.moving.first; *s;) {
                struct request *send = *s;
                if (send->due > sea.now || !move(send)) {
                        s = &send->next;
                        continue;
                }
                list_cut(&sea.moving, s);
                finish(send->match);
                sea.untold++;
                if (send->forgotten)
                        request_drop(send);
                else
                        finish(send);
        }
}

/* ---- MPI ---- */

int PMPI_Isend(const void *buffer, int count, MPI_Datatype type, int destination, int tag,
               MPI_Comm comm, MPI_Request *handle)
{
        struct request *send = request_new();
        (void)type;
        send->sends = true;
        send->rank = comm_rank(comm);
        send->comm = comm_number(comm);
        send->peer = destination;
        send->tag = tag;
        send->memory = (char *)(uintptr_t)buffer;
        send->bytes = (size_t)count;
        int64_t *latest = &sea.latest[send->rank][destination][send->comm];
        send->due = sea.now + delay();
        *latest = send->due > *latest ? send->due : *latest;
        send->due = *latest;
        list_add(&sea.send[destination][send->comm], send);
        if (send->bytes <= EAGER_BYTES && unit() < 0.5) { /* and so it is complete */
                send->copy = malloc(send->bytes + 1);
                if (!send->copy)
                        simulated_die("out of memory");
                memcpy(send->copy, at(send->rank, send->memory), send->bytes);
                send->done = true;
                send->done_at = sea.now + delay();
        }
        *handle = request_handle(send);
        return MPI_SUCCESS;
}

static struct request *receive_new(const struct request *what, MPI_Request *handle)
{
        struct request *receive = request_new();
        int32_t index = receive->index;
        *receive = *what;
        receive->index = index;
        *handle = request_handle(receive);
        return receive;
}

static void waits_again(struct request *receive)
{
        receive->active = true;
        receive->done = false;
        list_add(&sea.receive[receive->rank][receive->comm], receive);
}

int PMPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request *handle)
{
        struct request what = { .rank = comm_rank(comm),
                                .comm = comm_number(comm),
                                .peer = source,
                                .tag = tag,
                                .memory = buffer,
                                .bytes = (size_t)count };
        (void)type;
        waits_again(receive_new(&what, handle));
        return MPI_SUCCESS;
}

int PMPI_Recv_init(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Request *handle)
{
        struct request what = { .persistent = true,
                                .rank = comm_rank(comm),
                                .comm = comm_number(comm),
                                .peer = source,
                                .tag = tag,
                                .memory = buffer,
                                .bytes = (size_t)count };
        (void)type;
        receive_new(&what, handle);
        return MPI_SUCCESS;
}

int PMPI_Start(MPI_Request *handle)
{
        struct request *receive = request_of(handle);
        if (receive->active)
                simulated_die("a receive is started that waits already");
        waits_again(receive);
        return MPI_SUCCESS;
}

int PMPI_Test(MPI_Request *handle, int *found, MPI_Status *status)
{
        struct request *request = request_of(handle);
        *found = request->done && request->done_at <= sea.now && unit() < 0.8;
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
                request_drop(request);
        return MPI_SUCCESS;
}

/* Of a receive that waits: nothing comes any more. */
int PMPI_Cancel(MPI_Request *handle)
{
        struct request *request = request_of(handle);
        struct request_list *list = &sea.receive[request->rank][request->comm];
        struct request **r = &list->first;
        while (*r && *r != request)
                r = &(*r)->next;
        if (!*r)
                simulated_die("a receive is cancelled that does not wait");
        list_cut(list, r);
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
        request_drop(request_of(handle));
        *handle = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
        int32_t rank = comm_rank(comm);
        *made = comm_handle(rank, sea.dups[rank]++ % COMMS);
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
        *rank = comm_rank(comm);
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

int polite_wait(MPI_Request *request, MPI_Status *status)
{
        (void)request;
        (void)status;
        return MPI_SUCCESS;
}

/* ---- What else the transport is on ---- */

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

struct transport *simulated_transport(int32_t rank, const struct transport_spec *spec)
{
        struct transport_spec own = *spec;
        struct lb_error err;
        own.parent = comm_handle(rank, WORLD);
        own.job = "simulated";
        own.message_poll_us = 1;
        struct transport *transport = transport_create(&own, &err);
        if (!transport)
                simulated_die(err.text);
        return transport;
}

void simulated_close(struct transport *transport)
{
        transport_destroy(transport);
}

bool simulated_rests(const struct transport *transport)
{
        return transport->nbusy == 0 && atomic_load(&transport->out_count) == 0 &&
               atomic_load(&transport->self_count) == 0;
}

/* As the thread does (real/mpi/transport_thread.c). */
bool simulated_lap(int32_t rank, struct transport *transport)
{
        simulated_become(rank);
        bool moved = receive_lap(transport);
        moved |= receive_self(transport);
        moved |= send_lap(transport);
        return moved;
}
