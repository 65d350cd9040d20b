/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread that is measured waits outside MPI for another to end. Where that calls MPI itself,
 * the rank waits for others as long as it is there (helpers.h).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "real/measure/helpers.h"
#include "real/measure/rank.h"

__attribute__((visibility("default"))) int pthread_join(pthread_t thread, void **value);

/* Not in a child that was forked, nor once the part to measure ends, or begins. */
static bool is_measured(void)
{
        const struct rank_file *file = rank_self.file;
        return rank_measured && file && file->meter.place == METER_OUT &&
               (long)getpid() == rank_self.pid && rank_wall_ns() < rank_self.next_ns;
}

/* Processor time before is none of the wait. */
static void begin(pthread_t thread)
{
        struct meter *meter = &rank_self.file->meter;
        meter_go(meter, rank_now_ns(), METER_OUT);
        rank_read_clocks();
        helpers_await(thread, meter->last_ns);
}

static void end(void)
{
        if (!is_measured()) {
                helpers_awaited(NULL, 0);
                return;
        }
        struct meter *meter = &rank_self.file->meter;
        int64_t now_ns = rank_now_ns();
        helpers_awaited(meter, now_ns);
        meter_go(meter, now_ns, METER_OUT);
        rank_read_clocks();
}

int pthread_join(pthread_t thread, void **value)
{
        int (*join)(pthread_t, void **);
        void *next = dlsym(RTLD_NEXT, "pthread_join");
        memcpy(&join, &next, sizeof(next));
        bool measured = is_measured();
        if (measured)
                begin(thread);
        int failed = join(thread, value);
        if (measured)
                end();
        return failed;
}
