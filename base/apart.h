/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_APART_H
#define LB_BASE_APART_H

/*
 * A rare path of a function that is called often is kept out of it: what the path alone needs,
 * saved registers and a guarded stack, is then not paid for on every call.
 */
#define LB_APART __attribute__((noinline))

#endif
