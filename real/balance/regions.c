/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel regions of the program (real/openmp): the host's guest there, for its system. */
#include <stddef.h>

#include "base/clock.h"
#include "real/balance/host.h"
#include "real/balance/host_impl.h"
#include "real/balance/parts.h"
#include "real/balance/team.h"
#include "real/openmp/openmp.h"

/* Regions within regions of the thread that is balanced are the program's own. */
static _Thread_local __attribute__((tls_model("initial-exec"))) int depth;

static bool is_meant(void)
{
        return host_is_balanced();
}

/* On virtual CPUs the meter has what is outside of regions, where it looks. */
static void open_parts(struct balance *b)
{
        b->parts = b->virtual_cpus && !host_rests();
        if (!b->parts)
                return;
        host_go(b, METER_TEAM);
        parts_fork(b->speed);
}

static struct parts_time close_parts(struct balance *b, int32_t threads)
{
        struct parts_time time = parts_join(threads);
        b->parts = false;
        b->parts_ns += time.longest_ns;
        host_go(b, METER_OUT);
        return time;
}

/* As far as is known, its threads share it evenly. */
static struct parts_time whole_region(const struct balance *b)
{
        int64_t lasted_ns = clock_ns() - b->region_ns;
        return (struct parts_time){ lasted_ns, lasted_ns };
}

static int32_t begin(int32_t most)
{
        struct balance *b = balance_self();
        if (depth++ > 0)
                return 0;
        b->regions++;
        b->free = most > 0;
        if (host_rests() && heed_call(&b->heed))
                host_attend();
        int32_t threads = b->system->region_begin ? b->system->region_begin(b, most) : 0;
        b->region_ns = clock_ns();
        open_parts(b);
        return threads;
}

static void end(int32_t threads)
{
        struct balance *b = balance_self();
        if (--depth != 0 || !b)
                return;
        struct parts_time time = b->parts ? close_parts(b, threads) : whole_region(b);
        b->regions_s += 1e-9 * (double)time.longest_ns;
        alike_add(&b->ended, 1, 1e-9 * (double)time.longest_ns);
        if (b->free)
                b->even_s += 1e-9 * (double)time.mean_ns;
        if (b->system->region_end)
                b->system->region_end(b);
}

static void start_part(void)
{
        struct balance *b = balance_self();
        if (b && b->system->region_thread && (depth <= 1))
                b->system->region_thread(b, openmp_thread());
        if (b && b->virtual_cpus)
                parts_start();
}

const struct openmp_guest openmp_guest = {
        .wanted = host_is_wanted,
        .meant = is_meant,
        .fork = begin,
        .join = end,
        .asked = team_asked,
        .start = start_part,
        .stop = parts_stop,
        .pause = parts_pause,
        .resume = parts_resume,
        .singles = true,
};
