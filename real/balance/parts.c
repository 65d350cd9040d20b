/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/parts.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "base/clock.h"
#include "real/measure/clocks.h"

/* Of the region, one at a time in a process. */
static double region_speed;
static _Atomic int64_t longest_ns, sum_ns;

/* Of a thread. What it sleeps costs a reading of files: not of one that was never seen to sleep. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
        int depth;
        bool opens, works, sleeper;
        int64_t begin_cpu_ns, asleep_ns, told_ns;  /* of the part; of its length, in the sum */
        int64_t wall_ns, cpu_ns, delay_ns, sleeps; /* when it last went on */
} self;

static void begin_part(void)
{
        self.begin_cpu_ns = clock_cpu_ns();
        self.asleep_ns = self.told_ns = 0;
        self.works = false;
}

static int64_t length_ns(int64_t cpu_ns)
{
        return (int64_t)((double)(cpu_ns - self.begin_cpu_ns) / region_speed) + self.asleep_ns;
}

static void go_on(void)
{
        self.works = true;
        self.wall_ns = clock_ns();
        self.cpu_ns = clock_cpu_ns();
        self.sleeps = clocks_sleeps();
        self.delay_ns = self.sleeper ? clocks_own_delay_ns() : 0;
}

static void count_sleep(int64_t cpu_ns)
{
        int64_t wall_ns = clock_ns() - self.wall_ns;
        if (clocks_sleeps() == self.sleeps)
                return;
        int64_t delay_ns = clocks_own_delay_ns() - self.delay_ns;
        int64_t asleep_ns = wall_ns - (cpu_ns - self.cpu_ns) - delay_ns;
        if (self.sleeper && asleep_ns > 0)
                self.asleep_ns += asleep_ns;
        self.sleeper = true;
}

/* So far; what the part does behind a wait comes on top of it. */
static void publish(int64_t lasts_ns)
{
        int64_t known_ns = atomic_load(&longest_ns);
        while (lasts_ns > known_ns &&
               !atomic_compare_exchange_weak(&longest_ns, &known_ns, lasts_ns))
                ;
}

static void halt(void)
{
        int64_t cpu_ns = clock_cpu_ns();
        if (!self.works)
                return;
        self.works = false;
        count_sleep(cpu_ns);
        int64_t lasts_ns = length_ns(cpu_ns);
        publish(lasts_ns);
        atomic_fetch_add(&sum_ns, lasts_ns - self.told_ns);
        self.told_ns = lasts_ns;
}

void parts_fork(double speed)
{
        region_speed = speed;
        atomic_store(&longest_ns, 0);
        atomic_store(&sum_ns, 0);
        self.opens = true;
        begin_part();
}

/* Behind its part the thread that opens the region runs tasks, as the others may. */
struct parts_time parts_join(int32_t threads)
{
        int64_t lasts_ns = length_ns(clock_cpu_ns());
        publish(lasts_ns);
        self.opens = false;
        return (struct parts_time){
                .longest_ns = atomic_load(&longest_ns),
                .mean_ns =
                    atomic_load(&sum_ns) / (threads > 0 ? threads : 1) + lasts_ns - self.told_ns,
        };
}

void parts_start(void)
{
        if (self.depth++ > 0)
                return;
        if (self.opens)
                self.told_ns = length_ns(clock_cpu_ns());
        else
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
