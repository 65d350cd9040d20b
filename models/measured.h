/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_MEASURED_H
#define LB_MODELS_MEASURED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * What was measured of a program that nobody changed: the load of each rank, in the whole run and,
 * where the measurement has them, in windows of it. Free of GPL libraries.
 *
 * - Load is what a rank computed, in seconds of one core: waiting is none. A rank of several
 *   threads has the sum of theirs.
 * - Nodes count from 0, in the order of their first rank; each has a rank.
 * - What a measurement does not say is NaN, or 0 where it is a number of things.
 *
 * Read is, by what is in it: a directory of lbrun measure; TALP's JSON with processes (DLB 3.4 and
 * later, or the node records of its older reports); mpiP's text; a Paraver trace (.prv, states);
 * a trace of Score-P's (traces.otf2), where the library is there when lbsim is built; CSV with
 * columns found by name (measured_csv.c says which).
 */
enum {
        MEASURED_RANK_MAX = 65536,
        MEASURED_WINDOW_MAX = 100000,
        MEASURED_HOST_SIZE = 256,
        MEASURED_LAUNCH_SIZE = 1024
};

struct measured_rank {
        int32_t node;
        double load_s, mpi_s;
        double files_s, unseen_s; /* of the former, calls on files; of the load, may be waiting */
        double regions;           /* parallel ones of a window, as many alike (models/alike.h) */
        double serial_s, fixed_s; /* of the load: in none; in such of a number that they keep */
        char host[MEASURED_HOST_SIZE]; /* "" where unknown */
};
extern const struct measured_rank measured_rank_unknown; /* all NAN, no host */

/* A place that calls MPI, of all ranks together. */
struct measured_site {
        char call[40], place[256], module[256]; /* place: function (file:line), what is known */
        double calls, mpi_s, load_before_s;     /* sums over ranks: in it; outside MPI before it */
        double imbalance_before;                /* max/avg of the latter */
};

struct measured {
        const char *format; /* "lbrun measure", "TALP", "mpiP", "Paraver", "OTF2", "CSV" */
        char program[256];  /* "" where unknown */
        char launch[MEASURED_LAUNCH_SIZE]; /* what started it; "" where unknown or longer */
        bool openmp;                       /* it has parallel regions */
        int32_t nrank, nnode;
        bool nodes_known;           /* false: all ranks are taken to be on one */
        struct measured_rank *rank; /* [nrank] */
        int32_t cores_per_rank;     /* of the rank with most; 0: not known */
        bool cores_differ;          /* from rank to rank */
        double wall_s;
        double transfer_s;          /* sum over synchronisations of the least MPI time of a rank */
        double synchronisations;    /* imbalance between them */
        double iterations;          /* imbalance of them */
        double iterations_part;     /* so much of all load is in them */
        double runnable_part;       /* of the time outside MPI: without a CPU */
        bool killed;                /* some rank ended without a word */
        int32_t unended;            /* threads with regions that the trace has no end of */
        int32_t spawned;            /* further ranks that these started, which are not in */
        int64_t nwindow;            /* 0: the whole run alone */
        double *window_load_s;      /* [nwindow][nrank] */
        bool by_iteration;          /* windows are iterations of the program, or some each */
        struct measured_site *site; /* [nsite], the heaviest first */
        int32_t nsite;
};

/* Is it one of these, and not a workload of models/trace.h? Reads the beginning. */
bool measured_is(const char *path);

/* Messages name file and place. On failure *m is empty. */
int measured_read(struct measured *m, const char *path, struct lb_error *err) LB_MUST_CHECK;
void measured_finish(struct measured *m); /* fine on one that is all zero */

#endif
