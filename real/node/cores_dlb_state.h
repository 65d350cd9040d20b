/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_CORES_DLB_STATE_H
#define LB_REAL_NODE_CORES_DLB_STATE_H

#include "real/node/core_state.h"

/*
 * A core of the core manager over DLB: as in real/node/core_state.h a word of the board's table, in
 * which the worker that DLB has given a core says so, since DLB cannot be asked who has one. A
 * worker may use a core that both the table and DLB say it has:
 *
 * - who gives a core away says so in the table first, and then to DLB;
 * - who takes one has it from DLB first, and then says so in the table; where that has been
 * overtaken, it goes back to DLB.
 *
 *      owner user asked
 *        A    -    yes   asked back: being returned, or returned and not yet taken by A, who asks
 *                        DLB whether it is
 *        A    A    yes   the same of a core apart: A need not ask
 *
 * and the rest as there. What DLB does not know of is the table's alone: an unowned core, which DLB
 * lends to nobody, and a core apart. A core is set apart when it could never be had from DLB again:
 * its owner has left, or a worker has died that owned or used it.
 */
static inline bool core_in_table_only(struct core core)
{
        return core.apart || core.owner == CORE_NOBODY;
}

/* Nobody has it, and nobody waits for it. */
static inline bool core_in_pool(struct core core)
{
        return core.user == CORE_NOBODY && !core.asked;
}

/* The changes, as core_change. By the owner: */
bool core_dlb_lend(int32_t me, struct core *core);
bool core_dlb_take_back(int32_t me, struct core *core); /* nobody uses it */
bool core_dlb_ask(int32_t me, struct core *core);
bool core_dlb_drop(int32_t me, struct core *core);

/* By a borrower. */
bool core_dlb_borrow(int32_t me, struct core *core);      /* DLB has given it */
bool core_dlb_borrow_only(int32_t me, struct core *core); /* it is not DLB's to give */
bool core_dlb_let_go(int32_t me, struct core *core);

/* Of what was dropped: a change of owner, and of nothing else. */
bool core_dlb_claim(int32_t me, struct core *core);
bool core_dlb_unclaim(int32_t me, struct core *core);

/* Its owner ends, or somebody has died. */
bool core_dlb_leave(int32_t me, struct core *core);
bool core_dlb_bury(int32_t me, struct core *core);

#endif
