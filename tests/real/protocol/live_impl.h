/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_PROTOCOL_LIVE_IMPL_H
#define LB_TESTS_REAL_PROTOCOL_LIVE_IMPL_H

#include "real/control/control_impl.h"
#include "real/node/cores_impl.h"
#include "tests/real/protocol/live.h"

/* A live node of the harness from inside: live_make.c makes it, live_cores.c is its core manager,
 * live.c what happens on it. */

struct live_worker {
        struct live *live;
        int32_t number;
        struct board *board;
        struct cores *cores;
        struct control *control;
        bool idle[LIVE_CORE_MAX], running[LIVE_CORE_MAX];
        int64_t polled_ns;
        int32_t ready, early; /* early: started at the end of another, before they are sought for */
        bool main_waits, busy; /* its control is being called */
        uint32_t ticket;       /* as when it last looked */
};

struct live {
        struct live_spec spec;
        struct job *job;
        int32_t nworker;
        const int32_t *number; /* [nworker] in the job */
        struct live_worker worker[LIVE_WORKER_MAX];
        int64_t now_ns;
        struct live_wish wish[LIVE_CORE_MAX];
        struct live_choice choice[LIVE_CHOICE_MAX];
        int32_t nchoice;
        bool polls; /* some have polled and others not yet */
        bool ahead; /* cores are being borrowed ahead of tasks */
        bool runs;  /* something is to run on the next core that is borrowed */
};

enum { START_NS = 1000000000 }; /* time 0: a board's 0 means never */

/* ---- The core manager, with wishes ---- */

extern struct live *live_of_cores; /* one node at a time */
struct cores_type live_cores(void);
struct core live_look_at(const struct cores *cores, int32_t core);

/* ---- What happens ---- */

/* Who is woken acts, until nobody is; or those alone for whom a core that is lent is meant. */
void live_wake(struct live *live, bool lent_only);

/* What becomes of a core that may be idle. */
void live_settle_core(struct live_worker *w, int32_t core);

#endif
