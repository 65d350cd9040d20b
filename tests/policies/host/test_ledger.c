/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ledger against a slow reference on random streams of observations: each metric is worked out
 * anew from the list of all that happened, straight from its definition.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/policies/host/ledger_reference.h"

/* ---- A host ---- */

/* What hosts that sample have as their own totals. */
static void hand_over(struct ledger *l, const struct stream *s, int64_t now)
{
        for (int32_t n = 0; n < s->spec.nnode; n++)
                l->node_busy_ns[n] = node_busy(s, n, 0, now);
        for (int32_t w = 0; w < s->spec.nworker; w++)
                l->worker_busy_ns[w] = worker_busy(s, w, 0, now);
}

static void report_iteration(struct ledger *l, const struct stream *s, int32_t i)
{
        for (int32_t a = 0; a < s->spec.napprank; a++)
                ledger_created(l, a, s->drawn_ns[i][a]);
        for (int32_t k = 0; k < s->count; k++)
                if (s->interval[k].until_ns > start_of(s, i) &&
                    s->interval[k].until_ns <= s->end_ns[i])
                        ledger_finished(l, 0, true, s->interval[k].useful_ns, 0);
        ledger_finished(l, s->home[i], true, 0, s->work_ns[i]);
        ledger_finished(l, s->tasks[i] - s->home[i], false, 0, 0);
        ledger_message(l, s->bytes[i]);
        ledger_moved(l, s->moved[i]);
        ledger_decided(l);
        l->now.helper_ns += s->helper_ns[i];
        l->now.mpi_ns += s->mpi_ns[i];
        l->now.borrowed_ns += s->borrowed_ns[i];
        memcpy(l->node_freed, s->freed[i], (size_t)s->spec.nnode * sizeof(int32_t));
        ledger_iteration(l, s->end_ns[i]);
}

static void own(struct ledger *l, const struct stream *s, int32_t i)
{
        for (int32_t w = 0; w < s->spec.nworker; w++)
                if (s->spec.hindsight)
                        ledger_owns(l, start_of(s, i), w, s->owned[i][w]);
                else
                        l->owned[w] = s->owned[i][w];
}

/* Samples are taken as time goes on; a sample at an iteration's end comes before it. */
static void run_sampling(struct ledger *l, const struct stream *s)
{
        int64_t next = s->spec.sample_ns;
        for (int32_t i = 0; i < s->spec.niteration; i++) {
                own(l, s, i);
                for (; next <= s->end_ns[i]; next += s->spec.sample_ns) {
                        hand_over(l, s, next);
                        ledger_sample(l);
                }
                hand_over(l, s, s->end_ns[i]);
                report_iteration(l, s, i);
        }
}

/* Intervals come when they are over, the latest of an iteration first. */
static void run_hindsight(struct ledger *l, const struct stream *s)
{
        int32_t done = 0;
        for (int32_t i = 0; i < s->spec.niteration; i++) {
                int32_t end = done;
                own(l, s, i);
                while (end < s->count && s->interval[end].until_ns <= s->end_ns[i])
                        end++;
                for (int32_t k = end - 1; k >= done; k--) {
                        const struct interval *x = &s->interval[k];
                        ledger_busy(l, s->worker_node[x->worker], x->worker, x->from_ns,
                                    x->until_ns, (double)(x->until_ns - x->from_ns));
                }
                done = end;
                report_iteration(l, s, i);
        }
}

static void check_series(struct ledger *l, const struct stream *s)
{
        struct ledger_series series = ledger_take_series(l);
        int64_t sample = s->spec.sample_ns, until = s->end_ns[s->spec.niteration - 1];
        assert_int_equal(series.nsample, s->spec.keep ? until / sample : 0);
        for (int32_t i = 0; i < series.nsample; i++) {
                int32_t iteration = 0;
                assert_true(fabs(series.imbalance[i] - imbalance(s, i * sample, (i + 1) * sample)) <
                            1e-6);
                /* owned at the sample's time; at an iteration's end, still as before */
                while (s->end_ns[iteration] < (i + 1) * sample)
                        iteration++;
                for (int32_t w = 0; w < s->spec.nworker; w++) {
                        size_t cell = (size_t)i * (size_t)s->spec.nworker + (size_t)w;
                        double busy = worker_busy(s, w, i * sample, (i + 1) * sample);
                        assert_true(fabs((double)series.busy_cores[cell] - busy / (double)sample) <
                                    1e-5);
                        assert_int_equal(series.owned_cores[cell], s->owned[iteration][w]);
                }
        }
        free(series.imbalance);
        free(series.busy_cores);
        free(series.owned_cores);
}

static void check_metrics(const struct ledger *l, const struct stream *s, uint64_t seed)
{
        double found[METRIC_ALL], expected[METRIC_ALL];
        ledger_metrics(l, found);
        for (int m = 0; m < METRIC_ALL; m++)
                expected[m] = NAN;
        reference(s, expected);
        for (int m = 0; m < METRIC_ALL; m++) {
                bool makes_sense = (metric_table[m].hosts & (unsigned)s->spec.host) != 0;
                double off = fabs(found[m] - expected[m]);
                if (makes_sense ? !(off <= 1e-7 * (1 + fabs(expected[m]))) : !isnan(found[m]))
                        fail_msg("stream %d, host %d: %s is %.12g, expected %.12g", (int)seed,
                                 s->spec.host, metric_table[m].name, found[m],
                                 makes_sense ? expected[m] : NAN);
        }
}

static void check_stream(uint64_t seed, enum metric_host host, bool hindsight)
{
        static struct stream s;
        struct lb_error err;
        make_stream(&s, seed, host, hindsight);
        struct ledger *l = ledger_create(&s.spec, &err);
        assert_non_null(l);
        if (hindsight)
                run_hindsight(l, &s);
        else
                run_sampling(l, &s);
        l->now.events = 77;
        l->now.starts = 5;
        l->now.cores_lent = 6;
        l->now.cores_borrowed = 7;
        l->now.cores_reclaimed = 8;
        l->now.message_ns = 2e9;
        l->now.poll_ns = 3e9;
        l->now.decision_ns = 4e9;
        l->load_gap = 0.25;
        l->limits = (struct ledger_limits){ 1.25, 1.5, 1.75 };
        assert_int_equal(ledger_status(l, &err), 0);
        check_metrics(l, &s, seed);
        check_series(l, &s);
        ledger_destroy(l);
}

/* As every host, in both ways of reporting: what makes no sense for it is empty, the rest right. */
static void random_streams_agree_with_the_reference(void **state)
{
        (void)state;
        for (uint64_t seed = 0; seed < 60; seed++)
                for (unsigned host = METRIC_OF_OFFLOAD; host <= METRIC_OF_LIVE; host *= 2) {
                        check_stream(seed, (enum metric_host)host, false);
                        check_stream(seed, (enum metric_host)host, true);
                }
}

/* Processes that had CPUs to themselves tell how unequal they are; later ones on shared CPUs do
 * not. On two nodes, of which the second is slower: 1 - (3 + 1) / 2 / 8. */
static void arrivals_tell_the_imbalance_of_the_fastest_nodes(void **state)
{
        (void)state;
        static const double speed[] = { 2, 1 };
        static const int64_t arrival_ns[] = { 3000, 1000, 8000, 2000 };
        struct lb_error err;
        double metric[METRIC_ALL];
        struct ledger *l = ledger_create(&(struct ledger_spec){ .host = METRIC_OF_PACKING,
                                                                .nnode = 2,
                                                                .napprank = 4,
                                                                .nworker = 4,
                                                                .ncore = 2,
                                                                .appranks_per_node = 2,
                                                                .node_speed = speed,
                                                                .niteration = 1,
                                                                .hindsight = true },
                                         &err);
        assert_non_null(l);
        ledger_arrivals(l, arrival_ns);
        ledger_iteration(l, 8000);
        ledger_metrics(l, metric);
        assert_true(fabs(metric[METRIC_IMBALANCE_FRACTION] - 0.75) < 1e-12);
        ledger_destroy(l);
}

/* Nodes of 6 and 2 cores, all of them busy for the whole of one iteration: nothing is out of
 * balance, and none of it wasted; then the small one alone is idle. */
static void nodes_may_have_unequal_cores(void **state)
{
        (void)state;
        static const double speed[] = { 1, 1 }, cores[] = { 6, 2 };
        struct ledger_spec spec = { .host = METRIC_OF_LIVE,
                                    .nnode = 2,
                                    .napprank = 2,
                                    .nworker = 2,
                                    .ncore = 6,
                                    .node_cores = cores,
                                    .node_speed = speed,
                                    .niteration = 1,
                                    .appranks_per_node = 1 };
        struct lb_error err;
        double metric[METRIC_ALL];
        for (int small = 1; small >= 0; small--) {
                struct ledger *l = ledger_create(&spec, &err);
                assert_non_null(l);
                l->node_busy_ns[0] = l->now.useful_ns = l->now.work_ns = 6e9;
                l->node_busy_ns[1] = 2e9 * small;
                l->now.useful_ns = l->now.work_ns = 6e9 + 2e9 * small;
                ledger_iteration(l, 1000000000);
                ledger_metrics(l, metric);
                assert_true(fabs(metric[METRIC_NODE_IMBALANCE] - (small ? 1 : 2)) < 1e-12);
                assert_true(fabs(metric[METRIC_PARALLEL_EFFICIENCY] - (small ? 1 : 0.75)) < 1e-12);
                assert_true(fabs(metric[METRIC_LOAD_BALANCE] - (small ? 1 : 0.75)) < 1e-12);
                assert_true(fabs(metric[METRIC_OPTIMAL_S] - (small ? 1 : 0.75)) < 1e-12);
                ledger_destroy(l);
        }
}

/* A run of which no iteration has ended: counts are there, the rest is empty. */
static void without_an_iteration_counts_alone_are_known(void **state)
{
        (void)state;
        static const double speed[] = { 1 };
        struct lb_error err;
        double metric[METRIC_ALL];
        struct ledger *l = ledger_create(&(struct ledger_spec){ .host = METRIC_OF_LIVE,
                                                                .nnode = 1,
                                                                .napprank = 1,
                                                                .nworker = 1,
                                                                .ncore = 2,
                                                                .node_speed = speed },
                                         &err);
        assert_non_null(l);
        ledger_finished(l, 4, true, 10, 10);
        ledger_finished(l, 1, false, 10, 10);
        ledger_metrics(l, metric);
        assert_true(metric[METRIC_TASKS] == 5);
        assert_true(metric[METRIC_OFFLOADED_FRACTION] == 0.2);
        assert_true(isnan(metric[METRIC_TIME_PER_ITERATION_S]));
        assert_true(isnan(metric[METRIC_NODE_IMBALANCE]));
        ledger_destroy(l);
}

/* The table: names are unique, every metric has a definition and makes sense for someone; those of
 * results.csv for a simulated system. */
static void the_table_is_whole(void **state)
{
        (void)state;
        char text[64];
        for (int m = 0; m < METRIC_ALL; m++) {
                const struct metric_info *info = &metric_table[m];
                assert_non_null(info->name);
                assert_non_null(info->help);
                assert_int_equal(metric_find(info->name, METRIC_ALL), m);
                assert_true((info->hosts & METRIC_OF_ALL) != 0);
                assert_true(m >= METRIC_COUNT || (info->hosts & METRIC_OF_SIM) != 0);
                assert_true(metric_hosts(info, text)[0] != '\0');
        }
        assert_int_equal(metric_find("nothing", METRIC_ALL), -1);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(random_streams_agree_with_the_reference),
                cmocka_unit_test(arrivals_tell_the_imbalance_of_the_fastest_nodes),
                cmocka_unit_test(nodes_may_have_unequal_cores),
                cmocka_unit_test(without_an_iteration_counts_alone_are_known),
                cmocka_unit_test(the_table_is_whole),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
