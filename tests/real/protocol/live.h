/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_PROTOCOL_LIVE_H
#define LB_TESTS_REAL_PROTOCOL_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "real/control/control.h"

/*
 * One node of a live job under simulated time: as many controls as it has workers, over the
 * built-in core manager, without MPI, threads or a clock. What they tell other nodes is handed on.
 * What the runtime does around a control is made here as simple as can be: a core runs something or
 * is idle; who is woken acts at once.
 *
 * - What runs, arrives and ends, and when polls are, is told (struct live_view).
 * - Where the core manager is free to choose (which of several cores), it chooses the one that is
 *   wished, if it may.
 */
enum { LIVE_WORKER_MAX = 8, LIVE_CORE_MAX = 32, LIVE_NODE_MAX = 3, LIVE_EDGE_MAX = 24 };

struct live_spec {
        const char *system; /* "dlb", "local" */
        int32_t nnode, ncore, napprank;
        const int32_t *apprank_first, *edge_node; /* the job's graph */
        int32_t node;
        bool lewi, drom, boundary;
        double poll_s;
        const double *alloc_param, *lend_param;
        void (*post)(void *user, const struct control_mail *mail); /* to a worker of the job */
        void *user;
};

/* What a worker has at an instant, as the runtime would know it. */
struct live_view {
        int64_t now_ns;
        int64_t busy_ns[LIVE_WORKER_MAX];
        int64_t held[LIVE_WORKER_MAX]; /* by its apprank: a helper has just been told */
        int32_t ready[LIVE_WORKER_MAX], tasks[LIVE_WORKER_MAX], task_us[LIVE_WORKER_MAX];
        bool
            main_waits[LIVE_WORKER_MAX]; /* the main program wants a core, and has no task for it */
};

struct live_core {
        int32_t owner, user; /* workers or -1; the user of an idle core that is its owner's is -1 */
        bool idle;           /* with its owner or a borrower */
        bool running, offered, kept_free, asked;
};

struct live;

/* A mail for one of its workers, by number in the job. */
void live_mail(struct live *live, int32_t worker, const struct control_mail *mail);

/* What a home knows of its apprank's workers: cores owned, to be owned, usable. */
struct live_known {
        int32_t owned, target, usable;
};
struct live_known live_known(const struct live *live, int32_t worker, int32_t place);

struct live *live_create(const struct live_spec *spec);
void live_destroy(struct live *live);

/* Who is wished to own each core in the end, who to have it, and whether it is to run something. */
struct live_wish {
        int32_t owner, user;
        bool running, kept_free;
};
void live_wish(struct live *live, const struct live_wish *wish); /* [ncore] */

/* Which cores workers borrow, in their order, in what happens next. */
enum { LIVE_CHOICE_MAX = 256 };
struct live_choice {
        int32_t worker, core;
};
void live_choose(struct live *live, const struct live_choice *choice, int32_t count);

/* What happens, in the words of enum sim_moment. */
void live_poll(struct live *live, const struct live_view *view);
void live_settle(struct live *live, const struct live_view *view);
void live_seek(struct live *live, const struct live_view *view, int32_t worker);
bool live_end(struct live *live, const struct live_view *view, int32_t core); /* false: none runs */

struct live_core live_core(const struct live *live, int32_t core);
int32_t live_target(const struct live *live, int32_t worker);

/* Invariants of the core table; fails the test. */
void live_check(const struct live *live);

#endif
