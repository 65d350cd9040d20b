/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_CONTROL_WORLD_H
#define LB_TESTS_REAL_CONTROL_WORLD_H

#include "real/control/control.h"

/*
 * A live job in one process and in steps of one millisecond: every worker has its control, its
 * board and its cores; tasks only last. What the runtime does for real, made as simple as can be,
 * so that every run is the same and can be checked after every step.
 *
 * - Apprank a is at home on node a * nnode / napprank; its helpers are on the nodes that follow.
 * - Each apprank creates its tasks at the start of an iteration; all wait for all at its end.
 */
enum { WORLD_CORE_MAX = 64, WORLD_APPRANK_MAX = 32 };

struct world_spec {
        const char *system;
        int32_t nnode, ncore, napprank, degree;
        int32_t nsleeper; /* of each apprank, beside its degree; of systems that grow */
        bool no_lewi, no_drom, boundary, cpu, asks;
        bool at_hand; /* what a helper may be sent counts cores that it borrowed */
        bool tail;    /* placement by when tasks would end, which learns */
        bool solver_lp;
        int32_t ntask[WORLD_APPRANK_MAX]; /* per iteration */
        int32_t task_ms[WORLD_APPRANK_MAX];
        const char *decisions; /* or NULL */
        bool lend_to_last;     /* likewise */
        int32_t borrow_ahead;  /* of the lending policy; 0: its default */
        double poll_s;         /* 0: its default */
        double poll_iterations;
        uint64_t storm; /* seed of what goes wrong (storm.h); 0: nothing does */
};

struct world_worker {
        bool silent; /* it has not written any figures */
        struct world *world;
        struct board *board;
        struct cores *cores;
        struct control *control;
        int64_t due_ns;
        int32_t task_left_ms[WORLD_CORE_MAX]; /* 0: none there */
        bool idle[WORLD_CORE_MAX];
        int32_t running, ready, tasks;
        int64_t busy_ns, cpu_ns;
        double cpu_share; /* processor time of its tasks over their time; 1 at first */
};

struct world {
        struct world_spec spec;
        struct job *job;
        struct world_worker *worker; /* [nworker] */
        int64_t now_ns;
        int64_t held[WORLD_APPRANK_MAX];
        int32_t left[WORLD_APPRANK_MAX];
        int32_t *tasks;          /* [nworker] assigned to a worker, as its home knows */
        struct world_mail *mail; /* in the order in which they arrive */
        struct world_mail
            *last; /* of each sender, destination and kind that is not to be repeated */
        int64_t nmail, noffloaded;
        int64_t nmail_of[8]; /* by kind, the first word of each */
        int64_t npoll;
        struct storm *storm; /* NULL: fair weather */
};

/* Four nodes of eight cores, an apprank each; the first has half of all work. */
struct world_spec world_skewed(const char *system);

struct world *world_create(const struct world_spec *spec);
struct job *world_job(const struct world_spec *spec); /* its job alone */
void world_destroy(struct world *world);

/* One more millisecond, and what must hold after it. */
void world_step(struct world *world);

/* Each apprank's tasks of one more iteration. */
void world_create_tasks(struct world *world);
int32_t world_tasks_left(const struct world *world);

/* One more iteration; returns how long it took, ms. Fails the test after 60 s. */
int32_t world_iterate(struct world *world);

/* The mean of the last third of `count` iterations over the least possible, total work over all
 * cores. */
double world_ratio(struct world *world, int32_t count);

/* The same of a world that is made for it, 18 iterations; what its controls did. */
double world_ratio_of(const struct world_spec *spec, struct control_figures *figures);

/* Let time pass in which worker w keeps busy_cores[w] cores busy, without any tasks; < 0: it writes
 * no figures. */
void world_drive(struct world *world, const double *busy_cores, double seconds);

int32_t world_local(const struct job *job, int32_t worker); /* its place on its node */
int32_t world_target(const struct world *world, int32_t worker);
int32_t world_owned(const struct world *world, int32_t worker);
struct control_figures world_figures(const struct world *world); /* sums over all workers */

#endif
