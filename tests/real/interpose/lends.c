/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of lends.F90: how many at a time there were at most. */
#include <stdatomic.h>
#include <time.h>

static atomic_int running, most;

void lends_task(void *argument);
int lends_most(void);

void lends_task(void *argument)
{
        (void)argument;
        int now = atomic_fetch_add(&running, 1) + 1, before = atomic_load(&most);
        while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
                ;
        nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
        atomic_fetch_sub(&running, 1);
}

int lends_most(void)
{
        return atomic_load(&most);
}
