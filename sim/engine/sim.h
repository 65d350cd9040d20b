/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_ENGINE_SIM_H
#define LB_SIM_ENGINE_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"
#include "graphs/graph.h"
#include "models/workload.h"
#include "policies/alloc.h"
#include "policies/grow.h"
#include "policies/host/metrics.h"
#include "policies/host/params.h"
#include "policies/lend.h"
#include "policies/place.h"
#include "policies/system.h"

/*
 * One simulated run: workers on nodes, cores that are owned, lent, borrowed and reclaimed, tasks,
 * messages, policies. Deterministic: a function of its spec alone.
 */

/* What the runtime system costs and how stale its information is: the scenario's "runtime" section.
 */
enum runtime_param {
        RUNTIME_CREATE_US, /* processor time to create a task, on a core of the apprank */
        RUNTIME_TASK_US,   /* processor time to schedule, start and finish a task, on its core */
        RUNTIME_MESSAGE_POLL_US, /* a worker looks for messages this often; 0: at once */
        RUNTIME_LOOKS,           /* choice of enum looks: when it does, and how figures travel */
        RUNTIME_PHASE_SEED,      /* of when each looks and polls first; 0: the run's seed */
        RUNTIME_POLL_S,          /* measurements are exchanged and cores change owner this often */
        RUNTIME_POLL_ITERATIONS, /* ... or in such a part of an iteration */
        RUNTIME_POLL_CPU_US,     /* processor time of that for each worker, us */
        RUNTIME_PLACE_CPU_US,    /* processor time to ask the placement policy once, us */
        RUNTIME_OWNERSHIP,       /* choice of enum ownership: which cores change owner */
        RUNTIME_TALK_ONLY,       /* choice of enum alloc_talk: which helpers may own no core */
        RUNTIME_SOLVER_TIME,     /* choice of enum solver_time: what a global decision costs */
        RUNTIME_SOLVER_MS,       /* given: processor time of one decision, ms */
        RUNTIME_SOLVER_NODE,     /* choice of enum solver_node: whose processor time that is */
        RUNTIME_GATHER_US,       /* processor time there to take in one node's figures, us */
        RUNTIME_SCATTER_US,      /* and to send one node its cores, us */
        RUNTIME_ASK,             /* idle cores ask appranks for held tasks */
        RUNTIME_ASK_WAITING,     /* ... and get what waits at home */
        RUNTIME_COST_HINTS,      /* the program says what tasks cost */
        RUNTIME_TARGETS,         /* decided where ownership does not move, too */
        RUNTIME_NPARAM
};
extern const struct lb_param runtime_params[];
/*
 * When workers look for messages, and how what nodes tell each other at their polls gets there.
 * Apart: each at times of its own, and figures are known at once. Together: all at the same times,
 * and figures travel as messages. Then nothing that a node does is seen by another before the next
 * look, so that the nodes of one run can be divided among threads (sim_spec.threads).
 */
enum looks { LOOKS_APART, LOOKS_TOGETHER };
enum solver_node { SOLVER_NODE_FIRST, SOLVER_NODE_LEAST_LOADED };
enum solver_time { SOLVER_TIME_MODEL, SOLVER_TIME_GIVEN, SOLVER_TIME_NONE };

/* What is traced of a run; see plots/trace.h. */
struct sim_trace {
        const char *file; /* .prv or .json */
        int64_t from_ns, until_ns;
        int32_t core_step;
        const char *decisions; /* as sim_spec.decisions */
        struct lb_error *decisions_failure;
};

/*
 * For a test that holds another host's protocol against this one, step by step: it says when nodes
 * poll, and is told what happens, before it does.
 */
enum sim_moment {
        SIM_MOMENT_POLL,   /* at: a node: measures, decides, moves ownership */
        SIM_MOMENT_SETTLE, /* a node: lends its idle cores by what the poll told */
        SIM_MOMENT_SEEK,   /* a worker: gets cores for what work it has */
        SIM_MOMENT_END,    /* a core: what ran there has ended, and its user's next is known */
        SIM_MOMENT_BORROW, /* a core: its user has just borrowed it */
        SIM_MOMENT_AFTER,  /* all that happened at an event, or at the start */
};
struct machine; /* sim/systems/offload/machine.h */
struct sim_watch {
        void *user;
        int64_t (*next_poll_ns)(void *user, int32_t node, int64_t now_ns); /* > now_ns */
        void (*moment)(void *user, const struct machine *m, enum sim_moment moment, int32_t at);
};

struct ledger_limits; /* policies/host/ledger.h */

struct sim_spec {
        const struct system_type *system;
        const struct graph *graph;
        int32_t appranks_per_node;
        const struct workload *workload;
        int32_t cores_per_node;
        const double *node_speed;        /* [nnode], > 0 */
        const double *node_link;         /* [nnode], > 0: network_set_link(); NULL: all 1 */
        const bool *node_joined;         /* [nnode] network_join(); NULL: none */
        const double *network;           /* [NETWORK_NPARAM] */
        const double *power;             /* [POWER_NPARAM]; NULL: defaults */
        const double *runtime;           /* [RUNTIME_NPARAM] */
        const double *const *host_param; /* of a system with a host: see sim/engine/host.h; policies
                                            are NULL then */
        const struct alloc_type *alloc;
        const double *alloc_param;
        const struct lend_type *lend;
        const double *lend_param;
        const struct place_type *place;
        const double *place_param;
        const struct grow_type *grow; /* NULL: the graph stays as it is */
        const double *grow_param;
        bool lewi, drom;
        uint64_t seed;                 /* phases of the polls */
        double series_s;               /* sampling interval of the time series, s; 0: none */
        const struct sim_trace *trace; /* NULL: none */
        const char *decisions; /* file for what policies see and decide (policies/replay.h); NULL */
        struct lb_error *decisions_failure; /* why that is not whole, after the run: see
                                               policies/host/decision_log.h; NULL */
        const struct ledger_limits *limits; /* NULL: not known */
        int32_t threads;                    /* that it may use, where looks are together; 0: one */
        bool divides_always;                /* uses them even where it is no faster, for tests */
        const char **undivided; /* receives why it uses one all the same; NULL: is not told. Runs at
                                   the same time may have the same */
        const struct sim_watch *watch; /* NULL: none; polls as the runtime's parameters say */
};

/* Time series, sampled every series_s: mean over the interval that ends at the sample. Workers are
 * numbered as the graph's edges. */
struct sim_series {
        int32_t nsample, nworker, nnode;
        double interval_s;
        double *node_imbalance; /* [nsample] max / mean over nodes of busy cores */
        float *busy_cores;      /* [nsample][nworker] */
        int32_t *owned_cores;   /* [nsample][nworker] at the sample's time */
        struct graph *graph; /* whose edges the workers are; NULL: the point's. Where helpers come
                                and go, all that there were at any time */
};

struct sim_result {
        double metric[METRIC_COUNT]; /* policies/host/metrics.h; NaN: no meaning here */
        int32_t niteration;
        double *iteration_s;      /* [niteration] */
        struct sim_series series; /* empty unless asked for */
};

/* Run, by the system's host. On failure *result is empty. `stop`, if not NULL, is looked at now and
 * then: nonzero ends the run with LB_ERROR_STOPPED. */
int sim_run(const struct sim_spec *spec, struct sim_result *result, const volatile int *stop,
            struct lb_error *err) LB_MUST_CHECK;
void sim_result_finish(struct sim_result *result);

/* The network of the spec's nodes, their NICs as it has them: network_init(). */
struct network;
int sim_network_init(struct network *network, int32_t nnode, const struct sim_spec *spec,
                     struct lb_error *err) LB_MUST_CHECK;

#endif
