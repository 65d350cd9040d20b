/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_CORES_DLB_IMPL_H
#define LB_REAL_NODE_CORES_DLB_IMPL_H

#include "real/node/cores_dlb_state.h"
#include "real/node/cores_impl.h"
#include "real/node/dlb_library.h"
#include "real/node/dlb_watch.h"

/* What the files of the core manager over DLB have in common. */
enum { DLB_KEY_SIZE = 48 };

struct cores_dlb {
        struct dlb_library library;
        struct dlb_watch *watch;
        _Atomic uint64_t *count; /* of the watch */
        cpu_set_t mine;          /* owned, as DLB was told */
        char key[DLB_KEY_SIZE];  /* of DLB's segments */
        char job[32];
        int32_t node;
        bool mourning; /* some worker has died: what DLB says of a guest is not to be trusted */
};

/* Ask DLB about one core. */
static inline int dlb_ask(const struct cores *cores, int (*call)(int core), int32_t core)
{
        dlb_watch_step(cores->dlb->count);
        int answer = call(core);
        dlb_watch_step(cores->dlb->count);
        return answer;
}

/*
 * Start DLB in this process as the owner of `mine`, on a machine that it believes to have ncore
 * cores. On failure err says why, and nothing of DLB may be called again.
 */
int dlb_start(struct cores_dlb *dlb, int32_t ncore, struct lb_error *err) LB_MUST_CHECK;
void dlb_stop(struct cores_dlb *dlb);

/* Slots of cores_dlb. */
struct cores *cores_dlb_open(const struct cores_spec *spec, struct lb_error *err);
void cores_dlb_close(struct cores *cores);
enum cores_answer cores_dlb_giveback(struct cores *cores, int32_t core);
void cores_dlb_bury(struct cores *cores, int32_t worker);
int cores_dlb_check(const struct cores *cores, struct lb_error *err);

#endif
