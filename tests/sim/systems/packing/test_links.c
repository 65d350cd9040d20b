/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages share the links of their nodes evenly, whichever rank they are of. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/systems/packing/links.h"

enum { MB = 1000000, NMESSAGE = 4 };

/* A case: messages from node to node, when they leave and when they are there, in ms; a network of
 * 1 GB/s, where 1 MB takes 1 ms. */
struct sending {
        int32_t source, target;
        double leaves_ms, size_MB, there_ms;
};

static const struct {
        const char *name;
        int contention;
        double narrow;  /* link of node 3 */
        int32_t joined; /* node to the one before it; 0: none */
        struct sending message[NMESSAGE];
} cases[] = {
        { "alone", 1, 1, 0, { { 0, 1, 0.25, 1, 1.25 } } },
        { "two leave a node", 1, 1, 0, { { 0, 1, 0, 1, 2 }, { 0, 2, 0, 1, 2 } } },
        { "two come to a node", 1, 1, 0, { { 0, 2, 0, 1, 2 }, { 1, 2, 0, 1, 2 } } },
        { "the shorter first", 1, 1, 0, { { 0, 1, 0, 3, 4 }, { 0, 2, 0, 1, 2 } } },
        { "one later", 1, 1, 0, { { 0, 1, 0, 1, 2 - 0.5 }, { 0, 2, 0.5, 1, 2 } } },
        { "the later is through first",
          1,
          1,
          0,
          { { 0, 1, 0, 2, 3 - 0.25 }, { 0, 1, 0.5, 0.75, 2 } } },
        { "a narrow end", 1, 0.25, 0, { { 0, 3, 0, 1, 4 }, { 0, 1, 0, 1, 2 } } },
        { "nothing shared", 1, 1, 0, { { 0, 1, 0, 1, 1 }, { 1, 0, 0, 1, 1 } } },
        { "no contention", 0, 1, 0, { { 0, 1, 0, 1, 1 }, { 0, 2, 0, 1, 1 } } },
        { "within a node", 1, 1, 0, { { 1, 1, 0.5, 9, 0.5 }, { 0, 1, 0.5, 1, 1.5 } } },
        { "within a machine", 1, 1, 2, { { 1, 2, 0.5, 9, 0.5 }, { 0, 1, 0.5, 1, 1.5 } } },
        { "one NIC of a machine", 1, 1, 2, { { 1, 0, 0, 1, 2 }, { 2, 3, 0, 1, 2 } } },
};

static void start(struct network *network, double latency_us, int contention)
{
        double param[NETWORK_NPARAM];
        struct lb_error err;
        lb_param_defaults(network_params, param);
        param[NETWORK_LATENCY_US] = latency_us;
        param[NETWORK_BANDWIDTH_GBPS] = 1;
        param[NETWORK_CONTENTION] = contention;
        assert_int_equal(network_init(network, 4, param, &err), 0);
}

static void share(void **state)
{
        (void)state;
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
                struct network network;
                struct links_message message[NMESSAGE];
                int64_t count = 0;
                start(&network, 0, cases[c].contention);
                network_set_link(&network, 3, cases[c].narrow);
                if (cases[c].joined > 0)
                        network_join(&network, cases[c].joined);
                struct links *links = links_create(&network, NMESSAGE);
                assert_non_null(links);
                for (; count < NMESSAGE && cases[c].message[count].size_MB > 0; count++) {
                        const struct sending *s = &cases[c].message[count];
                        assert_int_equal(links_add(links, count, s->source, s->target), 0);
                        message[count] = (struct links_message){ llround(s->leaves_ms * 1e6), count,
                                                                 llround(s->size_MB * MB) };
                }
                for (int again = 0; again < 2; again++) {
                        const int64_t *there_ns = links_send(links, message, count);
                        for (int64_t m = 0; m < count; m++)
                                if (fabs((double)there_ns[m] * 1e-6 -
                                         cases[c].message[m].there_ms) > 1e-6)
                                        fail_msg("%s: message %d is there after %f ms",
                                                 cases[c].name, (int)m, (double)there_ns[m] * 1e-6);
                }
                links_destroy(links);
                network_finish(&network);
        }
}

/* The latency comes on top, once, and delays nobody else. */
static void latency(void **state)
{
        (void)state;
        struct network network;
        start(&network, 30, 1);
        struct links *links = links_create(&network, 2);
        assert_non_null(links);
        assert_int_equal(links_add(links, 0, 0, 1), 0);
        assert_int_equal(links_add(links, 1, 0, 1), 0);
        struct links_message message[] = { { 0, 0, 10000 }, { 20000, 1, 10000 } };
        const int64_t *there_ns = links_send(links, message, 2);
        assert_int_equal(there_ns[0], 40000);
        assert_int_equal(there_ns[1], 60000);
        links_destroy(links);
        network_finish(&network);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(share),
                cmocka_unit_test(latency),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
