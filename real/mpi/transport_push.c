/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data for a rank of this machine, written to its place there by the one that posts it, before the
 * message leaves (process_vm_writev). By MPI it would be announced, asked for and fetched, and
 * threads of both ranks woken for that.
 *
 * - Not over data of an earlier message to the same rank that may not have been handled there yet:
 *   that goes by MPI, and its receiver sees to the order. How many of our messages a rank has
 *   handled it shows.
 * - Not where the kernel does not allow it, which is tried at first.
 */
#define _GNU_SOURCE
#include "real/mpi/transport_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
        PUSH_MAX_BYTES = 256 << 10, /* the poster's locks are held meanwhile, some 50 us */
        RECENT_MIN = 64,
        RECENT_MAX = 8192, /* so far it may be ahead of a rank that does not get its processor */
};

struct push_peer {
        pid_t pid;
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

static bool write_there(const struct push_peer *peer, const struct wire *wire)
{
        void *data = (void *)(uintptr_t)wire->data_address;
        struct iovec range = { data, wire->data_bytes };
        return process_vm_writev(peer->pid, &range, 1, &range, 1, 0) == (ssize_t)wire->data_bytes;
}

void push_data(struct transport *t, int32_t rank, struct wire *wire)
{
        struct push_peer *peer = t->push[rank];
        if (!peer || wire->data_bytes == 0)
                return;
        uint64_t handled = inbox_shown(t->inbox, rank);
        forget_handled(peer, handled);
        if (wire->data_apart && wire->data_bytes <= PUSH_MAX_BYTES && handled >= peer->more_until &&
            is_free(peer, wire) && write_there(peer, wire)) {
                wire->data_apart = false;
                wire->data_there = true;
        }
        remember(peer, wire);
}
