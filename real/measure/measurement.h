/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_MEASUREMENT_H
#define LB_REAL_MEASURE_MEASUREMENT_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct rank_file;

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
        double wall_s;
        int64_t calls, synchronisations;
        double overhead_percent, divided_percent;
        double delayed_part; /* of time outside MPI: runnable, without a CPU */
        double run, intervals, windows;
        double parallel_efficiency, load_balance, communication_efficiency; /* POP */
        double load_balance_within, load_balance_between;
        double window_s;
        int64_t nwindow;
        double *window_load_s; /* [nwindow][nrank] */
};

/*
 * Read all that is in a directory. Where the ranks are not one job whole, the message says what was
 * wrong and what to do, and there is no measurement.
 */
int measurement_read(struct measurement *m, const char *directory,
                     struct lb_error *err) LB_MUST_CHECK;
void measurement_finish(struct measurement *m);

/* DIR/measured.json (schema lbrun-measured-1) and DIR/loads.csv (models/trace.h, a window is an
 * iteration); and in words. */
int measurement_write(const struct measurement *m, const char *directory,
                      struct lb_error *err) LB_MUST_CHECK;
void measurement_print(const struct measurement *m, const char *directory, FILE *out);

#endif
