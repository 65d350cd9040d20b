/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "real/measure/plain_name.h"

static const struct {
        const char *symbol, *name;
} cases[] = {
        { "solve", "solve" },
        { "solve_", "solve_" },
        { "main._omp_fn.0", "main" },
        { "solve.constprop.0.isra.0", "solve" },
        { ".hidden", ".hidden" },
        { "", "" },
        { "__zones_MOD_exchange", "zones::exchange" },
        { "__zones_MOD_exchange.constprop.0", "zones::exchange" },
        { "__MOD_", "__MOD_" },
        { "__x_MOD_", "x::" },
        { "_Z", "_Z" },
        { "_Zbroken", "_Zbroken" },
#ifdef LB_DEMANGLE
        { "_Z3runv", "run" },
        { "_ZN2fe5solveIdEEvRT_", "fe::solve" }, /* void fe::solve<double>(..) */
        { "_ZN3appC2Ei", "app::app" },           /* app::app(int) */
        { "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back" },
        { "_ZN12_GLOBAL__N_14stepEv", "(anonymous namespace)::step" },
        { "_ZN1a12_GLOBAL__N_14stepEv", "a::(anonymous namespace)::step" },
        { "_ZNK1aplERKS_", "a::operator+(a const&) const" },
        { "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const" },
        { "_Z4stepPFviE", "step" },
        { "_ZL4stepi.constprop.0", "step" },
#endif
};

static void test_names(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                char name[100];
                plain_name(name, sizeof(name), cases[i].symbol);
                assert_string_equal(name, cases[i].name);
        }
}

/* Whatever the size, the name ends. */
static void test_sizes(void **state)
{
        (void)state;
        for (size_t size = 1; size < 12; size++) {
                char name[16];
                memset(name, '#', sizeof(name));
                plain_name(name, size, "_ZN2fe5solveIdEEvRT_");
                assert_true(strlen(name) < size);
                assert_int_equal(name[size], '#');
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_names),
                                            cmocka_unit_test(test_sizes) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
