/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_CHAMELEON_CHAMELEON_H
#define LB_SIM_SYSTEMS_CHAMELEON_CHAMELEON_H

#include "models/platform.h"
#include "policies/called.h"
#include "policies/host/ledger.h"
#include "policies/migrate.h"
#include "sim/engine/decisions.h"
#include "sim/engine/host.h"
#include "sim/engine/queue.h"
#include "sim/engine/tracing.h"

/*
 * CHAMELEON simulated (CHAMELEON paper 2 to 4; the library: docs/facts.md C1 to C6): ranks with
 * worker threads and a communication thread that exchanges loads without a pause and pushes tasks.
 *
 *   own tasks --first in, first out--> thread ------------------> outputs are at home
 *       | policy, at a turn of the communication thread              ^
 *       v                                                            | result message
 *   message --metadata, inputs--> received tasks, which run first --> thread of the other rank
 *
 * - Everything that a communication thread does happens at its turns, every turn_us from the moment
 *   at which the last rank enters the taskwait; the ranks' turns coincide. Loads are sampled at the
 *   beginning of an exchange and known at its end, a whole number of turns later.
 * - Exchanges that would tell nothing new are not simulated: after a change the next exchange takes
 *   a sample and the one after brings it, then there is silence until the next change.
 * - A message's data occupies both communication threads, each in its turn (docs/facts.md C11).
 * - Tasks may wait for others of their rank: those that are ready are queued, and one is when the
 *   outputs of all that it waits for are at home (ordered.c).
 * - A taskwait ends when an exchange has shown that nothing is outstanding and nobody works, with
 *   two barriers.
 */

extern const struct sim_host sim_host_chameleon;

/* ---- The rest is private to this folder ---- */

enum cham_param {
        CHAM_MIGRATE,   /* choice of migrate_types[] */
        CHAM_COMM_CORE, /* choice of enum comm_core */
        CHAM_TURN_US,
        CHAM_EXCHANGE_TURNS,
        CHAM_EXCHANGE_US,
        CHAM_QUEUE_US,
        CHAM_QUEUE_CONTENTION_US,
        CHAM_TRANSFER, /* choice of enum transfer_kind */
        CHAM_EAGER_BYTES,
        CHAM_RESULTS_PER_TURN,
        CHAM_CANCEL,
        CHAM_UNDER_WAY,
        CHAM_NPARAM
};
extern const struct lb_param cham_params[];
enum comm_core { COMM_CORE_TAKEN = 0, COMM_CORE_EXTRA, COMM_CORE_SHARED, COMM_CORE_N };
enum transfer_kind { TRANSFER_PLATFORM = 0, TRANSFER_MEASURED, TRANSFER_N };

/* The host's tables: places in sim_spec.host_param[]; own: of a policy that the system names. */
enum { CHAM_TABLE_HOST, CHAM_TABLE_POLICY, CHAM_TABLE_OWN };

enum { CHAM_NONE = -1 };

/* The host's own events. Of those at one time threads' come first, then these in this order. */
enum cham_own { CHAM_MESSAGE, CHAM_EXCHANGE, CHAM_END, CHAM_SAMPLE, CHAM_NOWN };
#define CHAM_NEVER INT64_MAX

/* A task that waits or runs somewhere. */
struct cham_task {
        int32_t owner; /* CHAM_NONE: none, of a thread that is idle */
        int32_t copy;  /* place in its owner's copy[], CHAM_NONE: not replicated */
        int64_t task;  /* index; of ordered ones that in the order in which they became ready */
};

/* First in, first out; a ring. */
struct cham_ring {
        struct cham_task *item;
        uint32_t size, head, count; /* size a power of two */
};

/* A replicated task, at its owner. */
struct cham_copy {
        int64_t task;
        int32_t rank;       /* who has the other one */
        bool started, done; /* by the owner; here, or the result has come */
        bool waits_there;   /* in the other rank's queue */
        bool cancelled;     /* the other rank knows that it is not needed */
        bool executed;      /* somewhere: what is executed later is wasted */
};

/* What a task takes: at speed 1, and where it runs. */
struct cham_spent {
        int64_t work_ns, useful_ns;
};

/* What a communication thread does a few times a turn only. */
struct cham_turns {
        int64_t turn_ns; /* the latest turn with one */
        int32_t used;
};

struct cham_rank {
        /* What it knows of itself; copies: those that nobody has finished, either. */
        struct migrate_local local;
        int64_t head;  /* own tasks that wait: local.queued indices from here on */
        bool prepares; /* its serial part, or that of those it waits for, is not over */
        bool entered;  /* its threads are in the taskwait */
        bool touched;  /* in cham.touched[] */
        bool moved;    /* in cham.moved[] */

        /* ---- Each task needs these as well ---- */
        bool told_busy; /* in cham.sample */
        int32_t nidle;
        int64_t told_outstanding;
        int64_t own_left, foreign_left; /* outstanding: own tasks, received ones and results */
        int64_t queue_free_ns;          /* when the queue's lock is free */
        int64_t queue_ns, contention_ns, overhead_ns;
        double time_factor;
        int64_t drawn;             /* block of its tasks that is in cham.drawn_ns; -1: none */
        int64_t busy_ns;           /* thread time: + at stop, - at start */
        struct cham_task *runs;    /* [local.nthread] a task for each thread */
        struct cham_spent *copied; /* [local.nthread] of those that are copies */
        void *policy;              /* its state */
        int64_t executed, executed_home, useful_ns, work_ns; /* without what was in vain */

        /* ---- And what migrates ---- */
        struct cham_ring received; /* [local.received] */
        struct cham_ring replicas;
        struct cham_copy *copy;
        int32_t ncopy, copy_size, copy_top; /* copies from copy_top on are taken or done */
        int32_t node;
        int32_t *idle; /* [nidle] a stack of threads */
        int64_t create_ns;
        int64_t comm_free_ns; /* when the communication thread can move data again */
        int64_t owed_ns;      /* time of its next task's thread to copy data, where they share it */
        struct cham_turns tasks_in, results_in, results_out;
};

enum cham_step {
        STEP_METADATA,    /* of tasks, has arrived: the receiver asks for their inputs */
        STEP_SENT,        /* the sender may reuse its buffers */
        STEP_TASKS,       /* the inputs are there */
        STEP_RESULT_SENT, /* the outputs of a task leave */
        STEP_RESULT,      /* and are at home */
        STEP_CANCEL,      /* a copy is not needed any more */
};

/* What a communication thread will do at one of its turns. */
struct cham_message {
        int64_t time_ns;
        uint64_t number; /* breaks ties */
        enum cham_step step;
        int32_t from, to;
        int64_t ntask; /* a range of indices, from task.task on; copies come one by one */
        struct cham_task task;
        int64_t end_ns; /* when all data is there; 0: it has not left */
};

struct cham_heap {
        struct cham_message *item;
        size_t count, size;
        uint64_t number;
};

/* What an exchange brings. */
struct cham_table {
        int64_t *load; /* [nrank] */
        int64_t outstanding;
        int32_t nbusy; /* ranks with a working thread */
};

/* The ranks by known load, equal ones by number. */
struct cham_order {
        int32_t nrank, *rank; /* [nrank] */
        int64_t *load;        /* [nrank] of rank[i] */
        int32_t *place;       /* [nrank] place[rank[i]] == i */
};

struct cham_under_way; /* under_way.c */
struct cham_ordered;   /* ordered.c */

struct cham {
        const struct sim_spec *spec;
        const double *param;
        const struct migrate_type *type;
        struct queue queue;              /* of threads and entries */
        int64_t own_event_ns[CHAM_NOWN]; /* of the host's own, which are not in the queue */
        int64_t own_ns;                  /* none of these is earlier */
        struct network network;
        struct cham_heap heap;
        int64_t now_ns;
        int32_t nnode, nrank;
        int32_t stride_bits, stride; /* slots of a rank, a power of two: its threads', and as last
                                        that of its entry */
        bool alike;
        int32_t iteration;
        struct work *work; /* [nrank] */
        int64_t *drawn_ns; /* [nrank][WORKLOAD_BLOCK] of the block that each rank is at */
        struct cham_rank *rank;
        struct cham_ordered *ordered; /* [nrank] NULL: no task waits for another */
        struct cham_task *runs;       /* [nrank][stride], the ranks'; likewise: */
        struct cham_spent *copied;
        int32_t *idle;

        int64_t turn_ns, exchange_ns, origin_ns; /* of the turns of this taskwait */
        struct cham_table sample, known;
        struct cham_order order;
        struct cham_under_way *under_way; /* NULL: nobody counts it */
        struct migrate_view view;         /* what a policy is shown */
        int32_t npusher;                  /* the last ones in order that may push; -1: not known */
        int32_t *touched, ntouched; /* [nrank] ranks that may have other loads than the sample */
        int32_t *moved, nmoved; /* [nrank] ranks whose load in the sample is not the known one */
        uint64_t *asked;        /* [nrank / 64 + 1] a bit for each rank that is to be asked */
        bool all_asked;         /* the policy does not say who may push, or calls are logged */
        int64_t load_sum, changes;
        bool changed;              /* since the last sample */
        bool fresh;                /* the sample is on its way to the others */
        bool pending;              /* an exchange begins or ends at its event */
        bool hurries, hurried;     /* it is told at once that a rank has nothing to do; it was */
        bool exchanged;            /* at least once in this taskwait */
        int32_t *sending;          /* [nrank][nrank] */
        struct migrate_move *move; /* [nrank] */
        int64_t nexecuted;         /* of this iteration */

        struct ledger *ledger;
        struct sim_decisions decisions;
        struct trace *tracing; /* NULL: not traced */
        int32_t *first_core;   /* [nrank] on its node; where traced */
        struct lb_error *err;
        bool failed;
        const volatile int *stop;
};

/* The first turn of the communication threads at or after a time. */
static inline int64_t cham_turn(const struct cham *c, int64_t time_ns)
{
        int64_t since = time_ns - c->origin_ns;
        if (since <= 0)
                return c->origin_ns;
        return c->origin_ns + (since + c->turn_ns - 1) / c->turn_ns * c->turn_ns;
}

/* An event of the host's own; replaces the one there is. */
static inline void cham_set_own(struct cham *c, enum cham_own which, int64_t time_ns)
{
        c->own_event_ns[which] = time_ns;
        c->own_ns = time_ns < c->own_ns ? time_ns : c->own_ns;
}

/* What the next sample has of a rank may be new. */
static inline void cham_touch(struct cham *c, int32_t rank)
{
        if (c->rank[rank].touched)
                return;
        c->rank[rank].touched = true;
        c->touched[c->ntouched++] = rank;
}

/* Thread time spent busy by a rank until now. */
static inline int64_t cham_busy_ns(const struct cham *c, const struct cham_rank *rank)
{
        return rank->busy_ns + rank->local.running * c->now_ns;
}

/* create.c: the host's slot of that name; made from a spec, at time 0. */
int32_t cham_cores_least(const double *param, const char **what_for);
struct cham *cham_create(const struct sim_spec *spec, struct lb_error *err);
void cham_destroy(struct cham *c);
void cham_fail(struct cham *c, const char *what);

/* tasks.c: who runs what. */
void cham_enter(struct cham *c, int32_t rank);                  /* the taskwait begins */
void cham_seek(struct cham *c, int32_t rank);                   /* idle threads look for tasks */
void cham_finish(struct cham *c, int32_t rank, int32_t thread); /* a thread's task ends */
void cham_push(struct cham *c, struct cham_ring *ring, struct cham_task task);
void cham_copy_done(struct cham *c, int32_t owner, int32_t copy); /* at one of the two places */

/* message.c: what communication threads send each other. */
void cham_send_tasks(struct cham *c, int32_t from, const struct migrate_move *move);
void cham_send_replicas(struct cham *c, int32_t from, const struct migrate_move *move);
void cham_send_result(struct cham *c, int32_t from, const struct cham_task *task);
void cham_send_cancel(struct cham *c, int32_t from, int32_t copy);
void cham_messages(struct cham *c); /* all that are due now */

/* transfer.c: how long a message between two ranks takes, ns, from its first byte to its last. */
int64_t cham_transfer_ns(const struct cham *c, int32_t from, int32_t to, int64_t bytes);

/* One of that length, not before a time; returns when it is there. Data streams through, as in
 * network_send(), but each thread has one message at a time, in or out. Nobody holds its thread for
 * one that has to wait for the other's. */
int64_t cham_move(struct cham *c, int32_t from, int32_t to, int64_t length_ns, int64_t time_ns);

/* under_way.c: tasks that a rank has sent, in its view of the others' loads until these have them;
 * nothing where the host's parameter says that nobody counts them. */
int cham_under_way_create(struct cham *c, struct lb_error *err);
void cham_under_way_destroy(struct cham_under_way *under_way);
void cham_under_way_sent(struct cham *c, int32_t from, int32_t to, int64_t ntask);
void cham_under_way_arrived(struct cham *c, int32_t from, int32_t to, int64_t ntask);
void cham_under_way_sampled(struct cham *c);
void cham_under_way_known(struct cham *c); /* what was sampled */
void cham_under_way_show(struct cham *c, int32_t rank, struct migrate_view *view);

/*
 * ordered.c: tasks that wait for each other, where there are any: c->ordered. begin: an iteration,
 * says what is queued; done: the outputs of a task are at home, and what waited for it alone is
 * queued; ns, bytes: of a task, of `count` of them. Tasks are those of struct cham_task. goes_on:
 * one has ended at a rank, where others of its whole follow; else *task is what counted for all of
 * it.
 */
int cham_ordered_create(struct cham *c, struct lb_error *err);
void cham_ordered_destroy(struct cham *c);
void cham_ordered_begin(struct cham *c, int32_t rank);
void cham_ordered_done(struct cham *c, int32_t rank, int64_t task);
bool cham_ordered_goes_on(struct cham *c, int32_t rank, struct cham_task *task);
bool cham_ordered_has_wholes(const struct cham *c);
int64_t cham_ordered_ns(const struct cham *c, int32_t rank, int64_t task);
int64_t cham_ordered_bytes(const struct cham *c, int32_t rank, int64_t task, int64_t count);

/* order.c: ranks by load, first by number, all loads 0. Move: a rank's load is another. Copy: of
 * as many ranks. */
int cham_order_init(struct cham_order *order, int32_t nrank); /* -1: out of memory */
void cham_order_finish(struct cham_order *order);
void cham_order_move(struct cham_order *order, int32_t rank, int64_t load);
void cham_order_copy(struct cham_order *to, const struct cham_order *from);

/* exchange.c: loads, decisions and the end. */
void cham_want_exchange(struct cham *c);
void cham_hurry(struct cham *c, int32_t rank); /* where it has nothing to do */
void cham_exchange(struct cham *c);
void cham_decide(struct cham *c, int32_t rank);

/* Something that this rank tells the others. */
static inline void cham_changed(struct cham *c, int32_t rank)
{
        cham_touch(c, rank);
        c->changed = true;
        if (!c->pending)
                cham_want_exchange(c);
        if (c->hurries)
                cham_hurry(c, rank);
}

/* tracing.c: what the observer is told, where the run is traced. */
int cham_tracing_start(struct cham *c, struct lb_error *err);
void cham_tracing_thread(struct cham *c, int32_t rank, int32_t thread); /* starts or ends a task */
void cham_tracing_rank(struct cham *c,
                       int32_t rank); /* begins or ends what comes before its taskwait */
void cham_tracing_sent(struct cham *c, int32_t rank); /* how many of its tasks are away */

/* measure.c: what the ledger is told. */
struct ledger *cham_measure_create(const struct cham *c, struct lb_error *err);
void cham_measure_iteration(struct cham *c); /* one begins, or all are over */
void cham_measure_sample(struct cham *c);
int cham_measure_finish(struct cham *c, struct sim_result *result,
                        struct lb_error *err) LB_MUST_CHECK;

#endif
