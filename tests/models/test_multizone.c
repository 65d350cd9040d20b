/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/load.h"
#include "models/multizone.h"

static void setting_zones(struct setting *s, const char *benchmark, const char *class,
                          const char *map, int32_t napprank)
{
        setting_init(s, "multizone", 1, napprank);
        choose(s, WORKLOAD_MULTIZONE_BENCHMARK, benchmark);
        choose(s, WORKLOAD_MULTIZONE_CLASS, class);
        choose(s, WORKLOAD_MULTIZONE_MAP, map);
}

/* The benchmark's rule by hand: BT-MZ class A cuts 128 points into 13, 21, 36 and 58; zones of SP
 * and LU are equal. */
static void zones_have_the_sizes_of_the_benchmark(void **state)
{
        (void)state;
        static const int32_t bt[] = { 13, 21, 36, 58 };
        struct multizone zones;
        multizone_init(&zones, MULTIZONE_BT, MULTIZONE_A);
        assert_int_equal(zones.x_zones, 4);
        assert_int_equal(zones.depth, 16);
        for (int i = 0; i < 4; i++) {
                assert_int_equal(zones.x_size[i], bt[i]);
                assert_int_equal(zones.y_size[i], bt[i]);
        }
        multizone_init(&zones, MULTIZONE_SP, MULTIZONE_B);
        for (int i = 0; i < 8; i++) {
                assert_int_equal(zones.x_size[i], 38);
                assert_int_equal(zones.y_size[i], 26);
        }
        multizone_init(&zones, MULTIZONE_LU, MULTIZONE_B);
        assert_int_equal(zones.x_zones, 4);
        assert_int_equal(zones.x_size[3], 76);
}

/* In every class the zones fill the mesh and BT's largest has about 20 times the points of its
 * smallest (NAS-03-010), 9 in class S. */
static void zones_fill_the_mesh(void **state)
{
        (void)state;
        static const int32_t x[] = { 24, 64, 128, 304, 480, 1632 };
        static const int32_t y[] = { 24, 64, 128, 208, 320, 1216 };
        for (int b = 0; b < MULTIZONE_NBENCHMARK; b++)
                for (int c = 0; c < MULTIZONE_NCLASS; c++) {
                        struct multizone z;
                        int32_t nx = 0, ny = 0;
                        multizone_init(&z, (enum multizone_benchmark)b, (enum multizone_class)c);
                        for (int i = 0; i < z.x_zones; i++) {
                                nx += z.x_size[i];
                                ny += z.y_size[i];
                                assert_true(z.x_size[i] > 2 && z.y_size[i] > 2);
                        }
                        assert_int_equal(nx, x[c]);
                        assert_int_equal(ny, y[c]);
                        double most = z.x_size[z.x_zones - 1] * z.y_size[z.y_zones - 1];
                        double ratio = most / (z.x_size[0] * z.y_size[0]);
                        if (b == MULTIZONE_BT)
                                assert_true(c == MULTIZONE_S ? fabs(ratio - 9) < 0.1
                                                             : fabs(ratio - 20.25) < 5);
                }
}

/* Blocks and turns have equal numbers of zones; packing has equal numbers of points, within 2 % in
 * class B. */
static void zones_are_divided_as_asked(void **state)
{
        (void)state;
        struct multizone zones;
        int32_t owner[MULTIZONE_ZONE_MAX];
        multizone_init(&zones, MULTIZONE_BT, MULTIZONE_B);
        for (int map = 0; map < MULTIZONE_NMAP; map++)
                for (int32_t n = 1; n <= 64; n *= 2) {
                        double points[64] = { 0 };
                        int32_t count[64] = { 0 };
                        multizone_owners(&zones, (enum multizone_map)map, n, owner);
                        for (int32_t z = 0; z < 64; z++) {
                                assert_in_range(owner[z], 0, n - 1);
                                count[owner[z]]++;
                                points[owner[z]] += zones.x_size[z % 8] * zones.y_size[z / 8];
                        }
                        for (int32_t p = 0; p < n && map != MULTIZONE_PACKED; p++)
                                assert_int_equal(count[p], 64 / n);
                        if (map == MULTIZONE_PACKED && n <= 8)
                                assert_true(load_imbalance(points, n) < 1.02);
                }
        multizone_owners(&zones, MULTIZONE_BLOCK, 3, owner);
        assert_int_equal(owner[21], 0); /* 22, 21 and 21 zones */
        assert_int_equal(owner[22], 1);
        assert_int_equal(owner[63], 2);
}

/* With the lower half of class A's zones for one and the upper for the other, work is 27 to 73. */
static void blocks_of_bt_are_out_of_balance(void **state)
{
        (void)state;
        struct setting s;
        struct work work[2];
        setting_zones(&s, "bt", "A", "block", 2);
        struct workload *workload = create(&s);
        workload_iteration(workload, 0, work);
        double one = (double)work[0].ntask * (double)work[0].task_ns;
        double two = (double)work[1].ntask * (double)work[1].task_ns;
        assert_true(fabs(two / (one + two) - 0.735) < 0.02);
        workload_destroy(workload);
}

/* Whatever the map, together it is the operations that the benchmark counts: 731.5 Mflop in a step
 * of BT-MZ class A, at 150 Mflop/s. */
static void work_is_the_benchmarks_count(void **state)
{
        (void)state;
        static const char *const maps[] = { "packed", "block", "cyclic" };
        for (int m = 0; m < 3; m++) {
                struct setting s;
                struct work work[8];
                double sum_s = 0;
                setting_zones(&s, "bt", "A", maps[m], 8);
                struct workload *workload = create(&s);
                workload_iteration(workload, 3, work);
                for (int a = 0; a < 8; a++)
                        sum_s += (double)work[a].ntask * (double)work[a].task_ns * 1e-9;
                assert_true(fabs(sum_s * 150 - 731.5) < 3);
                workload_destroy(workload);
        }
}

/* Regions are the loops of the zones: over 14 inner planes, but the z solver's over inner rows. */
static void regions_are_loops(void **state)
{
        (void)state;
        struct setting s;
        struct work work[2];
        setting_zones(&s, "bt", "A", "block", 2);
        struct workload *workload = create(&s);
        workload_iteration(workload, 0, work);
        assert_int_equal(workload_nregion(workload, 0, 0), 8 * 4);
        int64_t ntask = 0;
        for (int r = 0; r < 32; r++)
                ntask += workload_region_tasks(workload, 0, 0, r);
        assert_int_equal(ntask, work[0].ntask);
        assert_int_equal(workload_region_tasks(workload, 0, 0, 0), 14);
        assert_int_equal(workload_region_tasks(workload, 0, 0, 3), 13 - 2);
        assert_int_equal(workload_region_tasks(workload, 1, 0, 31), 58 - 2);
        workload_destroy(workload);
}

/* Faces to other processes are sent, those to oneself are not. */
static void boundaries_between_processes_are_sent(void **state)
{
        (void)state;
        struct setting s;
        setting_zones(&s, "sp", "A", "block", 2);
        struct workload *workload = create(&s);
        /* two sides of the torus, 4 zones of 30 inner points each, 14 planes, 40 bytes */
        assert_int_equal(workload_message_bytes(workload, 0), 2 * 4 * 30 * 14 * 40);
        workload_destroy(workload);
        setting_zones(&s, "sp", "A", "block", 1);
        workload = create(&s);
        assert_int_equal(workload_message_bytes(workload, 0), 0);
        workload_destroy(workload);
}

/* Other models are divided evenly into as many regions as are asked for. */
static void other_models_have_regions_too(void **state)
{
        (void)state;
        struct setting s;
        setting_init(&s, "synthetic", 1, 1);
        s.param[WORKLOAD_IMBALANCE] = 1;
        s.param[WORKLOAD_REGIONS] = 7;
        struct workload *workload = create(&s);
        struct work work;
        int64_t ntask = 0;
        workload_iteration(workload, 0, &work);
        assert_int_equal(workload_nregion(workload, 0, 0), 7);
        for (int r = 0; r < 7; r++)
                ntask += workload_region_tasks(workload, 0, 0, r);
        assert_int_equal(ntask, work.ntask);
        workload_destroy(workload);
}

/* Fewer zones than appranks is refused. */
static void too_few_zones_are_refused(void **state)
{
        (void)state;
        struct setting s;
        struct lb_error err;
        setting_zones(&s, "lu", "D", "packed", 17);
        assert_null(workload_create(&s.spec, &err));
        assert_non_null(strstr(err.text, "found 17 appranks for 16 zones"));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(zones_have_the_sizes_of_the_benchmark),
                cmocka_unit_test(zones_fill_the_mesh),
                cmocka_unit_test(zones_are_divided_as_asked),
                cmocka_unit_test(blocks_of_bt_are_out_of_balance),
                cmocka_unit_test(work_is_the_benchmarks_count),
                cmocka_unit_test(regions_are_loops),
                cmocka_unit_test(boundaries_between_processes_are_sent),
                cmocka_unit_test(other_models_have_regions_too),
                cmocka_unit_test(too_few_zones_are_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
