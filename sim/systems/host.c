/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/host.h"

#include <string.h>

#include "sim_hosts.h" /* SIM_HOSTS, which the build makes of the folders here */

#define DECLARE(name) extern const struct sim_host sim_host_##name;
SIM_HOSTS(DECLARE)

const struct sim_host *const sim_hosts[] = {
#define ENTRY(name) &sim_host_##name,
        SIM_HOSTS(ENTRY) NULL
};

const struct sim_host *sim_host_find(const char *name)
{
        for (int i = 0; sim_hosts[i]; i++)
                if (strcmp(sim_hosts[i]->name, name) == 0)
                        return sim_hosts[i];
        return NULL;
}
