/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/mpi/transport_impl.h"

#include <stdlib.h>

enum { PARCEL_ALIGN = 64 };

static struct parcel *make(struct transport *t, size_t capacity)
{
        size_t size = offsetof(struct parcel, wire) + capacity;
        size = size < sizeof(struct parcel) ? sizeof(struct parcel) : size;
        size = (size + PARCEL_ALIGN - 1) / PARCEL_ALIGN * PARCEL_ALIGN;
        struct parcel *parcel = aligned_alloc(PARCEL_ALIGN, size);
        if (!parcel)
                transport_die(t, "out of memory for a message of %zu bytes", capacity);
        parcel->capacity = capacity;
        return parcel;
}

struct parcel *parcel_take(struct transport *t, struct parcel_list *spare, size_t bytes)
{
        struct parcel *parcel = bytes <= SMALL_BYTES ? parcel_list_pop(spare) : NULL;
        if (!parcel)
                parcel = make(t, bytes <= SMALL_BYTES ? SMALL_BYTES : bytes);
        parcel->next = NULL;
        parcel->wire_request = MPI_REQUEST_NULL;
        parcel->body_request = MPI_REQUEST_NULL;
        parcel->data_request = MPI_REQUEST_NULL;
        parcel->state = PARCEL_NONE;
        parcel->data_done = 0;
        parcel->chunk = 0;
        parcel->tell_sent = false;
        parcel->enters = false;
        return parcel;
}

void parcel_give(struct parcel_list *spare, struct parcel *parcel)
{
        if (parcel->capacity == SMALL_BYTES && spare->count < PARCEL_SPARE_MAX) {
                parcel->next = spare->head; /* first the one that is still in the cache */
                spare->head = parcel;
                spare->tail = spare->tail ? spare->tail : parcel;
                spare->count++;
        } else {
                free(parcel);
        }
}

void parcel_list_add(struct parcel_list *list, struct parcel *parcel)
{
        parcel->next = NULL;
        if (list->tail)
                list->tail->next = parcel;
        else
                list->head = parcel;
        list->tail = parcel;
        list->count++;
}

struct parcel *parcel_list_pop(struct parcel_list *list)
{
        struct parcel *parcel = list->head;
        if (!parcel)
                return NULL;
        list->head = parcel->next;
        if (!list->head)
                list->tail = NULL;
        list->count--;
        return parcel;
}

void parcel_list_free(struct parcel_list *list)
{
        for (struct parcel *parcel; (parcel = parcel_list_pop(list));)
                free(parcel);
}
