/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_BOARD_IMPL_H
#define LB_REAL_NODE_BOARD_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "real/node/board.h"

/*
 * For the core managers: their table is part of the board's segment, so that it is there for as
 * long as the board is. All is zero at first.
 */
struct board_reason {
        _Atomic int32_t state; /* 0: none, 1: being written, 2: there */
        char text[508];
};

struct board_cores {
        int32_t nworker, worker, ncore;
        _Atomic uint64_t *word;    /* [ncore] */
        _Atomic int32_t *at_start; /* [nworker] cores owned at the start, plus 1; 0: not yet told */
        _Atomic uint32_t *vote;    /* [nworker] how far each has come with starting DLB */
        struct board_reason *reason; /* why one could not */
};

struct board_cores board_cores(struct board *board);

/* The worker has died without closing. */
bool board_is_dead(struct board *board, int32_t worker);

#endif
