/* SPDX-License-Identifier: BSD-3-Clause */
/* FT and miniFE: work by the programs' own counts, and who says what to whom. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/boxes.h"
#include "tests/models/model_setting.h"

/* What all appranks do in the first iteration, s. */
static double all_work_s(const struct workload *workload)
{
        int32_t n = workload_napprank(workload);
        struct work *work = calloc((size_t)n, sizeof(*work));
        double sum = 0;
        assert_non_null(work);
        workload_iteration(workload, 0, work);
        for (int32_t a = 0; a < n; a++)
                sum += (double)work[a].ntask * (double)work[a].task_ns * 1e-9;
        free(work);
        return sum;
}

static void assert_near(double value, double expected, double tolerance)
{
        if (fabs(value - expected) > tolerance * fabs(expected))
                fail_msg("%.10g, expected %.10g", value, expected);
}

/* FT class C is 1.882e10 operations per iteration, in equal parts, and an all-to-all of 16 bytes
 * per point. */
static void ft_class_c(void **state)
{
        (void)state;
        struct setting s;
        setting_init(&s, "ft", 4, 8);
        s.param[WORKLOAD_FT_GFLOPS] = 1;
        struct workload *workload = create(&s);
        assert_near(all_work_s(workload), 18.816156, 1e-6);
        const struct workload_exchange *exchange = workload_exchange(workload);
        assert_int_equal(exchange->meeting, WORKLOAD_ALLTOALL);
        assert_int_equal(exchange->meeting_bytes, 16LL * 512 * 512 * 512 / 32 / 32);
        assert_null(exchange->first);
        workload_destroy(workload);
}

/* miniFE's boxes hold all rows and all entries once, however the cube is cut. */
static void minife_is_whole(void **state)
{
        (void)state;
        static const int32_t nodes[] = { 1, 3, 8, 17 };
        for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
                struct setting s;
                setting_init(&s, "minife", nodes[i], 8);
                s.param[WORKLOAD_MINIFE_GBPS] = 1;
                struct workload *workload = create(&s);
                double bytes = 12.0 * 217081801 + 124.0 * 8120601;
                assert_near(all_work_s(workload), bytes * 1e-9, 1e-5);
                workload_destroy(workload);
        }
}

static int64_t bytes_to(const struct workload_exchange *exchange, int32_t from, int32_t to)
{
        for (int64_t m = exchange->first[from]; m < exchange->first[from + 1]; m++)
                if (exchange->peer[m] == to)
                        return exchange->bytes[m];
        return 0;
}

/* Two halves of a cube of 3 points a side exchange the points at the cut: 3 x 3 of them. */
static void minife_halves(void **state)
{
        (void)state;
        struct setting s;
        setting_init(&s, "minife", 1, 2);
        s.param[WORKLOAD_MINIFE_ELEMENTS] = 2;
        struct workload *workload = create(&s);
        const struct workload_exchange *exchange = workload_exchange(workload);
        assert_int_equal(exchange->first[2], 2);
        assert_int_equal(bytes_to(exchange, 0, 1), 72);
        assert_int_equal(bytes_to(exchange, 1, 0), 72);
        assert_int_equal(exchange->meeting, WORKLOAD_ALLREDUCE);
        workload_destroy(workload);
}

/* Against brute force: each point of another box that touches one's own is sent, once. */
static void minife_neighbours(void **state)
{
        (void)state;
        struct setting s;
        setting_init(&s, "minife", 5, 3);
        s.param[WORKLOAD_MINIFE_ELEMENTS] = 11;
        struct workload *workload = create(&s);
        const struct workload_exchange *exchange = workload_exchange(workload);
        struct box whole = { .high = { 12, 12, 12 } };
        for (int32_t a = 0; a < 15; a++)
                for (int32_t b = 0; b < 15; b++) {
                        struct box from = box_of(whole, 15, a), to = box_of(whole, 15, b);
                        int64_t points = 0;
                        for (int d = 0; d < 3; d++) {
                                to.low[d]--;
                                to.high[d]++;
                        }
                        struct box common = box_common(&from, &to);
                        points = a == b ? 0 : box_points(&common);
                        assert_int_equal(bytes_to(exchange, a, b), 8 * points);
                }
        workload_destroy(workload);
}

/* More processes than points cannot be. */
static void minife_too_many(void **state)
{
        (void)state;
        struct setting s;
        struct lb_error err;
        setting_init(&s, "minife", 4, 8);
        s.param[WORKLOAD_MINIFE_ELEMENTS] = 1;
        assert_null(workload_create(&s.spec, &err));
        assert_non_null(strstr(err.text, "found 32 appranks"));
}

/* Others meet at a barrier and say nothing. */
static void others_have_a_barrier(void **state)
{
        (void)state;
        static const char *const names[] = { "synthetic", "micropp", "nbody", "phases" };
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                struct setting s;
                setting_init(&s, names[i], 4, 1);
                s.param[WORKLOAD_NBODY_BODIES] = 100;
                struct workload *workload = create(&s);
                assert_int_equal(workload_exchange(workload)->meeting, WORKLOAD_BARRIER);
                assert_null(workload_exchange(workload)->first);
                workload_destroy(workload);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(ft_class_c),      cmocka_unit_test(minife_is_whole),
                cmocka_unit_test(minife_halves),   cmocka_unit_test(minife_neighbours),
                cmocka_unit_test(minife_too_many), cmocka_unit_test(others_have_a_barrier),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
