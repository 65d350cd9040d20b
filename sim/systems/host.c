/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/host.h"

#include <string.h>

#include "sim/systems/chameleon/chameleon.h"
#include "sim/systems/packing/packing.h"
#include "sim/systems/dpb/host.h"

const struct sim_host *const sim_hosts[] = {
        &sim_host_chameleon,
        &sim_host_processors,
        &sim_host_packing,
        NULL,
};

const struct sim_host *sim_host_find(const char *name)
{
        for (int i = 0; sim_hosts[i]; i++)
                if (strcmp(sim_hosts[i]->name, name) == 0)
                        return sim_hosts[i];
        return NULL;
}
