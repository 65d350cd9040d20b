/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SCENARIO_FIGURES_H
#define LB_SIM_SCENARIO_FIGURES_H

/*
 * The figures that output.figure chooses from. Each is struct figure_NAME of a file in sim/output/
 * (figure_impl.h), which writes its data, and plots/NAME.gp, which draws them.
 */
#define FIGURES(X)                                                                                 \
        X(imbalance_sweep)                                                                         \
        X(slow_node)                                                                               \
        X(convergence)                                                                             \
        X(estimator)                                                                               \
        X(weak_scaling)                                                                            \
        X(cores)                                                                                   \
        X(tornado)                                                                                 \
        X(speedup)                                                                                 \
        X(migration)                                                                               \
        X(systems)                                                                                 \
        X(packing)                                                                                 \
        X(spreading)                                                                               \
        X(policy_cost)                                                                             \
        X(claim)                                                                                   \
        X(winner)                                                                                  \
        X(lines)

#endif
