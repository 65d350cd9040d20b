/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/forkjoin.h"

#include <math.h>
#include <stddef.h>

/* On what it has, and all that is lent. */
static void begin_region(struct forkjoin *p, int32_t *lent)
{
        p->threads = p->cpus + *lent;
        p->end_s += (p->work_s - p->serial_s) / p->regions / p->threads;
        p->begun++;
        p->serial = false;
        *lent = 0;
}

static void begin_step(struct forkjoin *p, int32_t *lent)
{
        p->threads = p->cpus;
        p->serial = p->serial_s > 0;
        if (p->serial)
                p->end_s += p->serial_s / p->regions;
        else
                begin_region(p, lent);
}

static void start(struct forkjoin *p)
{
        int32_t lent = 0;
        if (p->regions > FORKJOIN_REGIONS_MOST)
                p->regions = FORKJOIN_REGIONS_MOST;
        p->end_s = 0;
        p->begun = 0;
        p->done = false;
        begin_step(p, &lent);
}

/* Whose region ends next; of several at once one that lends. NULL: all are done. */
static struct forkjoin *next(struct forkjoin *process, int32_t count)
{
        struct forkjoin *first = NULL;
        for (struct forkjoin *p = process; p < process + count; p++) {
                if (p->done)
                        continue;
                if (!first || p->end_s < first->end_s ||
                    (p->end_s == first->end_s && p->begun == p->regions && !p->serial))
                        first = p;
        }
        return first;
}

double forkjoin_lending_s(struct forkjoin *process, int32_t count)
{
        int32_t lent = 0;
        double end_s = 0;
        for (int32_t i = 0; i < count; i++)
                start(&process[i]);
        for (struct forkjoin *p = next(process, count); p; p = next(process, count)) {
                lent += p->threads - p->cpus;
                if (p->serial) {
                        begin_region(p, &lent);
                } else if (p->begun < p->regions) {
                        begin_step(p, &lent);
                } else {
                        p->done = true;
                        lent += p->cpus;
                        end_s = p->end_s;
                }
        }
        return end_s;
}

void forkjoin_own(struct forkjoin *process, int32_t count, const int32_t *cpus)
{
        double before_s = process->cpus > 0 ? forkjoin_lending_s(process, count) : INFINITY;
        for (int32_t i = 0; i < count; i++) {
                process[i].owned = process[i].cpus;
                process[i].cpus = cpus[i];
        }
        if (forkjoin_lending_s(process, count) < before_s)
                return;
        for (int32_t i = 0; i < count; i++)
                process[i].cpus = process[i].owned;
}

double forkjoin_serial_s(double work_s, double measured_s)
{
        static const double most = 0.999;
        return fmin(measured_s, most * work_s);
}

int32_t forkjoin_regions(double mean)
{
        return (int32_t)fmin(fmax(round(mean), 1), FORKJOIN_REGIONS_MOST);
}

int32_t forkjoin_parts(double regions, int32_t cpus)
{
        double parts = fmin(fmax(ceil(regions), FORKJOIN_PARTS_PER_CPU), FORKJOIN_REGIONS_MOST);
        return (int32_t)parts * cpus;
}
