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

struct sea sea;

_Noreturn void simulated_die(const char *what)
{
        fprintf(stderr, "simulated MPI: %s\n", what);
        abort();
}

bool simulated_has(int32_t rank)
{
        return rank >= 0 && rank < sea.nrank;
}

double sea_unit(void)
{
        return lb_random_unit(&sea.random);
}

/* Mostly soon, now and then much later. */
int64_t sea_delay(void)
{
        double u = sea_unit();
        return sea_unit() < sea.late ? (int64_t)(u * u * u * sea.slow) : 0;
}

/* ---- Lists ---- */

static void list_init(struct request_list *list)
{
        list->first = NULL;
        list->end = &list->first;
}

void sea_list_add(struct request_list *list, struct request *request)
{
        request->next = NULL;
        *list->end = request;
        list->end = &request->next;
}

/* What *at points to. */
void sea_list_cut(struct request_list *list, struct request **at)
{
        struct request *request = *at;
        *at = request->next;
        if (!*at)
                list->end = at;
}

/* ---- Handles: numbers that are no handle of any MPI's own ---- */

struct request *sea_request_new(void)
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

void sea_request_drop(struct request *request)
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

struct request *sea_request_of(const MPI_Request *handle)
{
        intptr_t index = read_handle(handle, sizeof(*handle)) - 1;
        if (index < 0 || index >= REQUESTS || !sea.request[index])
                simulated_die("no request");
        return sea.request[index];
}

MPI_Request sea_request_handle(const struct request *request)
{
        MPI_Request handle;
        write_handle(&handle, sizeof(handle), request->index + 1);
        return handle;
}

MPI_Comm sea_comm_handle(int32_t rank, int32_t comm)
{
        MPI_Comm handle;
        write_handle(&handle, sizeof(handle), 1 + rank * (WORLD + 1) + comm);
        return handle;
}

int32_t sea_comm_rank(MPI_Comm handle)
{
        return (int32_t)(read_handle(&handle, sizeof(handle)) - 1) / (WORLD + 1);
}

int32_t sea_comm_number(MPI_Comm handle)
{
        return (int32_t)(read_handle(&handle, sizeof(handle)) - 1) % (WORLD + 1);
}

/* ---- Memory ---- */

/* Where a rank's address is at any time. */
char *sea_at(int32_t rank, char *address)
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
        sea.late = sea_unit();
        sea.slow = 1 + 60 * sea_unit();
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
                sea_list_cut(list, r);
        return found;
}

static void match(struct request *send, struct request *receive)
{
        if (send->bytes > receive->bytes)
                simulated_die("a message is longer than what it is received into");
        receive->match = send;
        receive->source = send->rank;
        send->match = receive;
        send->due = sea.now + sea_delay();
        sea_list_add(&sea.moving, send);
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
                sea_list_cut(list, s);
                match(send, receive);
        }
}

/* A half of it, then the rest. True: all is there. */
static bool move(struct request *send)
{
        struct request *receive = send->match;
        bool halves = send->moved == 0 && send->bytes > 1;
        size_t part = halves ? send->bytes / 2 : send->bytes - send->moved;
        const char *from = send->copy ? send->copy : sea_at(send->rank, send->memory);
        memcpy(sea_at(receive->rank, receive->memory) + send->moved, from + send->moved, part);
        send->moved += part;
        send->due = sea.now + sea_delay();
        send->arrived = !halves;
        return send->arrived;
}

static void finish(struct request *request)
{
        request->done = true;
        request->done_at = sea.now + sea_delay();
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
                sea_list_cut(&sea.moving, s);
                finish(send->match);
                sea.untold++;
                if (send->forgotten)
                        sea_request_drop(send);
                else
                        finish(send);
        }
}

struct transport *simulated_transport(int32_t rank, const struct transport_spec *spec)
{
        struct transport_spec own = *spec;
        struct lb_error err;
        own.parent = sea_comm_handle(rank, WORLD);
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
