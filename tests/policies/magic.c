/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins whose parameters have the names by which hosts once knew what a policy's values mean, and
 * names that hosts and other policies have: each with another type and meaning, by what is defined
 * (NUMBERS, SWITCHES or CHOICES). init() fails unless every parameter has the value `expected` (but
 * the one at place `but`, if any), so that a run tells whether each value has come through.
 */
#include <stdio.h>
#include <string.h>

#include "policies/plugin.h"

#if defined(NUMBERS)
#define PARAM(word)                                                                                \
        {                                                                                          \
                .name = word, .type = LB_PARAM_NUMBER, .fallback = -7.25, .min = -100, .max = 100, \
                .unit = "dB", .help = "a number of another meaning"                                \
        }
static const double fallback = -7.25;
#elif defined(SWITCHES)
#define PARAM(word)                                                                                \
        {                                                                                          \
                .name = word, .type = LB_PARAM_SWITCH, .fallback = 1, .max = 1,                    \
                .help = "a switch of another meaning"                                              \
        }
static const double fallback = 1;
#else
static const char *const words[] = { "red", "lp", "blue", NULL };
#define PARAM(word)                                                                                \
        {                                                                                          \
                .name = word, .type = LB_PARAM_CHOICE, .fallback = 2, .choices = words,            \
                .help = "a choice of another meaning"                                              \
        }
static const double fallback = 2;
#endif

enum { EXPECTED, BUT, FIRST };
static const struct lb_param params[] = {
        [EXPECTED] = { .name = "expected",
                       .type = LB_PARAM_NUMBER,
                       .fallback = -1000,
                       .min = -1000,
                       .max = 1000,
                       .help = "the value of all that follow; -1000: their default" },
        [BUT] = { .name = "but",
                  .type = LB_PARAM_INTEGER,
                  .max = 100,
                  .help = "the place of the parameter that has another value, 0: none" },
        [FIRST] = PARAM("period_s"),
        PARAM("solver"),
        PARAM("partition_nodes"),
        PARAM("global_average"),
        PARAM("lend_when"),
        PARAM("comm_core"),
        PARAM("pack_numa"),
        PARAM("pack_tolerance"),
        PARAM("name"),
        PARAM("as"),
        PARAM("lewi"),
        PARAM("drom"),
        PARAM("poll_s"),
        PARAM("seed"),
        { .name = NULL },
};

static size_t state_size(const struct lb_shape *shape, const double *param)
{
        (void)shape;
        (void)param;
        return sizeof(int32_t);
}

static int init(void *state, const struct lb_shape *shape, const double *param,
                struct lb_error *err)
{
        *(int32_t *)state = shape->nworker;
        double expected = param[EXPECTED] > -1000 ? param[EXPECTED] : fallback;
        for (int i = FIRST; params[i].name; i++) {
                bool as_expected = !(param[i] < expected) && !(param[i] > expected);
                if (as_expected != (i != (int)param[BUT])) {
                        err->kind = LB_ERROR_INPUT;
                        snprintf(err->text, sizeof(err->text), "found %s of value %g",
                                 params[i].name, param[i]);
                        return -1;
                }
        }
        return 0;
}

static void observe(void *state, const struct alloc_view *view)
{
        (void)state;
        (void)view;
}

/* All stays as it is. */
static void decide(void *state, const struct alloc_view *view, int32_t *owned_cores)
{
        memcpy(owned_cores, view->owned_cores, (size_t) * (int32_t *)state * sizeof(int32_t));
}

static void release(void *state)
{
        (void)state;
}

static double period_s(const double *param)
{
        (void)param;
        return 0.75;
}

static int32_t group_nodes(int32_t nnode, const double *param)
{
        (void)param;
        return nnode / 2;
}

static double cost_s(int32_t nnode, const double *param)
{
        (void)param;
        return 0.125 * nnode;
}

static const struct alloc_type alloc = {
        .name = "magic",
        .help = "leaves all as it is",
        .scope = ALLOC_SCOPE_GLOBAL,
        .params = params,
        .state_size = state_size,
        .init = init,
        .observe = observe,
        .decide = decide,
        .release = release,
        .period_s = period_s,
        .group_nodes = group_nodes,
        .cost_s = cost_s,
};

static const struct system_type magic_system = {
        .name = "magic",
        .help = "words that mean something else",
        .alloc = "magic",
        .lend = "lewi",
        .place = "locality",
        .offloads = true,
        .lewi = true,
        .drom = true,
};

const struct lb_plugin lb_plugin = {
        .abi = LB_PLUGIN_ABI,
        .system = &magic_system,
        .alloc = &alloc,
};
