/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/mpi/transport_impl.h"

#include <string.h>

#include "real/interpose/interpose.h"

enum { LOOKS_PER_LAP = 32 };

/* What the message is on the wire: data travels with the body where that is cheaper than alone. */
static struct wire describe(const struct transport *t, const struct transport_post *post)
{
        bool self = post->destination == t->rank;
        size_t room = SMALL_BYTES - sizeof(struct wire);
        bool body_apart = post->body_bytes > room;
        bool data_fits = !body_apart && post->data_bytes <= room - post->body_bytes;
        bool lands = post->data_to && !self; /* elsewhere */
        return (struct wire){
                .kind = post->kind,
                .data_from = (uint64_t)(uintptr_t)post->data,
                .data_address = (uint64_t)(uintptr_t)(lands ? post->data_to : post->data),
                .data_bytes = post->data_bytes,
                .body_bytes = (uint32_t)post->body_bytes,
                .body_apart = body_apart,
                .data_apart = post->data_bytes > 0 && (self || !data_fits),
                .data_stays = post->data_stays,
        };
}

static void copy_payload(unsigned char *payload, const struct wire *wire,
                         const struct transport_post *post)
{
        if (wire->body_bytes > 0)
                memcpy(payload, post->body, wire->body_bytes);
        if (wire_data_inside(wire) > 0)
                memcpy(payload + wire->body_bytes, post->data, wire->data_bytes);
}

static void fill(const struct transport *t, struct parcel *parcel, const struct wire *wire,
                 const struct transport_post *post)
{
        parcel->peer = post->destination;
        parcel->tell_sent = post->data && t->spec.sent;
        parcel->sent_argument = post->sent_argument;
        parcel->wire = *wire;
        copy_payload(parcel->payload, wire, post);
}

static void send(struct transport *t, MPI_Comm comm, const struct parcel *parcel, const void *data,
                 size_t bytes, int tag, MPI_Request *request)
{
        transport_check(t, PMPI_Isend(data, (int)bytes, MPI_BYTE, parcel->peer, tag, comm, request),
                        "MPI_Isend");
}

/* The wire and what goes with it. */
static size_t wire_bytes(const struct wire *wire)
{
        return sizeof(*wire) + (wire->body_apart ? 0 : wire->body_bytes) + wire_data_inside(wire);
}

/* ---- To a rank of this machine ---- */

/* Room for the wire, where its turn has come. */
static struct wire *enter(struct transport *t, int32_t rank, const struct wire *wire)
{
        if (wire->sequence != t->entered[rank])
                return NULL;
        struct wire *there = inbox_begin(t->inbox, rank, wire_bytes(wire));
        t->entered[rank] += there != NULL;
        return there;
}

/* One that was in a full inbox's way. */
static bool enters_now(struct transport *t, struct parcel *parcel)
{
        struct wire *there = enter(t, parcel->peer, &parcel->wire);
        if (!there)
                return false;
        memcpy(there, &parcel->wire, wire_bytes(&parcel->wire));
        inbox_end(there);
        return true;
}

/* All of a message, without a parcel. */
static bool enters_at_once(struct transport *t, const struct transport_post *post,
                           const struct wire *wire)
{
        if (!inbox_reaches(t->inbox, post->destination) || wire->body_apart || wire->data_apart)
                return false;
        struct wire *there = enter(t, post->destination, wire);
        if (!there)
                return false;
        *there = *wire;
        copy_payload((unsigned char *)(there + 1), wire, post);
        inbox_end(there);
        return true;
}

/* ---- Parcels ---- */

static void start_wire(struct transport *t, struct parcel *parcel)
{
        const struct wire *wire = &parcel->wire;
        parcel->enters = inbox_reaches(t->inbox, parcel->peer);
        if (!parcel->enters)
                send(t, t->control, parcel, wire, wire_bytes(wire), TAG_WIRE,
                     &parcel->wire_request);
        if (wire->body_apart)
                send(t, t->data, parcel, parcel->payload, wire->body_bytes, wire->tag,
                     &parcel->body_request);
}

static void start_chunk(struct transport *t, struct parcel *parcel)
{
        size_t left = parcel->wire.data_bytes - parcel->data_done;
        const char *data = (const char *)(uintptr_t)parcel->wire.data_from;
        parcel->chunk = left < CHUNK_BYTES ? left : CHUNK_BYTES;
        send(t, t->data, parcel, data + parcel->data_done, parcel->chunk, parcel->wire.tag + NTAG,
             &parcel->data_request);
}

/* Has all of it been sent? Starts the next piece of its data where one is complete. */
static bool advance(struct transport *t, struct parcel *parcel)
{
        parcel->enters = parcel->enters && !enters_now(t, parcel);
        while (parcel->wire.data_apart && request_done(t, &parcel->data_request)) {
                t->chunk_sent |= parcel->chunk > 0;
                parcel->data_done += parcel->chunk;
                parcel->chunk = 0;
                if (parcel->data_done == parcel->wire.data_bytes)
                        break;
                start_chunk(t, parcel);
        }
        return !parcel->enters && request_done(t, &parcel->wire_request) &&
               request_done(t, &parcel->body_request) && parcel->data_request == MPI_REQUEST_NULL;
}

/* With the lock held: the next to its rank. Its data may be there at once. */
static void number(struct transport *t, int32_t rank, struct wire *wire)
{
        wire->sequence = t->sequence[rank]++;
        wire->tag = (int32_t)(wire->sequence % NTAG);
        push_data(t, rank, wire);
}

/* With the lock held. True where the transport's thread has something left to do with it. */
static bool start(struct transport *t, struct parcel *parcel)
{
        parcel->tell_sent &= !parcel->wire.data_there && !parcel->wire.data_stays;
        start_wire(t, parcel);
        if (advance(t, parcel) && !parcel->tell_sent) {
                parcel_give(&t->spare, parcel);
                return false;
        }
        parcel_list_add(&t->out, parcel);
        atomic_fetch_add(&t->out_count, 1);
        atomic_fetch_add(&t->out_bytes, wire_bytes_at_a_time(&parcel->wire));
        return true;
}

static void keep_for_self(struct transport *t, struct parcel *parcel)
{
        parcel_list_add(&t->self, parcel);
        atomic_fetch_add(&t->self_count, 1);
}

/* One writer at a time: with the lock. */
static void add(atomic_int_fast64_t *sum, size_t amount)
{
        int64_t before = atomic_load_explicit(sum, memory_order_relaxed);
        atomic_store_explicit(sum, before + (int64_t)amount, memory_order_relaxed);
}

static void count(struct transport *t, const struct transport_post *post)
{
        add(&t->posted, 1);
        add(&t->body_bytes, post->body_bytes);
        add(&t->data_bytes, post->data_bytes);
}

static void check_post(const struct transport *t, const struct transport_post *post)
{
        if (post->destination < 0 || post->destination >= t->nrank)
                transport_die(t, "a message to rank %d, allowed are 0 to %d", post->destination,
                              t->nrank - 1);
        if (post->kind < 0 || post->kind >= TRANSPORT_KIND_MAX)
                transport_die(t, "a message of kind %d, allowed are 0 to %d", post->kind,
                              TRANSPORT_KIND_MAX - 1);
        if (post->body_bytes > TRANSPORT_BODY_MAX)
                transport_die(t, "a message with a body of %zu bytes, at most %d are allowed",
                              post->body_bytes, TRANSPORT_BODY_MAX);
}

/* With the lock held, and a parcel that is filled already or NULL. Is something left to do? */
static bool put(struct transport *t, const struct transport_post *post, struct wire *wire,
                struct parcel *parcel, bool *data_there)
{
        bool self = post->destination == t->rank;
        if (!self) {
                number(t, post->destination, wire);
                bool entered = enters_at_once(t, post, wire);
                *data_there = post->data && (entered || wire->data_there || wire->data_stays);
                if (entered)
                        return false;
        }
        if (!parcel) {
                parcel = parcel_take(t, &t->spare, SMALL_BYTES);
                fill(t, parcel, wire, post);
        }
        parcel->wire = *wire;
        if (!self)
                return start(t, parcel);
        keep_for_self(t, parcel);
        return true;
}

bool transport_post(struct transport *t, const struct transport_post *post)
{
        check_post(t, post);
        struct wire wire = describe(t, post);
        bool data_there = false;
        struct parcel *parcel = NULL;
        if (wire.body_apart) { /* a long copy: not with the lock */
                parcel = parcel_take(t, NULL, sizeof(wire) + wire.body_bytes);
                fill(t, parcel, &wire, post);
        }
        pthread_mutex_lock(&t->lock);
        count(t, post);
        interpose_hide(true);
        bool left = put(t, post, &wire, parcel, &data_there);
        interpose_hide(false);
        pthread_mutex_unlock(&t->lock);
        if (post->destination != t->rank)
                bell_ring(t->bell, post->destination);
        if (left && !pthread_equal(pthread_self(), t->thread))
                bell_ring(t->bell, t->rank);
        return data_there;
}

/* It is sent: its destination may be asleep since before MPI could pass it on. */
static void finish(struct transport *t, struct parcel *parcel)
{
        bell_ring(t->bell, parcel->peer);
        if (parcel->tell_sent)
                t->spec.sent(t->spec.user, parcel->sent_argument);
}

/* The next parcel of the list that is sent; looks at up to *looks of them, in turns. */
static struct parcel *next_sent(struct transport *t, int64_t *looks)
{
        while (*looks > 0) {
                --*looks;
                struct parcel *parcel = parcel_list_pop(&t->out);
                if (advance(t, parcel))
                        return parcel;
                parcel_list_add(&t->out, parcel);
        }
        return NULL;
}

bool send_lap(struct transport *t)
{
        if (atomic_load(&t->out_count) == 0)
                return false;
        bool moved = false;
        pthread_mutex_lock(&t->lock);
        int64_t looks = t->out.count < LOOKS_PER_LAP ? t->out.count : LOOKS_PER_LAP;
        for (struct parcel *parcel; (parcel = next_sent(t, &looks));) {
                moved = true;
                atomic_fetch_sub(&t->out_bytes, wire_bytes_at_a_time(&parcel->wire));
                pthread_mutex_unlock(&t->lock);
                finish(t, parcel);
                pthread_mutex_lock(&t->lock);
                parcel_give(&t->spare, parcel);
                atomic_fetch_sub(&t->out_count, 1);
        }
        moved |= t->chunk_sent;
        t->chunk_sent = false;
        pthread_mutex_unlock(&t->lock);
        return moved;
}

void send_nudge(struct transport *t)
{
        int32_t last = -1;
        int looks = LOOKS_PER_LAP;
        pthread_mutex_lock(&t->lock);
        for (struct parcel *parcel = t->out.head; parcel && looks > 0; parcel = parcel->next) {
                if (parcel->peer != last)
                        bell_ring(t->bell, parcel->peer);
                last = parcel->peer;
                looks--;
        }
        pthread_mutex_unlock(&t->lock);
}
