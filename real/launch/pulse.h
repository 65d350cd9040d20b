/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_PULSE_H
#define LB_REAL_LAUNCH_PULSE_H

#include <stdbool.h>
#include <stdint.h>

#include "real/launch/news.h"
#include "real/node/lifeline.h"

struct job;

/*
 * A keeper's judgement on its program, from looks at its lifeline a second apart.
 *
 * - While it runs, its thread for messages looks for some many times a second. One that does not
 *   for a minute is hung, or stopped: it is named, and ended after the job's hung_s, if that is
 *   not 0. A task that lasts a minute is only named, once: tasks may.
 * - MPI_Finalize() that was left by force is followed by the end within seconds, or by ours.
 * - Time in which the keeper itself does not run does not count: the whole job may be stopped.
 */
struct pulse_part {
        uint64_t value; /* unchanged ... */
        double still_s; /* ... for so long */
        bool named;
};

struct pulse {
        const struct lifeline *line;
        double named_s, hung_s; /* hung_s 0: never */
        double at_s;            /* of the last look; 0: none */
        struct pulse_part beats, task, exit;
        bool ending;
};

/* line may be NULL: nothing is ever found. */
void pulse_init(struct pulse *pulse, const struct lifeline *line, const struct job *job);
void pulse_look(struct pulse *pulse, double now_s); /* of a clock that only goes forward */

/* What the looks have found and was not found before; kind NEWS_NONE where the program is to be
 * ended without a word. */
struct pulse_finding {
        enum news_kind kind;
        int32_t seconds;
        bool ends;
};
bool pulse_find(struct pulse *pulse, struct pulse_finding *finding);

#endif
