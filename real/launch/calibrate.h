/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_CALIBRATE_H
#define LB_REAL_LAUNCH_CALIBRATE_H

#include "base/option.h"

/* lbrun calibrate: this machine's constants, for lbsim. */
extern const struct lb_command calibrate_command;

#endif
