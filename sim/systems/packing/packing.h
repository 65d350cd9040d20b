/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_PACKING_PACKING_H
#define LB_SIM_SYSTEMS_PACKING_PACKING_H

#include "models/platform.h"
#include "policies/called.h"
#include "policies/host/ledger.h"
#include "policies/pack.h"
#include "policies/pack_when.h"
#include "sim/engine/decisions.h"
#include "sim/engine/host.h"
#include "sim/engine/tracing.h"
#include "sim/systems/packing/links.h"
#include "sim/systems/packing/share.h"

/*
 * The host of Task Packing (Task Packing paper 3): MPI processes that calculate and synchronise,
 * several of them on one CPU once they are packed.
 *
 *   start --messages--> calculate, taking turns on shared CPUs --arrival--> meet --> next start
 *                                                                 | times
 *                                          settled? --> first to arrive packs its node
 *
 * - An apprank is a process. Its CPU is its share of the node's cores, equal for all: one core for
 *   single-threaded processes, as in the paper; with more cores its tasks run on all of them, and
 *   what is packed and freed are such groups of cores. Cores beyond equal shares stay unused.
 * - A machine is `pack_domains` neighbouring nodes of the platform, its NUMA domains: what is
 *   packed together.
 * - Processes meet all at once: an iteration is calculated without an event queue, times in ns from
 *   its start.
 */
enum packing_param {
        PACKING_POLICY, /* choice of pack_types[] */
        PACKING_DOMAINS,
        PACKING_WAITING, /* choice of enum share_waiting */
        PACKING_SLICE_MS,
        PACKING_SWITCH_US,
        PACKING_REFILL_US,
        PACKING_POLL_US,
        PACKING_WAKE_US,
        PACKING_COPY_GBPS,
        PACKING_MIGRATE_US,
        PACKING_DECIDE_US,
        PACKING_NPARAM
};
extern const struct lb_param packing_params[];

/* Places in sim_spec.host_param; from PACK on in the order of pack_types[], and that of a policy
 * which the system names behind them. */
enum packing_table { PACKING_TABLE_HOST, PACKING_TABLE_WHEN, PACKING_TABLE_PACK };

extern const struct sim_host sim_host_packing;

struct process {
        int32_t node, machine;
        double speed;        /* of its node */
        int64_t overhead_ns; /* processor time of a message there */
        int64_t drawn_ns;    /* core time of its work in this iteration at speed 1, */
        int64_t work_ns;     /* their time on its CPU alone */
        int64_t useful_ns;   /* and there as core time: a CPU may have several cores */
        int64_t wait_ns;     /* beside that, for those whose serial parts it needs */
        int64_t ready_ns;    /* when its messages are sent and those to it are there */
        int64_t message_ns;  /* processor time to receive those */
        int64_t cpu_ns;      /* processor time after that: receiving and calculating */
        int64_t arrival_ns;  /* at the meeting */
        int32_t cpu;         /* process whose CPU it runs on */
        int32_t mates;       /* other processes there */
};

struct machine_node {
        int32_t first, count; /* processes */
        int32_t used;         /* CPUs */
        void *pack_state;
};

/* tracing.c */
struct packing_traced {
        struct trace *tracing;
        struct share_watch watch;
        int32_t *first_worker;       /* [nprocess] as traces number them */
        int32_t cpu, last;           /* being calculated; process of its last slice */
        struct packing_slice *slice; /* [room] of the iteration */
        int64_t count, room;
        bool failed;
};

struct packing {
        const struct sim_spec *spec;
        const double *param; /* [PACKING_NPARAM] */
        const struct pack_type *policy;
        int32_t nprocess, nmachine, cores; /* cores: of a CPU */
        struct process *process;           /* [nprocess] */
        struct machine_node *machine;      /* [nmachine] */
        int32_t *on_cpu;                   /* [nprocess] processes, by CPU */
        int32_t *cpu_first;                /* [nprocess + 1] */
        struct share_job *job;             /* [nprocess] scratch */
        double *time_s;                    /* [nprocess] */
        int32_t *target;                   /* [nprocess] CPUs decided on */
        int64_t *core_free_ns;             /* [cores] scratch */
        int64_t *arrival_ns;               /* [nprocess] scratch of a reduction */
        struct links_message *event;       /* [nmessage] as they leave */
        struct links *links;               /* NULL: the workload has no messages */
        struct work *work;                 /* [nprocess] */
        void *when_state;
        struct share_cost cost;
        struct network network;

        int32_t iteration;
        int64_t start_ns; /* of the iteration, in the run */
        int64_t extra_ns; /* what the meeting takes longer for deciding and moving */
        bool placed_anew; /* since the last messages */
        bool decided;     /* target[] is to be computed by the first to arrive, then applied */
        double bound_s;
        int64_t decisions, moved, switches;
        struct ledger *ledger;
        struct sim_decisions decisions_log;
        struct packing_traced *traced; /* NULL: not traced */
        struct lb_error *err;
        bool failed; /* err is filled */
};

/* create.c: all processes on CPUs of their own. _set_speeds: as nodes are in this iteration. */
struct packing *packing_create(const struct sim_spec *spec, struct lb_error *err);
void packing_destroy(struct packing *p); /* takes NULL */
void packing_set_speeds(struct packing *p);

/* messages.c: where messages go, -1: out of memory; fills ready_ns and cpu_ns. */
int packing_links(struct packing *p, const struct workload_exchange *exchange) LB_MUST_CHECK;
void packing_exchange(struct packing *p);

/* meeting.c: when all have met, ns; arrivals are filled. */
int64_t packing_meet(struct packing *p);

/* decide.c: after an iteration; fills extra_ns of the next meeting. */
void packing_decide(struct packing *p, int64_t slowest_ns);
void packing_place(struct packing *p); /* on_cpu, mates and used of cpu */

/* tracing.c: what the observer is told, where the run is traced. _cpu: who watches a CPU, or NULL;
 * _work: all CPUs of the iteration have been calculated; _places: who is on which CPU. */
int packing_tracing_start(struct packing *p, struct lb_error *err);
const struct share_watch *packing_tracing_cpu(struct packing *p, int32_t cpu);
void packing_tracing_work(struct packing *p);
void packing_tracing_places(struct packing *p, int64_t time_ns);
int packing_tracing_close(struct packing *p, struct sim_result *result, struct lb_error *err);
void packing_tracing_abandon(struct packing *p); /* fine where not traced */

/* measure.c: what the ledger is told: when all have arrived, and at the end of the iteration. */
struct ledger *packing_measure_create(const struct packing *p, struct lb_error *err);
void packing_measure_work(struct packing *p);
void packing_measure_iteration(struct packing *p, int64_t end_ns);

#endif
