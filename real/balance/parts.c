/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/parts.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "real/measure/clocks.h"

/* Of the region, one at a time in a process. */
static double region_speed;
static _Atomic int64_t longest_ns;

/* Of a thread. What it sleeps costs a reading of files: not of one that was never seen to sleep. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
        int depth;
        bool opens, works, sleeper;
        int64_t begin_cpu_ns, asleep_ns;           /* of the part */
        int64_t wall_ns, cpu_ns, delay_ns, sleeps; /* when it last went on */
} self;

static void begin_part(void)
{
        self.begin_cpu_ns = clocks_read(CLOCK_THREAD_CPUTIME_ID);
        self.asleep_ns = 0;
        self.works = false;
}

static void go_on(void)
{
        self.works = true;
        self.wall_ns = clocks_read(CLOCK_MONOTONIC);
        self.cpu_ns = clocks_read(CLOCK_THREAD_CPUTIME_ID);
        self.sleeps = clocks_sleeps();
        self.delay_ns = self.sleeper ? clocks_own_delay_ns() : 0;
}

static void count_sleep(int64_t cpu_ns)
{
        int64_t wall_ns = clocks_read(CLOCK_MONOTONIC) - self.wall_ns;
        if (clocks_sleeps() == self.sleeps)
                return;
        int64_t delay_ns = clocks_own_delay_ns() - self.delay_ns;
        int64_t asleep_ns = wall_ns - (cpu_ns - self.cpu_ns) - delay_ns;
        if (self.sleeper && asleep_ns > 0)
                self.asleep_ns += asleep_ns;
        self.sleeper = true;
}

/* So far; what the part does behind a wait comes on top of it. */
static void publish(int64_t cpu_ns)
{
        double work_ns = (double)(cpu_ns - self.begin_cpu_ns) / region_speed;
        int64_t length_ns = (int64_t)work_ns + self.asleep_ns;
        int64_t known_ns = atomic_load(&longest_ns);
        while (length_ns > known_ns &&
               !atomic_compare_exchange_weak(&longest_ns, &known_ns, length_ns))
                ;
}

static void halt(void)
{
        int64_t cpu_ns = clocks_read(CLOCK_THREAD_CPUTIME_ID);
        if (!self.works)
                return;
        self.works = false;
        count_sleep(cpu_ns);
        publish(cpu_ns);
}

void parts_fork(double speed)
{
        region_speed = speed;
        atomic_store(&longest_ns, 0);
        self.opens = true;
        begin_part();
}

int64_t parts_join_ns(void)
{
        if (self.opens)
                publish(clocks_read(CLOCK_THREAD_CPUTIME_ID));
        self.opens = false;
        return atomic_load(&longest_ns);
}

void parts_start(void)
{
        if (self.depth++ > 0)
                return;
        if (!self.opens)
                begin_part();
        go_on();
}

void parts_stop(void)
{
        if (self.depth > 0 && --self.depth == 0)
                halt();
}

void parts_pause(void)
{
        if (self.depth == 1)
                halt();
}

void parts_resume(void)
{
        if (self.depth == 1 && !self.works)
                go_on();
}
