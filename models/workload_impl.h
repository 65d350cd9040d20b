/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_WORKLOAD_IMPL_H
#define LB_MODELS_WORKLOAD_IMPL_H

#include "models/plan.h"
#include "models/workload.h"

/*
 * A model of a workload (private to this room): it fills a plan from the parameters. A new one is a
 * file with a struct workload_model and its lines in workload_model_list.h and
 * workload_param_list.h.
 */
enum workload_model_place {
#define MODEL(place, name) MODEL_##place,
#include "models/workload_model_list.h"
#undef MODEL
        MODEL_N
};

struct workload_model {
        bool reads_loads, reads_file; /* workload.load_ms, workload.file */
        /* Fill the plan, which is empty. On failure plan_finish() is the caller's. NULL: there is
         * no plan, it is replayed from its file. */
        int (*fill)(struct plan *plan, const struct workload_spec *spec, struct lb_error *err);
        /* Tasks of a node in one iteration, about; NULL: workload.tasks_per_core says. */
        double (*tasks_of_node)(const struct workload_spec *spec);
        /* Fill the exchange, which is one barrier. NULL: it is. On failure its arrays are the
         * caller's. */
        int (*exchange)(struct workload_exchange *exchange, const struct workload_spec *spec,
                        struct lb_error *err);
};

#define MODEL(place, name) extern const struct workload_model workload_##name;
#include "models/workload_model_list.h"
#undef MODEL

enum worst { WORST_RANDOM = 0, WORST_FIRST, WORST_LAST, WORST_N };
enum slow { SLOW_NONE = 0, SLOW_MOST, SLOW_LEAST, SLOW_FIRST, SLOW_N };

/* Whole cores of a node for each of its appranks; at least 1. */
static inline int32_t workload_cores_per_apprank(const struct workload_spec *spec)
{
        return spec->cores_per_node > spec->appranks_per_node
                   ? spec->cores_per_node / spec->appranks_per_node
                   : 1;
}

/* Tasks of an apprank in one iteration, by workload.tasks_per_core. */
int64_t workload_tasks_per_apprank(const struct workload_spec *spec);

/* Fill load[n] with the loads of a mean that workload.imbalance and workload.worst ask for. */
int workload_draw_loads(const struct workload_spec *spec, double mean, double *load, int32_t n,
                        struct lb_error *err) LB_MUST_CHECK;

/* Which load[n] is the largest, the first of equals; n > 0. */
int32_t workload_most_loaded(const double *load, int32_t n);

static inline int32_t workload_spec_napprank(const struct workload_spec *spec)
{
        return spec->nnode * spec->appranks_per_node;
}

#endif
