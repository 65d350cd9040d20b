/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_ENGINE_ENERGY_H
#define LB_SIM_ENGINE_ENERGY_H

#include "sim/engine/sim.h"

/*
 * An estimate of the energy that the cores take for an iteration of the last third, J: for all
 * systems alike, from metrics that every host fills.
 *
 *   cores:  busy | waiting: one per process polls, others are idle | freed: off
 *
 * - A process that waits for messages polls on one core; cores that its runtime keeps for tasks are
 *   idle then. Memory, network and what a node draws besides are not in it.
 */
double energy_of(const struct sim_spec *spec, const double *metric);

#endif
