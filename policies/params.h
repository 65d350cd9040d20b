/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PARAMS_H
#define LB_POLICIES_PARAMS_H

#include "base/param.h"

/*
 * The parameters of all policies as one table, as both hosts offer them: keys of the scenario's
 * "system" section, and of lbrun --param.
 *
 * - Policies may share a parameter: where one is defined twice word for word, it is one thing.
 * - Else the first keeps the name, and the other is called OWNER_NAME after its policy. Hosts add
 *   what is built in first, so that a plugin takes no name away, whatever its parameters are.
 */
enum { POLICY_PARAM_MAX = 1024, POLICY_PARAM_NAME_SIZE = 96 };

struct policy_params {
        struct lb_param param[POLICY_PARAM_MAX + 1]; /* ends with a NULL name */
        char name[POLICY_PARAM_MAX]
                 [POLICY_PARAM_NAME_SIZE]; /* of those that are called otherwise */
        int count;
};

/* Add a table, which may be NULL, of the policy `owner`; zeroed memory is an empty table. */
void policy_params_add(struct policy_params *all, const char *owner, const struct lb_param *params);

/* Those of any system, in this order, then those of the built-in policies of systems that offload,
 * own and lend cores. */
enum system_own { SYSTEM_PARAM_AS, SYSTEM_PARAM_LEWI, SYSTEM_PARAM_DROM };
void policy_params_add_systems(struct policy_params *all);

/* Those of all plugins, to be added last. */
void policy_params_add_plugged(struct policy_params *all);

/* The place of a parameter that was added for `owner`. */
int policy_params_find(const struct policy_params *all, const char *owner,
                       const struct lb_param *param);

/* The values of an owner's table, value[lb_param_count(params)], from those of all. */
void policy_params_values(const struct policy_params *all, const double *from, const char *owner,
                          const struct lb_param *params, double *value);

#endif
