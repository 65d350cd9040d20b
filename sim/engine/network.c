/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/platform.h"
#include "sim/engine/sim.h"

int sim_network_init(struct network *network, int32_t nnode, const struct sim_spec *spec,
                     struct lb_error *err)
{
        if (network_init(network, nnode, spec->network, err) < 0)
                return -1;
        for (int32_t n = 0; n < nnode; n++) {
                if (spec->node_link)
                        network_set_link(network, n, spec->node_link[n]);
                if (spec->node_joined && spec->node_joined[n])
                        network_join(network, n);
        }
        return 0;
}
