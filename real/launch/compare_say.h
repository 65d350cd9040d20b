/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_COMPARE_SAY_H
#define LB_REAL_LAUNCH_COMPARE_SAY_H

#include <stdbool.h>

/* Why a job took another time than was simulated, where there is a reason (private to this folder).
 */

struct compare_reasons {
        double simulated_s, live_s; /* an iteration, of which the next are parts, or the like */
        double least_s, most_s;     /* simulated at other moments, too */
        double chain_s; /* of tasks that wait for each other, where that was not simulated; 0 */
        double ends_apart_s; /* of ranks that do not wait for each other */
        const char *file;    /* of tasks, as --tasks writes it, else of loads, as --loads does */
        bool tasks;
};

/* By so much that a reason is looked for? Both times are above 0. */
bool compare_differ(double simulated_s, double live_s);

/* Lines on standard error, or none. */
void compare_why(const struct compare_reasons *reasons);

#endif
