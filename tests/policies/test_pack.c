/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing policies against each other, against brute force, and against what they promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "policies/pack.h"

enum { PROCESSES = 1000, PACKING = 2 /* the first types of pack_types[] do pack */ };

struct packing {
        int32_t used;
        int32_t cpu[PROCESSES];
};

/* Decide with the named policy; a set of 0 means all processes together. */
static void pack_numa(const char *name, int32_t nprocess, const double *time_s, double bound_s,
                      double tolerance, int32_t set, int32_t numa, struct packing *out)
{
        const struct pack_type *type = pack_find(name);
        double param[16];
        struct lb_error err;
        assert_non_null(type);
        lb_param_defaults(type->params, param);
        param[lb_param_find(type->params, "pack_set")] = set ? set : PROCESSES;
        param[lb_param_find(type->params, "pack_numa")] = numa;
        param[lb_param_find(type->params, "pack_tolerance")] = tolerance;
        void *state = calloc(1, type->state_size(nprocess, param));
        assert_non_null(state);
        assert_int_equal(type->init(state, nprocess, param, &err), 0);
        struct pack_view view = { .bound_s = bound_s, .time_s = time_s };
        memset(out->cpu, -1, sizeof(out->cpu));
        out->used = type->decide(state, &view, out->cpu);
        free(state);
}

static void pack(const char *name, int32_t nprocess, const double *time_s, double bound_s,
                 double tolerance, int32_t set, struct packing *out)
{
        pack_numa(name, nprocess, time_s, bound_s, tolerance, set, 0, out);
}

static void check(int32_t nprocess, const double *time_s, double bound_s, const struct packing *p)
{
        double sum[PROCESSES] = { 0 };
        int32_t count[PROCESSES] = { 0 };
        int32_t used = 0;
        for (int32_t i = 0; i < nprocess; i++) {
                assert_in_range(p->cpu[i], 0, nprocess - 1);
                assert_int_equal(p->cpu[p->cpu[i]], p->cpu[i]); /* one is at home there */
                sum[p->cpu[i]] += time_s[i];
                count[p->cpu[i]]++;
        }
        for (int32_t c = 0; c < nprocess; c++) {
                used += count[c] > 0;
                assert_true(sum[c] <= bound_s * (1 + 1e-9) || count[c] == 1);
        }
        assert_int_equal(used, p->used);
}

static void draw(struct lb_random *random, int32_t nprocess, double *time_s)
{
        for (int32_t i = 0; i < nprocess; i++)
                time_s[i] = 0.05 + 0.95 * lb_random_unit(random);
}

/* The fewest CPUs, by trying everything. */
static int32_t brute(const double *time_s, int32_t nprocess, int32_t k, double *room, int32_t used)
{
        if (k == nprocess)
                return used;
        int32_t best = nprocess;
        for (int32_t c = 0; c <= used && c < nprocess; c++) {
                if (c == used)
                        room[c] = 1;
                if (time_s[k] > room[c] + 1e-12)
                        continue;
                room[c] -= time_s[k];
                int32_t now = brute(time_s, nprocess, k + 1, room, c == used ? used + 1 : used);
                best = now < best ? now : best;
                room[c] += time_s[k];
        }
        return best;
}

/* Idle processes share as much as they may: one CPU for each set, that of its first process. */
static void check_sets(const char *name, int32_t nprocess, int32_t limit, int32_t numa,
                       int32_t first_end, int32_t sets)
{
        static const double idle[PROCESSES];
        struct packing p;
        pack_numa(name, nprocess, idle, 1e9, 0, limit, numa, &p);
        check(nprocess, idle, 1e9, &p);
        assert_int_equal(p.used, sets);
        for (int32_t i = 0; i < nprocess; i++) {
                assert_int_equal(p.cpu[i] == 0, i < first_end);
                assert_true(i - p.cpu[i] < limit);
                if (numa > 0 && numa <= limit && nprocess > limit)
                        assert_true(p.cpu[i] % numa == 0);
        }
}

/* Figures 2 and 3 of the paper: two nodes of four tasks; one loses two CPUs, the other one. */
static void test_paper_example(void **state)
{
        (void)state;
        static const double balanced[] = { 0.5, 0.5, 0.5, 0.5 },
                            unbalanced[] = { 1, 0.6, 0.7, 0.4 };
        for (int i = 0; i < PACKING; i++) {
                struct packing p;
                pack(pack_types[i]->name, 4, balanced, 1, 0, 0, &p);
                assert_int_equal(p.used, 2);
                pack(pack_types[i]->name, 4, unbalanced, 1, 0, 0, &p);
                assert_int_equal(p.used, 3);
                assert_int_equal(p.cpu[1], p.cpu[3]);
        }
}

/* `exact` uses as few CPUs as any packing; `subset-sum` never fewer; both keep to the bound. */
static void test_against_brute_force(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 5, LB_RANDOM_TEST, 0);
        for (int run = 0; run < 300; run++) {
                int32_t n = 1 + run % 9;
                double time_s[9], room[9];
                struct packing exact, subset;
                draw(&random, n, time_s);
                pack("exact", n, time_s, 1, 0, 0, &exact);
                pack("subset-sum", n, time_s, 1, 0, 0, &subset);
                check(n, time_s, 1, &exact);
                check(n, time_s, 1, &subset);
                assert_int_equal(exact.used, brute(time_s, n, 0, room, 0));
                assert_true(subset.used >= exact.used);
        }
}

/* Times of which three CPUs are exactly full, which takes the right choice of equals. */
static void test_exactly_full(void **state)
{
        (void)state;
        static const double time_s[] = { 0.44, 0.44, 0.56, 0.56, 0.28, 0.28, 0.44 };
        struct packing exact, subset;
        pack("exact", 7, time_s, 1, 0, 0, &exact);
        pack("subset-sum", 7, time_s, 1, 0, 0, &subset);
        check(7, time_s, 1, &exact);
        assert_int_equal(exact.used, 3);
        assert_in_range(subset.used, 3, 4);
}

/* Largest first, each where it fits first, takes three CPUs: the search has to find the two. */
static void test_first_fit_misses(void **state)
{
        (void)state;
        static const double time_s[] = { 0.5, 0.4, 0.4, 0.3, 0.2, 0.15 };
        struct packing exact;
        pack("exact", 6, time_s, 1, 0, 0, &exact);
        check(6, time_s, 1, &exact);
        assert_int_equal(exact.used, 2);
}

/* A tolerated slow-down frees more CPUs and is the most that a CPU takes longer. */
static void test_tolerance(void **state)
{
        (void)state;
        static const double time_s[] = { 0.6, 0.6, 0.6, 0.6 };
        for (int i = 0; i < PACKING; i++) {
                struct packing p;
                pack(pack_types[i]->name, 4, time_s, 1, 0, 0, &p);
                assert_int_equal(p.used, 4);
                pack(pack_types[i]->name, 4, time_s, 1, 0.2, 0, &p);
                assert_int_equal(p.used, 2);
                check(4, time_s, 1.2, &p);
        }
}

/* Processes of a node above the limit stay on the CPUs of their set: equal parts of it, or of a
 * NUMA domain, or as many whole domains as the limit allows. */
static void test_sets(void **state)
{
        (void)state;
        static const struct {
                int32_t nprocess, limit, numa, first_end, sets;
        } cases[] = {
                { 16, 30, 8, 16, 1 },   { 64, 10, 0, 9, 7 },  { 64, 30, 0, 21, 3 },
                { 48, 30, 24, 24, 2 },  { 64, 30, 8, 24, 3 }, { 64, 30, 32, 16, 4 },
                { 70, 30, 32, 16, 5 },  { 1, 1, 0, 1, 1 },    { 5, 1, 0, 1, 5 },
                { 20, 10, 100, 10, 2 },
        };
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
                for (int i = 0; i < PACKING; i++)
                        check_sets(pack_types[i]->name, cases[c].nprocess, cases[c].limit,
                                   cases[c].numa, cases[c].first_end, cases[c].sets);
}

/* Idle processes, processes beyond the bound, and a thousand of them: there the greedy rule takes a
 * tenth more CPUs than are needed. */
static void test_extremes(void **state)
{
        (void)state;
        static double time_s[PROCESSES];
        struct lb_random random;
        lb_random_init(&random, 7, LB_RANDOM_TEST, 0);
        for (int i = 0; i < PACKING; i++) {
                static const double odd[] = { 0, 3, 0, 0.5, 2, 0.5 };
                struct packing p;
                pack(pack_types[i]->name, 6, odd, 1, 0, 0, &p);
                check(6, odd, 1, &p);
                assert_in_range(p.used, 3, 4);
                draw(&random, PROCESSES, time_s);
                pack(pack_types[i]->name, PROCESSES, time_s, 1, 0, 0, &p);
                check(PROCESSES, time_s, 1, &p);
                double sum = 0;
                for (int32_t k = 0; k < PROCESSES; k++)
                        sum += time_s[k];
                assert_true(p.used <= (i == 0 ? 1.15 : 1.02) * ceil(sum));
        }
}

/* Same view, same decision. */
static void test_same_view(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 8, LB_RANDOM_TEST, 0);
        double time_s[40];
        struct packing once, again;
        for (int i = 0; i < PACKING; i++) {
                draw(&random, 40, time_s);
                pack(pack_types[i]->name, 40, time_s, 1, 0, 16, &once);
                pack(pack_types[i]->name, 40, time_s, 1, 0, 16, &again);
                assert_memory_equal(once.cpu, again.cpu, sizeof(once.cpu));
        }
}

/* With `none` every process stays at home. */
static void test_none(void **state)
{
        (void)state;
        static const double idle[8];
        struct packing p;
        pack("none", 8, idle, 1, 0, 0, &p);
        assert_int_equal(p.used, 8);
        for (int32_t i = 0; i < 8; i++)
                assert_int_equal(p.cpu[i], i);
}

/* The names that parameters know are those of the types. */
static void test_names(void **state)
{
        (void)state;
        for (int i = 0; pack_names[i] || pack_types[i]; i++)
                assert_string_equal(pack_names[i], pack_types[i]->name);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_paper_example), cmocka_unit_test(test_against_brute_force),
                cmocka_unit_test(test_exactly_full),  cmocka_unit_test(test_first_fit_misses),
                cmocka_unit_test(test_tolerance),     cmocka_unit_test(test_sets),
                cmocka_unit_test(test_extremes),      cmocka_unit_test(test_same_view),
                cmocka_unit_test(test_none),          cmocka_unit_test(test_names),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
