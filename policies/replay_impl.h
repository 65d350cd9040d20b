/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_REPLAY_IMPL_H
#define LB_POLICIES_REPLAY_IMPL_H

#include <stdbool.h>

#include "policies/alloc.h"
#include "policies/called.h"
#include "policies/dpb.h"
#include "policies/grow.h"
#include "policies/lend.h"
#include "policies/migrate.h"
#include "policies/pack.h"
#include "policies/place.h"
#include "policies/replay.h"

/* What replay.c (files, lines, counts) and replay_record.c (policies) have in common. */

/* A line being read. Once it is broken, `err` says why, and reading from it gives the least. */
struct replay_line {
        const char *file;
        int64_t number;
        char *at;       /* what is still to be read; words end with a space */
        int64_t length; /* of the whole line: no count of numbers can be larger */
        int32_t worker;
        bool broken;
        struct lb_error *err;
};

int replay_complain(struct replay_line *line, const char *what);
char *replay_word(struct replay_line *line);
int64_t replay_int(struct replay_line *line, int64_t min, int64_t max);
double replay_number(struct replay_line *line, double min, double max);
int32_t *replay_ints(struct replay_line *line, int32_t *value, int32_t count, int32_t max);
void replay_equals(struct replay_line *line);
void replay_end(struct replay_line *line);

/* The state of a policy of one worker and what its views are made of; type is NULL before. */
struct replay_alloc {
        const struct alloc_type *type;
        struct lb_shape shape; /* arrays in `memory`, as are the following */
        double *param, *busy_cores;
        int32_t *owned_cores, *now, *then; /* [nworker] */
        int64_t *answer;                   /* [2 nworker] */
        void *state, *memory;
        bool begun; /* the state was made */
};

struct replay_small { /* a lending or a placement policy */
        const struct lend_type *lend;
        const struct place_type *place;
        int32_t nworker;
        int32_t *figure; /* [9][nworker] */
        double *param;
        void *state;
        struct place_costs costs; /* of the next call, where has_costs */
        double *assigned;         /* [nworker] */
        bool has_costs;
};

struct replay_processes { /* a policy for the processes of a node */
        const struct dpb_type *dpb;
        const struct pack_type *pack;
        int32_t nprocess;
        double *param, *number; /* number[2 nprocess] */
        int32_t *cpus;          /* [2 nprocess] given, decided */
        int64_t *answer;        /* [2][nprocess + 1] */
        int64_t time_ns;        /* of the record */
        void *state;
};

struct replay_migrate {
        const struct migrate_type *type;
        int32_t nrank;
        double *param;
        int64_t *load;             /* [nrank] */
        int32_t *order, *sending;  /* [nrank] */
        struct migrate_move *move; /* [nrank] */
        int64_t *answer;           /* [2][2 nrank + 1] */
        void *state;
};

struct graph;
struct replay_grow {
        const struct grow_type *type;
        struct grow_shape shape; /* arrays in `place` */
        int32_t *place;          /* [nnode + napprank] cores, homes */
        double *param;
        void *state;
        struct graph *graph; /* of the view, as what follows; freed with its record */
        struct lb_shape view;
        double *busy_cores;
        bool *flag;             /* [2 nworker] at home, retiring */
        struct grow_edge *edge; /* [nstarting] */
        int32_t *first, *node;
};

struct replay_worker {
        int32_t number;
        int64_t nrecord;
        struct replay_alloc alloc;
        struct replay_small lend, place;
        struct replay_processes dpb, pack;
        struct replay_migrate migrate;
        struct replay_grow grow;
};

struct replay_log {
        char *text;
        size_t size;
        struct replay_worker *worker; /* [nworker] */
        int32_t nworker;
};

void replay_worker_finish(struct replay_worker *worker);

/* A decision now and then, of `count` numbers; `what` says what the numbers are of. */
struct replay_answer {
        int64_t time_ns;
        const char *what;
        int32_t count;
        const int64_t *now, *then;
};

struct replay_policy *replay_count(struct replay *replay, enum replay_kind kind, const char *name);
void replay_compare(struct replay *replay, const struct replay_line *line,
                    struct replay_policy *policy, const struct replay_answer *answer);

/* Records, by kind. */
void replay_begin_alloc(struct replay *replay, struct replay_line *line,
                        struct replay_worker *worker);
void replay_observe(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_decide(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_begin_lend(struct replay *replay, struct replay_line *line,
                       struct replay_worker *worker);
void replay_lending(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_begin_place(struct replay *replay, struct replay_line *line,
                        struct replay_worker *worker);
void replay_placing(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_refill(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_costs(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_finished(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_begin_dpb(struct replay *replay, struct replay_line *line,
                      struct replay_worker *worker);
void replay_moving(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_begin_pack(struct replay *replay, struct replay_line *line,
                       struct replay_worker *worker);
void replay_packing(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_begin_migrate(struct replay *replay, struct replay_line *line,
                          struct replay_worker *worker);
void replay_load(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_migrating(struct replay *replay, struct replay_line *line,
                      struct replay_worker *worker);
void replay_replicating(struct replay *replay, struct replay_line *line,
                        struct replay_worker *worker);
void replay_regraph(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_begin_grow(struct replay *replay, struct replay_line *line,
                       struct replay_worker *worker);
void replay_watching(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_growing(struct replay *replay, struct replay_line *line, struct replay_worker *worker);
void replay_grow_finish(struct replay_grow *g);
void replay_migrate_finish(struct replay_migrate *m);
void replay_processes_finish(struct replay_processes *p);

/* What the files of records share: counts, parameters by their table, what is not known here. */
void replay_out_of_memory(struct replay_line *line);
int32_t replay_read_count(struct replay_line *line);
void replay_unknown_policy(struct replay_line *line, const char *kind, const char *name);
const bool *replay_read_switches(struct replay_line *line, bool *value, int32_t count);
double *replay_read_params(struct replay_line *line, const struct lb_param *table);

#endif
