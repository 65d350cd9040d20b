/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBRUN_CHAMELEON_PRE_INIT_H
#define LBRUN_CHAMELEON_PRE_INIT_H

#include "chameleon.h"

/* There is nothing to be remembered from before main(): lbrun knows the processors. */
static inline void chameleon_pre_init(void)
{
}

#endif
