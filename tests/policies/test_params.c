/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <math.h>

#include <cmocka.h>

#include "policies/alloc.h"
#include "policies/lp.h"
#include "policies/params.h"

static const char *const words[] = { "a", "b", NULL }, *const same_words[] = { "a", "b", NULL },
                         *const fewer[] = { "a", NULL };

static bool is(double a, double b)
{
        return !(a < b) && !(a > b);
}

#define NUMBER(...)                                                                                \
        {                                                                                          \
                .name = "x", .type = LB_PARAM_NUMBER, .help = "x", __VA_ARGS__                     \
        }
#define CHOICE(list)                                                                               \
        {                                                                                          \
                .name = "x", .type = LB_PARAM_CHOICE, .help = "x", .choices = list                 \
        }

/* The same word for word is one; else the second is called after its owner, the third by number. */
static void test_names(void **state)
{
        (void)state;
        static const struct {
                struct lb_param first, second;
                bool one;
        } rows[] = {
                { NUMBER(.max = 2), NUMBER(.max = 2), true },
                { NUMBER(.max = 2), NUMBER(.max = 2.5), false },
                { NUMBER(.min = 0), NUMBER(.min = -1), false },
                { NUMBER(.fallback = 1), NUMBER(.fallback = 0), false },
                { NUMBER(.unit = "s"), NUMBER(.unit = "ms"), false },
                { NUMBER(.unit = ""), NUMBER(.unit = NULL), true },
                { NUMBER(.differs = true), NUMBER(.original = 0), false },
                { NUMBER(.differs = true, .original = 1), NUMBER(.differs = true), false },
                { NUMBER(.max = 1), CHOICE(words), false },
                { CHOICE(words), CHOICE(same_words), true },
                { CHOICE(words), CHOICE(fewer), false },
                { CHOICE(fewer), CHOICE(words), false },
                { { .name = "x", .type = LB_PARAM_SWITCH, .help = "y" },
                  { .name = "x", .type = LB_PARAM_SWITCH, .help = "x" },
                  false },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct policy_params *all = calloc(1, sizeof(*all));
                struct lb_param first[] = { rows[i].first, { .name = NULL } };
                struct lb_param second[] = { rows[i].second, { .name = NULL } };
                policy_params_add(all, "mine", first);
                policy_params_add(all, "yours", second);
                policy_params_add(all, "yours", second); /* again is nothing new */
                policy_params_add(all, "none", NULL);
                assert_int_equal(all->count, rows[i].one ? 1 : 2);
                assert_string_equal(all->param[0].name, "x");
                assert_int_equal(policy_params_find(all, "mine", first), 0);
                assert_int_equal(policy_params_find(all, "yours", second), !rows[i].one);
                if (!rows[i].one)
                        assert_string_equal(all->param[1].name, "yours_x");
                double from[2] = { 0.25, 0.75 }, value;
                policy_params_values(all, from, "yours", second, &value);
                assert_true(is(value, rows[i].one ? 0.25 : 0.75));
                free(all);
        }
}

/* A third thing of one owner and name, where even OWNER_NAME is taken. */
static void test_taken_twice(void **state)
{
        (void)state;
        static const struct lb_param first[] = { NUMBER(.max = 1),
                                                 { .name = "mine_x", .type = LB_PARAM_SWITCH },
                                                 { .name = NULL } },
                                     second[] = { NUMBER(.max = 2), { .name = NULL } };
        struct policy_params *all = calloc(1, sizeof(*all));
        policy_params_add(all, "other", first);
        policy_params_add(all, "mine", second);
        assert_int_equal(all->count, 3);
        assert_string_equal(all->param[2].name, "mine_x_2");
        assert_int_equal(policy_params_find(all, "mine", second), 2);
        free(all);
}

/* ---- What hosts ask beside decisions ---- */

static double odd;

static double odd_time(const double *param)
{
        (void)param;
        return odd;
}

static int32_t odd_nodes(int32_t nnode, const double *param)
{
        (void)param;
        return (int32_t)odd * nnode;
}

static double odd_cost(int32_t nnode, const double *param)
{
        (void)param;
        return odd * nnode;
}

/* A policy that says nothing, and one that says what cannot be: hosts can act on either. */
static void test_slots(void **state)
{
        (void)state;
        struct alloc_type type = { .name = "silent" };
        assert_true(is(alloc_period_s(&type, NULL), 2));
        assert_int_equal(alloc_group_nodes(&type, 7, NULL), 7);
        assert_true(is(alloc_cost_s(&type, 7, NULL), 0));
        assert_null(alloc_variant(&type, NULL));
        type.period_s = odd_time;
        type.group_nodes = odd_nodes;
        type.cost_s = odd_cost;
        static const double odds[] = { -1, 0, NAN, 1e300 };
        for (size_t i = 0; i < 4; i++) {
                odd = odds[i];
                bool large = i == 3;
                assert_true(is(alloc_period_s(&type, NULL), large ? 3600 : 0.001));
                assert_true(is(alloc_cost_s(&type, 3, NULL), large ? 1e6 : 0));
        }
        odd = -2;
        assert_int_equal(alloc_group_nodes(&type, 5, NULL), 5);
        odd = 2;
        assert_int_equal(alloc_group_nodes(&type, 5, NULL), 5);
}

/* `global` says what hosts used to read from its parameters. */
static void test_global(void **state)
{
        (void)state;
        const struct alloc_type *global = alloc_find("global");
        double value[32];
        lb_param_defaults(global->params, value);
        value[lb_param_find(global->params, "period_s")] = 0.375;
        value[lb_param_find(global->params, "partition_nodes")] = 16;
        assert_true(is(alloc_period_s(global, value), 0.375));
        assert_int_equal(alloc_group_nodes(global, 64, value), 16);
        assert_int_equal(alloc_group_nodes(global, 8, value), 8);
        assert_true(is(alloc_cost_s(global, 32, value), 0.050e-3));
        assert_null(alloc_variant(global, value));
        value[lb_param_find(global->params, "solver")] = 1;
        const struct alloc_variant *variant = alloc_variant(global, value);
        assert_string_equal(variant->name, "global-lp");
        assert_null(alloc_find(variant->name));
        assert_ptr_equal(lp_alloc_find(variant->name), &alloc_global_lp);
        assert_ptr_equal(lp_alloc_find("global"), global);
        assert_ptr_equal(alloc_global_lp.params, global->params);
        assert_true(is(alloc_cost_s(&alloc_global_lp, 32, value), 57e-3));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_names),
                cmocka_unit_test(test_taken_twice),
                cmocka_unit_test(test_slots),
                cmocka_unit_test(test_global),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
