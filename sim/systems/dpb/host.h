/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_DPB_HOST_H
#define LB_SIM_SYSTEMS_DPB_HOST_H

#include "sim/engine/host.h"

/* The host of system "dpb": sim/systems/dpb/processors.h. */
extern const struct sim_host sim_host_dpb;

#endif
