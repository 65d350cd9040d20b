/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/spin.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "real/mpi/polite_impl.h"
#include "real/openmp/openmp.h"

/* Of this thread, since when; 0: it does not. */
static _Thread_local __attribute__((tls_model("initial-exec"))) int64_t spins_ns;
/* It rests from then on; before it sleeps it gives way for so long. */
static _Thread_local __attribute__((tls_model("initial-exec"))) int64_t rests_ns;
static const int64_t MET_SPIN_NS = 20000, MET_GIVE_WAY_NS = 1000000;

void spin_begin(void)
{
        spins_ns = rests_ns = clock_ns();
}

void spin_begin_met(void)
{
        rests_ns = clock_ns() + MET_SPIN_NS;
        spins_ns = rests_ns + MET_GIVE_WAY_NS;
}

void spin_end(void)
{
        spins_ns = 0;
}

static void rest(void)
{
        if (spins_ns > 0 && clock_ns() >= rests_ns)
                polite_rest(spins_ns);
}

/* ---- How MPI looks once ---- */

#ifdef OPEN_MPI
int opal_progress(void); /* void before version 5 */

int opal_progress(void)
{
        OPENMP_NEXT(opal_progress)
        int found = hand_on();
        rest();
        return found;
}
#else
unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
        OPENMP_NEXT(ucp_worker_progress)
        unsigned found = hand_on(worker);
        if (found == 0)
                rest();
        return found;
}
#endif
