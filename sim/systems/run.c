/* SPDX-License-Identifier: BSD-3-Clause */
/* One run: which host simulates the system, and what is the same for all of them. */
#include "sim/engine/host.h"
#include "sim/systems/offload/run.h"

int sim_run(const struct sim_spec *spec, struct sim_result *result, const volatile int *stop,
            struct lb_error *err)
{
        const char *host = spec->system->host;
        *err = (struct lb_error){ .kind = LB_ERROR_NONE };
        if (host && spec->threads > 1 && spec->undivided)
                __atomic_store_n(spec->undivided, "its system is simulated by one thread",
                                 __ATOMIC_RELAXED);
        return host ? sim_host_find(host)->run(spec, result, stop, err)
                    : offload_run(spec, result, stop, err);
}
