/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_CONTROL_JOB_H
#define LB_REAL_CONTROL_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/param.h"
#include "policies/shape.h"

/*
 * A live job: what lbrun(1) decides and every rank must know. It travels as one line of text in the
 * environment variable LBRUN_JOB (a long one goes on in LBRUN_JOB_1 and so forth), so that it
 * reaches every node without a shared file system.
 *
 * - Workers are numbered apprank by apprank, home first: an edge of the graph, as in
 * policies/shape.h.
 * - Ranks of MPI_COMM_WORLD are numbered node by node, and on a node by ascending worker:
 *   rank_worker[] and worker_rank[] translate.
 * - Cores are virtual (threads that share the machine, for tasks that sleep or small tests), slow
 *   CPUs of a virtual node (JOB_VIRTUAL_CPUS), or real (workers are pinned).
 */
enum { JOB_ID_SIZE = 32, JOB_PATH_SIZE = 1024, JOB_CONTENT_SIZE = 17 };

/* Parameters of the live runtime; the same names as lbsim's where they mean the same. */
enum job_param {
        JOB_POLL_S,          /* measurements are exchanged, cores change owner */
        JOB_POLL_ITERATIONS, /* ... or in such a part of an iteration */
        JOB_MESSAGE_POLL_US, /* looks for messages of other machines this often when idle */
        JOB_SPIN_US,         /* keeps looking for so long after a message before it sleeps */
        JOB_OWNERSHIP,       /* choice of enum ownership */
        JOB_ASK,             /* switch: idle cores ask appranks for held tasks */
        JOB_ASK_WAITING,     /* switch: ... and get what waits at home */
        JOB_TALK_ONLY,       /* choice of enum alloc_talk: which helpers may own no core */
        JOB_LOAD,            /* choice: wall, cpu */
        JOB_MEMORY_GIB,      /* cluster memory of an apprank, address space */
        JOB_CORES_BY,        /* choice: builtin, dlb, auto; enum cores_by of real/node/cores.h */
        JOB_REPORT_EVERY_S,  /* --report and --loads are written this often; 0: at the end */
        JOB_POLICY_S,        /* a policy that decides for longer ends the job */
        JOB_CHECK,           /* switch: --check, accesses are compared with what tasks touch */
        JOB_QUIET,           /* switch: no table of the report on standard output */
        JOB_START_S,      /* ranks that wait for each other to start are given so long; 0: ever */
        JOB_FINALIZE_S,   /* and in MPI_Finalize(), when all else is done; 0: for ever */
        JOB_HUNG_S,       /* a rank that looks for no messages for so long is ended; 0: never */
        JOB_NODE_S,       /* a node that is silent for so long is lost; 0: never */
        JOB_VIRTUAL_CPUS, /* switch: cores are CPUs of real/node/cpu_groups.h */
        JOB_CPU_SPEED,    /* theirs on nodes of speed 1, in real ones'; 0: the fastest */
        JOB_MIGRATE,      /* choice of migrate_types[], where the system names none */
        JOB_EXCHANGE_US,  /* ranks that migrate tasks tell each other their loads this often */
        JOB_COMM_CORE,    /* choice: where their threads for messages run; enum job_comm_core */
        JOB_HINT,         /* choice: what a core is; enum cpu_hint of real/node/cpu_order.h */
        JOB_NPARAM
};
extern const struct lb_param job_params[];
enum job_load { JOB_LOAD_WALL, JOB_LOAD_CPU };
enum job_comm_core { JOB_COMM_CORE_SHARED, JOB_COMM_CORE_TAKEN };

/* The largest jobs; places: workers of an apprank, or the appranks where tasks migrate. */
enum { JOB_NODE_MAX = 4096, JOB_CORE_MAX = 4096, JOB_APPRANK_MAX = 65536, JOB_PLACE_MAX = 1024 };

struct job {
        char id[JOB_ID_SIZE]; /* letters, digits, '-'; unique on the machine */
        char system[32];      /* of policies/system.h */
        bool lewi, drom, virtual_nodes;
        bool bound; /* virtual nodes whose cores are real: node after node the machine's CPUs */
        int32_t nnode, cores_per_node, napprank, nworker, degree; /* cores: the most of any node */
        double param[JOB_NPARAM];
        double *alloc_param, *lend_param, *place_param, *migrate_param,
            *grow_param; /* of the system's policies, in table order */
        bool *sleeps;    /* [nworker] sleeps at first, until a growth policy wakes it; NULL: none
                            does */
        double *speed;   /* [nnode] 1 unless told otherwise */
        int32_t *cores;  /* [nnode] cores_per_node unless told otherwise */
        struct lb_shape shape;              /* global scope; arrays owned by the job */
        int32_t *rank_worker, *worker_rank; /* [nworker] */
        char policy[JOB_PATH_SIZE]; /* shared object of the system (policies/plugin.h), or empty */
        char report[JOB_PATH_SIZE]; /* --report, written by apprank 0; empty: none. Likewise: */
        char decisions[JOB_PATH_SIZE]; /* one file a node: FILE.<node + decisions_from> */
        int32_t decisions_from;        /* not in the text */
        char loads[JOB_PATH_SIZE];
        char trace[JOB_PATH_SIZE];
        char tasks[JOB_PATH_SIZE];
        bool tasks_ordered;          /* only where one waits for another, for --compare alone */
        char contact[JOB_PATH_SIZE]; /* how lbrun is reached from other nodes; empty: it is not */
        char content[JOB_CONTENT_SIZE]; /* of the program, which is to be the same on all nodes: a
                                         * hash; empty: it is not compared */
};

/* ---- Life cycle ---- */

/* Parameters have their defaults; all else is zero or empty. */
struct job *job_create(struct lb_error *err);
void job_destroy(struct job *job); /* takes NULL */

/* Cores of a node; of a node in the mean, rounded up. */
int32_t job_node_cores(const struct job *job, int32_t node);
int32_t job_mean_cores(const struct job *job);

/* "4" or "2 to 8" into text[size]: the cores of a node. */
void job_describe_cores(const struct job *job, char *text, size_t size);

/* The job that a rank is part of, from text as job_format() makes it. Strict: every member must be
 * there and in range, and no other. */
struct job *job_parse(const char *text, struct lb_error *err);

/* A job of one apprank on one node with one core: a program started without lbrun. */
struct job *job_alone(struct lb_error *err);

/* One line of text, allocated; NULL out of memory. Every number is read back as it was. */
char *job_format(const struct job *job);

/*
 * Its way through the environment, in parts that fit it. job_to_environment() returns -1 out of
 * memory; job_from_environment() an allocated text, NULL where there is none. Part i of
 * job_text_parts() is in the variable job_part_name(i), and may be empty; job_text_part() allocates
 * its text, NULL out of memory. A job that is told its contact later has as many parts, or more of
 * which the last are empty.
 */
enum { JOB_PART_NAME_SIZE = 24 };
int job_to_environment(const char *text) LB_MUST_CHECK;
char *job_from_environment(void);
int32_t job_rank_from_environment(void); /* as MPI's launcher tells it; -1: it does not */
int32_t job_text_parts(const char *text);
const char *job_part_name(int32_t part, char name[JOB_PART_NAME_SIZE]);
char *job_text_part(const char *text, int32_t part);

/* Is the text that of the job with this id? Looks at nothing else, of whatever text. */
bool job_text_is(const char *text, const char *id);

/* ---- Making one ---- */

/* Is it one for live jobs? Others run in lbsim only. */
struct system_type;
bool job_runs_system(const struct system_type *system);

/* Take a system by name, with its switches and the defaults of its policies' parameters. */
int job_set_system(struct job *job, const char *name, struct lb_error *err) LB_MUST_CHECK;

/* Do its ranks push tasks to each other (system chameleon)? Then there are no helpers, and cores
 * are as in system baseline. */
bool job_migrates(const struct job *job);

/* Do helpers sleep until a growth policy wakes them, and when it retires them? Where the system
 * finds its degree (dynamic) all do at first, and `degree` is how many workers an apprank may come
 * to have; else (tight) those beyond `degree`. */
bool job_grows(const struct job *job);

/* How many sleep at first. */
int32_t job_sleeping(const struct job *job);

/* Of a rank of MPI_COMM_WORLD. */
static inline int32_t job_node_of(const struct job *job, int32_t rank)
{
        return job->shape.worker_node[job->rank_worker[rank]];
}

/* May a worker own no core, at the start and later: a talk-only helper, or one that sleeps? */
bool job_may_own_none(const struct job *job, int32_t worker);

/* The policies of the job's system, and their parameter tables: what its policy arrays are of. NULL
 * where it has none. */
enum job_policy { JOB_ALLOC, JOB_LEND, JOB_PLACE, JOB_MIGRATION, JOB_GROWTH, JOB_NPOLICY };
const char *job_policy_name(const struct job *job, enum job_policy policy);
const struct lb_param *job_policy_params(const struct job *job, enum job_policy policy);
double *job_policy_values(const struct job *job, enum job_policy policy);

/*
 * Complete a job whose id, system, sizes and parameters are set: the number of workers, cores and
 * speeds of nodes unless there are some, the shape and the rank maps from a graph's edges
 * (apprank_first[napprank + 1], edge_node[nworker]), copied. Where the system grows, those of an
 * apprank beyond the first `degree` (1 where it finds its degree) sleep. Fails on a graph that is
 * none (see graphs/graph.h), where a node has fewer cores than workers that must own one, and where
 * some may own none (policies/shape.h) but DLB is to manage the cores.
 */
int job_set_edges(struct job *job, const int32_t *apprank_first, const int32_t *edge_node,
                  struct lb_error *err) LB_MUST_CHECK;

/* Cores that each worker owns at the start: as alloc_initial(), nothing for who sleeps. */
int job_initial(const struct job *job, int32_t *owned_cores, struct lb_error *err) LB_MUST_CHECK;

#endif
