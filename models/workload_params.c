/* SPDX-License-Identifier: BSD-3-Clause */
/* The models' names; the parameters of all of them, and who reads which. */
#include "models/jitter.h"
#include "models/multizone.h"
#include "models/workload_impl.h"

const char *const workload_models[] = {
#define MODEL(place, name) #name,
#include "models/workload_model_list.h"
#undef MODEL
        NULL,
};

static const char *const slow_names[] = {
        [SLOW_NONE] = "none",   [SLOW_MOST] = "most", [SLOW_LEAST] = "least",
        [SLOW_FIRST] = "first", [SLOW_N] = NULL,
};

static const char *const worst_names[] = {
        [WORST_RANDOM] = "random",
        [WORST_FIRST] = "first",
        [WORST_LAST] = "last",
        [WORST_N] = NULL,
};

const struct lb_param workload_params[] = {
#define PARAM(key, readers, ...) [WORKLOAD_##key] = { __VA_ARGS__ },
#include "models/workload_param_list.h"
#undef PARAM
        [WORKLOAD_NPARAM] = { 0 },
};

/* ---- Who reads a parameter ---- */

#define ANY ~0u
#define M(name) (1u << MODEL_##name)

static const unsigned users[WORKLOAD_NPARAM] = {
#define PARAM(key, readers, ...) [WORKLOAD_##key] = (readers),
#include "models/workload_param_list.h"
#undef PARAM
};

bool workload_uses(int model, enum workload_param param)
{
        return users[param] >> model & 1;
}
