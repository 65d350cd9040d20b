/* SPDX-License-Identifier: BSD-3-Clause */
/* When to pack: as in listing 2, and what happens when a packing no longer fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "policies/pack_when.h"

enum { PROCESSES = 3 };

struct watch {
        double param[PACK_WHEN_NPARAM];
        void *state;
};

static void begin(struct watch *w, enum pack_adapt adapt, double tolerance)
{
        lb_param_defaults(pack_when_params, w->param);
        w->param[PACK_WHEN_ADAPT] = adapt;
        w->state = malloc(pack_when_size(PROCESSES));
        assert_non_null(w->state);
        pack_when_init(w->state, PROCESSES, w->param, tolerance);
}

/* An iteration in which the second process takes `factor` as long as usual. */
static enum pack_step after(struct watch *w, double factor)
{
        double time_s[PROCESSES] = { 0.2, 0.9 * factor, 0.3 };
        double slowest_s = time_s[1] > 0.3 ? time_s[1] : 0.3;
        struct pack_when_view view = { .time_s = time_s, .slowest_s = slowest_s };
        return pack_when_step(w->state, &view);
}

/* The first measurement is discarded, the next two agree: packed after the third, and never again.
 */
static void packs_once(void **state)
{
        (void)state;
        struct watch w;
        begin(&w, PACK_ADAPT_ONCE, 0);
        assert_int_equal(after(&w, 3), PACK_STEP_NONE);
        assert_int_equal(after(&w, 1), PACK_STEP_NONE);
        assert_int_equal(after(&w, 1.04), PACK_STEP_PACK);
        for (int i = 0; i < 20; i++)
                assert_int_equal(after(&w, 1 + i), PACK_STEP_NONE);
        free(w.state);
}

/* While one process's times differ by more than 5 %, nothing is packed. */
static void waits_until_settled(void **state)
{
        (void)state;
        struct watch w;
        begin(&w, PACK_ADAPT_ONCE, 0);
        for (int i = 0; i < 10; i++)
                assert_int_equal(after(&w, i % 2 ? 1 : 1.06), PACK_STEP_NONE);
        assert_int_equal(after(&w, 1.01), PACK_STEP_PACK);
        free(w.state);
}

/* Two late iterations in a row end a packing; one does not, nor does what is tolerated. */
static void expands_when_late(void **state)
{
        (void)state;
        struct watch w;
        begin(&w, PACK_ADAPT_EXPAND, 0.2);
        for (int i = 0; i < 2; i++)
                assert_int_equal(after(&w, 1), PACK_STEP_NONE);
        assert_int_equal(after(&w, 1), PACK_STEP_PACK);
        static const double tolerated[] = { 1, 1.2, 1.24, 1.3, 1, 1.3, 0.97 };
        for (size_t i = 0; i < sizeof(tolerated) / sizeof(tolerated[0]); i++)
                assert_int_equal(after(&w, tolerated[i]), PACK_STEP_NONE);
        assert_int_equal(after(&w, 1.3), PACK_STEP_NONE);
        assert_int_equal(after(&w, 1.3), PACK_STEP_EXPAND);
        for (int i = 0; i < 2; i++)
                assert_int_equal(after(&w, 1.3), PACK_STEP_NONE);
        assert_int_equal(after(&w, 1.3), PACK_STEP_PACK);
        assert_int_equal(after(&w, 1.8), PACK_STEP_NONE); /* the first of this packing */
        assert_int_equal(after(&w, 1.8), PACK_STEP_EXPAND);
        free(w.state);
}

/* In place there is nothing to expand: it measures anew and packs again. Too early counts too. */
static void measures_in_place(void **state)
{
        (void)state;
        struct watch w;
        begin(&w, PACK_ADAPT_IN_PLACE, 0);
        for (int i = 0; i < 3; i++)
                after(&w, 1);
        int packed = 0;
        for (int i = 0; i < 2 + 3; i++)
                packed += after(&w, 0.5) == PACK_STEP_PACK;
        assert_int_equal(packed, 1);
        free(w.state);
}

/* A job without work is never packed. */
static void no_work(void **state)
{
        (void)state;
        struct watch w;
        static const double idle[PROCESSES];
        begin(&w, PACK_ADAPT_ONCE, 0);
        struct pack_when_view view = { .time_s = idle };
        for (int i = 0; i < 10; i++)
                assert_int_equal(pack_when_step(w.state, &view), PACK_STEP_NONE);
        free(w.state);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(packs_once),        cmocka_unit_test(waits_until_settled),
                cmocka_unit_test(expands_when_late), cmocka_unit_test(measures_in_place),
                cmocka_unit_test(no_work),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
