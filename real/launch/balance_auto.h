/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_BALANCE_AUTO_H
#define LB_REAL_LAUNCH_BALANCE_AUTO_H

#include <stdbool.h>

#include "base/option.h"
#include "real/launch/balance_report.h"

/*
 * lbrun --system auto: once all ranks have measured, lbsim simulates what each system would make of
 * their loads, the best is chosen, and the ranks are told (real/balance/auto.c). What saves time
 * comes first, then what frees CPUs at the same time.
 */
struct balance_auto {
        const char *directory;
        const struct lb_option_list *param;
        bool quiet;
        bool done;
        struct balance_prediction chosen; /* .system NULL: nothing was, so far */
};

/* Is lbsim there? */
int balance_auto_check(struct lb_error *err) LB_MUST_CHECK;

/* Now and then while the program runs. */
void balance_auto_look(struct balance_auto *automatic);

#endif
