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

/* What is around a loop in which all meet is one in which all meet. Where one is not and seems to
 * be around it, its mark was made in a row now and then. */
static bool is_better(const struct loop_record *record, const struct loop_record *than)
{
        if (record->synchronises != than->synchronises)
                return record->synchronises;
        return period_ns(record) > period_ns(than);
}

int loop_order(const struct loop_record *record, const struct loop_record **best)
{
        int n = 0;
        double longest_ns = 0;
        for (int i = 0; i < LOOP_RECORDS; i++)
                if (duration_ns(&record[i]) > longest_ns)
                        longest_ns = duration_ns(&record[i]);
        for (int i = 0; i < LOOP_RECORDS; i++) {
                if (duration_ns(&record[i]) == 0 || duration_ns(&record[i]) < AS_LONG * longest_ns)
                        continue;
                int at = n++;
                for (; at > 0 && is_better(&record[i], best[at - 1]); at--)
                        best[at] = best[at - 1];
                best[at] = &record[i];
        }
        return n;
}
