/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of results in parts. */
#include "sim/output/results.h"

struct put {
        const struct sweep *sweep;
        results_part part;
};

/* What a table is of: the slots of runs, or the points. */
static int64_t count_of(const struct put *put)
{
        return put->part == results_runs ? put->sweep->nslot : put->sweep->scenario->npoint;
}

static struct table *part_of(const void *of, int64_t first, int64_t end)
{
        const struct put *put = of;
        return put->part(put->sweep, first, end);
}

int results_put(const struct sweep *sweep, results_part part, FILE *out, enum table_format format)
{
        const struct put put = { sweep, part };
        return table_put(part_of, &put, count_of(&put), out, format);
}
