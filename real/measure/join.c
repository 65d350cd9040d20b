/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread that is measured waits outside MPI for another to end. Where that calls MPI itself,
 * the rank waits for others as long as it is there (helpers.h). It may wait there from before the
 * part to measure begins until after it ends, so that nobody else would see these times come.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "real/measure/guest.h"
#include "real/measure/helpers.h"
#include "real/measure/rank.h"

__attribute__((visibility("default"))) int pthread_join(pthread_t thread, void **value);

/* Not in a child that was forked. */
static bool is_measured(void)
{
        const struct rank_file *file = rank_self.file;
        return rank_measured && file && file->meter.place == METER_OUT &&
               (long)getpid() == rank_self.pid;
}

/* Processor time before is none of the wait. False: the part to measure has ended. */
static bool begin(pthread_t thread)
{
        if (guest_cross())
                return false;
        struct meter *meter = &rank_self.file->meter;
        meter_go(meter, rank_now_ns(), METER_OUT);
        rank_read_clocks();
        helpers_await(thread, meter->last_ns);
        return true;
}

/* What is after the end of the part, or before its begin, is counted there. */
static void end(void)
{
        if (!is_measured()) {
                helpers_awaited(NULL, 0);
                return;
        }
        struct meter *meter = &rank_self.file->meter;
        int64_t now_ns = rank_now_ns(), next_ns = rank_self.next_ns;
        helpers_awaited(meter, now_ns < next_ns ? now_ns : next_ns);
        if (guest_cross())
                return;
        meter_go(meter, now_ns, METER_OUT);
        rank_read_clocks();
}

static int join(pthread_t thread, void **value)
{
        int (*next_join)(pthread_t, void **);
        void *next = dlsym(RTLD_NEXT, "pthread_join");
        memcpy(&next_join, &next, sizeof(next));
        return next_join(thread, value);
}

/* ETIMEDOUT: the thread has not ended until the part to measure begins or ends. */
static int join_in_part(pthread_t thread, void **value)
{
        if (rank_self.next_ns == INT64_MAX)
                return join(thread, value);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        int64_t until_ns = until.tv_nsec + rank_self.next_ns - rank_wall_ns();
        until.tv_sec += until_ns / 1000000000;
        until.tv_nsec = until_ns % 1000000000;
        return until_ns > 0 ? pthread_timedjoin_np(thread, value, &until) : ETIMEDOUT;
}

int pthread_join(pthread_t thread, void **value)
{
        while (is_measured() && begin(thread)) {
                int failed = join_in_part(thread, value);
                end();
                if (failed != ETIMEDOUT)
                        return failed;
        }
        return join(thread, value);
}
