/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* Not the private kind: sleepers and wakers are of different processes. */
static long call(struct futex *futex, int operation, uint32_t value, const struct timespec *until)
{
        return syscall(SYS_futex, &futex->wakes, operation, value, until, NULL,
                       FUTEX_BITSET_MATCH_ANY);
}

/*
 * Both sides first write and then read (sequentially consistent): either the waker sees a sleeper,
 * or the kernel, which compares under its own lock, sees a count that is not the ticket's.
 *
 * Who wakes sleepers counts them out, as many as the kernel says: it may take long until they run,
 * and who wakes meanwhile would else call for nothing. A wait returns 0 where it was counted so.
 */
void futex_sleep(struct futex *futex, uint32_t ticket, int64_t timeout_ns)
{
        if (timeout_ns == 0 || futex_ticket(futex) != ticket)
                return;

        struct timespec until = clock_after(timeout_ns < 0 ? 0 : timeout_ns);
        while (futex_ticket(futex) == ticket) {
                atomic_fetch_add(&futex->sleepers, 1);
                long failed =
                    call(futex, FUTEX_WAIT_BITSET, ticket, timeout_ns < 0 ? NULL : &until);
                if (!failed)
                        continue;
                atomic_fetch_sub(&futex->sleepers, 1);
                if (errno != EINTR && errno != EAGAIN)
                        break;
        }
}

void futex_rouse(struct futex *futex)
{
        if (atomic_load(&futex->sleepers) == 0)
                return;
        long woken = call(futex, FUTEX_WAKE_BITSET, INT_MAX, NULL);
        if (woken > 0)
                atomic_fetch_sub(&futex->sleepers, (uint32_t)woken);
}

void futex_wake(struct futex *futex)
{
        futex_count(futex);
        futex_rouse(futex);
}
