/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/host/params.h"

#include <stddef.h>

const char *const ownership_choices[] = { "idle", "boundary", NULL };
