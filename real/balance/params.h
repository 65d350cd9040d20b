/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_PARAMS_H
#define LB_REAL_BALANCE_PARAMS_H

#include "base/param.h"

/* Parameters of the host itself, of every system that runs on it. */
enum balance_param {
        BALANCE_ROUND_MS,   /* what all ranks measure together lasts so long at least */
        BALANCE_LOSS,       /* undone where rounds are longer by this part, beyond their scatter */
        BALANCE_LOSS_WHOLE, /* of the whole run that trials may cost */
        BALANCE_NPARAM
};
extern const struct lb_param balance_params[];

/* Which packing policy decides. */
extern const struct lb_param packing_live_params[];

#endif
