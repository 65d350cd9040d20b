/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/mpi/transport_impl.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "real/interpose/interpose.h"
#include "real/node/slice.h"

/*
 * How the thread waits. It looks on for spin_us after the last thing that moved, and longer while
 * data is under way: as long as that may take. Now and then it yields its core. Then it takes a
 * ticket of its bell, looks again, and sleeps. A ring after the ticket was taken ends the sleep:
 * none is lost. One look may miss a message that has arrived (MPI libraries look at a part of their
 * devices at a time), so there are always several.
 *
 * While another thread attends, which looks without a pause, this one stands by: it sleeps, and no
 * ring wakes it. Should the other not have looked for a while, as it has found something to do
 * that takes longer, it no longer attends. Who has attended for long is given more time.
 */
enum { LAPS_PER_YIELD = 16, LAPS_LAST = 8 };
static const int64_t BYTES_PER_NS = 2;           /* of data under way: slower counts as stuck, */
static const int64_t PATIENCE_MAX_NS = 20000000; /* as does this without a chunk */
static const int64_t PAUSE_MIN_NS = 20000;
static const int64_t PAUSE_MAX_NS = 1000000;
enum { PAUSE_PART = 8 }; /* of the time since something moved */
static const int64_t STAND_BY_NS = 200000, STAND_BY_MAX_NS = 2000000;
enum { STAND_BY_PART = 8, PIECES = 2 }; /* of the time that others have attended; of theirs */
/* A look may find nothing although the bell has rung: another thread of the program, in an MPI call
 * of its own, has the message half taken in. So the first sleep is short; each in vain is twice as
 * long. An idle MPI library, too, may have work of its own that nobody rings for. */
static const int64_t SLEEP_MIN_NS = 10000000;
static const int64_t SLEEP_MAX_NS = 100000000;

bool request_done(const struct transport *t, MPI_Request *request)
{
        int done = 1;
        if (*request != MPI_REQUEST_NULL)
                transport_check(t, PMPI_Test(request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        return done;
}

static bool pending(const struct transport *t)
{
        return atomic_load(&t->nbusy) > 0 || atomic_load(&t->out_count) > 0;
}

static int64_t spin_until_ns(const struct transport *t)
{
        int64_t patience_ns =
            (atomic_load(&t->in_bytes) + atomic_load(&t->out_bytes)) / BYTES_PER_NS;
        patience_ns = patience_ns < PATIENCE_MAX_NS ? patience_ns : PATIENCE_MAX_NS;
        return t->active_ns + patience_ns + (int64_t)(t->spec.spin_us * 1e3);
}

static void nudge(struct transport *t)
{
        send_nudge(t);
        pthread_mutex_lock(&t->look);
        receive_nudge(t);
        pthread_mutex_unlock(&t->look);
}

/* With nothing pending. */
static int64_t idle_ns(struct transport *t, uint32_t ticket)
{
        int64_t poll_ns = (int64_t)(t->spec.message_poll_us * 1e3);
        int64_t most_ns =
            bell_reaches_all(t->bell) || poll_ns > SLEEP_MAX_NS ? SLEEP_MAX_NS : poll_ns;
        bool again = ticket == t->idle_ticket && t->idle_ns > 0;
        t->idle_ns = again ? 2 * t->idle_ns : SLEEP_MIN_NS;
        t->idle_ns = t->idle_ns < most_ns ? t->idle_ns : most_ns;
        t->idle_ticket = ticket;
        return t->idle_ns;
}

/* How long to sleep; with requests pending, both sides are asked to look, less and less often. */
static int64_t sleep_ns(struct transport *t, uint32_t ticket)
{
        if (pending(t)) {
                nudge(t);
                int64_t pause_ns = (clock_ns() - t->active_ns) / PAUSE_PART;
                pause_ns = pause_ns > PAUSE_MIN_NS ? pause_ns : PAUSE_MIN_NS;
                return pause_ns < PAUSE_MAX_NS ? pause_ns : PAUSE_MAX_NS;
        }
        return idle_ns(t, ticket);
}

static void beat(const struct transport *t)
{
        if (t->spec.beats)
                atomic_fetch_add_explicit(t->spec.beats, 1, memory_order_relaxed);
}

/* With `look`, which is given up. */
static bool look_on(struct transport *t)
{
        bool yields = t->set_yield && t->set_yield(false);
        beat(t);
        interpose_hide(true);
        bool moved = receive_lap(t);
        moved |= receive_self(t);
        moved |= send_lap(t);
        interpose_hide(false);
        if (yields)
                t->set_yield(true);
        pthread_mutex_unlock(&t->look);
        return moved;
}

static bool lap(struct transport *t)
{
        pthread_mutex_lock(&t->look);
        return look_on(t);
}

static bool is_attended(const struct transport *t)
{
        return bell_is_attended(t->bell) && !atomic_load(&t->stop);
}

/* Up to so many looks; false where nothing moved in any of them. */
static bool laps(struct transport *t, int most)
{
        for (int i = 0; i < most; i++)
                if (lap(t))
                        return true;
        return false;
}

/* Something moved: go on without a look at the clock until nothing does. */
static void work(struct transport *t)
{
        while (laps(t, LAPS_PER_YIELD))
                continue;
        t->active_ns = clock_ns();
}

/* Sleep until the bell rings after `ticket`, or long enough, and look again. Not where another
 * thread began to attend before the ticket was taken: then no ring would end the sleep. */
static void sleep_on(struct transport *t, uint32_t ticket)
{
        if (is_attended(t))
                return;
        bool waited_for = pending(t);
        bell_wait(t->bell, ticket, sleep_ns(t, ticket));
        if (!laps(t, LAPS_LAST))
                return;
        if (!waited_for && bell_ticket(t->bell) == ticket)
                atomic_fetch_add(&t->late, 1);
        work(t);
}

/* ---- Another thread looks ---- */

static int64_t stand_by_ns(struct transport *t, int64_t now_ns)
{
        if (t->stands_since_ns == 0)
                t->stands_since_ns = now_ns;
        int64_t part_ns = (now_ns - t->stands_since_ns) / STAND_BY_PART;
        int64_t least_ns = STAND_BY_NS + PIECES * atomic_load(&t->piece_ns);
        part_ns = part_ns < STAND_BY_MAX_NS ? part_ns : STAND_BY_MAX_NS;
        return part_ns > least_ns ? part_ns : least_ns;
}

static void stand_by(struct transport *t)
{
        int64_t now_ns = clock_ns(), left_ns = stand_by_ns(t, now_ns), until_ns = now_ns + left_ns;
        int64_t before = atomic_load(&t->looks);
        uint32_t ticket = bell_ticket(t->bell);
        atomic_store(&t->stands_by, true);
        while (left_ns > 0 && is_attended(t)) {
                bell_wait(t->bell, ticket, left_ns);
                ticket = bell_ticket(t->bell);
                left_ns = until_ns - clock_ns();
        }
        atomic_store(&t->stands_by, false);
        if (left_ns > 0 || atomic_load(&t->looks) != before)
                return;
        bell_attend(t->bell, false);
        if (t->spec.overdue)
                t->spec.overdue(t->spec.user);
}

void transport_attend(struct transport *t)
{
        bell_attend(t->bell, true);
        if (!atomic_load(&t->stands_by))
                bell_wake(t->bell);
}

/* Nothing moves here where another thread is at it. */
bool transport_look(struct transport *t)
{
        if (!bell_is_attended(t->bell))
                transport_attend(t);
        atomic_store_explicit(&t->piece_ns, 0, memory_order_relaxed);
        atomic_fetch_add(&t->looks, 1);
        return pthread_mutex_trylock(&t->look) == 0 && look_on(t);
}

/* Has something to be done, as far as can be told without MPI? */
static bool has_come(const struct transport *t)
{
        return !inbox_reaches_all(t->inbox) || !inbox_is_empty(t->inbox) || pending(t) ||
               atomic_load(&t->self_count) > 0;
}

void transport_glance(struct transport *t, int64_t piece_ns)
{
        atomic_store_explicit(&t->piece_ns, piece_ns, memory_order_relaxed);
        if (!bell_is_attended(t->bell))
                transport_attend(t);
        atomic_fetch_add(&t->looks, 1);
        beat(t);
        if (has_come(t) && pthread_mutex_trylock(&t->look) == 0)
                look_on(t);
}

/* The last look may have missed something: the transport's thread looks several times. */
void transport_leave(struct transport *t)
{
        bell_attend(t->bell, false);
        bell_wake(t->bell);
}

bool transport_is_attended(const struct transport *t)
{
        return bell_is_attended(t->bell);
}

/* ---- The transport's thread ---- */

static void *run(void *argument)
{
        struct transport *t = argument;
        slice_shorten();
        pthread_mutex_lock(&t->lock); /* t->thread is set */
        pthread_mutex_unlock(&t->lock);
        work(t);
        while (!atomic_load(&t->stop) || pending(t)) {
                if (is_attended(t)) {
                        stand_by(t);
                        continue;
                }
                t->stands_since_ns = 0;
                bool spins = clock_ns() < spin_until_ns(t);
                if (spins)
                        sched_yield();
                uint32_t ticket = spins ? 0 : bell_ticket(t->bell);
                if (laps(t, spins ? LAPS_PER_YIELD : LAPS_LAST))
                        work(t);
                else if (!spins && !atomic_load(&t->stop))
                        sleep_on(t, ticket);
        }
        return NULL;
}

/*
 * With mpi_yield_when_idle, which lbrun sets for the program's own calls, Open MPI gives the
 * processor away in each call that finds nothing: on a loaded machine for a whole slice (see
 * slice_shorten()). Whoever looks here has a rule of its own for that. There is no public way to
 * change it at run time; what has not this function is left as it is.
 */
static void find_set_yield(struct transport *t)
{
        void *function = dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle");
        memcpy(&t->set_yield, &function, sizeof(function));
}

int thread_start(struct transport *t, struct lb_error *err)
{
        static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
        sigset_t all, old;
        sigfillset(
            &all); /* signals are the program's, but what handlers do wrong here is told here */
        for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
                sigdelset(&all, crashes[i]);
        find_set_yield(t);
        pthread_mutex_lock(&t->lock);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        int why = pthread_create(&t->thread, NULL, run, t);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        t->running = why == 0;
        pthread_mutex_unlock(&t->lock);
        if (why)
                return lb_error_fail(err, "cannot start the thread for messages: %s",
                                     strerror(why));
        return 0;
}

void thread_stop(struct transport *t)
{
        if (!t->running)
                return;
        atomic_store(&t->stop, true);
        bell_wake(t->bell);
        pthread_join(t->thread, NULL);
        t->running = false;
}
