/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_DPB_PROCESSORS_H
#define LB_SIM_SYSTEMS_DPB_PROCESSORS_H

#include "models/platform.h"
#include "policies/called.h"
#include "policies/dpb.h"
#include "policies/host/ledger.h"
#include "policies/profile.h"
#include "sim/engine/decisions.h"
#include "sim/engine/queue.h"
#include "sim/engine/sim.h"
#include "sim/engine/tracing.h"

/*
 * The host of system "dpb" (private to this folder): MPI processes on SMP nodes, each with a number
 * of processors that its OpenMP parallel regions divide their work over, and on every node a
 * resource manager that moves processors between them (DPB paper 3).
 *
 *      iteration of a process:
 *        serial part | edge [region 0] edge | edge [region 1] edge | ... | MPI: messages, waiting
 *                                                                        '--> all begin the next
 *
 * - The apprank is the process. Regions and their chunks come from the workload; a task is a chunk.
 * - A processor belongs to one process at a time, or is free between a giver's edge and a taker's.
 *   Processes in MPI or in their serial part are outside parallel regions: they give and take at
 *   once. Nothing is run by more threads than there are processors.
 * - What the manager knows is what the profiling library of each process measured
 *   (policies/profile.h), from the stream of MPI calls: the simulation has no other source.
 */

enum smp_param {
        SMP_POLICY, /* choice of dpb_names[] */
        SMP_START,  /* choice of enum smp_start */
        SMP_MODE,   /* choice of enum smp_mode */
        SMP_PERIODS,
        SMP_DISCARD, /* switch */
        SMP_WINDOW,
        SMP_CONFIRM,
        SMP_DELAY_MS, /* from the last measurement to the decision */
        SMP_SCHEDULE, /* choice of enum smp_schedule */
        SMP_FORK_US,
        SMP_SERIAL,
        SMP_NPARAM
};
extern const struct lb_param smp_params[];

enum smp_start { SMP_START_EQUAL, SMP_START_WORK };
enum smp_mode { SMP_SYNCHRONOUS, SMP_ASYNCHRONOUS };
enum smp_schedule { SMP_STATIC, SMP_DYNAMIC, SMP_IDEAL };
enum smp_phase { PHASE_MPI = 0, PHASE_SERIAL, PHASE_REGION };

struct process {
        int32_t node, cpus, target;
        enum smp_phase phase;
        int32_t region, nregion;
        int64_t first_task;          /* of the region */
        int64_t begin_ns, end_ns;    /* of the phase; end_ns moves where cpus change in a region */
        int64_t mpi_begin_ns;        /* MPI */
        double useful_ns, region_ns; /* core time of the phase's work; a region's time on `cpus` */
        double work_ns;              /* the same at speed 1 */
        struct profile *profile;
};

struct smp_node {
        int32_t first, nprocess; /* processes first .. first + nprocess - 1 */
        int32_t free;            /* processors of no process */
        bool deciding;           /* a decision is pending */
        void *state;             /* of the policy */
};

struct smp {
        const struct sim_spec *spec;
        const double *param; /* [SMP_NPARAM] */
        const struct dpb_type *policy;
        struct queue queue; /* slots: processes, then nodes, then the barrier */
        struct network network;
        int64_t now_ns;
        int32_t nnode, nprocess, ncore;
        bool alike;
        double *time_factor;       /* [nnode] a chunk's duration there over that at speed 1 */
        struct process *process;   /* [nprocess] */
        struct smp_node *node;     /* [nnode] */
        double *compute_s, *mpi_s; /* [nprocess] what managers are told */
        int32_t *cpus, *wanted;    /* [nprocess] scratch */
        double *thread_ns;         /* [ncore] scratch */
        void **memory;             /* [nprocess + nnode] profiles and states */
        int32_t iteration, waiting;
        int64_t barrier_ns; /* when the last that arrived is through with its messages */
        struct work *work;  /* [nprocess] */
        struct ledger *ledger;
        struct sim_decisions decisions;
        struct trace *tracing; /* NULL: not traced */
        int32_t *core_owner;   /* [nnode][ncore] processes, where traced */
        const volatile int *stop;
        struct lb_error *err;
        bool failed; /* err is filled */
};

static inline int32_t smp_node_slot(const struct smp *m, int32_t node)
{
        return m->nprocess + node;
}

static inline int32_t smp_barrier_slot(const struct smp *m)
{
        return m->nprocess + m->nnode;
}

/* setup.c: made from a spec, at time 0 with the initial allocation. */
struct smp *smp_create(const struct sim_spec *spec, struct lb_error *err);
void smp_destroy(struct smp *m);

/* region.c: how long a process's region lasts on its processors (ns), and its work at speed 1.
 * Without the fork. */
double smp_region_ns(const struct smp *m, int32_t process, double *work_ns);

/* process.c: the course of an iteration. */
void smp_begin(struct smp *m, int32_t process);
void smp_process_event(struct smp *m, int32_t process);
void smp_resize(struct smp *m, int32_t process, int32_t cpus); /* now, in any phase */

/* manager.c: measurements and decisions of a node. */
void smp_edge(struct smp *m, int32_t process); /* outside regions: give and take */
void smp_told(struct smp *m, int32_t node);    /* measurements may be complete */
void smp_decide(struct smp *m, int32_t node);

/* tracing.c: what the observer is told, where the run is traced: a process's phase or number of
 * processors has changed. */
int smp_tracing_start(struct smp *m, struct lb_error *err);
void smp_tracing_process(struct smp *m, int32_t process);

/* measure.c: what the ledger is told. */
struct ledger *smp_measure_create(const struct smp *m, struct lb_error *err);
void smp_measure_busy(struct smp *m, int32_t process, double overhead_ns); /* a phase is over */
void smp_measure_iteration(struct smp *m); /* iteration m->iteration is over */

#endif
