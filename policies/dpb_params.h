/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_DPB_PARAMS_H
#define LB_POLICIES_DPB_PARAMS_H

#include "policies/dpd.h"

/* Entries of a table of parameters that every host of the processors' policies has, simulated or
 * live: when an iteration is one, and how many are measured before a decision. */
#define DPB_PARAM_PERIODS                                                                          \
        {                                                                                          \
                .name = "dpb_periods", .unit = "iterations", .type = LB_PARAM_INTEGER,             \
                .fallback = 3, .min = 1, .max = 10000,                                             \
                .help = "iterations that times are averaged over before a decision; the "          \
                        "paper says a few"                                                         \
        }
#define DPB_PARAM_DISCARD                                                                          \
        {                                                                                          \
                .name = "dpb_discard", .type = LB_PARAM_SWITCH, .fallback = 1, .max = 1,           \
                .help = "do not count the iteration under way at a change: part of it "            \
                        "was before"                                                               \
        }
#define DPB_PARAM_WINDOW                                                                           \
        {                                                                                          \
                .name = "dpd_window", .unit = "calls", .type = LB_PARAM_INTEGER, .fallback = 256,  \
                .min = 1, .max = DPD_WINDOW_MAX,                                                   \
                .help = "longest iteration that is found, in MPI calls"                            \
        }
#define DPB_PARAM_CONFIRM                                                                          \
        {                                                                                          \
                .name = "dpd_confirm", .unit = "iterations", .type = LB_PARAM_INTEGER,             \
                .fallback = 2, .min = 1, .max = DPD_CONFIRM_MAX,                                   \
                .help = "an iteration must repeat so often to be one"                              \
        }

#endif
