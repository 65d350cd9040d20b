/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MPI_TRANSPORT_H
#define LB_REAL_MPI_TRANSPORT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Messages between the ranks of a job over MPI: small ones, and data that lands where it belongs
 * without a copy. A thread of its own in every rank receives and calls the handlers; it sleeps
 * while nothing moves (real/node/bell.h) and looks again for spin_us after the last message. Other
 * threads may look in its place (transport_attend()): handlers are then called on them.
 *
 * - Messages from one rank to another arrive in the order in which they were posted; a handler is
 * called when all of its message has arrived, data included, one handler at a time.
 * - A handler must not block; it may post messages.
 * - Any thread may post. What is posted is copied, except data, which must stay untouched until it
 *   is said to be sent.
 * - Data may land before handlers of earlier messages are called, on one machine before the message
 *   itself, except where it would land over data of an earlier message from the same rank: never
 *   before that one's handler has returned.
 * - Data that stays as it is until the message has been handled is fetched by who handles it, on
 * one machine, so that the poster need not copy: give it where the poster has more to do.
 * - A message to the caller's own rank is handled like any other; its data stays where it is.
 */
enum { TRANSPORT_KIND_MAX = 32, TRANSPORT_BODY_MAX = 1 << 20 };

/* A message as a handler sees it; all of it is gone when the handler returns. */
struct transport_message {
        int32_t source; /* rank */
        int32_t kind;   /* 0 .. TRANSPORT_KIND_MAX-1 */
        size_t body_bytes;
        const void *body; /* aligned to 16 bytes */
        void *data;       /* where the data of the message now is, or NULL */
        size_t data_bytes;
};
typedef void (*transport_handler)(void *user, const struct transport_message *message);
typedef void (*transport_sent)(void *user, void *argument);

struct transport_spec {
        MPI_Comm parent; /* duplicated */
        const char *job;
        double spin_us, message_poll_us;
        transport_handler handler[TRANSPORT_KIND_MAX]; /* NULL: not expected, an error */
        void *user;
        _Atomic uint64_t *beats; /* counted up at every look for messages; may be NULL */
        transport_sent sent; /* data of a message posted with `sent_argument` may be touched again;
                                may be NULL; called as handlers are */
        void (*overdue)(
            void *user); /* a thread that attended has not looked for a while, and does
                            not attend any more; may be NULL; by the transport's thread */
};

struct transport_post {
        int32_t destination; /* rank; may be the caller's own */
        int32_t kind;
        size_t body_bytes; /* <= TRANSPORT_BODY_MAX */
        const void *body;
        const void *data; /* sent from here; NULL: none */
        void *data_to;    /* where it is received there; NULL: at the same address */
        size_t data_bytes;
        bool data_stays;     /* nothing writes it until the message has been handled */
        void *sent_argument; /* where there is data */
};

struct transport;

/*
 * Collective over parent; needs MPI_THREAD_MULTIPLE. Where one rank fails, all return NULL, those
 * that were well with a message that says so. A handler may be called before it returns: another
 * rank may be faster. The thread starts with all signals blocked but those of crashes and the
 * caller's affinity.
 */
struct transport *transport_create(const struct transport_spec *spec, struct lb_error *err);

/*
 * Sends what is posted, in all ranks and by handlers too, until nothing is under way anywhere; ends
 * the thread. Collective: it waits for the others, politely. Takes NULL, where all ranks do.
 */
void transport_destroy(struct transport *transport);

/*
 * Cannot fail: where memory runs out or MPI fails, the job ends with a message. True: as far as the
 * transport goes, its data may be touched again already, and sent() is not called.
 */
bool transport_post(struct transport *transport, const struct transport_post *post);

/*
 * For a thread that waits for messages, and has nothing else to do: it looks itself, so that nobody
 * need be woken. transport_attend(), then transport_look() again and again, which calls handlers,
 * and is true where something moved; so without any lock that handlers take. transport_leave()
 * where nothing came: its thread is woken. Who has got what it waited for, and will soon
 * look again, just does not look meanwhile: the transport's thread takes over where that takes
 * long. Any number of threads.
 */
void transport_attend(struct transport *transport);
bool transport_look(struct transport *transport);
void transport_leave(struct transport *transport);
/* A look between pieces of work that are short, by a thread that has more of them; attends, too.
 * piece_ns is how long the last one took: as long again is no reason to take over. */
void transport_glance(struct transport *transport, int64_t piece_ns);
bool transport_is_attended(const struct transport *transport);

struct transport_figures {
        int64_t messages, bytes, data_bytes; /* posted by this rank; bytes are those of bodies */
        int64_t copy_ns; /* processor time of its copies from and to others' memory */
        int64_t late; /* sleeps that no bell ended although something came: 0 on one machine where
                         no other thread is in MPI */
};
struct transport_figures transport_figures(const struct transport *transport);

/*
 * Polite waits (real/mpi/polite*.c): the calls of the application that wait (MPI_Barrier,
 * MPI_Allreduce, MPI_Recv, MPI_Wait, ...), in any language, pass the layer of real/interpose, so
 * that they sleep between looks instead of burning a core, and so that the time in them is known.
 *
 * - Results are those of the call that the program made, to the last bit.
 * - A wait spins (yielding its core) for polite_set_spin(), then sleeps between looks for an eighth
 *   of the time waited so far, at most 200 us.
 * - Only calls of the main thread (the one that main() runs on) are timed; other threads' calls are
 *   polite too.
 */
int64_t polite_mpi_ns(void); /* time the main thread has spent in MPI calls that may wait */
/* Nobody asks for that: clocks are not read for it. */
void polite_forgo_times(void);

/*
 * What to do when the main thread begins to sleep in a wait, and when it goes on: for instance give
 * its core to others meanwhile. NULL: nothing. Not while a call waits.
 */
typedef void (*polite_hook)(void);
void polite_set_hooks(polite_hook sleeps, polite_hook goes_on);

/*
 * Told of every MPI call before it is made, by the thread that makes it. NULL: nobody. Any time.
 */
struct interpose_call;
typedef void (*polite_call)(const struct interpose_call *call);
void polite_set_told(polite_call told);

/* Told of every MPI call when it is over, as above. */
void polite_set_over(polite_call over);

/* Calls of which it says false wait as MPI does, also where waits are polite. NULL: none. Before
 * MPI begins. */
typedef bool (*polite_choice)(const struct interpose_call *call);
void polite_set_choice(polite_choice choice);

/* Told of every MPI call that waits as MPI does, where it is made. NULL: nobody. Before MPI begins.
 */
void polite_set_plain(polite_call plain);

/*
 * Asked while a rank waits for others before a collective call that computes (since start_ns): does
 * it wait in vain? Where it says true the call is made, in which MPI waits, or says what is wrong:
 * a call that fails waits for nobody, so the others may come to it only when this rank has left it.
 * NULL: nobody. Before MPI begins.
 */
typedef bool (*polite_vain)(int64_t start_ns);
void polite_set_vain(polite_vain vain);

/* Told just before that call is made: whether all are there, so that MPI does not wait long. NULL:
 * nobody. Before MPI begins. */
typedef void (*polite_met)(bool all);
void polite_set_met(polite_met met);

/* How long waits spin, 20 us unless set. Any time, from any thread. */
void polite_set_spin(double spin_us);

/*
 * Are waits polite? They are, unless this is set. Collective calls must be so in all of their ranks
 * or in none: it changes where all ranks of the job have met, and none is in a call of a thread.
 */
void polite_set_on(bool on);
bool polite_is_on(void);

/* How long MPI_Finalize() may last when all ranks have come to it; 0, as at first: for ever. */
void polite_set_finalize(double limit_s);

#endif
