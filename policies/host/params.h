/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_HOST_PARAMS_H
#define LB_POLICIES_HOST_PARAMS_H

#include "base/param.h"
#include "policies/alloc.h"

/* Parameters of what surrounds the policies of a node: entries of each host's own table. */

/* Which cores change owner. */
enum ownership { OWNERSHIP_IDLE, OWNERSHIP_BOUNDARY };
extern const char *const ownership_choices[]; /* their names, NULL-ended */

#define HOST_PARAM_POLL_S                                                                          \
        {                                                                                          \
                .name = "poll_s", .unit = "s", .type = LB_PARAM_NUMBER, .fallback = 0.5,           \
                .min = 0.001, .max = 3600,                                                         \
                .help = "measurements are exchanged and cores change owner this often"             \
        }

#define HOST_PARAM_POLL_ITERATIONS                                                                 \
        {                                                                                          \
                .name = "poll_iterations", .unit = "iterations", .type = LB_PARAM_NUMBER,          \
                .fallback = 0, .min = 0, .max = 1000,                                              \
                .help =                                                                            \
                    "poll_s is halved, not below 5 ms, until polls come in at most such a part "   \
                    "of an iteration; 0: never"                                                    \
        }

#define HOST_PARAM_OWNERSHIP                                                                       \
        {                                                                                          \
                .name = "ownership", .unit = "", .type = LB_PARAM_CHOICE,                          \
                .fallback = OWNERSHIP_IDLE, .choices = ownership_choices,                          \
                .help = "which cores change owner: idle ones at polls (as the original), or any "  \
                        "at its task boundary"                                                     \
        }

#define HOST_PARAM_TALK_ONLY                                                                       \
        {                                                                                          \
                .name = "talk_only", .unit = "", .type = LB_PARAM_CHOICE,                          \
                .fallback = ALLOC_TALK_SCARCE, .choices = alloc_talk_choices,                      \
                .help = "which helpers need own no core, and borrow: those of nodes with fewer "   \
                        "cores than workers, all, or none; without LeWI none"                      \
        }

#define HOST_PARAM_ASK                                                                             \
        {                                                                                          \
                .name = "ask", .unit = "", .type = LB_PARAM_SWITCH, .max = 1,                      \
                .help =                                                                            \
                    "a worker whose node has lent cores that nobody uses asks its apprank for "    \
                    "held tasks, by a message at once; false: it waits for the next poll"          \
        }

#define HOST_PARAM_ASK_WAITING                                                                     \
        {                                                                                          \
                .name = "ask_waiting", .unit = "", .type = LB_PARAM_SWITCH, .max = 1,              \
                .help = "with ask: once the program has created its tasks and none is held, a "    \
                        "helper that asks is given those that wait at home for a core"             \
        }

#endif
