/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_LOOP_H
#define LB_REAL_MEASURE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "models/alike.h"
#include "real/measure/meter.h"

/*
 * The iterations of a rank, while it runs. The detector (policies/dpd.h) says that calls repeat,
 * not where an iteration begins: that depends on what was before, and a call more (output now and
 * then) ends what it knows. So of the calls that repeat one is the mark of the loop, and each time
 * that it is made an iteration begins, whatever else happens:
 *
 *      calls       i a b c a b c a b c a b x c a b c        period 3, found at the third c
 *      mark b          |     |     |     |       |          those before from a short history
 *
 * - All ranks must take the same mark: it is a call in which all meet, if there is one, made as
 *   seldom as possible, and of those the one with the least value.
 * - An iteration has the number of times that its mark was made since the program began, so the
 * same number is the same iteration in all ranks, whenever each found its loop.
 * - An inner loop is found first, then the one around it: the LOOP_RECORDS that last longest are
 *   kept, and who reads them chooses.
 */
enum { LOOP_WINDOW = 256, LOOP_CONFIRM = 2, LOOP_RECORDS = 4, LOOP_ROOM = 8192, LOOP_TIMES = 1024 };

/* A loop that was found: fixed in size, without pointers. */
struct loop_record {
        uint32_t mark; /* value of a site; 0: none */
        int32_t every; /* as many times in a period, which is one iteration */
        int32_t period;
        int32_t synchronises; /* all ranks make the mark together */
        int64_t start_ns, end_ns, marks;
        double start_load_ns, last_load_ns;
        struct alike last_parallel; /* regions until the last mark; and of all iterations the sum of
                                       as many alike as divide the time of each: */
        double regions;
        struct meter_series series; /* by number of iteration */
        double load_ns[LOOP_ROOM];
        struct meter_series times; /* how long each lasted, from start_ns on */
        double time_ns[LOOP_TIMES];
};

struct loop_call {
        uint32_t value;
        int32_t synchronises;
        int64_t occurrence; /* of calls of this value, from 0 */
        int64_t wall_ns;
        double load_ns;        /* of the rank until here */
        struct alike parallel; /* the same */
};

struct loop_finder;
struct loop_finder *loop_create(int64_t room); /* iterations, at most LOOP_ROOM; NULL: no memory */
void loop_destroy(struct loop_finder *finder);

/* A call begins; not of those that poll. record[LOOP_RECORDS], all zero at first. */
void loop_feed(struct loop_finder *finder, struct loop_record *record,
               const struct loop_call *call);

/* Measuring begins only now; what was found stays. */
void loop_restart(struct loop_record *record);

/* The loops to speak of, the better before: of those that last about as long, those in which all
 * meet, and of them the outermost. best[LOOP_RECORDS] points into record[LOOP_RECORDS]; returns how
 * many, 0 where there is none. */
int loop_order(const struct loop_record *record, const struct loop_record **best);

#endif
