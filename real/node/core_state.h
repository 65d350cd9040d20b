/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_CORE_STATE_H
#define LB_REAL_NODE_CORE_STATE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A core of the built-in core manager: who owns and who uses it is one atomic word in the board's
 * segment, and every change of hands is one compare-and-swap of it by the worker it concerns. There
 * is no lock to die with and no state of two words to tear: a worker that is killed at any instant
 * leaves each core either before or after a change.
 *
 *      owner user asked
 *        A    A    -     in use by its owner, or idle there
 *        A    -    -     lent: in the pool
 *        A    B    -     borrowed
 *        A    B    yes   borrowed and asked back
 *        A    A    yes   given back; the owner has not yet been told by returned()
 *        -    -    -     dropped: in the pool until claimed
 *        -    B    -     dropped while borrowed
 *
 * Borrowers also take dropped cores, so that no core lies idle between two polls, and where its
 * owner has died.
 */
enum { CORE_NOBODY = -1 };

/* A word, spelt out. */
struct core {
        int32_t owner, user; /* worker, or CORE_NOBODY */
        bool asked;
        bool apart; /* of the core manager over DLB: see real/node/cores_dlb_state.h */
};

/* A table starts as zeros; no word of a core is. */
#define CORE_WORD_TOLD (UINT64_C(1) << 63)
#define CORE_WORD_ASKED (UINT64_C(1) << 62)
#define CORE_WORD_APART (UINT64_C(1) << 61)

static inline uint64_t core_pack(struct core core)
{
        return CORE_WORD_TOLD | (core.asked ? CORE_WORD_ASKED : 0) |
               (core.apart ? CORE_WORD_APART : 0) | (uint64_t)(core.owner + 1) << 16 |
               (uint64_t)(core.user + 1);
}

static inline struct core core_unpack(uint64_t word)
{
        return (struct core){
                .owner = (int32_t)(word >> 16 & 0xffff) - 1,
                .user = (int32_t)(word & 0xffff) - 1,
                .asked = word & CORE_WORD_ASKED,
                .apart = word & CORE_WORD_APART,
        };
}

/* A change: is it allowed to `me`, and what becomes of the core? Untouched where it is not. */
typedef bool (*core_change)(int32_t me, struct core *core);

/* By the owner. */
bool core_to_pool(int32_t me, struct core *core);
bool core_take_own(int32_t me, struct core *core); /* out of the pool */
bool core_ask_back(int32_t me, struct core *core);
bool core_forget_ask(int32_t me, struct core *core); /* another came back in its place */
bool core_take_returned(int32_t me, struct core *core);
bool core_give_up(int32_t me, struct core *core);

/* By a borrower. */
bool core_take_pooled(int32_t me, struct core *core);
bool core_give_back(int32_t me, struct core *core); /* to its owner if asked, else to the pool */

/* Of what was dropped. */
bool core_take_over_idle(int32_t me, struct core *core);
bool core_take_over_used(int32_t me, struct core *core);

/* By whoever ends: what is borrowed goes back, what is owned into the pool. */
bool core_leave(int32_t me, struct core *core);

/* Of the dead `me`, by anybody: what it owned is dropped, what it used goes where it would have
 * gone. Nothing the second time. */
bool core_bury(int32_t me, struct core *core);

#endif
