/* SPDX-License-Identifier: BSD-3-Clause */
/* The observer against what was told to it: who sees which core how, and figures that follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "policies/host/observe.h"

enum { NODES = 2, CORES = 3, WORKERS = 5, ROUNDS = 3000 };

static const int32_t worker_node[WORKERS] = { 0, 1, 0, 1, 0 };

/* What the sink was told last. */
struct seen {
        int64_t last_ns;
        enum observed_state state[WORKERS][CORES];
        int64_t figure[WORKERS][OBSERVED_NFIGURE];
        int32_t calls;
};

static void see_core(void *sink, int64_t time_ns, int32_t worker, int32_t core,
                     enum observed_state state)
{
        struct seen *seen = sink;
        assert_true(time_ns >= seen->last_ns);
        seen->last_ns = time_ns;
        seen->state[worker][core] = state;
        seen->calls++;
}

static void see_figure(void *sink, int64_t time_ns, int32_t worker, enum observed_figure figure,
                       int64_t number)
{
        struct seen *seen = sink;
        assert_true(time_ns >= seen->last_ns);
        seen->figure[worker][figure] = number;
}

static struct observer *make(struct seen *seen)
{
        struct lb_error err;
        struct observer_sink sink = { .sink = seen, .core = see_core, .figure = see_figure };
        memset(seen, 0, sizeof(*seen));
        struct observer *o = observer_create(&sink, NODES, CORES, WORKERS, worker_node, &err);
        assert_non_null(o);
        return o;
}

/* A core as it was told. */
struct truth {
        int32_t owner, user;
        enum observed_state state;
};

/* One that is on the node, or nobody. */
static int32_t someone(struct lb_random *random, int32_t node)
{
        int32_t w = (int32_t)lb_random_below(random, WORKERS + 1) - 1;
        return w >= 0 && worker_node[w] == node ? w : OBSERVED_NOBODY;
}

static enum observed_state expected(const struct truth *t, int32_t worker)
{
        bool other = t->user != OBSERVED_NOBODY && t->user != t->owner;
        if (worker == t->owner)
                return other ? OBSERVED_LENT : t->state;
        return worker == t->user ? t->state : OBSERVED_ABSENT;
}

static void check_states(const struct seen *seen, struct truth truth[NODES][CORES])
{
        for (int32_t w = 0; w < WORKERS; w++)
                for (int32_t c = 0; c < CORES; c++)
                        assert_int_equal(seen->state[w][c], expected(&truth[worker_node[w]][c], w));
}

static bool runs(const struct truth *t, int32_t worker)
{
        int32_t who = t->user != OBSERVED_NOBODY ? t->user : t->owner;
        return who == worker && (t->state == OBSERVED_TASK || t->state == OBSERVED_MAIN);
}

/* Random news: every worker sees every core as it is, and nothing else; owned cores at once and
 * busy ones at the ends of iterations are those that the states add up to. */
static void random_news_are_seen(void **state)
{
        (void)state;
        struct lb_random random;
        struct seen seen;
        struct truth truth[NODES][CORES];
        int64_t now = 0, begin = 0, busy[WORKERS] = { 0 };
        struct observer *o = make(&seen);
        observer_derives(o);
        lb_random_init(&random, 7, LB_RANDOM_TEST, 1);
        for (int n = 0; n < NODES; n++)
                for (int c = 0; c < CORES; c++)
                        truth[n][c] = (struct truth){ OBSERVED_NOBODY, OBSERVED_NOBODY, 0 };
        for (int round = 1; round <= ROUNDS; round++) {
                int64_t length = (int64_t)lb_random_below(&random, 50);
                for (int32_t w = 0; w < WORKERS; w++)
                        for (int32_t c = 0; c < CORES; c++)
                                busy[w] += runs(&truth[worker_node[w]][c], w) ? length : 0;
                now += length;
                int32_t n = (int32_t)lb_random_below(&random, NODES);
                int32_t c = (int32_t)lb_random_below(&random, CORES);
                struct truth t = { someone(&random, n), someone(&random, n), OBSERVED_ABSENT };
                if (t.owner != OBSERVED_NOBODY || t.user != OBSERVED_NOBODY)
                        t.state = (enum observed_state)(1 + lb_random_below(&random, 4));
                observe_core(o, now, n, c, t.owner, t.user, t.state);
                truth[n][c] = t;
                check_states(&seen, truth);
                for (int32_t w = 0; w < WORKERS; w++) {
                        int32_t owned = 0;
                        for (int32_t i = 0; i < CORES; i++)
                                owned += truth[worker_node[w]][i].owner == w;
                        assert_int_equal(seen.figure[w][OBSERVED_OWNED_CORES], owned);
                }
                if (round % 10 != 0 || now == begin)
                        continue;
                double node[NODES] = { 0 };
                observe_iteration(o, now, round / 10, 123);
                for (int32_t w = 0; w < WORKERS; w++) {
                        double cores = (double)busy[w] / (double)(now - begin);
                        assert_true(seen.figure[w][OBSERVED_BUSY_CORES] >= cores - 0.5001 &&
                                    seen.figure[w][OBSERVED_BUSY_CORES] <= cores + 0.5001);
                        node[worker_node[w]] += cores;
                        busy[w] = 0;
                }
                int64_t off =
                    seen.figure[0][OBSERVED_NODE_IMBALANCE] - observed_imbalance(node, NODES);
                assert_true(off >= -1 && off <= 1);
                assert_int_equal(seen.figure[0][OBSERVED_ITERATION], round / 10);
                assert_int_equal(seen.figure[0][OBSERVED_MOVED_BYTES], 123);
                begin = now;
        }
        observer_destroy(o);
}

/* What is as it was is not told again. */
static void equal_news_are_no_news(void **state)
{
        (void)state;
        struct seen seen;
        struct observer *o = make(&seen);
        observe_core(o, 1, 0, 0, 0, OBSERVED_NOBODY, OBSERVED_TASK);
        int32_t calls = seen.calls;
        observe_core(o, 2, 0, 0, 0, 0, OBSERVED_TASK);
        assert_int_equal(seen.calls, calls);
        observe_core(o, 3, 0, 0, 0, 2, OBSERVED_TASK);
        assert_int_equal(seen.state[0][0], OBSERVED_LENT);
        assert_int_equal(seen.state[2][0], OBSERVED_TASK);
        assert_int_equal(seen.figure[0][OBSERVED_OWNED_CORES], 0); /* not derived */
        observer_destroy(o);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(random_news_are_seen),
                cmocka_unit_test(equal_news_are_no_news),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
