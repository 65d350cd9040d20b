/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MPI_TRANSPORT_IMPL_H
#define LB_REAL_MPI_TRANSPORT_IMPL_H

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "real/mpi/transport.h"
#include "real/node/bell.h"
#include "real/node/inbox.h"

/*
 * Inside the transport.
 *
 *      transport_post()                                    thread of the receiving rank
 *        wire | body | data, small    ---- control ---->   slot: a receive that waits there
 *        body that is not small       ----- data  ----->   parcel in the queue of its source
 *        data that is not small       ----- data  ----->   its address
 *          or, on this machine,    transport_push.c   ->   its address, before the wire,
 *                                                          or, where it stays, by who handles it
 *        on this machine the wire, and what goes with it ->  inbox, in place of a slot
 *        sent()  <---- requests complete                   handler(), in the order of the source
 *
 * - Everything on the control communicator is small, so that receives can wait for it; whatever
 *   does not fit follows on the data communicator, announced by the wire.
 * - A wire that finds a full inbox waits in `out`: a rank's wires enter in the order of posting.
 * - The poster's own thread starts the sends (MPI_THREAD_MULTIPLE). What is not complete at once is
 *   left to the transport's thread, which also calls sent().
 * - Laps over what comes in and goes out are taken by one thread at a time, which has `look`: the
 *   transport's, or one that attends (transport_attend()) in its place.
 * - `lock` orders posts: it is held over MPI_Isend, so that messages for one rank are started in
 *   the order of posting. It is never held while a handler or sent() runs.
 * - A rank that waits for a peer to move (its request is not complete) rings that peer's bell
 *   before it sleeps, and sleeps for a bounded time: MPI libraries need both sides to look.
 */
enum {
        SMALL_BYTES = 4000,     /* that travel at once; just below the usual eager limits */
        PARCEL_SPARE_MAX = 256, /* small parcels kept for reuse */
        NSLOT = 8,
        SOURCE_WINDOW = 16,     /* messages of a source that may be under way at a time */
        CHUNK_BYTES = 32 << 20, /* of data at a time: each that arrives shows that it moves */
        TAG_WIRE = 0,
        NTAG = 16000, /* tags go to twice that; 32767 is the least that MPI allows */
};

/* In front of every message. What is not apart follows: the body, then the data. */
struct wire {
        int32_t kind;
        int32_t tag; /* of what is apart; of its data, NTAG more */
        uint64_t sequence;
        uint64_t data_from, data_address, data_bytes; /* at its sender; where it lands */
        uint32_t body_bytes;
        bool body_apart, data_apart;
        bool data_there, data_stays; /* it is at its address; it is to be fetched */
};
_Static_assert(sizeof(struct wire) == 48, "the body is aligned");

enum parcel_state {
        PARCEL_NONE = 0,
        PARCEL_BODY,  /* coming: the body is under way */
        PARCEL_WAITS, /* coming: its data may not start yet */
        PARCEL_DATA,  /* coming: its data is under way */
        PARCEL_READY, /* complete: may be handled when its turn comes */
};

/* A message on its way out, to self, or in. */
struct parcel {
        struct parcel *next;
        MPI_Request wire_request, body_request, data_request;
        enum parcel_state state;
        int32_t peer;
        size_t capacity;  /* of wire and payload */
        size_t data_done; /* bytes of data apart that are complete */
        size_t chunk;     /* bytes of it that are under way */
        bool tell_sent;
        bool enters; /* its wire is not in the inbox yet */
        void *sent_argument;
        _Alignas(64) struct wire wire;
        unsigned char payload[];
};

/* A receive that waits for any message: a persistent request over memory of its own. */
struct slot {
        MPI_Request request;
        struct parcel *parcel; /* the memory */
};

/* A first-in first-out list of parcels. */
struct parcel_list {
        struct parcel *head, *tail;
        int64_t count;
};

/* What comes from a rank, in order. */
struct source {
        struct parcel_list list;
        uint64_t sequence; /* of the next message to handle */
};

struct transport {
        struct transport_spec spec;
        MPI_Comm control, data;
        int32_t rank, nrank;
        struct bell *bell;
        struct inbox *inbox;
        pthread_t thread;
        bool running;
        atomic_bool stop;

        pthread_mutex_t lock;
        bool lock_made;
        struct parcel_list spare; /* lock: small parcels at rest, for what goes out */
        struct parcel_list out;   /* lock: requests not complete, or sent() to be called */
        struct parcel_list self;  /* lock: posted to this rank */
        uint64_t *sequence;       /* lock: [nrank] of the next message posted to it */
        uint64_t *entered;        /* lock: [nrank] of the next to enter its inbox */
        struct push_peer **push;  /* lock: [nrank] NULL: all its data goes by MPI */
        uint64_t push_word;
        atomic_int_fast64_t out_count, self_count; /* of the lists, to look without the lock */
        bool chunk_sent;               /* lock: a piece of data is out since the last lap */
        atomic_int_fast64_t out_bytes; /* data of `out` that may be under way at a time */
        atomic_int_fast64_t posted, body_bytes, data_bytes; /* written with the lock */

        pthread_mutex_t look;
        bool look_made;
        struct parcel_list spare_in; /* and the rest: look */
        struct slot slot[NSLOT];
        int32_t next_slot;     /* the next to be filled: they are, in turns */
        uint32_t in_vain;      /* looks into an empty inbox; then and now MPI's turn comes */
        struct source *source; /* [nrank] */
        int32_t *busy;         /* [nbusy] sources with parcels in their list */
        atomic_int_fast32_t nbusy;
        atomic_int_fast64_t in_bytes; /* data that may be under way to here at a time */
        atomic_int_fast64_t looks;    /* laps of those that attend */
        atomic_bool stands_by;        /* the transport's thread leaves looking to them */
        atomic_int_fast64_t handled;  /* messages */
        atomic_int_fast64_t late;     /* of transport_figures(); likewise: */
        atomic_int_fast64_t copy_ns;
        bool (*set_yield)(bool); /* Open MPI's, returns what it was; NULL: not there */

        atomic_int_fast64_t piece_ns; /* of work of who attends, between looks; 0: it only looks */
        int64_t stands_since_ns;      /* the transport's thread, without a break; 0: it does not */
        int64_t active_ns; /* when something last moved, as the transport's thread has seen */
        int64_t idle_ns;   /* its last sleep with nothing pending, on this ticket */
        uint32_t idle_ticket;
};

/* real/mpi/parcel.c. A parcel for so many bytes of wire and payload, from the spare ones where it
 * is small; ends the job where memory runs out. The caller has `spare` alone; NULL: not small. */
struct parcel *parcel_take(struct transport *t, struct parcel_list *spare, size_t bytes);
void parcel_give(struct parcel_list *spare, struct parcel *parcel);
void parcel_list_add(struct parcel_list *list, struct parcel *parcel);
struct parcel *parcel_list_pop(struct parcel_list *list); /* NULL: empty */
void parcel_list_free(struct parcel_list *list);

/* real/mpi/transport_send.c: a lap over what is going out; true where something was completed. */
bool send_lap(struct transport *t);
void send_nudge(struct transport *t); /* ring those who must move for our sends to complete */

/* real/mpi/transport_push.c. Collective; local[nrank]: those on this machine. */
void push_start(struct transport *t, const bool *local);
void push_stop(struct transport *t);
/* With the lock: the data of a message that is about to start goes to its address, if it may. */
void push_data(struct transport *t, int32_t rank, struct wire *wire);
/* At its turn, of a message whose data stays at its sender. */
void push_fetch(struct transport *t, int32_t rank, const struct wire *wire);

/* real/mpi/transport_receive.c: laps over posts to self and over what comes in. */
void receive_start(struct transport *t);
void receive_stop(struct transport *t); /* nothing will come any more; also where not started */
bool receive_self(struct transport *t);
bool receive_lap(struct transport *t);
void receive_nudge(struct transport *t);

/* real/mpi/transport_thread.c */
int thread_start(struct transport *t, struct lb_error *err) LB_MUST_CHECK;
void thread_stop(struct transport *t); /* when all is drained */

/* The data of a message that is under way at a time: none, all of it, or a chunk. */
static inline int64_t wire_bytes_at_a_time(const struct wire *wire)
{
        uint64_t bytes = wire->data_apart ? wire->data_bytes : 0;
        return bytes < CHUNK_BYTES ? (int64_t)bytes : CHUNK_BYTES;
}

/* Data that travels with the wire. */
static inline size_t wire_data_inside(const struct wire *wire)
{
        return wire->data_apart || wire->data_there || wire->data_stays ? 0 : wire->data_bytes;
}

/* Would the data of one lie over that of the other? */
static inline bool wire_overlap(const struct wire *a, const struct wire *b)
{
        return a->data_address < b->data_address + b->data_bytes &&
               b->data_address < a->data_address + a->data_bytes;
}

/* Has a request completed (or is there none)? */
bool request_done(const struct transport *t, MPI_Request *request);

/* End the job with a message; and where an MPI call has failed. */
_Noreturn void transport_die(const struct transport *t, const char *format, ...) LB_PRINTF(2, 3);
/* The same, where a peer may have died, which is to be blamed then. */
_Noreturn void transport_die_in_doubt(const struct transport *t, const char *format, ...)
    LB_PRINTF(2, 3);
void transport_check(const struct transport *t, int code, const char *call);

#endif
