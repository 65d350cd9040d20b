/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/systems/chameleon/chameleon.h"

static const char *const comm_cores[] = {
        [COMM_CORE_TAKEN] = "taken",
        [COMM_CORE_EXTRA] = "extra",
        [COMM_CORE_SHARED] = "shared",
        [COMM_CORE_N] = NULL,
};

static const char *const transfers[] = {
        [TRANSFER_PLATFORM] = "platform",
        [TRANSFER_MEASURED] = "measured",
        [TRANSFER_N] = NULL,
};

/*
 * Defaults are of the paper's time and cluster; "original" is the library of 2022, measured on
 * stock Linux (docs/facts.md C1, C8).
 *
 * - turn_us: 1,267,978 exchanges in 17.42 s (4.1, experiment 1) are 13.74 us each, if that is the
 *   count of one rank. An exchange takes two turns of the communication thread's loop, one that
 *   posts it and one that finds it complete; so measured with the library of 2022, assumed for
 *   2019. Since 2021 the loop sleeps, and a turn takes 65 us.
 * - queue_us, queue_contention_us: a task costs 0.6 us more than one of OpenMP where one thread has
 *   the queue, 0.8 to 1.5 where two share it, half to put it there, half to take it (docs/facts.md
 *   C9, measured with gcc on another machine): taken as 0.3 and 0.5 an operation. Each further
 * thread that waits adds as much as the second, as at locks that all waiters try for (Anderson,
 * IEEE Transactions on Parallel and Distributed Systems 1 (1990), 6): assumed.
 * - eager_bytes: the default of the fabric's library, PSM2_MQ_RNDV_HFI_THRESH.
 */
const struct lb_param cham_params[] = {
        [CHAM_MIGRATE] = { .name = "migrate",
                           .type = LB_PARAM_CHOICE,
                           .choices = migrate_names,
                           .help = "which rank gets tasks: the counterpart in the order of loads, "
                                   "the least loaded, or none" },
        [CHAM_COMM_CORE] = { .name = "comm_core",
                             .type = LB_PARAM_CHOICE,
                             .fallback = COMM_CORE_TAKEN,
                             .choices = comm_cores,
                             .help = "core of a rank's communication thread: one of the rank's "
                                     "(the paper's default), one beyond those of the platform "
                                     "(its experiment 3), or one where a thread executes tasks "
                                     "too, from which it takes no time (lbrun's, which sleeps)" },
        [CHAM_TURN_US] = { .name = "turn_us",
                           .unit = "us",
                           .type = LB_PARAM_NUMBER,
                           .fallback = 6.87,
                           .min = 0.01,
                           .max = 1e6,
                           .help = "time of one turn of the communication thread's loop",
                           .differs = true,
                           .original = 65 },
        [CHAM_EXCHANGE_TURNS] = { .name = "exchange_turns",
                                  .type = LB_PARAM_INTEGER,
                                  .fallback = 2,
                                  .min = 1,
                                  .max = 1000,
                                  .help = "turns that an exchange of loads takes at least" },
        [CHAM_EXCHANGE_US] = { .name = "exchange_us",
                               .unit = "us",
                               .type = LB_PARAM_NUMBER,
                               .max = 1e9,
                               .help = "and as many as last about so long, but at once where "
                                       "a rank has nothing more to do, as lbrun's (50)" },
        [CHAM_QUEUE_US] = { .name = "queue_us",
                            .unit = "us",
                            .type = LB_PARAM_NUMBER,
                            .fallback = 0.3,
                            .max = 1e6,
                            .help = "time to put a task in a rank's queue or to take one, one "
                                    "thread at a time" },
        [CHAM_QUEUE_CONTENTION_US] = { .name = "queue_contention_us",
                                       .unit = "us",
                                       .type = LB_PARAM_NUMBER,
                                       .fallback = 0.2,
                                       .max = 1e6,
                                       .help = "and so much more for each other thread that waits "
                                               "for the queue meanwhile" },
        [CHAM_TRANSFER] = { .name = "transfer",
                            .type = LB_PARAM_CHOICE,
                            .choices = transfers,
                            .help = "how long messages take: by platform.network, or as measured "
                                    "by the authors on their cluster for such buffers" },
        [CHAM_EAGER_BYTES] = { .name = "eager_bytes",
                               .unit = "bytes",
                               .type = LB_PARAM_INTEGER,
                               .fallback = 64000,
                               .max = 1e12,
                               .help = "longer messages wait until the receiver asks for them" },
        [CHAM_RESULTS_PER_TURN] = { .name = "results_per_turn",
                                    .type = LB_PARAM_INTEGER,
                                    .fallback = 1,
                                    .min = 1,
                                    .max = 65535,
                                    .help = "results that a communication thread sends, and "
                                            "receives, in one turn; the library's is that of "
                                            "migrate_at_once" },
        [CHAM_CANCEL] = { .name = "replicate_cancel",
                          .type = LB_PARAM_SWITCH,
                          .fallback = 1,
                          .max = 1,
                          .help = "who begins a replicated task at home tells the other rank" },
        [CHAM_UNDER_WAY] = { .name = "under_way",
                             .type = LB_PARAM_SWITCH,
                             .max = 1,
                             .help =
                                 "a rank adds to another's load what it has sent there and that "
                                 "load has not in it yet, as lbrun does; false: an old load "
                                 "draws more tasks than are missing" },
        [CHAM_NPARAM] = { .name = NULL },
};
