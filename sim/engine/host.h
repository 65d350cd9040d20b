/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_ENGINE_HOST_H
#define LB_SIM_ENGINE_HOST_H

#include "sim/engine/sim.h"

/* A parameter that is another live than it is here by default. */
struct sim_host_live {
        const char *path, *value; /* of a scenario, as --set has them */
};

/*
 * Hosts: what simulates a system. The main one, of sim/systems/offload/machine.h, has workers that
 * offload tasks and own, lend and borrow cores; systems that work otherwise have hosts of their
 * own, on the same workload, platform and metrics.
 *
 * - A host reports to a ledger (sim/engine/measure.h), which makes metrics and time series of it.
 * - Its parameters, and those of its policies, are keys of the scenario's "system" section. Tables
 *   may share a name, which then is the same thing, of one type.
 * - Where the system names a policy of its own (system_own_policy()), that policy's parameters are
 *   behind those of the tables.
 * - Deterministic: a function of the spec alone.
 */
struct sim_host {
        const char *name;
        const struct lb_param *const *tables; /* NULL-ended; spec->host_param[i] has the values of
                                                 tables[i], [lb_param_count(tables[i])] */
        int (*run)(const struct sim_spec *spec, struct sim_result *result, const volatile int *stop,
                   struct lb_error *err); /* as sim_run() */
        unsigned runtime; /* which parameters of the runtime it reads: 1 << RUNTIME_CREATE_US ... */
        bool regions;     /* an iteration is workload.regions parallel ones */
        bool ordered; /* tasks wait for those that they are after; else they are taken without */
        /* How many cores an apprank needs at least, by the values of tables[0], and what for, for a
         * message; NULL: one. */
        int32_t (*cores_least)(const double *param, const char **what_for);
        /* For who predicts live runs; ended by one without a path; NULL: nothing is another. */
        const struct sim_host_live *live;
};

/* All hosts beside the main one, NULL-ended: of each folder NAME in sim/systems/ struct
 * sim_host_NAME, named so, which system.host in policies/system.c asks for. */
extern const struct sim_host *const sim_hosts[];

/* By name, or NULL. */
const struct sim_host *sim_host_find(const char *name);

#endif
