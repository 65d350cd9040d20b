/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What sharing a CPU costs. The paper gives no such times; these are of Linux on Sandy Bridge:
 *
 * - A slice of 3 ms is the scheduler's least granularity with 8 CPUs and more (0.75 ms x 4). A
 *   switch takes 2 us, the usual answer of lmbench.
 * - Refilling: the 256 kB of a core's own cache at the core's share of memory bandwidth, 4.8 GB/s.
 * - A look for messages passes over the connections of an MPI library: 1 us, as the overhead of a
 *   message in models/platform.c. Waking a sleeper takes an interrupt and the scheduler: 5 us.
 * - Copying within a node is a read and a write of memory each way: 4.8 GB/s.
 * - Moving a process fills the cache of its new core: 20 MB of the socket at that bandwidth are 4
 * ms at most, of which an eighth is its own.
 * - Deciding: measured, tests/bench/bench_pack.c.
 */
#include "sim/systems/packing/packing.h"

static const char *const waitings[] = { "yield", "poll", "block", NULL };

#define MICROSECONDS(NAME, DEFAULT, HELP)                                                          \
        {                                                                                          \
                .name = NAME, .unit = "us", .type = LB_PARAM_NUMBER, .fallback = DEFAULT,          \
                .max = 1e6, .help = HELP                                                           \
        }

const struct lb_param packing_params[] = {
        [PACKING_POLICY] = { .name = "pack",
                             .type = LB_PARAM_CHOICE,
                             .choices = pack_names,
                             .help = "which processes share a CPU: the paper's greedy rule, the "
                                     "fewest CPUs, or none for comparison" },
        [PACKING_DOMAINS] = { .name = "pack_domains",
                              .unit = "nodes",
                              .type = LB_PARAM_INTEGER,
                              .fallback = 1,
                              .min = 1,
                              .max = 4096,
                              .help = "neighbouring nodes of the platform that are NUMA domains of "
                                      "one machine, whose processes are packed together" },
        [PACKING_WAITING] = { .name = "pack_waiting",
                              .type = LB_PARAM_CHOICE,
                              .choices = waitings,
                              .help = "what a process does that waits for messages and shares its "
                                      "CPU: yield (the paper), poll for a whole slice, or block" },
        [PACKING_SLICE_MS] = { .name = "pack_slice_ms",
                               .unit = "ms",
                               .type = LB_PARAM_NUMBER,
                               .fallback = 3,
                               .min = 0.001,
                               .max = 1e6,
                               .help = "time slice of processes that share a CPU" },
        [PACKING_SWITCH_US] = MICROSECONDS("pack_switch_us", 2, "a switch between processes"),
        [PACKING_REFILL_US] = MICROSECONDS(
            "pack_refill_us", 53, "and until one that calculates has its data back in cache"),
        [PACKING_POLL_US] = MICROSECONDS("pack_poll_us", 1, "a look for messages"),
        [PACKING_WAKE_US] = MICROSECONDS("pack_wake_us", 5,
                                         "pack_waiting block: from a message until its process "
                                         "runs"),
        [PACKING_COPY_GBPS] = { .name = "pack_copy_GBps",
                                .unit = "GB/s",
                                .type = LB_PARAM_NUMBER,
                                .fallback = 4.8,
                                .min = 1e-3,
                                .max = 1e6,
                                .help = "copying of messages within a node, by a core of speed 1" },
        [PACKING_MIGRATE_US] =
            MICROSECONDS("pack_migrate_us", 520, "moving a process to another CPU"),
        [PACKING_DECIDE_US] = MICROSECONDS("pack_decide_us", 3,
                                           "time of the first to arrive, for each process of its "
                                           "node, to decide on the packing"),
        [PACKING_NPARAM] = { .name = NULL },
};
