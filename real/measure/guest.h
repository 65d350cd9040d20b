/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_GUEST_H
#define LB_REAL_MEASURE_GUEST_H

#include <stdbool.h>

/* By the thread that is measured: the part to measure begins or ends, where its time has come. Is
 * nothing measured any more? */
bool guest_cross(void);

#endif
