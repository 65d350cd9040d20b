/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the runtime system costs. Neither the paper nor its code states processor times per task;
 * ours are the order of magnitude of OmpSs-2's published task overheads, and small beside 50 ms
 * tasks, so that results hardly depend on them. Polls are the original's (docs/facts.md O2, O10):
 * the message thread sleeps 1 ms between sweeps, instances exchange figures every 0.5 s.
 */
#include "sim/engine/sim.h"

static const char *const solver_nodes[] = { "first", "least_loaded", NULL };
static const char *const looks[] = { "apart", "together", NULL };
static const char *const solver_times[] = { "model", "given", "none", NULL };

const struct lb_param runtime_params[] = {
        [RUNTIME_CREATE_US] = { .name = "create_us",
                                .unit = "us",
                                .type = LB_PARAM_NUMBER,
                                .fallback = 1,
                                .min = 0,
                                .max = 1e6,
                                .help = "processor time to create a task, on a core of the apprank "
                                        "(assumed)" },
        [RUNTIME_TASK_US] = { .name = "task_us",
                              .unit = "us",
                              .type = LB_PARAM_NUMBER,
                              .fallback = 2,
                              .min = 0,
                              .max = 1e6,
                              .help = "processor time to schedule, start and finish a task "
                                      "(assumed)" },
        [RUNTIME_MESSAGE_POLL_US] = { .name = "message_poll_us",
                                      .unit = "us",
                                      .type = LB_PARAM_NUMBER,
                                      .fallback = 1000,
                                      .min = 0,
                                      .max = 1e6,
                                      .help =
                                          "a worker looks for messages this often; 0: at once" },
        [RUNTIME_LOOKS] = { .name = "looks",
                            .unit = "",
                            .type = LB_PARAM_CHOICE,
                            .fallback = LOOKS_APART,
                            .choices = looks,
                            .help = "when workers look for messages: each at times of its own, and "
                                    "what nodes tell each other at polls is known at once; or all "
                                    "at the same times, and that travels as messages, so that one "
                                    "run can use several cores (lbsim run --jobs)" },
        [RUNTIME_PHASE_SEED] = { .name = "phase_seed",
                                 .unit = "",
                                 .type = LB_PARAM_INTEGER,
                                 .fallback = 0,
                                 .max = 9007199254740991,
                                 .help = "seed of when each worker first looks for messages and "
                                         "each node first polls; 0: the scenario's. Other ones "
                                         "tell what is due to that alone, with the same loads" },
        [RUNTIME_POLL_S] = HOST_PARAM_POLL_S,
        [RUNTIME_POLL_ITERATIONS] = HOST_PARAM_POLL_ITERATIONS,
        [RUNTIME_POLL_CPU_US] = { .name = "poll_cpu_us",
                                  .unit = "us",
                                  .type = LB_PARAM_NUMBER,
                                  .fallback = 0,
                                  .min = 0,
                                  .max = 1e6,
                                  .help = "processor time of a worker's poll where no core of its "
                                          "node is idle (as lbrun's: 2 us with MPICH, 11 with Open "
                                          "MPI; every 0.5 s that is nothing)" },
        [RUNTIME_PLACE_CPU_US] = { .name = "place_cpu_us",
                                   .unit = "us",
                                   .type = LB_PARAM_NUMBER,
                                   .fallback = 0,
                                   .min = 0,
                                   .max = 1e6,
                                   .help = "processor time to decide once where tasks go, beyond "
                                           "create_us and task_us" },
        [RUNTIME_OWNERSHIP] = HOST_PARAM_OWNERSHIP,
        [RUNTIME_TALK_ONLY] = HOST_PARAM_TALK_ONLY,
        [RUNTIME_SOLVER_TIME] = { .name = "solver_time",
                                  .unit = "",
                                  .type = LB_PARAM_CHOICE,
                                  .fallback = SOLVER_TIME_MODEL,
                                  .choices = solver_times,
                                  .help = "time of a global decision: by "
                                          "measured growth, given, or none" },
        [RUNTIME_SOLVER_MS] = { .name = "solver_ms",
                                .unit = "ms",
                                .type = LB_PARAM_NUMBER,
                                .fallback = 57,
                                .min = 0,
                                .max = 1e6,
                                .help =
                                    "solver_time given: that time; 57 ms for the original at 32 "
                                    "nodes" },
        [RUNTIME_SOLVER_NODE] = { .name = "solver_node",
                                  .unit = "",
                                  .type = LB_PARAM_CHOICE,
                                  .fallback = SOLVER_NODE_FIRST,
                                  .choices = solver_nodes,
                                  .help = "where global decisions are made: on the first node (of "
                                          "each group that is solved apart), as in the paper, or "
                                          "on the one that was least busy" },
        [RUNTIME_GATHER_US] = { .name = "gather_us",
                                .unit = "us",
                                .type = LB_PARAM_NUMBER,
                                .fallback = 1,
                                .min = 0,
                                .max = 1e6,
                                .help = "processor time to take in the figures of one node before "
                                        "a global decision (assumed: one message)" },
        [RUNTIME_SCATTER_US] = { .name = "scatter_us",
                                 .unit = "us",
                                 .type = LB_PARAM_NUMBER,
                                 .fallback = 1,
                                 .min = 0,
                                 .max = 1e6,
                                 .help = "processor time to tell one node the outcome (assumed: "
                                         "one message)" },
        [RUNTIME_ASK] = HOST_PARAM_ASK,
        [RUNTIME_ASK_WAITING] = HOST_PARAM_ASK_WAITING,
        [RUNTIME_COST_HINTS] = { .name = "cost_hints",
                                 .unit = "",
                                 .type = LB_PARAM_SWITCH,
                                 .fallback = 0,
                                 .max = 1,
                                 .help = "the program says what each task costs (as lbrun's may, "
                                         "here exactly): the dearest held ones go first, and "
                                         "placement is told" },
        [RUNTIME_TARGETS] = { .name = "targets",
                              .unit = "",
                              .type = LB_PARAM_SWITCH,
                              .fallback = 0,
                              .max = 1,
                              .help = "with LeWI but without DROM, too, it is decided who should "
                                      "own how many cores, which placement may count "
                                      "(place_cores); none moves",
                              .differs = true,
                              .original = 1 },
        [RUNTIME_NPARAM] = { .name = NULL },
};
