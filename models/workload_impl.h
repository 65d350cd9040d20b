/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_WORKLOAD_IMPL_H
#define LB_MODELS_WORKLOAD_IMPL_H

#include "models/plan.h"
#include "models/workload.h"

/*
 * A model of a workload (private to this room): it fills a plan from the parameters. A new one is a
 * file with a struct workload_model, its places here and in workload.c, its name and its parameters
 * in workload_params.c.
 */
enum workload_model_place {
        MODEL_SYNTHETIC = 0,
        MODEL_GIVEN,
        MODEL_TRACE, /* has no plan: replayed from its file */
        MODEL_PHASES,
        MODEL_MICROPP,
        MODEL_NBODY,
        MODEL_MATMUL,
        MODEL_MESH,
        MODEL_LIMITER,
        MODEL_MULTIZONE,
        MODEL_FT,
        MODEL_MINIFE,
        MODEL_GRAPH,
        MODEL_CHOLESKY,
        MODEL_N
};

struct workload_model {
        /* Fill the plan, which is empty. On failure plan_finish() is the caller's. */
        int (*fill)(struct plan *plan, const struct workload_spec *spec, struct lb_error *err);
        /* Tasks of a node in one iteration, about; NULL: workload.tasks_per_core says. */
        double (*tasks_of_node)(const struct workload_spec *spec);
        /* Fill the exchange, which is one barrier. NULL: it is. On failure its arrays are the
         * caller's. */
        int (*exchange)(struct workload_exchange *exchange, const struct workload_spec *spec,
                        struct lb_error *err);
};

extern const struct workload_model workload_synthetic, workload_given, workload_phases,
    workload_micropp, workload_nbody, workload_matmul, workload_mesh, workload_limiter,
    workload_multizone, workload_ft, workload_minife, workload_graph, workload_cholesky;

enum worst { WORST_RANDOM = 0, WORST_FIRST, WORST_LAST, WORST_N };
enum slow { SLOW_NONE = 0, SLOW_MOST, SLOW_LEAST, SLOW_FIRST, SLOW_N };

/* Tasks of an apprank in one iteration, by workload.tasks_per_core. */
int64_t workload_tasks_per_apprank(const struct workload_spec *spec);

/* Fill load[n] with the loads of a mean that workload.imbalance and workload.worst ask for. */
int workload_draw_loads(const struct workload_spec *spec, double mean, double *load, int32_t n,
                        struct lb_error *err) LB_MUST_CHECK;

static inline int32_t workload_spec_napprank(const struct workload_spec *spec)
{
        return spec->nnode * spec->appranks_per_node;
}

#endif
