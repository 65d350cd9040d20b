/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_RUNTIME_KINDS_H
#define LB_TESTS_REAL_RUNTIME_KINDS_H

#include <stdint.h>

#include "base/random.h"
#include "real/lbrun.h"

/*
 * Random tasks of the other kinds of access, on the same words as those of work.h: that commute,
 * that reduce (sums, minima, maxima, a kind of the program's own in which order matters, sums of
 * doubles), loops, also as children of a task with a strong or a weak access, with costs and
 * priorities; and waits for a part. And tasks on words that home has in memory of its own. Each is
 * executed on the serial twin when it is created.
 */
enum { KINDS_SUMS = 16, KINDS_WORDS = 4096 };

struct kinds {
        uint64_t *live, *serial; /* [WORK_WORDS] */
        double *sum;             /* [KINDS_SUMS] cluster memory, and its twin: */
        double serial_sum[KINDS_SUMS];
        uint64_t
            *apart; /* [KINDS_WORDS] cluster memory; what home has in its place, and its twin: */
        uint64_t own[KINDS_WORDS], serial_own[KINDS_WORDS];
        int wrong; /* said so */
};

void kinds_start(struct kinds *k, uint64_t *live, uint64_t *serial);
void kinds_stop(struct kinds *k);

/* Some tasks of one kind, or a wait. */
void kinds_play(struct kinds *k, struct lb_random *random);

/* After a taskwait. */
void kinds_compare(struct kinds *k);

#endif
