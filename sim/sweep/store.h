/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SWEEP_STORE_H
#define LB_SIM_SWEEP_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "sim/engine/sim.h"

/*
 * Where a sweep's results lie (private to sim/sweep). Of many, pages of a file in the sweep's
 * directory, which has no name and goes with the process: what is not looked at need not be in
 * memory. Where there is no directory, or its file system cannot, in memory.
 */
struct store {
        struct sim_result *result; /* [count], all zero at first; NULL without memory */
        size_t mapped;             /* bytes; 0: it is ordinary memory */
};

/* `directory` may be NULL. */
struct store store_create(const char *directory, int64_t count);
void store_destroy(struct store *store);

/* Drop from memory what lies in the file; it comes back when it is looked at. Other threads may
 * read and write meanwhile. */
void store_let_go(const struct store *store);

#endif
