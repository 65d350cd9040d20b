/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_OFFLOAD_MACHINE_H
#define LB_SIM_SYSTEMS_OFFLOAD_MACHINE_H

#include "models/platform.h"
#include "policies/called.h"
#include "policies/host/costs.h"
#include "policies/host/ledger.h"
#include "policies/host/ask.h"
#include "policies/host/node.h"
#include "policies/shape.h"
#include "sim/engine/decisions.h"
#include "sim/engine/memory.h"
#include "sim/engine/queue.h"
#include "sim/engine/sim.h"
#include "sim/engine/tracing.h"
#include "sim/systems/offload/calls.h"
#include "sim/systems/offload/message.h"
#include "sim/systems/offload/parts.h"

/*
 * The simulated machine and runtime (private to this room).
 *
 *   apprank --creates--> task --place()--> held by the apprank
 *                          |                   | refill(), as tasks finish
 *                          v                   v
 *                        worker: on its way (inbox) --> ready --> running on a core --> finished
 *                                                                                         | message
 *                                                          apprank: done, barrier <-------+
 *
 * - Workers are numbered node by node ("worker"), and, where a policy or the graph sees an
 * apprank's workers together, by edge ("edge"). worker[].edge and edge_worker[] translate.
 * - A core is known by its slot in the event queue: node * stride + place. It is in exactly one
 * state; idle, pooled and giving cores are in a list of their owner, kept ones in a list of their
 * user.
 * - The graph of appranks and nodes is the spec's from start to end, unless the system has a growth
 *   policy: then helpers come and go between two events (helpers.c), and all that is numbered by
 *   worker or edge is made anew for the new graph (regraph.c).
 * - Tasks of an apprank that are alike are counts; where durations differ each is a number, its
 *   duration, drawn as it is placed. Explicit tasks with dependencies (dependencies.c) are their
 * index.
 */

enum { NONE = -1, CACHE_LINE = MEMORY_LINE };
#define MACHINE_ALIGNED _Alignas(CACHE_LINE)

enum core_state {
        CORE_IDLE = 0, /* with its owner, nothing to do */
        CORE_POOLED,   /* lent, nobody uses it */
        CORE_GIVING,   /* with its owner, who owns more than it should: kept free to change owner */
        CORE_KEPT,     /* borrowed, idle, with its user, who expects a task for it */
        CORE_TASK,     /* runs a task of `user` */
        CORE_MAIN,     /* runs the apprank's main program: its serial part, creates tasks */
};

/* A quarter of a cache line: of cores there is most, and each task touches one. */
struct core {
        uint32_t owner : QUEUE_SLOT_BITS_MOST; /* worker: each has an event slot */
        uint32_t state : 8;                    /* enum core_state */
        int32_t user;                          /* worker; NONE unless running or kept */
        union {
                int64_t task_ns; /* CORE_TASK: duration without overhead */
                struct {
                        int32_t next,
                            prev; /* in its state's list, of the owner; kept: of the user */
                };
        };
};
_Static_assert(sizeof(struct core) == CACHE_LINE / 4, "cores of a cache line");

static inline void core_set_owner(struct core *c, int32_t worker)
{
        c->owner = (uint32_t)worker & ((1U << QUEUE_SLOT_BITS_MOST) - 1);
}

/* Three cache lines: what the start and the end of each task touch is in the first, what a message
 * touches in the second. */
struct worker {
        MACHINE_ALIGNED int32_t node;
        int32_t apprank, edge;
        bool home;
        bool main_waits;     /* at home: the main program wants a core */
        uint16_t at_hand;    /* cores that it could get: those in its lists, and those lent that it
                                has not asked back */
        double time_factor;  /* a task's duration here / its duration at speed 1 */
        int64_t debt_ns;     /* processor time for messages, to be spent with the next task */
        int64_t *ready_task; /* ring, where tasks are not alike: as next_task() says */
        uint32_t ready_size, ready_head;
        int32_t ready;         /* tasks that are in the ring */
        int32_t assigned;      /* tasks that have not finished */
        int32_t executed_data; /* tasks executed in this iteration, and their data left here */

        struct inbox inbox;
        int64_t message_phase_ns;
        int32_t slot;        /* in the event queue, of its looks for messages */
        int32_t home_worker; /* of its apprank */
        int32_t asking;      /* cores that it has asked tasks for, and has not got them */
        bool retiring;       /* takes no more tasks, and goes when it has none */
        bool refused;        /* its apprank holds no tasks, and will say when it does */
        bool told_none;  /* as its home has it, where looks are together: an answer is under way */
        int64_t task_ns; /* duration here of its apprank's tasks, where alike */
        int32_t pooled, giving; /* cores in those lists */

        int32_t list[CORE_KEPT + 1]; /* first core of each list, NONE if empty */
        int64_t busy_ns;             /* core time: + at stop, - at start; see worker_busy_ns() */
        int64_t borrowed_ns;         /* as busy_ns, of borrowed cores */
        int64_t busy_at_poll_ns;
        int64_t create_ns; /* processor time to create a task here */
        int32_t *count;    /* its first; see enum count */
        int32_t row;       /* workers of its node */
        int32_t column;    /* edge of machine.columns, which does not change */
};

/*
 * What lending policies are shown of workers and changes with tasks and lending: each row by
 * worker, so that a node's are contiguous, and a node's rows together, mostly in one cache line.
 */
enum count {
        COUNT_LENT,       /* cores: owned, not with it */
        COUNT_RECLAIMING, /* of these, asked back */
        COUNT_READY,      /* as in struct worker, when a policy was last asked; likewise: */
        COUNT_ASSIGNED,
        NCOUNT
};

static inline int32_t *worker_count(const struct worker *w, enum count what)
{
        return &w->count[w->row * (int32_t)what];
}

/* What a task touches is in the first two cache lines. Tasks that are held are view.held_tasks. */
struct apprank {
        MACHINE_ALIGNED int32_t first_edge;
        int32_t nedge;
        int32_t next_task; /* number of the one that is placed next */
        int32_t left;      /* tasks not known to have finished */
        int32_t *known;    /* see enum known */
        void *place_state;
        struct place_view view;

        int32_t ntask, created;
        int64_t task_ns, task_bytes;
        bool prepares; /* its serial part, or that of those it waits for, is not over */
        struct decision_log *log;
        int32_t nrefused; /* workers that asked, to be told when tasks are held */
};
_Static_assert(sizeof(void *) != 8 || (offsetof(struct apprank, ntask) == 2 * CACHE_LINE &&
                                       offsetof(struct worker, inbox) == CACHE_LINE &&
                                       offsetof(struct worker, list) == 2 * CACHE_LINE),
               "where cache lines begin");

/* The explicit tasks of an apprank. */
struct explicit
{
        const struct taskgraph_part *graph; /* of the present iteration */
        int32_t *state;                     /* [graph->ntask] of dependencies.c */
        struct taskgraph_whole *whole; /* [graph->ntask], NULL: none is within another; kept: what
                                          those of it that ended took, ns */
};

struct node {
        MACHINE_ALIGNED int32_t first_worker;
        int32_t nworker;
        int32_t pool;              /* pooled cores */
        int32_t asked, next_asker; /* cores that its workers ask for; which is the next to, by place
                                      in the node */
        int64_t stolen_ns;   /* processor time of global decisions, process starts and polls, to be
                                spent with the next task */
        int64_t overhead_ns; /* processor time per task here, to run it */
        int64_t last_poll_ns, poll_phase_ns;
        int64_t gone_busy_ns; /* core time that helpers were busy that are gone */
        struct lend_view view;
        void *lend_state;
        void *alloc_state; /* node scope */
        struct decision_log *log;
        int32_t bounds[2]; /* node_first of the shape of this node alone */
};

/*
 * What appranks know of their workers, tasks and cores: each row by edge, so that an apprank's are
 * contiguous for the placement policy, and an apprank's rows together, from a cache line's start:
 * what every task touches mostly in one.
 */
enum known {
        KNOWN_TASKS, /* assigned, and not known to have finished; the others as of the last poll */
        KNOWN_OWNED,
        KNOWN_HELD, /* held tasks whose data is there */
        KNOWN_TARGET,
        KNOWN_USABLE,
        NKNOWN
};

/* Since the start, of all workers; tasks and their times count from when they start. */
struct totals {
        int64_t tasks, home_tasks, useful_ns, work_ns;
        int64_t gone_borrowed_ns; /* of helpers that are gone; see struct worker */
        int64_t bytes, moved_cores, decisions;
};

/* Core time that the balancing itself has been charged. */
struct charged {
        int64_t messages; /* their ends: network.message_cpu_ns each */
        int64_t poll_ns, decision_ns;
};

/* The tasks of an apprank by what they are expected to cost. */
struct priced {
        struct costs costs;
        struct place_costs view;
        int64_t room;
        int64_t nlocated; /* tasks of the last iteration */
        int64_t *task_ns; /* [room] what each lasts at speed 1, with those within it */
        double *cost;     /* [room] what it is expected to, as costs_of() has it */
        int32_t *node;    /* [room] where its data is: where that task of the last iteration ran;
                             NONE: at home */
};

/* The tasks of an apprank by urgency; urgent.c. */
struct urgent_task {
        int64_t urgency;     /* costs_urgency() */
        int32_t came;        /* of those in one heap: in which order */
        int32_t child, next; /* in a heap */
};
struct urgent {
        struct urgent_task *task; /* [room] */
        int64_t room;
};

/* Tasks that are held with their data at one edge, or a worker's ready ones. */
struct urgent_heap {
        bool any;
        int32_t root, newest; /* with any */
        int32_t staying;      /* of the ready ones, those that run at home alone */
};

struct machine {
        const struct sim_spec *spec;
        const struct place_type *place; /* of the spec */
        const struct graph *graph;      /* of now: the spec's, or of the helpers */
        const struct graph *columns;    /* all workers that there ever are, for series and traces */
        struct helpers *helpers;        /* NULL: the graph does not change */
        struct totals totals;
        int64_t helper_ns; /* helpers x time: + when one goes, - when it comes */
        struct queue queue;
        struct network network;
        int64_t now_ns;
        int32_t nnode, napprank, nworker, ncore, stride;
        int32_t stride_bits;
        int32_t poll_place, first_machine_slot; /* in the event queue */
        bool alike, lewi, drom, boundary, asks;
        bool gives_waiting;  /* asked, and none is held: tasks that wait at home */
        bool writes;         /* what policies see and decide */
        bool learns;         /* the placement policy, of every finished task */
        bool times_tasks;    /* for the lending policy */
        bool together;       /* LOOKS_TOGETHER */
        bool drawn;          /* tasks are no more than a duration each */
        bool numbered;       /* they are explicit, or what they cost is known */
        bool wholes;         /* some are within others */
        bool decides;        /* who should own how many cores; with drom they move */
        bool looks_ahead;    /* ahead.c */
        int32_t ahead_match; /* of the queue; likewise */

        struct core *core;  /* [(nnode) * stride], by slot */
        bool *offered;      /* [(nnode) * stride] its owner gave the core up at the last poll; to be
                               claimed at the next */
        int32_t *core_task; /* [(nnode) * stride] CORE_TASK: its index; NULL unless
                               numbered */
        struct worker *worker;              /* [nworker] */
        struct apprank *apprank;            /* [napprank] */
        struct node *node;                  /* [nnode] */
        int32_t *edge_worker;               /* [nworker] */
        struct memory_pool messages, ready; /* the workers' rings */

        /* by worker, so that a node's are contiguous for the lending policy */
        int32_t *owned, *borrowed, *running, *held_known, *target, *task_us;
        int32_t *count;   /* [NCOUNT * nworker] see enum count */
        double *measured; /* mean busy cores over the last poll interval */

        int32_t *known; /* of all appranks, one after the other: apprank.known */

        int64_t *data_here, *issued; /* by edge: this iteration's tasks, tasks created so far whose
                                        data is there */
        int64_t *left_bytes; /* by edge: data of explicit tasks left there in this iteration */
        int32_t *held_first, *held_last; /* by edge: explicit tasks among those held, undefined
                                            where none is */

        int64_t message_poll_ns, poll_ns, poll_cpu_ns, place_cpu_ns, collected_ns;
        int64_t finished_ns; /* what the task took that is the last known to have finished */
        struct charged charged;
        double looks_per_ns; /* 1 / message_poll_ns */

        /* what shapes point to, beside the graph's arrays */
        int32_t *node_cores;           /* [nnode] */
        bool *edge_home, *worker_home; /* [nworker] */
        bool *edge_talk, *worker_talk; /* [nworker] talk-only */
        int32_t *count_up, *zeros;     /* [nworker + 1] 0, 1, 2, ... and 0, 0, 0, ... */

        /* allocation policy of global scope */
        struct lb_shape shape; /* by edge */
        void *alloc_state;
        double *edge_busy;                             /* [nworker] */
        int32_t *edge_owned, *edge_target, *published; /* [nworker] */
        bool has_published;
        struct node_solves solves;
        int64_t solve_ns;
        int32_t group_nodes;  /* nodes whose cores are decided together */
        int32_t *node_target; /* scratch [nworker] */

        /* iterations */
        int32_t iteration, waiting; /* appranks that have not reached the barrier */
        int64_t iteration_start_ns, barrier_ns;
        int64_t iteration_ns;      /* what one takes, mean of the last few; 0: none is over */
        struct work *work;         /* [napprank] */
        struct explicit *explicit; /* [napprank]; NULL: no task is explicit */
        struct priced *priced;     /* [napprank]; NULL: what tasks cost is not known */
        double *assigned_cost;     /* by edge: of tasks not known to have finished; likewise */
        struct urgent *urgent;     /* [napprank]; NULL: tasks are taken as they come. Else: */
        struct urgent_heap *held_heap, *ready_heap; /* by edge, by worker */
        int64_t *block_ns; /* [napprank][WORKLOAD_BLOCK], of each apprank's next tasks */

        struct ledger *ledger;
        struct trace *tracing;         /* NULL: not traced */
        const struct sim_watch *watch; /* of the spec */
        struct parts *parts;           /* NULL: not divided; parts.h. Of a part: */
        struct outbox *outbox;         /* NULL: what nodes do to others happens at once */
        struct decision_log *log;      /* of the global policy; NULL: none is written */
        struct sim_decisions decisions;
        struct lb_error *err; /* of the run */
        bool failed;
        int64_t still_polls, still_since_ns; /* stall.c */
        const volatile int *stop;
        const struct worker *ahead[QUEUE_SOON_ROOM]; /* of the next events */
};

/*
 * The machine's own slots come behind all others: in what a power of two leaves free in the last
 * node's block, else in a block of their own, which makes the queue twice as large.
 */
enum machine_slot {
        SLOT_START,
        SLOT_GROW,
        SLOT_COLLECT,
        SLOT_PUBLISH,
        SLOT_SAMPLE,
        SLOT_STALL,
        NSLOT_MACHINE
};

static inline int32_t machine_slot(const struct machine *m, enum machine_slot slot)
{
        return m->first_machine_slot + (int32_t)slot;
}

static inline int32_t node_slot(const struct machine *m, int32_t node)
{
        return node * m->stride + m->poll_place;
}

/* The number of the task that a core runs, where tasks are numbered. */
static inline int32_t core_task(const struct machine *m, const struct core *c)
{
        return m->core_task ? m->core_task[c - m->core] : 0;
}

/* The worker at an apprank's home. */
static inline int32_t home_worker(const struct machine *m, int32_t apprank)
{
        return m->edge_worker[m->apprank[apprank].first_edge];
}

static inline bool worker_has_work(const struct worker *w)
{
        return w->ready > 0 || w->main_waits;
}

/* More of its cores are lent, or asked back; how many more. */
static inline void worker_counts(struct worker *w, enum count what, int32_t more)
{
        *worker_count(w, what) += more;
        w->at_hand = (uint16_t)(w->at_hand + (what == COUNT_LENT ? more : -more));
}

/* A worker sends or receives a message. */
static inline void machine_message(struct machine *m, struct worker *w)
{
        w->debt_ns += m->network.message_cpu_ns;
        m->charged.messages++;
}

/* Somebody on a node decides, and a core of it has to wait. */
static inline void machine_decides(struct machine *m, struct node *n, int64_t cpu_ns)
{
        n->stolen_ns += cpu_ns;
        m->charged.decision_ns += cpu_ns;
}

static inline void machine_moment(const struct machine *m, enum sim_moment moment, int32_t at)
{
        if (m->watch)
                m->watch->moment(m->watch->user, m, moment, at);
}

/* The worker of a node that lacks most cores; NONE: none lacks any. */
static inline int32_t machine_most_under(const struct machine *m, const struct node *n)
{
        int32_t first = n->first_worker;
        int32_t most = node_most_under(n->nworker, &m->owned[first], &m->target[first]);
        return most == NONE ? NONE : first + most;
}

/* Helpers x time until now. */
static inline int64_t helpers_ns(const struct machine *m)
{
        return m->helper_ns + (m->nworker - m->napprank) * m->now_ns;
}

/* Data that is where a worker left it in this iteration, bytes. */
static inline int64_t worker_left_bytes(const struct machine *m, const struct worker *w)
{
        return m->explicit ? m->left_bytes[w->edge]
                           : w->executed_data * m->apprank[w->apprank].task_bytes;
}

/* Where what an apprank knows begins in machine.known, at the start of a cache line; of apprank
 * number napprank: where all ends. */
static inline size_t known_first(const struct graph *graph, int32_t apprank)
{
        size_t line = CACHE_LINE / sizeof(int32_t);
        size_t before = (size_t)graph->apprank_first[apprank] * NKNOWN;
        return (before + (size_t)apprank * (line - 1) + line - 1) / line * line;
}

/* What an apprank knows of its worker at one of its edges, counted from its first. */
static inline int32_t *apprank_known(const struct apprank *a, enum known what, int32_t place)
{
        return &a->known[a->nedge * (int32_t)what + place];
}

/* The same at an edge; also of a graph that is about to be replaced. */
static inline int32_t *edge_known(const struct machine *m, enum known what, int32_t edge)
{
        const struct graph *g = m->graph;
        int32_t apprank = g->edge_apprank[edge], first = g->apprank_first[apprank];
        int32_t nedge = g->apprank_first[apprank + 1] - first;
        return &m->known[known_first(g, apprank)] + nedge * (int32_t)what + edge - first;
}

static inline int32_t worker_usable(const struct machine *m, int32_t worker)
{
        return node_usable(m->owned[worker], *worker_count(&m->worker[worker], COUNT_LENT),
                           m->borrowed[worker]);
}

/* An apprank knows at once what its own process owns and can use, which has changed; of its helpers
 * it hears at polls. */
static inline void machine_know_own(struct machine *m, int32_t worker)
{
        const struct worker *w = &m->worker[worker];
        if (!w->home)
                return;
        *edge_known(m, KNOWN_OWNED, w->edge) = m->owned[worker];
        *edge_known(m, KNOWN_USABLE, w->edge) = worker_usable(m, worker);
}

/* Core time spent busy by a worker until now. */
static inline int64_t worker_busy_ns(const struct machine *m, int32_t worker)
{
        return m->worker[worker].busy_ns + m->running[worker] * m->now_ns;
}

static inline int64_t worker_borrowed_ns(const struct machine *m, int32_t worker)
{
        return m->worker[worker].borrowed_ns + m->borrowed[worker] * m->now_ns;
}

/* Is there any core that a worker could get? Mostly not: it uses all it may. */
static inline bool worker_finds_cores(const struct machine *m, const struct worker *w)
{
        return w->at_hand > 0 || m->node[w->node].pool > 0;
}

/* Start what work it has on cores it can get. */
static inline void worker_seek(struct machine *m, struct worker *w)
{
        machine_moment(m, SIM_MOMENT_SEEK, (int32_t)(w - m->worker));
        if (worker_finds_cores(m, w))
                cores_seek(m, (int32_t)(w - m->worker));
}

static inline void measure_ownership_change(struct machine *m)
{
        m->totals.moved_cores++;
}

static inline void measure_decision(struct machine *m)
{
        m->totals.decisions++;
}

static inline void measure_bytes(struct machine *m, int64_t bytes)
{
        m->totals.bytes += bytes;
}

#endif
