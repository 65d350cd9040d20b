/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_HOST_DECISION_LOG_H
#define LB_POLICIES_HOST_DECISION_LOG_H

#include "policies/alloc.h"
#include "policies/dpb.h"
#include "policies/grow.h"
#include "policies/lend.h"
#include "policies/migrate.h"
#include "policies/pack.h"
#include "policies/place.h"

/*
 * What a host's policies saw and decided, as policies/replay.h describes it and decides it again. A
 * file has any number of writers, in one process or several: those of a live node, or all nodes and
 * appranks of a simulated run.
 *
 * - A writer writes whole lines, appended in one piece under a lock on the file, whenever its
 * buffer is full or it is asked to. What a killed worker has not written is lost, the rest is
 * readable.
 * - The node's first worker empties the file and writes its first line; the others must not be
 * asked to write before it has. Where another job does so later, the log ends with a message: two
 * jobs' decisions are never in one file.
 * - Where it cannot be written, the log ends with one message, on standard error or where the spec
 * says, and the job goes on.
 * - All calls but open take NULL and do nothing.
 */
struct decision_log;

struct decision_log_spec {
        const char *program; /* for messages */
        const char *file;
        const char *id;           /* of the job or run: one word, its own */
        const char *about;        /* the job or run, as one line of JSON */
        int32_t node;             /* for the reader */
        int32_t writer;           /* a number of its own in the file */
        bool begins;              /* empties the file, before others write */
        struct lb_error *failure; /* gets the reason where the log ends early, in place of standard
                                     error; outlives the log. NULL: nobody does */
};

struct decision_log *decision_log_open(const struct decision_log_spec *spec, struct lb_error *err);

/* One more writer of the same process, which ends before `first` does. NULL out of memory, or where
 * `first` is. */
struct decision_log *decision_log_join(const struct decision_log *first, int32_t writer);
void decision_log_close(struct decision_log *log);
void decision_log_flush(struct decision_log *log);

/* A policy's state is made; param in the order of its table. */
void decision_log_begin_alloc(struct decision_log *log, const struct alloc_type *type,
                              const struct lb_shape *shape, const double *param);
/* It is made anew for a graph that has changed; worker[], of the workers there were before, as for
 * alloc_type.carry. */
void decision_log_regraph(struct decision_log *log, const struct alloc_type *type,
                          const struct lb_shape *shape, const double *param, const int32_t *worker);
void decision_log_begin_lend(struct decision_log *log, const struct lend_type *type,
                             int32_t nworker, const double *param);
void decision_log_begin_place(struct decision_log *log, const struct place_type *type,
                              int32_t nworker, const double *param);

void decision_log_begin_dpb(struct decision_log *log, const struct dpb_type *type, int32_t nprocess,
                            const double *param);
void decision_log_begin_migrate(struct decision_log *log, const struct migrate_type *type,
                                int32_t nrank, const double *param);
void decision_log_begin_grow(struct decision_log *log, const struct grow_type *type,
                             const struct grow_shape *shape, const double *param);
void decision_log_begin_pack(struct decision_log *log, const struct pack_type *type,
                             int32_t nprocess, const double *param);

/* Its calls. Arrays are as long as the policy's state was made for. */
void decision_log_observe(struct decision_log *log, const struct alloc_view *view);
void decision_log_decide(struct decision_log *log, const struct alloc_view *view,
                         const int32_t *owned_cores);
void decision_log_lend(struct decision_log *log, const struct lend_view *view,
                       const struct lend_decision *decision);
void decision_log_place(struct decision_log *log, const struct place_view *view, int32_t worker);
void decision_log_dpb(struct decision_log *log, const struct dpb_view *view, enum dpb_action action,
                      const int32_t *cpus);
void decision_log_pack(struct decision_log *log, const struct pack_view *view, int32_t used,
                       const int32_t *cpu);
void decision_log_load(struct decision_log *log, const struct migrate_local *local, int64_t load);
void decision_log_migrate(struct decision_log *log, bool replicates,
                          const struct migrate_view *view, const struct migrate_move *move,
                          int32_t nmove);
/* It observes, or, with a decision, decides. */
void decision_log_grow(struct decision_log *log, const struct grow_view *view,
                       const struct grow_decision *decision);
void decision_log_refill(struct decision_log *log, const struct place_view *view, int64_t count);

#endif
