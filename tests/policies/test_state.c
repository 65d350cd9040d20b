/* SPDX-License-Identifier: BSD-3-Clause */
/* Policies of every kind begin by one rule: init() that returns 0 is ready, anything else failed,
 * with its own words or with ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "policies/called.h"
#include "policies/lend.h"
#include "policies/state.h"

/* What the policies below do: as param[0] and param[1] say. */
enum { RETURNS, SPEAKS };

static int begin(void *state, const double *param, struct lb_error *err)
{
        *(char *)state += 1; /* zeroed, and there even where no size was asked for */
        assert_int_equal(*(char *)state, 1);
        assert_true(called_is());
        if (param[SPEAKS] == 1)
                lb_error_set(err, "its own words");
        if (param[SPEAKS] == 2) /* as if it were an array of characters */
                memcpy(err, "its own words", sizeof("its own words"));
        return (int)param[RETURNS];
}

static size_t lend_size(int32_t nworker, const double *param)
{
        (void)param;
        assert_int_equal(nworker, 3);
        assert_true(called_is());
        return 0;
}

static int lend_init(void *state, int32_t nworker, const double *param, struct lb_error *err)
{
        assert_int_equal(nworker, 3);
        return begin(state, param, err);
}

static size_t alloc_size(const struct lb_shape *shape, const double *param)
{
        (void)param;
        return (size_t)shape->nworker;
}

static int alloc_init(void *state, const struct lb_shape *shape, const double *param,
                      struct lb_error *err)
{
        (void)shape;
        return begin(state, param, err);
}

static size_t grow_size(const struct grow_shape *shape, const double *param)
{
        (void)param;
        return (size_t)shape->nnode;
}

static int grow_init(void *state, const struct grow_shape *shape, const double *param,
                     struct lb_error *err)
{
        (void)shape;
        return begin(state, param, err);
}

static const struct lend_type lending = { .name = "mine",
                                          .state_size = lend_size,
                                          .init = lend_init };
static const struct alloc_type allocating = { .name = "mine",
                                              .state_size = alloc_size,
                                              .init = alloc_init };
static const struct grow_type growing = { .name = "mine",
                                          .state_size = grow_size,
                                          .init = grow_init };

static void *make_lend(const double *param, struct lb_error *err)
{
        return state_make(STATE_COUNTED(&lending), 3, param, err);
}

static void *make_alloc(const double *param, struct lb_error *err)
{
        return state_make_alloc(&allocating, &(struct lb_shape){ .nworker = 4 }, param, err);
}

static void *make_grow(const double *param, struct lb_error *err)
{
        return state_make_grow(&growing, &(struct grow_shape){ .nnode = 4 }, param, err);
}

static void *(*const makers[])(const double *param, struct lb_error *err) = { make_lend, make_alloc,
                                                                              make_grow };

static void test_one_rule_for_what_init_returns(void **unused)
{
        (void)unused;
        static const char silent[] = "policy 'mine' does not start, and does not say why";
        static const char no_error[] = "policy 'mine' does not start, and what it says is no "
                                       "struct lb_error: it is to use lb_error_set()";
        static const struct {
                double param[2];
                const char *message; /* NULL: it is ready */
        } cases[] = {
                { { 0, 0 }, NULL },    { { -1, 1 }, "its own words" }, { { -1, 0 }, silent },
                { { 1, 0 }, silent },  { { 1, 1 }, "its own words" },  { { 2, 0 }, silent },
                { { -7, 0 }, silent }, { { -1, 2 }, no_error },
        };
        for (size_t m = 0; m < sizeof(makers) / sizeof(makers[0]); m++) {
                for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                        struct lb_error err = { .kind = LB_ERROR_OTHER, .text = "of before" };
                        void *state = makers[m](cases[i].param, &err);
                        assert_false(called_is());
                        assert_int_equal(state != NULL, cases[i].message == NULL);
                        assert_string_equal(err.text, cases[i].message ? cases[i].message : "");
                        assert_true(!cases[i].message || lb_error_exit_code(&err) > 0);
                        free(state);
                }
        }
}

static size_t short_size(int32_t nworker, const double *param)
{
        (void)nworker;
        (void)param;
        return 4;
}

/* As a policy that forgot the array behind its struct. */
static int long_init(void *state, int32_t nworker, const double *param, struct lb_error *err)
{
        (void)nworker;
        (void)err;
        memset(state, 1, (size_t)param[RETURNS]);
        return 0;
}

static void test_a_size_that_is_too_small_is_named(void **unused)
{
        (void)unused;
        static const struct lend_type lend = { .name = "mine",
                                               .state_size = short_size,
                                               .init = long_init };
        struct lb_error err = { .kind = LB_ERROR_NONE };
        state_guard();
        void *state = state_make(STATE_COUNTED(&lend), 3, &(double){ 4 }, &err);
        assert_non_null(state);
        free(state);
        assert_null(state_make(STATE_COUNTED(&lend), 3, &(double){ 24 }, &err));
        assert_string_equal(err.text, "policy 'mine': init() writes beyond the 4 bytes that "
                                      "state_size() asks for");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_one_rule_for_what_init_returns),
                cmocka_unit_test(test_a_size_that_is_too_small_is_named),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
