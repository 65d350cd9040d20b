/* SPDX-License-Identifier: BSD-3-Clause */

/* What chameleon_lib.f90 calls, for a program that has no C of its own. */
#include "chameleon.h"
