/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_GUEST_H
#define LB_REAL_MEASURE_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "real/measure/rank.h"

/* By the thread that is measured: the part to measure begins or ends, where its time has come. Is
 * nothing measured any more? Without a look at the clock where no such time is to come. */
bool guest_cross_then(void);
static inline bool guest_cross(void)
{
        return rank_self.next_ns != INT64_MAX && guest_cross_then();
}

#endif
