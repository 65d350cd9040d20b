/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_LEAF_H
#define LB_REAL_BALANCE_LEAF_H

#include <stddef.h>
#include <stdint.h>

/*
 * What a rank lets lbrun see, and leaves: HOST-PID.rank in the job's directory, this structure,
 * mapped into the rank, so that it is there however the rank ends. A rank that could not be
 * balanced says why in there, for it may be that no file can be opened any more; where it has not
 * come so far, it leaves HOST-PID.wrong, a line of text.
 */
#define LEAF_MAGIC "lbrun-balance-1"
enum { LEAF_HOST_SIZE = 256, LEAF_TEXT_SIZE = 512, LEAF_FIGURES = 8, LEAF_LOADS = 32 };

/* Of systems that move CPUs among ranks: CPUs owned now and at the start, enum malleable of team.h,
 * threads at most, what the policy decided, CPUs lent and borrowed. */
enum leaf_figure {
        LEAF_CPUS,
        LEAF_CPUS_FIRST,
        LEAF_MALLEABLE,
        LEAF_BOUND,
        LEAF_DECISIONS,
        LEAF_LENT,
        LEAF_BORROWED
};

enum leaf_state { LEAF_RUNS = 0, LEAF_FINALIZED, LEAF_LEFT /* exit() before MPI's end */ };

struct leaf {
        char magic[16];
        int32_t rank, size, node, nnode, mate, nmate; /* of the world, the nodes, its own node */
        int32_t state;                                /* enum leaf_state */
        int32_t balanced;                             /* now */
        int32_t code, unused;                         /* LEFT: with this, */
        int64_t left_ns;                              /* at this time of the wall clock */
        int64_t pid, rounds, changes, undone; /* changes: of who has what, of the whole job */
        int64_t calls, meetings;              /* of MPI, looked at; in which all ranks met */
        double load_s, whole_s;               /* of a round outside MPI, when it was decided last;
                                               * and of all rounds */
        double without_s, without_scatter_s;  /* a round, median, before and with balancing; */
        double with_s, with_scatter_s;        /* its standard deviation, */
        double without_error_s, with_error_s; /* and the median's standard error */
        double predicted_s; /* of a round with balancing, when it began; 0: never */
        double work_s;      /* of an iteration in seconds of one CPU, while nothing was changed */
        double serial_s;    /* of that, not in regions, or by one thread of them */
        double regions;     /* of an iteration, that may have other numbers of threads, as so many
                             * alike; 0: none */
        int64_t measured;   /* these two are there: how many times so far (auto) */
        double figure[LEAF_FIGURES]; /* the system's own */
        int32_t ncpu, nfreed;        /* of the node: those that the ranks are at home on, and of
                                        them free now */
        int32_t version;             /* of the texts: odd while they change */
        int32_t unknown;             /* what repeats: these times do not compare */
        double freed_cpu_s;          /* of the node: CPUs times seconds that they were free */
        char freed[LEAF_TEXT_SIZE];  /* their list */
        /* Rounds that work_s is of, so far; of the last ones, by their number, the load of an
         * iteration, mean; and how many iterations they had, mean. */
        int64_t round_loads;
        double round_load_s[LEAF_LOADS], round_iterations;
        char host[LEAF_HOST_SIZE];
        char wrong[LEAF_TEXT_SIZE]; /* why it was not balanced; "": it was */
};

/* In the directory, whole from the start; NULL where it cannot be written, *why is an error number.
 */
struct leaf *leaf_create(const char *directory, int *why);

/* HOST-PID.wrong. */
void leaf_wrong(const char *directory, const char *text);

#endif
