/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>

#include "real/measure/loop.h"

static const double AS_LONG = 0.8;
enum { MARKS_MIN = 4 };

static double duration_ns(const struct loop_record *record)
{
        return record->marks >= MARKS_MIN ? (double)(record->end_ns - record->start_ns) : 0;
}

static double period_ns(const struct loop_record *record)
{
        return duration_ns(record) / (double)(record->marks - 1);
}

const struct loop_record *loop_choose(const struct loop_record *record)
{
        const struct loop_record *best = NULL;
        double longest_ns = 0;
        for (int i = 0; i < LOOP_RECORDS; i++)
                if (duration_ns(&record[i]) > longest_ns)
                        longest_ns = duration_ns(&record[i]);
        for (int i = 0; i < LOOP_RECORDS; i++)
                if (duration_ns(&record[i]) > 0 &&
                    duration_ns(&record[i]) >= AS_LONG * longest_ns &&
                    (!best || period_ns(&record[i]) > period_ns(best)))
                        best = &record[i];
        return best;
}
