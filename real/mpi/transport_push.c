/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data for a rank of this machine, written to its place there by the one that posts it, before the
 * message leaves (process_vm_writev), or read from there by who handles the message, where it stays
 * (process_vm_readv). By MPI it would be announced, asked for and fetched, and threads of both
 * ranks woken for that.
 *
 * - Who sends tasks away has too many: their data is fetched by who takes them, and it is also who
 *   takes memory where that is touched first.
 * - Nothing is written over data of an earlier message to the same rank that may not have been
 * handled there yet: that goes by MPI, and its receiver sees to the order. How many of our messages
 * a rank has handled it shows.
 * - Not where the kernel does not allow it, which is tried at first, in both directions.
 */
#define _GNU_SOURCE
#include "real/mpi/transport_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum {
        PUSH_MAX_BYTES = 256 << 10, /* the copier's locks are held meanwhile, some 50 us; not by */
        FETCH_MAX_BYTES = 8 << 20,  /* who fetches, in whose way are other messages: some ms */
        TIMED_BYTES = 16 << 10, /* fewer are copied in the time that two looks at a clock take */
        RECENT_MIN = 64,
        RECENT_MAX = 8192, /* so far it may be ahead of a rank that does not get its processor */
};

struct push_peer {
        pid_t pid;
        bool fetches;        /* it can */
        uint64_t more_until; /* there may be such before this message that are not among: */
        struct wire *recent; /* [room] with data, and maybe not handled: from first to last */
        int32_t room, first, last;
        struct wire all; /* its data covers theirs */
};

/* By which it is known that a process number means the same process to both. */
struct introduction {
        uint64_t word, address;
        int64_t pid;
};

static bool is_that(const struct introduction *peer)
{
        uint64_t word = 0;
        struct iovec here = { &word, sizeof(word) };
        struct iovec there = { (void *)(uintptr_t)peer->address, sizeof(word) };
        return process_vm_readv((pid_t)peer->pid, &here, 1, &there, 1, 0) == sizeof(word) &&
               word == peer->word;
}

static void meet(struct transport *t, int32_t rank, const struct introduction *peer)
{
        if (!is_that(peer))
                return;
        t->push[rank] = calloc(1, sizeof(*t->push[rank]));
        if (!t->push[rank])
                transport_die(t, "out of memory for messages");
        t->push[rank]->pid = (pid_t)peer->pid;
}

/* Each is told by whom it can be read. */
static void tell_met(struct transport *t)
{
        size_t n = (size_t)t->nrank;
        unsigned char *met = calloc(2 * n, 1), *met_by = met + n;
        if (!met)
                transport_die(t, "out of memory for messages among %d ranks", t->nrank);
        for (size_t rank = 0; rank < n; rank++)
                met[rank] = t->push[rank] != NULL;
        transport_check(t, PMPI_Alltoall(met, 1, MPI_BYTE, met_by, 1, MPI_BYTE, t->control),
                        "MPI_Alltoall");
        for (size_t rank = 0; rank < n; rank++)
                if (t->push[rank])
                        t->push[rank]->fetches = met_by[rank];
        free(met);
}

void push_start(struct transport *t, const bool *local)
{
        struct introduction *all = calloc((size_t)t->nrank, sizeof(*all));
        if (!all)
                transport_die(t, "out of memory for messages among %d ranks", t->nrank);
        t->push_word = ((uint64_t)getpid() << 32 | (uint32_t)t->rank) ^ (uint64_t)(uintptr_t)t;
        struct introduction own = { t->push_word, (uint64_t)(uintptr_t)&t->push_word, getpid() };
        transport_check(
            t, PMPI_Allgather(&own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, t->control),
            "MPI_Allgather");
        for (int32_t rank = 0; rank < t->nrank; rank++)
                if (local[rank] && rank != t->rank)
                        meet(t, rank, &all[rank]);
        free(all);
        tell_met(t);
}

void push_stop(struct transport *t)
{
        for (int32_t rank = 0; t->push && rank < t->nrank; rank++) {
                if (t->push[rank])
                        free(t->push[rank]->recent);
                free(t->push[rank]);
        }
        free(t->push);
}

static void forget_handled(struct push_peer *peer, uint64_t handled)
{
        while (peer->first < peer->last && peer->recent[peer->first].sequence < handled)
                peer->first++;
        if (peer->first == peer->last)
                peer->first = peer->last = 0;
}

static bool is_free(const struct push_peer *peer, const struct wire *wire)
{
        if (peer->first == peer->last || !wire_overlap(&peer->all, wire))
                return true;
        for (int32_t i = peer->first; i < peer->last; i++)
                if (wire_overlap(&peer->recent[i], wire))
                        return false;
        return true;
}

/* For another one; false: there is none, or no memory for it. */
static bool make_room(struct push_peer *peer)
{
        if (peer->last < peer->room)
                return true;
        if (peer->first > peer->room / 2) {
                memmove(peer->recent, peer->recent + peer->first,
                        (size_t)(peer->last - peer->first) * sizeof(*peer->recent));
                peer->last -= peer->first;
                peer->first = 0;
                return true;
        }
        int32_t room = peer->room ? 2 * peer->room : RECENT_MIN;
        struct wire *grown =
            room <= RECENT_MAX ? realloc(peer->recent, (size_t)room * sizeof(*grown)) : NULL;
        if (!grown)
                return false;
        peer->recent = grown;
        peer->room = room;
        return true;
}

static void cover(struct wire *all, const struct wire *wire)
{
        uint64_t begin = all->data_address, end = begin + all->data_bytes;
        uint64_t other = wire->data_address + wire->data_bytes;
        begin = wire->data_address < begin ? wire->data_address : begin;
        all->data_address = begin;
        all->data_bytes = (other > end ? other : end) - begin;
}

/* Until it is handled its data is in the way of what is pushed later. */
static void remember(struct push_peer *peer, const struct wire *wire)
{
        if (peer->first == peer->last)
                peer->all = *wire;
        cover(&peer->all, wire);
        if (make_room(peer))
                peer->recent[peer->last++] = *wire;
        else
                peer->more_until = wire->sequence + 1;
}

/* The thread's processor time before a copy of so many bytes; 0: they are too few to be timed. */
static int64_t copy_begins_ns(uint64_t bytes)
{
        return bytes < TIMED_BYTES ? 0 : clock_cpu_ns();
}

static void copy_ends(struct transport *t, int64_t begin_ns)
{
        if (begin_ns > 0)
                atomic_fetch_add(&t->copy_ns, clock_cpu_ns() - begin_ns);
}

static bool write_there(struct transport *t, const struct push_peer *peer, const struct wire *wire)
{
        struct iovec here = { (void *)(uintptr_t)wire->data_from, wire->data_bytes };
        struct iovec there = { (void *)(uintptr_t)wire->data_address, wire->data_bytes };
        int64_t begin_ns = copy_begins_ns(wire->data_bytes);
        ssize_t bytes = process_vm_writev(peer->pid, &here, 1, &there, 1, 0);
        copy_ends(t, begin_ns);
        return bytes == (ssize_t)wire->data_bytes;
}

void push_data(struct transport *t, int32_t rank, struct wire *wire)
{
        struct push_peer *peer = t->push[rank];
        bool small = wire->data_apart && wire->data_bytes <= PUSH_MAX_BYTES;
        wire->data_stays = wire->data_stays && wire->data_apart &&
                           wire->data_bytes <= FETCH_MAX_BYTES && peer && peer->fetches;
        if (!peer || wire->data_bytes == 0)
                return;
        uint64_t handled = inbox_shown(t->inbox, rank);
        forget_handled(peer, handled);
        if (!wire->data_stays)
                wire->data_there = small && handled >= peer->more_until && is_free(peer, wire) &&
                                   write_there(t, peer, wire);
        wire->data_apart = wire->data_apart && !wire->data_stays && !wire->data_there;
        remember(peer, wire);
}

/*
 * Memory that is touched first is taken at once: page by page, within the call that copies, takes
 * twice as long (60 KB here: 33 and 57 us, 15 where all is there, of which the look is 1).
 */
static void take_memory(uintptr_t begin, size_t bytes)
{
        const uintptr_t page = 4096;
        unsigned char is_there[FETCH_MAX_BYTES / 4096 + 2] = { 0 };
        uintptr_t first = begin / page * page, end = (begin + bytes + page - 1) / page * page;
        if (mincore((void *)first, end - first, is_there) == 0 &&
            memchr(is_there, 0, (end - first) / page))
                (void)madvise((void *)first, end - first, MADV_POPULATE_WRITE); /* Linux 5.14 */
}

void push_fetch(struct transport *t, int32_t rank, const struct wire *wire)
{
        struct iovec here = { (void *)(uintptr_t)wire->data_address, wire->data_bytes };
        struct iovec there = { (void *)(uintptr_t)wire->data_from, wire->data_bytes };
        int64_t begin_ns = copy_begins_ns(wire->data_bytes);
        take_memory(wire->data_address, wire->data_bytes);
        ssize_t bytes = process_vm_readv(t->push[rank]->pid, &here, 1, &there, 1, 0);
        copy_ends(t, begin_ns);
        if (bytes != (ssize_t)wire->data_bytes)
                transport_die_in_doubt(t, "data of rank %d cannot be read: %s", rank,
                                       bytes < 0 ? strerror(errno) : "a part of it alone");
}
