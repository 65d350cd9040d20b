/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/balance/spin.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "real/mpi/polite_impl.h"

/* Of this thread, since when; 0: it does not. */
static _Thread_local __attribute__((tls_model("initial-exec"))) int64_t spins_ns;

void spin_begin(void)
{
        spins_ns = clock_ns();
}

void spin_end(void)
{
        spins_ns = 0;
}

static void rest(void)
{
        if (spins_ns > 0)
                polite_rest(spins_ns);
}

/* ---- How MPI looks once ---- */

#ifdef OPEN_MPI
#define LOOK "opal_progress"
typedef int look_function(void); /* void before version 5 */
look_function opal_progress;
#else
#define LOOK "ucp_worker_progress"
typedef unsigned look_function(void *worker);
look_function ucp_worker_progress;
#endif

/* MPI's own: each turn of each of its waits comes here. */
static look_function *find_behind(void)
{
        static _Atomic(look_function *) known;
        look_function *look = atomic_load_explicit(&known, memory_order_relaxed);
        if (look)
                return look;
        void *symbol = dlsym(RTLD_NEXT, LOOK);
        memcpy(&look, &symbol, sizeof(look));
        atomic_store_explicit(&known, look, memory_order_relaxed);
        return look;
}

#ifdef OPEN_MPI
int opal_progress(void)
{
        int found = find_behind()();
        rest();
        return found;
}
#else
unsigned ucp_worker_progress(void *worker)
{
        unsigned found = find_behind()(worker);
        if (found == 0)
                rest();
        return found;
}
#endif
