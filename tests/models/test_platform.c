/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/platform.h"

/* 2 us latency, 10 GB/s: a million bytes keep a NIC busy for 100 us. */
static struct network start(int contention)
{
        double param[NETWORK_NPARAM];
        lb_param_defaults(network_params, param);
        param[NETWORK_LATENCY_US] = 2;
        param[NETWORK_BANDWIDTH_GBPS] = 10;
        param[NETWORK_CONTENTION] = contention;
        struct network network;
        struct lb_error err;
        assert_int_equal(network_init(&network, 8, param, &err), 0);
        return network;
}

/* A message alone takes latency + bytes / bandwidth. */
static void test_alone(void **state)
{
        (void)state;
        for (int contention = 0; contention < 2; contention++) {
                struct network network = start(contention);
                assert_int_equal(network_send(&network, 0, 1, 1000000, 5000), 5000 + 102000);
                assert_int_equal(network_send(&network, 2, 3, 0, 5000), 5000 + 2000);
                network_finish(&network);
        }
}

/* Messages of one source leave one after the other, also to different targets. */
static void test_sending_nic(void **state)
{
        (void)state;
        struct network network = start(1);
        assert_int_equal(network_send(&network, 0, 1, 1000000, 0), 102000);
        assert_int_equal(network_send(&network, 0, 2, 1000000, 0), 202000);
        assert_int_equal(network_send(&network, 0, 1, 1000000, 10), 302000);
        assert_int_equal(network_send(&network, 3, 4, 1000000, 10), 102010);
        network_finish(&network);
}

/* Nodes of one machine reach each other at once, and others by one NIC. */
static void test_joined(void **state)
{
        (void)state;
        struct network network = start(1);
        network_join(&network, 2);
        network_join(&network, 3);
        assert_int_equal(network_send(&network, 1, 3, 1000000, 7), 7);
        assert_int_equal(network_send(&network, 1, 4, 1000000, 7), 102007);
        assert_int_equal(network_send(&network, 3, 5, 1000000, 7), 202007);
        assert_int_equal(network_send(&network, 6, 2, 1000000, 7), 102007);
        assert_int_equal(network_send(&network, 7, 3, 1000000, 7), 202007);
        network_finish(&network);
}

/* Messages of different sources to one target arrive one after the other, in order of sending. */
static void test_receiving_nic(void **state)
{
        (void)state;
        struct network network = start(1);
        assert_int_equal(network_send(&network, 0, 7, 1000000, 0), 102000);
        assert_int_equal(network_send(&network, 1, 7, 1000000, 50), 202000);
        assert_int_equal(network_send(&network, 2, 7, 0, 60), 202000);
        network_finish(&network);
}

/* The two directions of a NIC don't disturb each other. */
static void test_full_duplex(void **state)
{
        (void)state;
        struct network network = start(1);
        assert_int_equal(network_send(&network, 0, 1, 1000000, 0), 102000);
        assert_int_equal(network_send(&network, 1, 0, 1000000, 0), 102000);
        network_finish(&network);
}

/* Without contention messages overlap freely. */
static void test_no_contention(void **state)
{
        (void)state;
        struct network network = start(0);
        for (int i = 0; i < 5; i++)
                assert_int_equal(network_send(&network, 0, 1, 1000000, 7), 102007);
        network_finish(&network);
}

/* Within a node nothing crosses the network, and no NIC is taken. */
static void test_same_node(void **state)
{
        (void)state;
        struct network network = start(1);
        assert_int_equal(network_send(&network, 3, 3, INT64_MAX, 17), 17);
        assert_int_equal(network_send(&network, 3, 4, 0, 17), 2017);
        network_finish(&network);
}

/* Random traffic: never faster than alone, and a NIC never moves more than its bandwidth. */
static void test_random_traffic(void **state)
{
        (void)state;
        struct network network = start(1);
        struct lb_random random;
        lb_random_init(&random, 5, LB_RANDOM_TEST, 0);
        int64_t now = 0, busy_out[8] = { 0 }, busy_in[8] = { 0 };
        for (int i = 0; i < 10000; i++) {
                now += (int64_t)lb_random_below(&random, 20000);
                int32_t from = (int32_t)lb_random_below(&random, 8);
                int32_t to = (from + 1 + (int32_t)lb_random_below(&random, 7)) % 8;
                int64_t bytes = (int64_t)lb_random_below(&random, 100000) * 10;
                int64_t at = network_send(&network, from, to, bytes, now);
                busy_out[from] += bytes / 10;
                busy_in[to] += bytes / 10;
                assert_true(at >= now + 2000 + bytes / 10);
                assert_true(at >= 2000 + busy_in[to] && at >= 2000 + busy_out[from]);
        }
        network_finish(&network);
}

/* Absurd sizes over the slowest network stay far from overflow, however often they are sent. */
static void test_saturates(void **state)
{
        (void)state;
        double param[NETWORK_NPARAM] = {
                [NETWORK_LATENCY_US] = 1e6, [NETWORK_BANDWIDTH_GBPS] = 1e-6
        };
        for (int contention = 0; contention < 2; contention++) {
                struct network network;
                struct lb_error err;
                param[NETWORK_CONTENTION] = contention;
                assert_int_equal(network_init(&network, 2, param, &err), 0);
                for (int i = 0; i < 10; i++) {
                        int64_t at = network_send(&network, 0, 1, INT64_MAX, INT64_MAX);
                        assert_true(at > 0 && at < INT64_MAX / 4);
                }
                network_finish(&network);
        }
}

/* A barrier takes ceil(log2(ranks)) latencies. */
static void test_barrier(void **state)
{
        (void)state;
        static const struct {
                int64_t nrank, latencies;
        } cases[] = { { 1, 0 }, { 2, 1 }, { 3, 2 }, { 4, 2 }, { 5, 3 }, { 64, 6 }, { 65, 7 } };
        struct network network = start(1);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
                assert_int_equal(network_barrier_ns(&network, cases[i].nrank),
                                 2000 * cases[i].latencies);
        network_finish(&network);
}

/* The defaults are valid: 1.5 us and 12.5 GB/s. */
static void test_defaults(void **state)
{
        (void)state;
        double param[NETWORK_NPARAM];
        struct network network;
        struct lb_error err;
        assert_int_equal(lb_param_count(network_params), NETWORK_NPARAM);
        lb_param_defaults(network_params, param);
        assert_int_equal(network_init(&network, 2, param, &err), 0);
        assert_int_equal(network_send(&network, 0, 1, 12500, 0), 2500);
        assert_int_equal(network.message_cpu_ns, 1000);
        network_finish(&network);
}

/* Data that processors copy: by its rate, no more than can be simulated however much it is. */
static void test_copies(void **state)
{
        (void)state;
        double param[NETWORK_NPARAM];
        struct network network;
        struct lb_error err;
        lb_param_defaults(network_params, param);
        assert_int_equal(network_init(&network, 2, param, &err), 0);
        assert_int_equal(network_owed_ns(&network, 7, 1000000), 7); /* hardware does it */
        network_finish(&network);
        param[NETWORK_COPY_GBPS] = 2;
        assert_int_equal(network_init(&network, 2, param, &err), 0);
        assert_int_equal(network_copy_ns(&network, 1000000), 500000);
        assert_int_equal(network_owed_ns(&network, 7, 1000000), 500007);
        network_finish(&network);
        param[NETWORK_COPY_GBPS] = 1e-300;
        assert_int_equal(network_init(&network, 2, param, &err), 0);
        int64_t owed_ns = 0;
        for (int i = 0; i < 20; i++)
                owed_ns = network_owed_ns(&network, owed_ns, INT64_MAX);
        assert_true(owed_ns > 0 && owed_ns <= INT64_MAX / 2);
        network_finish(&network);
}

/* Every default of the platform's table is one the table allows. */
static void test_platform_table(void **state)
{
        (void)state;
        struct lb_error err;
        assert_int_equal(lb_param_count(platform_params), PLATFORM_NPARAM);
        for (int i = 0; i < PLATFORM_NPARAM; i++)
                assert_int_equal(
                    lb_param_check(&platform_params[i], platform_params[i].fallback, &err), 0);
        assert_int_equal(lb_param_find(platform_params, "cores_per_node"), PLATFORM_CORES_PER_NODE);
        assert_int_equal(lb_param_check(&platform_params[PLATFORM_NODES], 0, &err), -1);
        assert_int_equal(lb_param_check(&platform_params[PLATFORM_CORES_PER_NODE], 1e9, &err), -1);
}

/* Impossible networks are input errors that name the parameter, and leave nothing to free. */
static void test_refused(void **state)
{
        (void)state;
        static const struct {
                int32_t nnode;
                int place;
                double value;
                const char *text;
        } cases[] = {
                { 2, NETWORK_BANDWIDTH_GBPS, 0, "bandwidth_GBps: found 0, allowed is" },
                { 2, NETWORK_LATENCY_US, -1, "latency_us: found -1, allowed is" },
                { 2, NETWORK_MESSAGE_CPU_US, NAN, "message_cpu_us: found nan, allowed is" },
                { 0, NETWORK_LATENCY_US, 1, "found a network of 0 nodes" },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                double param[NETWORK_NPARAM];
                lb_param_defaults(network_params, param);
                param[cases[i].place] = cases[i].value;
                struct network network;
                struct lb_error err = { 0 };
                assert_int_equal(network_init(&network, cases[i].nnode, param, &err), -1);
                assert_int_equal(err.kind, LB_ERROR_INPUT);
                assert_non_null(strstr(err.text, cases[i].text));
                network_finish(&network);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_alone),          cmocka_unit_test(test_sending_nic),
                cmocka_unit_test(test_joined),         cmocka_unit_test(test_receiving_nic),
                cmocka_unit_test(test_full_duplex),    cmocka_unit_test(test_no_contention),
                cmocka_unit_test(test_same_node),      cmocka_unit_test(test_random_traffic),
                cmocka_unit_test(test_saturates),      cmocka_unit_test(test_barrier),
                cmocka_unit_test(test_defaults),       cmocka_unit_test(test_copies),
                cmocka_unit_test(test_platform_table), cmocka_unit_test(test_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
