/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/mpi/transport_impl.h"

#include <string.h>

enum { MESSAGES_PER_LAP = 64 };

/* Call the handler of a message that is all here. */
static void handle(struct transport *t, int32_t from, const struct wire *wire, const void *payload)
{
        if (wire->kind < 0 || wire->kind >= TRANSPORT_KIND_MAX || !t->spec.handler[wire->kind])
                transport_die(t, "an unexpected message of kind %d from rank %d", wire->kind, from);
        struct transport_message message = {
                .source = from,
                .kind = wire->kind,
                .body_bytes = wire->body_bytes,
                .body = payload,
                .data = (void *)(uintptr_t)wire->data_address,
                .data_bytes = wire->data_bytes,
        };
        t->spec.handler[wire->kind](t->spec.user, &message);
        atomic_fetch_add(&t->handled, 1);
}

bool receive_self(struct transport *t)
{
        if (atomic_load(&t->self_count) == 0)
                return false;
        pthread_mutex_lock(&t->lock);
        struct parcel_list list = t->self;
        t->self = (struct parcel_list){ .count = 0 };
        pthread_mutex_unlock(&t->lock);
        atomic_fetch_sub(&t->self_count, list.count);
        for (struct parcel *parcel; (parcel = parcel_list_pop(&list));) {
                handle(t, t->rank, &parcel->wire, parcel->payload);
                if (parcel->tell_sent)
                        t->spec.sent(t->spec.user, parcel->sent_argument);
                pthread_mutex_lock(&t->lock);
                parcel_give(&t->spare, parcel);
                pthread_mutex_unlock(&t->lock);
        }
        return true;
}

/* A message of another rank whose turn has come. */
static void take_turn(struct transport *t, int32_t from, const struct wire *wire,
                      const unsigned char *payload)
{
        struct source *source = &t->source[from];
        if (wire->sequence != source->sequence)
                transport_die(t, "message %llu of rank %d came in place of %llu",
                              (unsigned long long)wire->sequence, from,
                              (unsigned long long)source->sequence);
        source->sequence++;
        if (wire_data_inside(wire) > 0)
                memcpy((void *)(uintptr_t)wire->data_address, payload + wire->body_bytes,
                       wire->data_bytes);
        if (wire->data_stays)
                push_fetch(t, from, wire);
        handle(t, from, wire, payload);
        if (inbox_reaches(t->inbox, from))
                inbox_show(t->inbox, from, source->sequence);
}

/* May its data land now? Not over that of an earlier message that was not handled yet. */
static bool may_land(const struct transport *t, const struct parcel *parcel)
{
        const struct parcel *earlier = t->source[parcel->peer].list.head;
        for (; earlier != parcel; earlier = earlier->next)
                if (wire_overlap(&earlier->wire, &parcel->wire))
                        return false;
        return true;
}

static void receive(struct transport *t, const struct parcel *parcel, void *memory, size_t bytes,
                    int tag, MPI_Request *request)
{
        transport_check(
            t, PMPI_Irecv(memory, (int)bytes, MPI_BYTE, parcel->peer, tag, t->data, request),
            "MPI_Irecv");
}

static void start_chunk(struct transport *t, struct parcel *parcel)
{
        size_t left = parcel->wire.data_bytes - parcel->data_done;
        char *data = (char *)(uintptr_t)parcel->wire.data_address;
        parcel->chunk = left < CHUNK_BYTES ? left : CHUNK_BYTES;
        receive(t, parcel, data + parcel->data_done, parcel->chunk, parcel->wire.tag + NTAG,
                &parcel->data_request);
}

/* The sender's thread may be asleep: MPI may need it to look at what has just moved here. */
static bool moved_on(struct transport *t, struct parcel *parcel, enum parcel_state state)
{
        parcel->state = state;
        bell_ring(t->bell, parcel->peer);
        return true;
}

static bool body_arrived(struct transport *t, struct parcel *parcel)
{
        if (!request_done(t, &parcel->body_request))
                return false;
        return moved_on(t, parcel, parcel->wire.data_apart ? PARCEL_WAITS : PARCEL_READY);
}

static bool data_starts(struct transport *t, struct parcel *parcel)
{
        if (!may_land(t, parcel))
                return false;
        start_chunk(t, parcel);
        atomic_fetch_add(&t->in_bytes, wire_bytes_at_a_time(&parcel->wire));
        return moved_on(t, parcel, PARCEL_DATA);
}

static bool data_arrived(struct transport *t, struct parcel *parcel)
{
        if (!request_done(t, &parcel->data_request))
                return false;
        parcel->data_done += parcel->chunk;
        if (parcel->data_done < parcel->wire.data_bytes) {
                start_chunk(t, parcel);
                return true;
        }
        atomic_fetch_sub(&t->in_bytes, wire_bytes_at_a_time(&parcel->wire));
        return moved_on(t, parcel, PARCEL_READY);
}

static bool step(struct transport *t, struct parcel *parcel)
{
        switch (parcel->state) {
        case PARCEL_BODY:
                return body_arrived(t, parcel);
        case PARCEL_WAITS:
                return data_starts(t, parcel);
        case PARCEL_DATA:
                return data_arrived(t, parcel);
        default:
                return false;
        }
}

/* Move the first messages of a source on, then handle those that have all arrived, in order. */
static bool advance(struct transport *t, struct source *source)
{
        bool moved = false;
        struct parcel *parcel = source->list.head;
        for (int n = 0; parcel && n < SOURCE_WINDOW; n++, parcel = parcel->next)
                while (step(t, parcel))
                        moved = true;
        while (source->list.head && source->list.head->state == PARCEL_READY) {
                parcel = parcel_list_pop(&source->list);
                take_turn(t, parcel->peer, &parcel->wire, parcel->payload);
                parcel_give(&t->spare_in, parcel);
                moved = true;
        }
        return moved;
}

static bool advance_busy(struct transport *t)
{
        bool moved = false;
        for (int32_t i = 0; i < t->nbusy; i++) {
                struct source *source = &t->source[t->busy[i]];
                moved |= advance(t, source);
                if (!source->list.head)
                        t->busy[i--] = t->busy[--t->nbusy];
        }
        return moved;
}

/* A message that must wait, for what is apart or for earlier ones: into the queue of its source. */
static void enqueue(struct transport *t, int32_t from, const struct wire *wire, const void *payload)
{
        size_t travelled = wire_data_inside(wire);
        struct parcel *parcel =
            parcel_take(t, &t->spare_in, sizeof(*wire) + wire->body_bytes + travelled);
        parcel->peer = from;
        parcel->wire = *wire;
        parcel->state = wire->data_apart ? PARCEL_WAITS : PARCEL_READY;
        if (wire->body_apart) {
                parcel->state = PARCEL_BODY;
                receive(t, parcel, parcel->payload, wire->body_bytes, wire->tag,
                        &parcel->body_request);
        } else {
                memcpy(parcel->payload, payload, wire->body_bytes + travelled);
        }
        struct source *source = &t->source[from];
        if (!source->list.head)
                t->busy[t->nbusy++] = from;
        parcel_list_add(&source->list, parcel);
}

static void start_slot(struct transport *t, struct slot *slot)
{
        transport_check(t, PMPI_Start(&slot->request), "MPI_Start");
}

static void take_in(struct transport *t, int32_t from, const struct wire *wire,
                    const unsigned char *payload)
{
        if (t->source[from].list.head || wire->body_apart || wire->data_apart)
                enqueue(t, from, wire, payload);
        else
                take_turn(t, from, wire, payload);
}

/* The next message of a rank of this machine; it is handled where it lies. */
static bool take_from_inbox(struct transport *t)
{
        int32_t from;
        const struct wire *wire = inbox_first(t->inbox, &from);
        if (!wire)
                return false;
        take_in(t, from, wire, (const unsigned char *)(wire + 1));
        inbox_drop(t->inbox);
        return true;
}

/* The next message of whatever rank, where there is one. Slots are filled in the order in which
 * they were started, which is that of their use. */
static bool take_from_slot(struct transport *t)
{
        int found = 0;
        MPI_Status status;
        struct slot *slot = &t->slot[t->next_slot];
        transport_check(t, PMPI_Test(&slot->request, &found, &status), "MPI_Test");
        if (!found)
                return false;
        take_in(t, status.MPI_SOURCE, &slot->parcel->wire, slot->parcel->payload);
        start_slot(t, slot);
        t->next_slot = (t->next_slot + 1) % NSLOT;
        return true;
}

/* Where nothing can come by MPI it is called all the same then and now: the program's own transfers
 * may need somebody in it. */
static bool take_next(struct transport *t)
{
        enum { LOOKS_PER_CALL = 16 };
        if (take_from_inbox(t))
                return true;
        bool needed = !inbox_reaches_all(t->inbox) || t->in_vain++ % LOOKS_PER_CALL == 0;
        return needed && take_from_slot(t);
}

bool receive_lap(struct transport *t)
{
        bool moved = false;
        for (int n = 0; n < MESSAGES_PER_LAP && take_next(t); n++)
                moved = true;
        return t->nbusy > 0 ? advance_busy(t) || moved : moved;
}

void receive_nudge(struct transport *t)
{
        for (int32_t i = 0; i < t->nbusy; i++)
                bell_ring(t->bell, t->busy[i]);
}

void receive_start(struct transport *t)
{
        for (int i = 0; i < NSLOT; i++) {
                struct slot *slot = &t->slot[i];
                slot->parcel = parcel_take(t, &t->spare_in, SMALL_BYTES);
                transport_check(t,
                                PMPI_Recv_init(&slot->parcel->wire, SMALL_BYTES, MPI_BYTE,
                                               MPI_ANY_SOURCE, TAG_WIRE, t->control,
                                               &slot->request),
                                "MPI_Recv_init");
                start_slot(t, slot);
        }
}

void receive_stop(struct transport *t)
{
        for (int i = 0; i < NSLOT && t->slot[i].parcel; i++) {
                struct slot *slot = &t->slot[i];
                PMPI_Cancel(&slot->request);
                PMPI_Wait(&slot->request, MPI_STATUS_IGNORE);
                PMPI_Request_free(&slot->request);
                parcel_give(&t->spare_in, slot->parcel);
                slot->parcel = NULL;
        }
}
