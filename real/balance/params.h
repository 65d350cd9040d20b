/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_PARAMS_H
#define LB_REAL_BALANCE_PARAMS_H

#include "base/param.h"

/* Parameters of the host itself, of every system that runs on it. */
enum balance_param {
        BALANCE_ROUND_MS,   /* what all ranks measure together lasts so long at least */
        BALANCE_LOSS,       /* undone where rounds are longer by this part, beyond their scatter */
        BALANCE_LOSS_WHOLE, /* of the whole run that trials may cost */
        BALANCE_LOOK,       /* of the time that looking at calls may take */
        BALANCE_POLICY_S,   /* a plugin's that decides for longer ends the job */
        BALANCE_NPARAM
};
extern const struct lb_param balance_params[];

/* Threads of teams that have nothing to do spin so long at most, unless the user says how they wait
 * (docs/facts.md P3): their CPU may be another rank's meanwhile. */
enum { BALANCE_SPIN_MS = 1 };

/* Which packing policy decides. */
extern const struct lb_param packing_live_params[];

/* Of dpb: which policy decides, and how iterations are measured, as in lbsim. */
enum dpb_live_param {
        DPB_LIVE_POLICY,
        DPB_LIVE_PERIODS,
        DPB_LIVE_DISCARD,
        DPB_LIVE_WINDOW,
        DPB_LIVE_CONFIRM,
        DPB_LIVE_WHEN,
        DPB_LIVE_NPARAM
};
enum dpb_live_when { DPB_SYNCHRONOUS = 0, DPB_ASYNCHRONOUS };
extern const struct lb_param dpb_live_params[];

/* Of auto: how long it measures, and what is worth a change. */
enum auto_live_param { AUTO_LIVE_ROUNDS, AUTO_LIVE_LEAST, AUTO_LIVE_NPARAM };
extern const struct lb_param auto_live_params[];

/* Of dlb: its mechanisms. */
enum dlb_live_param { DLB_LIVE_LEWI, DLB_LIVE_DROM, DLB_LIVE_POLL_S, DLB_LIVE_NPARAM };
extern const struct lb_param dlb_live_params[];

#endif
