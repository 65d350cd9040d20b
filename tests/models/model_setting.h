/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_MODELS_MODEL_SETTING_H
#define LB_TESTS_MODELS_MODEL_SETTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/workload.h"

/* A workload of a named model, with defaults and room to change them. */
struct setting {
        double param[WORKLOAD_NPARAM];
        struct workload_spec spec;
};

static inline void choose(struct setting *s, enum workload_param place, const char *word)
{
        struct lb_error err;
        assert_int_equal(lb_param_parse(&workload_params[place], word, &s->param[place], &err), 0);
}

static inline void setting_init(struct setting *s, const char *model, int32_t nnode,
                                int32_t appranks_per_node)
{
        lb_param_defaults(workload_params, s->param);
        s->spec = (struct workload_spec){ .nnode = nnode,
                                          .cores_per_node = 48,
                                          .appranks_per_node = appranks_per_node,
                                          .param = s->param,
                                          .seed = 42 };
        choose(s, WORKLOAD_MODEL, model);
}

static inline struct workload *create(const struct setting *s)
{
        struct lb_error err;
        struct workload *workload = workload_create(&s->spec, &err);
        if (!workload)
                fail_msg("%s", err.text);
        return workload;
}

#endif
