/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_CORES_H
#define LB_REAL_NODE_CORES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "real/node/board.h"

/*
 * Core managers: who owns and who uses each core of a node (LeWI and DROM as mechanisms; the
 * policies decide). One interface, so that an installed DLB can stand in for the built-in one.
 *
 *            lend              borrow (another)
 *   owned ----------> pooled ------------------> borrowed
 *     ^                 |                           |
 *     +-----------------+---------------------------+
 *         reclaim: at once        when the borrower returns it
 *
 * - No call blocks. All are made by the worker's own process, from any one thread at a time.
 * - The user of a core is unique at every instant as cores_usable() sees it. A core that is asked
 * back is not usable by its owner before the borrower returned it.
 * - A core is lent and dropped only after the thread on it has parked.
 * - Ownership moves only by the old owner dropping and the new owner claiming, each on itself.
 * - Every core has exactly one owner, or is dropped and waits to be claimed; a worker never drops
 * its last one, unless it may own none (a talk-only helper, one that sleeps).
 * - A worker whose process dies gives nothing back by itself: cores_bury() gives its cores to the
 * pool of the living, and nobody waits for it.
 * - The pool is what nobody uses: lent cores, and dropped ones until they are claimed.
 * - It keeps owned, lent, borrowed and reclaiming of real/node/board.h up to date: the caller's, as
 * of the caller's last call that changed any.
 * - It wakes (board_wake()) whom a change concerns: the borrower of a core that is asked back, the
 * owner of one that was returned; of a core that came into the pool, workers whose `ready` is not
 * 0; of a dropped one also those who own less than their target. So tell `ready` before trying to
 * borrow, and no core is missed.
 */
enum cores_answer {
        CORES_DONE = 0,
        CORES_PENDING, /* noted; ask again */
        CORES_DENIED,  /* not now, or not yours */
        CORES_GONE,    /* the other worker has died */
        CORES_ERROR,   /* the manager is broken: fall back or end */
};

struct cores; /* of an implementation; opaque */

struct cores_spec {
        struct board *board;
        const char *job;
        int32_t node, ncore, nworker, worker;
        int32_t beside; /* as of struct board_spec */
        const int32_t
            *owned; /* [nworker] at the start: consecutive cores in the order of workers */
        const bool *may_own_none; /* [nworker] at the start and later, not with DLB; NULL: nobody */

        /* Where a library is used that may wait for ever: called then, from a thread of the
         * manager's own, in place of the call returning; must end the process. NULL: the text goes
         * to standard error, and the process is aborted. */
        void (*hung)(const char *text);
        double patience_s; /* how long a call may take before that; 0: 10 s */
};

struct cores_type {
        const char *name;
        const char *help;
        /* By all workers of the node. May wait for the others; where one cannot, none can. */
        struct cores *(*open)(const struct cores_spec *spec, struct lb_error *err);
        void (*close)(struct cores *cores); /* what it borrowed is returned, what it owns and nobody
                                               uses goes to the pool; takes NULL */
        enum cores_answer (*lend)(struct cores *cores,
                                  int32_t core); /* own and unused: to the pool */
        enum cores_answer (*giveback)(struct cores *cores,
                                      int32_t core); /* borrowed and unused: back to its
                                                     owner if asked, else to the pool */
        enum cores_answer (*go_home)(struct cores *cores,
                                     int32_t core); /* borrowed and unused: to its owner, asked or
                                                       not, if the manager can */
        int32_t (*borrow)(struct cores *cores, int32_t max,
                          int32_t *core); /* from the pool into core[max];
                                           returns how many */
        int32_t (*reclaim)(struct cores *cores, int32_t max,
                           int32_t *core);                       /* own lent cores: those in the
                                  pool are usable at once and written to core[], others are
                                  asked back, `max` in all; returns how many are in core[] */
        bool (*usable)(const struct cores *cores, int32_t core); /* by the caller, now */
        bool (*must_return)(const struct cores *cores, int32_t core); /* borrowed and asked back */
        enum cores_answer (*drop)(struct cores *cores,
                                  int32_t core); /* own, unused or lent: give up */
        int32_t (*claim)(struct cores *cores, int32_t max,
                         int32_t *core); /* dropped cores become own, those
            in use by others as lent ones; writes the usable ones to
            core[max], -1 into the rest; returns how many became own */
        int32_t (*returned)(struct cores *cores, int32_t max,
                            int32_t *core);                        /* own cores asked back that have
                                   come back since; usable now. Returns how many */
        int32_t (*pool)(const struct cores *cores);                /* cores in the node's pool */
        int32_t (*owner)(const struct cores *cores, int32_t core); /* worker, or -1: dropped */
        int32_t (*user)(const struct cores *cores, int32_t core);  /* worker, or -1: nobody */
        void (*bury)(struct cores *cores, int32_t worker); /* has died (else nothing is done); may
                                                              be called by several, and again */
        int (*check)(const struct cores *cores, struct lb_error *err); /* invariants; for tests */
};

/* The built-in one: a core table in shared memory, one atomic word per core. */
extern const struct cores_type cores_builtin;

/* LeWI and DROM of an installed DLB, see real/node/dlb.h; at most DLB_CORES_MAX cores a node. */
extern const struct cores_type cores_dlb;

/* Which one: CORES_BY_AUTO takes DLB where it is usable. */
enum cores_by { CORES_BY_BUILTIN = 0, CORES_BY_DLB, CORES_BY_AUTO };

struct cores_choice {
        const struct cores_type *type;
        struct cores *cores;
        char note[1100]; /* for the user, of worker 0: why it is not DLB, where that was asked for,
                           or found and not usable; else empty */
};

/*
 * Open the core manager that is asked for, by all workers of the node. Where DLB does not work for
 * one of them, all take the built-in one, and the library is not touched again.
 */
int cores_choose(struct cores_choice *choice, enum cores_by by, const struct cores_spec *spec,
                 struct lb_error *err) LB_MUST_CHECK;

#endif
