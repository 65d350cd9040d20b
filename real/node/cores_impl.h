/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_CORES_IMPL_H
#define LB_REAL_NODE_CORES_IMPL_H

#include <stdatomic.h>

#include "real/node/board_impl.h"
#include "real/node/core_state.h"
#include "real/node/cores.h"

/* What the files of the core managers have in common. */
struct cores_dlb;
struct cores {
        struct board *board;
        struct board_cores table;
        int32_t worker;
        int32_t least;         /* it never owns fewer */
        int32_t borrow_first;  /* where to look first: borrowers begin at different cores */
        struct cores_dlb *dlb; /* real/node/cores_dlb_impl.h; NULL: the built-in one */
};

struct cores_count {
        int32_t owned, lent, borrowed, reclaiming;
};

static inline struct core cores_look(const struct cores *cores, int32_t core)
{
        return core_unpack(atomic_load_explicit(&cores->table.word[core], memory_order_acquire));
}

/* Make a change on behalf of `worker`, if it is allowed; `after` is the core as it was left. */
bool cores_make(const struct cores *cores, int32_t core, core_change change, int32_t worker,
                struct core *after);

/* The caller's cores, and the same into its row of the board. */
struct cores_count cores_count(const struct cores *cores);
void cores_tell(const struct cores *cores);

/* Wake whom it concerns that a core is as it now is: its user, or else those who wait for one. */
void cores_hand_on(const struct cores *cores, struct core after);

/* A core was dropped: wake who should own more, too. */
void cores_call_claimers(const struct cores *cores);

/*
 * Make the change to every core on behalf of `worker`, if it has died; it needs nothing and has
 * nothing any more, and all look again. False, and nothing is done, where it has not. Each core
 * alone, and no harm in doing it again: any number of workers may, or die of it.
 */
bool cores_bury(const struct cores *cores, int32_t worker, core_change change);

/* What must hold of the cores, and of what the caller told last. A core that is asked back must be
 * `askable`, which the message says in the words `must`. */
int cores_check(const struct cores *cores, bool (*askable)(struct core core), const char *must,
                struct lb_error *err);

/* Slots of cores_builtin. */
struct cores *cores_builtin_open(const struct cores_spec *spec, struct lb_error *err);
void cores_builtin_close(struct cores *cores);
void cores_builtin_bury(struct cores *cores, int32_t worker);
int cores_builtin_check(const struct cores *cores, struct lb_error *err);

#endif
