/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_PROCESSORS_HOST_H
#define LB_SIM_PROCESSORS_HOST_H

#include "sim/host.h"

/* The host of system "dpb": sim/processors/processors.h. */
extern const struct sim_host sim_host_processors;

#endif
