/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data under way. Home knows where everything is and orders pieces to where a task needs them; a
 * piece has a number, and whoever has the data sends it straight to the place:
 *
 *      home --COPY(piece, place)--> source --DATA(piece)--> place <--TASK(pieces)-- home
 *
 * - What home has itself goes with TASK where it is one stretch of memory; of several the last
 * does. Home may have it at other addresses (the options of lbrun_task()).
 * - Only ready tasks are placed, so what they read is final and stays as it is until they finish.
 * - DATA may come before the TASK that it is for, and later tasks at the place may read the piece
 *   without having ordered it: they wait for it as well, since TASKs come in order.
 */
#include <stdlib.h>
#include <string.h>

#include "real/runtime/process.h"

struct waiter {
        struct task *task;
        struct waiter *next;
};

struct piece {
        uint64_t id;
        uintptr_t begin;
        size_t bytes;
        bool arrived;  /* before it was expected */
        bool for_home; /* a taskwait brings it home */
        struct waiter *waiter;
        struct piece *next;
};

/* What a TASK says of each piece. */
struct ordered {
        uint64_t id, begin, bytes;
};

/* A piece that is to be copied; where home has it itself, it is there so far behind. */
struct stretch {
        struct where_copy copy; /* bytes 0: none */
        uintptr_t apart;
};

struct pieces_expected {
        struct piece *first, **end; /* expected, or arrived early; they come about in this order */
        struct ordered *order;      /* [norder] scratch */
        int32_t norder, room;
        int32_t place;
        bool for_home;
        uintptr_t apart;     /* of the access at hand */
        struct stretch next; /* to be ordered, where no more of it follows */
        struct stretch with; /* goes with the task, unless another does */
};

struct copy_message {
        uint64_t id, begin, bytes;
        int32_t rank; /* that it goes to */
};

void copies_start(struct process *p)
{
        p->expected = calloc(1, sizeof(*p->expected));
        if (!p->expected)
                fail("lbrun_start", "out of memory");
        p->expected->end = &p->expected->first;
        p->next_piece = (uint64_t)p->apprank << 40; /* different ones where appranks meet */
}

void copies_stop(struct process *p)
{
        for (struct piece *piece = p->expected->first, *next; piece; piece = next) {
                next = piece->next;
                free(piece);
        }
        free(p->expected->order);
        free(p->expected);
}

/* ---- Pieces ---- */

static void add_piece(struct process *p, const struct piece *what)
{
        struct piece *piece = malloc(sizeof(*piece));
        if (!piece)
                fail("lbrun", "out of memory for data transfers");
        *piece = *what;
        piece->next = NULL;
        *p->expected->end = piece;
        p->expected->end = &piece->next;
}

/* Out of the list; NULL where there is none. */
static struct piece *take_piece(struct process *p, uint64_t id)
{
        struct piece **at = &p->expected->first;
        while (*at && (*at)->id != id)
                at = &(*at)->next;
        struct piece *piece = *at;
        if (!piece)
                return NULL;
        *at = piece->next;
        if (!*at)
                p->expected->end = at;
        return piece;
}

/* ---- Ordering, at home ---- */

static void send_data(struct process *p, uint64_t id, const struct stretch *stretch, int32_t rank)
{
        const struct where_copy *copy = &stretch->copy;
        struct transport_post post = {
                .destination = rank,
                .kind = MESSAGE_DATA,
                .body = &id,
                .body_bytes = sizeof(id),
                .data = (const void *)(copy->begin + stretch->apart),
                .data_to = (void *)copy->begin,
                .data_bytes = copy->bytes,
        };
        p->offloaded_bytes += (int64_t)copy->bytes;
        migrate_post(p, &post);
}

static void remember(struct pieces_expected *e, struct ordered ordered)
{
        if (e->norder == e->room) {
                int32_t room = e->room ? 2 * e->room : 64;
                struct ordered *grown = realloc(e->order, (size_t)room * sizeof(*grown));
                if (!grown)
                        fail("lbrun_task", "out of memory for data transfers");
                e->order = grown;
                e->room = room;
        }
        e->order[e->norder++] = ordered;
}

static void expect_at_home(struct process *p, const struct ordered *ordered)
{
        add_piece(p, &(struct piece){ .id = ordered->id,
                                      .begin = ordered->begin,
                                      .bytes = ordered->bytes,
                                      .for_home = true });
        p->home_missing++;
}

static void order(struct process *p, const struct stretch *stretch)
{
        struct pieces_expected *e = p->expected;
        const struct where_copy *copy = &stretch->copy;
        struct ordered ordered = { ++p->next_piece, copy->begin, copy->bytes };
        if (e->for_home)
                expect_at_home(p, &ordered);
        else
                remember(e, ordered);
        if (copy->source == 0) {
                send_data(p, ordered.id, stretch, place_rank(p, e->place));
                return;
        }
        struct copy_message message = { ordered.id, copy->begin, copy->bytes,
                                        place_rank(p, e->place) };
        struct transport_post post = { .destination = place_rank(p, copy->source),
                                       .kind = MESSAGE_COPY,
                                       .body = &message,
                                       .body_bytes = sizeof(message) };
        transport_post(p->transport, &post);
}

static void order_next(struct process *p)
{
        struct pieces_expected *e = p->expected;
        struct stretch stretch = e->next;
        e->next.copy.bytes = 0;
        if (stretch.copy.bytes > 0 && stretch.copy.source == 0) { /* to another place: the latest
                                                                     is kept */
                struct stretch former = e->with;
                e->with = stretch;
                stretch = former;
        }
        if (stretch.copy.bytes > 0)
                order(p, &stretch);
}

/* What follows in memory, from the same place, is one message with it, whichever access it is of.
 */
static void order_copy(void *context, const struct where_copy *copy)
{
        struct process *p = context;
        struct pieces_expected *e = p->expected;
        struct where_copy *next = &e->next.copy;
        if (next->bytes > 0 && next->source == copy->source && e->next.apart == e->apart &&
            next->begin + next->bytes == copy->begin) {
                next->bytes += copy->bytes;
                return;
        }
        order_next(p);
        e->next = (struct stretch){ *copy, e->apart };
}

struct copies copies_order(struct process *p, struct task *task, bool runs)
{
        struct pieces_expected *e = p->expected;
        e->norder = 0;
        e->with.copy.bytes = 0;
        e->place = task->place;
        e->for_home = false;
        int status = 0;
        for (int32_t i = 0; i < task->naccess && status == 0; i++) {
                const struct lbrun_access *a = &task->access[i];
                e->apart = task_home(task, i) - (uintptr_t)a->address;
                if (a->bytes > 0 && (a->mode & LBRUN_IN) &&
                    memory_spans(p->memory, (uintptr_t)a->address, a->bytes))
                        status = where_need(p->where, (uintptr_t)a->address, a->bytes, task->place,
                                            order_copy, p);
        }
        order_next(p);
        for (int32_t i = 0; runs && i < task->naccess && status == 0; i++) {
                const struct lbrun_access *a = &task->access[i];
                if (a->bytes > 0 && (a->mode & LBRUN_OUT) &&
                    memory_spans(p->memory, (uintptr_t)a->address, a->bytes))
                        status =
                            where_write(p->where, (uintptr_t)a->address, a->bytes, task->place);
        }
        if (status < 0)
                fail("lbrun_task", "out of memory for the places of data");
        struct copies copies = { .piece = (const uint64_t *)e->order, .npiece = e->norder };
        const struct where_copy *with = &e->with.copy;
        if (with->bytes > 0) {
                copies.data = (const void *)(with->begin + e->with.apart);
                copies.data_to = (void *)with->begin;
                copies.bytes = with->bytes;
        }
        return copies;
}

void copies_bring_home(struct process *p)
{
        p->expected->place = 0;
        p->expected->apart = 0;
        p->expected->for_home = true;
        if (where_need_all(p->where, order_copy, p) < 0)
                fail("lbrun_taskwait", "out of memory for the places of data");
        order_next(p);
}

void copies_returned(struct process *p, const struct task *task)
{
        int status = 0;
        for (int32_t i = 0; i < task->naccess && status == 0; i++) {
                const struct lbrun_access *a = &task->access[i];
                if (a->bytes > 0 && (a->mode & LBRUN_OUT))
                        status = where_return(p->where, (uintptr_t)a->address, a->bytes);
        }
        if (status < 0)
                fail("lbrun_task", "out of memory for the places of data");
}

/* ---- Expecting, where the task runs ---- */

static void wait_for(struct piece *piece, struct task *task)
{
        struct waiter *waiter = malloc(sizeof(*waiter));
        if (!waiter)
                fail("lbrun_task", "out of memory for data transfers");
        *waiter = (struct waiter){ task, piece->waiter };
        piece->waiter = waiter;
        task->missing++;
}

static void expect(struct process *p, const struct ordered *ordered)
{
        struct piece *early = take_piece(p, ordered->id);
        if (early)
                free(early);
        else
                add_piece(p, &(struct piece){ .id = ordered->id,
                                              .begin = ordered->begin,
                                              .bytes = ordered->bytes });
}

static bool reads(const struct task *task, const struct piece *piece)
{
        for (int32_t i = 0; i < task->naccess; i++) {
                const struct lbrun_access *a = &task->access[i];
                uintptr_t begin = (uintptr_t)a->address;
                if (access_touches(a) && begin < piece->begin + piece->bytes &&
                    piece->begin < begin + a->bytes)
                        return true;
        }
        return false;
}

void copies_expect(struct process *p, struct task *task, const uint64_t *piece, int32_t npiece)
{
        const struct ordered *ordered = (const struct ordered *)piece;
        for (int32_t i = 0; i < npiece; i++)
                expect(p, &ordered[i]);
        for (struct piece *other = p->expected->first; other; other = other->next)
                if (!other->arrived && reads(task, other))
                        wait_for(other, task);
}

/* ---- Messages ---- */

void copies_on_copy(void *user, const struct transport_message *message)
{
        struct process *p = user;
        struct copy_message copy;
        message_read(message, &copy, sizeof(copy));
        if (copy.rank < 0 || copy.rank >= p->job->nworker ||
            !memory_spans(p->memory, copy.begin, copy.bytes))
                message_refuse(message);
        lock(p);
        struct stretch stretch = { .copy = { .begin = copy.begin, .bytes = copy.bytes } };
        send_data(p, copy.id, &stretch, copy.rank);
        unlock(p);
}

static void arrived(struct process *p, struct piece *piece)
{
        for (struct waiter *waiter = piece->waiter, *next; waiter; waiter = next) {
                next = waiter->next;
                if (--waiter->task->missing == 0)
                        task_runnable(p, waiter->task);
                free(waiter);
        }
        if (piece->for_home && --p->home_missing == 0) {
                atomic_store_explicit(&p->news, true, memory_order_relaxed);
                thread_signal(p, &p->main_thread);
        }
        free(piece);
}

void copies_on_data(void *user, const struct transport_message *message)
{
        struct process *p = user;
        uint64_t id;
        message_read(message, &id, sizeof(id));
        lock(p);
        struct piece *piece = take_piece(p, id);
        if (piece)
                arrived(p, piece);
        else
                add_piece(p, &(struct piece){ .id = id, .arrived = true });
        unlock(p);
}
