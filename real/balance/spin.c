/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/balance/spin.h"

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
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

static pthread_once_t once = PTHREAD_ONCE_INIT;

#ifdef OPEN_MPI
int opal_progress(void); /* void before version 5 */

static int (*look)(void);

static void find_look(void)
{
        void *function = dlsym(RTLD_NEXT, "opal_progress");
        memcpy(&look, &function, sizeof(look));
}

int opal_progress(void)
{
        pthread_once(&once, find_look);
        int found = look();
        rest();
        return found;
}
#else
unsigned ucp_worker_progress(void *worker);

static unsigned (*look)(void *worker);

static void find_look(void)
{
        void *function = dlsym(RTLD_NEXT, "ucp_worker_progress");
        memcpy(&look, &function, sizeof(look));
}

unsigned ucp_worker_progress(void *worker)
{
        pthread_once(&once, find_look);
        unsigned found = look(worker);
        if (found == 0)
                rest();
        return found;
}
#endif
