/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_MEASUREMENT_H
#define LB_REAL_MEASURE_MEASUREMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct loop_record;
struct rank_file;

/* POP factors of the whole run, or of a region: of all ranks' time outside MPI, and their teams'.
 */
struct measurement_pop {
        int32_t level;                             /* of MPI_Pcontrol; 0: all */
        int32_t visits;                            /* of a rank, at most */
        double elapsed_s, useful_s, mpi_s, wait_s; /* the longest; sums over ranks */
        double parallel_efficiency, load_balance, communication_efficiency, openmp_efficiency;
        double load_balance_within, load_balance_between;
        double least_mpi_rank_s, least_mpi_node_s; /* average of a node's ranks */
};

/* A place that calls MPI, of all ranks together. */
struct measurement_site {
        char title[40];
        char module[256]; /* file; empty: unknown */
        char place[256];  /* function (file:line), as far as is known */
        uint64_t offset;
        bool is_line; /* the file is source, the offset a line of it */
        int64_t calls;
        double mpi_s, before_s; /* sums over ranks: in the call; outside MPI before it */
        double imbalance;       /* max/avg of the latter */
};

enum { MEASUREMENT_REGIONS = 16 };

/*
 * A measured job: what its ranks left (rank_file.h), checked for being a whole job, and what
 * follows from it. Imbalance is max/avg of load over the ranks: of the whole run; and the sum of
 * the largest over the sum of the averages, of intervals between synchronisations and of windows,
 * which sees load that moves from rank to rank. NaN: not known, null in what is written.
 */
struct measurement {
        int32_t nrank, nnode;
        struct rank_file **rank; /* [nrank] by rank, mapped */
        int32_t killed, exited;  /* ranks without an end; without MPI_Finalize */
        const char *launch;      /* the line that started it, for a shell; NULL: not known */
        double wall_s;
        int64_t calls, synchronisations;
        int64_t synchronisations_per_interval; /* were kept together: more than fit */
        double overhead_percent; /* of wall time, without that in which a rank had no CPU */
        double divided_percent;
        double delayed_part; /* of time outside MPI: runnable, without a CPU */
        double run, intervals, windows, iterations; /* imbalance */
        double transfer_s; /* the least MPI time of a rank between synchronisations, summed */
        double *load_s;    /* [nrank] */
        /* [nrank] parallel regions of a row of loads.csv, as many alike as divide its time (models/
         * alike.h): of an iteration, if a row is several; where rows are windows of one, or of what
         * is between two synchronisations, if that is shorter. 0: there are none */
        double *regions;
        struct measurement_pop pop, region[MEASUREMENT_REGIONS];
        int32_t nregion;
        int32_t spawned, team; /* ranks that it spawned, which are not in; of those with a team */
        /* iterations, where all ranks repeat the same */
        int64_t niteration;          /* 0: none, and why */
        double iterations_part;      /* of all load is in them */
        const char *why_none, *mark; /* the call with which each begins */
        /* loads as they are written: windows, and iterations with what was before and after them */
        double window_s;
        int64_t nwindow, niteration_row, iterations_of_row; /* 0 rows: none */
        double *window_load_s;                              /* [nwindow][nrank] */
        double *iteration_load_s;                           /* [niteration_row][nrank] */
        struct measurement_site *site;                      /* [nsite], heaviest first */
        int32_t nsite;
};

/*
 * Read all that is in a directory. Where the ranks are not one job whole, the message says what was
 * wrong and what to do, and there is no measurement.
 */
int measurement_read(struct measurement *m, const char *directory,
                     struct lb_error *err) LB_MUST_CHECK;
void measurement_finish(struct measurement *m);

/* While the job runs: its ranks so far, to be finished in any case. False where not all ranks of
 * one world are there, and nothing else, so that nothing is known of the whole. */
bool measurement_peek(struct measurement *m, const char *directory);

/* Is a row of loads.csv an iteration, or a window? The first where nearly all load is in them. */
bool measurement_by_iteration(const struct measurement *m);

/* DIR/measured.json (schema lbrun-measured-1), DIR/loads.csv (models/trace.h), DIR/windows.csv
 * where that has iterations, DIR/talp.json as DLB's TALP writes it; and in words. */
int measurement_write(const struct measurement *m, const char *directory,
                      struct lb_error *err) LB_MUST_CHECK;
void measurement_print(const struct measurement *m, const char *directory, FILE *out);

/* ---- Parts ---- */

/* In calls on files (MPI_File_...), which wait for a disk as well as for ranks; without those of
 * places that the rank had no room for. */
double measurement_files_s(const struct rank_file *file);

/* Blocked outside MPI, and none of the rank's threads computed, while others of them than the first
 * called MPI: it may have waited for another rank there, or for a disk. That is in the load. 0
 * where no other thread called MPI. */
double measurement_unseen_s(const struct rank_file *file);

/* The same of all ranks: load that is no computing. 0 where it is not known. */
double measurement_blocked_s(const struct rank_file *file);

/* That compute: those of its team, and others that call MPI, where these have a part of its load.
 */
int32_t measurement_threads(const struct rank_file *file);

/* Of the ranks on the node of a rank. */
int32_t measurement_first_of_node(const struct measurement *m, int32_t rank);

/* Do the ranks of a machine come to the k-th iteration of their loops [nrank] together? */
int measurement_in_step(const struct measurement *m, const struct loop_record *const *loop,
                        bool *in_step, struct lb_error *err) LB_MUST_CHECK;

int measurement_make_rows(struct measurement *m, struct lb_error *err) LB_MUST_CHECK;
int measurement_make_sites(struct measurement *m, struct lb_error *err) LB_MUST_CHECK;
void measurement_make_pop(struct measurement *m);
int measurement_write_talp(const struct measurement *m, FILE *out, struct lb_error *err);

#endif
