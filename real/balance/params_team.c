/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters of the systems that move CPUs among ranks: dpb and dlb. */
#include "policies/dpb.h"
#include "policies/dpb_params.h"
#include "real/balance/params.h"
#include "real/balance/team.h"

static const char *const whens[] = { "synchronous", "asynchronous", NULL };
const struct lb_param dpb_live_params[] = {
        [DPB_LIVE_POLICY] = { .name = "processors",
                              .type = LB_PARAM_CHOICE,
                              .choices = dpb_names,
                              .help = "who moves CPUs among a node's ranks" },
        [DPB_LIVE_PERIODS] = DPB_PARAM_PERIODS,
        [DPB_LIVE_DISCARD] = DPB_PARAM_DISCARD,
        [DPB_LIVE_WINDOW] = DPB_PARAM_WINDOW,
        [DPB_LIVE_CONFIRM] = DPB_PARAM_CONFIRM,
        [DPB_LIVE_WHEN] = { .name = "dpb_when",
                            .type = LB_PARAM_CHOICE,
                            .choices = whens,
                            .help = "CPUs change hands at the edges of regions and in MPI calls; "
                                    "or at once, with regions under way going on with as many "
                                    "threads on the CPUs that are left" },
        [DPB_LIVE_NPARAM] = { .name = NULL },
};

const struct lb_param dlb_live_params[] = {
        [DLB_LIVE_LEWI] = { .name = "lewi",
                            .type = LB_PARAM_SWITCH,
                            .fallback = 1,
                            .max = 1,
                            .help = "lend CPUs while the rank waits in MPI" },
        [DLB_LIVE_DROM] = { .name = "drom",
                            .type = LB_PARAM_SWITCH,
                            .fallback = 1,
                            .max = 1,
                            .help = "CPUs change owner, by the local policy" },
        [DLB_LIVE_POLL_S] = { .name = "poll_s",
                              .unit = "s",
                              .type = LB_PARAM_NUMBER,
                              .fallback = 1,
                              .min = 0.001,
                              .max = 3600,
                              .help = "how often busy CPUs are measured and ownership is decided" },
        [DLB_LIVE_NPARAM] = { .name = NULL },
};

static const char *const malleables[] = { "auto", "threads", "asked", "affinity", NULL };
static const char *const managers[] = { "builtin", "dlb", "auto", NULL };
const struct lb_param team_params[] = {
        [TEAM_MALLEABLE] = { .name = "malleable",
                             .type = LB_PARAM_CHOICE,
                             .choices = malleables,
                             .help = "regions have any number of threads; at most as many as the "
                                     "program was told; or keep theirs, and only their CPUs "
                                     "change. auto: by what the program asks" },
        [TEAM_THREADS] = { .name = "threads_first",
                           .unit = "threads",
                           .type = LB_PARAM_INTEGER,
                           .max = 4096,
                           .help = "what the program is told at first; 0: OMP_NUM_THREADS, or all "
                                   "that it could have" },
        [TEAM_CORES_BY] = { .name = "cores_by",
                            .type = LB_PARAM_CHOICE,
                            .choices = managers,
                            .help = "who keeps the books of a node's CPUs: this program, or an "
                                    "installed DLB" },
        [TEAM_NODE_CPUS] = { .name = "node_cpus",
                             .unit = "CPUs",
                             .type = LB_PARAM_INTEGER,
                             .max = 1024,
                             .help =
                                 "a node has so many in place of its own, which threads are not "
                                 "moved to: for threads that sleep; 0: its own" },
        [TEAM_TRIAL] = { .name = "threads_trial",
                         .type = LB_PARAM_SWITCH,
                         .max = 1,
                         .help = "another number of threads for each region, whatever CPUs there "
                                 "are: does the program stand that?" },
        [TEAM_NPARAM] = { .name = NULL },
};
