/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_BALANCE_REPORT_H
#define LB_REAL_LAUNCH_BALANCE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/option.h"
#include "real/balance/leaf.h"

/* What the ranks of a balanced program have left (real/balance/leaf.h), read and told. */
struct balance_report {
        const char *system;
        struct leaf *leaf; /* [count] by rank of the world */
        int32_t count;
        char wrong[LEAF_TEXT_SIZE]; /* why the program could not be balanced; "": it could */
        double joules;              /* of the whole machine meanwhile; negative: not readable */
        double duration_s;
        double simulated_s; /* of an iteration, as lbsim has it for the measured loads; 0: it has
                               not */
        int32_t simulated_cpus; /* that it uses then */
        const char *chosen;     /* by auto; NULL: nothing was */
        bool cut;               /* not all ranks came to MPI_Finalize(); and */
        char ended_by[1024];    /* what ended them; "": not known */
};

/* Also while they run. An unreadable directory has none. */
int balance_report_read(struct balance_report *report, const char *directory,
                        struct lb_error *err) LB_MUST_CHECK;
void balance_report_finish(struct balance_report *report);

/* The first rank in that state: of those that have left, by time; NULL: none is. */
const struct leaf *balance_report_first(const struct balance_report *report, enum leaf_state state);

/* The program is over, with this exit code; the signal was to end it, 0: none. Is it whole, and
 * else what was it ended by? */
void balance_report_end(struct balance_report *report, int signal, int code);

/* A system as lbsim has it: an iteration; 0: not known; and how many CPUs it uses of each node's.
 */
struct balance_prediction {
        const char *system;
        double time_s;
        int32_t cpus;
};

/* Of the loads that the ranks measured; fails where they cannot be simulated. Of dlb no less than
 * it takes where what is lent is used from a rank's next region on (models/forkjoin.h). */
int balance_simulate(const struct balance_report *report, const char *directory,
                     const struct lb_option_list *param, struct balance_prediction *prediction,
                     int count, struct lb_error *err) LB_MUST_CHECK;

/*
 * What the simulated system does with the loads that the live one decided by (lbsim gain, in a
 * process of its own): for the report. Nothing where nothing was decided, or nodes have unequal
 * numbers of ranks. `param`: NAME=VALUE, as given. `asked`: also where nothing was changed.
 */
void balance_predict(struct balance_report *report, const char *directory,
                     const struct lb_option_list *param, bool asked);

/* As it was given last among NAME=VALUE, or its fallback. */
double balance_param(const struct lb_option_list *given, const struct lb_param *param);

/* Of an iteration, s: balanced, or, where nothing was changed, as it is; 0: not known. */
double balance_live_s(const struct balance_report *report);

void balance_report_print(const struct balance_report *report, FILE *out);
int balance_report_write(const struct balance_report *report, const char *path,
                         struct lb_error *err) LB_MUST_CHECK;

/* Energy that this machine's processors have used so far, J; negative where it cannot be read. */
double balance_joules(void);

#endif
