/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/waits.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "real/balance/lull.h"
#include "real/balance/ordered.h"
#include "real/balance/spin.h"
#include "real/mpi/polite_impl.h"
#include "real/mpi/transport.h"

static const int64_t LONG_NS = 10000000000;

/* One per process by nature: MPI calls have no argument for it. */
static struct {
        const struct balance *b; /* NULL: no job, or no more */
        struct await *await;
        int64_t awaited;
        /* Waits are polite, and collective ones, as all ranks know; and those also in a lull. */
        atomic_bool alone, together, always;
        atomic_bool failed;  /* a collective call of this rank */
        atomic_bool forgoes; /* of some rank, as all know */
} own;

/* ---- Which ---- */

static bool is_lull(void)
{
        return own.b && lull_is_on(own.b->lull);
}

/* Are this rank's own waits polite now? */
static bool waits_alone(void)
{
        return own.alone && (own.always || !is_lull());
}

static bool waits_politely(const struct interpose_call *call)
{
        if (interpose_is_collective(call->kind))
                return own.together && ordered_is_free(call);
        return waits_alone();
}

/* Each rank as it likes. What all of them do alike is another's (real/mpi/polite_calls.c). */
bool waits_in_circle(const struct interpose_call *call)
{
        return waits_alone() && !own.failed &&
               (call->comm == MPI_COMM_NULL ||
                (!own.together && !polite_is_duplicated(call->comm)));
}

bool waits_long(int64_t start_ns)
{
        return clock_ns() - start_ns > LONG_NS;
}

/* In a lull the rank goes on as the program does by itself; on virtual CPUs, where it would compute
 * at its waits, later. */
static bool waits_in_vain(int64_t start_ns)
{
        return own.always ? waits_long(start_ns) : is_lull();
}

/* A rank that has had a call fail, at which MPI waits for nobody, may have more of them. */
static bool meets_in_vain(int64_t start_ns)
{
        return own.failed || waits_in_vain(start_ns);
}

/* Before a call in which MPI itself waits: all are there, or may come later. */
static void wait_in_mpi(bool all)
{
        if (all)
                spin_begin_met();
        else if (own.b && waits_alone())
                spin_begin();
}

/* MPI itself waits, where a rank may wait as it likes. */
static void wait_plainly(const struct interpose_call *call)
{
        if (own.b && interpose_may_wait(call->kind) && waits_alone())
                spin_begin();
}

/* ---- Changes ---- */

static void set_polite(bool alone, bool together)
{
        own.alone = alone;
        own.together = together && !own.forgoes;
        polite_set_on(alone || own.together);
}

void balance_wait_politely(const struct balance *b, bool on)
{
        bool teams = b->system->region_begin != NULL;
        bool politely = on || (b->virtual_cpus && teams);
        own.always = b->virtual_cpus && teams;
        set_polite(politely, b->apart ? own.together : politely);
}

bool waits_together(void)
{
        return own.together;
}

void waits_together_as_alone(void)
{
        set_polite(own.alone, own.alone);
}

bool waits_have_failed(void)
{
        return own.failed;
}

void waits_forgo_together(void)
{
        own.forgoes = true;
        set_polite(own.alone, false);
}

/* ---- Calls ---- */

void waits_come(const struct interpose_call *call)
{
        if (!own.await || !own.together || polite_is_duplicated(call->comm))
                return;
        int64_t number = ++own.awaited;
        if (own.failed)
                await_come(own.await, own.b, number, own.b->size);
        else
                (void)await_all(own.await, own.b, number, own.b->size, waits_in_vain);
}

void waits_note(const struct interpose_call *call)
{
        if (call->failed && interpose_is_collective(call->kind))
                atomic_store(&own.failed, true);
}

/* ---- Begin and end ---- */

void waits_load(void)
{
        polite_set_choice(waits_politely);
        polite_set_vain(meets_in_vain);
        polite_set_plain(wait_plainly);
        polite_set_met(wait_in_mpi);
}

void waits_begin(const struct balance *b, struct await *await)
{
        own.await = await;
        own.b = b;
}

void waits_end(void)
{
        own.b = NULL;
}
