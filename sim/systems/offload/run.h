/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_OFFLOAD_RUN_H
#define LB_SIM_SYSTEMS_OFFLOAD_RUN_H

#include "sim/engine/sim.h"

/* A run of a system without a host of its own (sim/engine/host.h), on the machine of machine.h; as
 * sim_run(). */
int offload_run(const struct sim_spec *spec, struct sim_result *result, const volatile int *stop,
                struct lb_error *err) LB_MUST_CHECK;

#endif
