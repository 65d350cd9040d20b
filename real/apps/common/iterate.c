/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "real/apps/common/host.h"

void host_iterate(const struct ranks *ranks, void (*run)(host_create *, const void *),
                  host_create *create, const void *context, struct app_times *times)
{
        double start_s = clock_s();
        run(create, context);
        ranks_meet(ranks);
        host_iteration();
        if (ranks_first(ranks))
                app_print_iteration(stdout, times, clock_s() - start_s);
}
