/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_COMPARE_H
#define LB_REAL_LAUNCH_COMPARE_H

#include "real/launch/options.h"

/*
 * lbrun --compare: after a live job, lbsim simulates the same system on the loads that the job
 * measured of itself, and the time of an iteration (mean of the last third) is told beside the live
 * one. Both are of the same work, so that what differs is the model.
 */
struct compare {
        char directory[64]; /* where what no option names is kept */
        char report[128], loads[128], tasks[128], iterations[128];
};

/* Before the job: have a report and loads. Fails where the job cannot be simulated as it is. */
int compare_prepare(struct compare *compare, struct options *options,
                    struct lb_error *err) LB_MUST_CHECK;

/* What was found, simulated and live, of the last third of the iterations; and each, simulated. */
struct compared {
        double time_s[2];           /* of an iteration; [0] simulated, [1] live; 0: not known */
        double ratio_to_optimal[2]; /* over the bound */
        double offloaded_percent[2];
        double *iteration_s; /* [niteration] simulated; NULL where they are not known */
        int32_t niteration;
};

/* After it: one line on standard error, and the figures, to be finished. Fails, saying why, where
 * there is nothing to compare; `compared` is then unchanged. */
int compare_print(const struct compare *compare, const struct options *options,
                  struct compared *compared, struct lb_error *err) LB_MUST_CHECK;
void compared_finish(struct compared *compared);

/* That line, of an iteration simulated and live, s; both above 0. */
void compare_say(double simulated_s, double live_s);

/* Remove what no option named. */
void compare_finish(struct compare *compare);

#endif
