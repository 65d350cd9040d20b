/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "real/apps/common/result.h"
#include "real/apps/nbody/nbody.h"
#include "real/apps/nbody/orb.h"

enum { N = 2000 };

static struct nbody_rank make(int64_t n, double theta)
{
        size_t size = (size_t)n;
        struct nbody_rank rank = {
                .nbody = { .n = n,
                           .block = 64,
                           .seed = 2,
                           .theta = theta,
                           .step = 0.01,
                           .softening = 0.02 },
                .cell = app_alloc(2 * size * sizeof(struct cell)),
                .source = app_alloc(size * sizeof(struct source)),
                .own = app_alloc(size * sizeof(struct body)),
                .force = app_alloc(size * sizeof(struct force)),
        };
        nbody_init(&rank);
        return rank;
}

static void unmake(struct nbody_rank *rank)
{
        nbody_finish(rank);
        free(rank->cell);
        free(rank->source);
        free(rank->own);
        free(rank->force);
}

static void compute(struct nbody_rank *rank)
{
        for (int64_t i = nbody_blocks(rank); i-- > 0;) {
                struct tree_work work = nbody_block(rank, i);
                tree_forces(&work);
        }
}

struct direct {
        struct force pull;
        double magnitudes; /* of what each body does, added up */
};

/* The sum over all pairs. */
static struct direct direct(const struct nbody_rank *rank, const struct body *on)
{
        struct direct sum = { .magnitudes = 0 };
        double softening2 = rank->nbody.softening * rank->nbody.softening;
        for (int64_t i = 0; i < rank->nbody.n; i++) {
                const struct body *from = &rank->all[i];
                double dx[3], r2 = softening2;
                for (int axis = 0; axis < 3; axis++) {
                        dx[axis] = from->x[axis] - on->x[axis];
                        r2 += dx[axis] * dx[axis];
                }
                if (from->id == on->id)
                        continue;
                for (int axis = 0; axis < 3; axis++)
                        sum.pull.a[axis] += from->mass * dx[axis] / (r2 * sqrt(r2));
                sum.pull.potential -= from->mass / sqrt(r2);
                sum.magnitudes += from->mass / r2;
        }
        return sum;
}

struct error {
        double rms, worst; /* of forces, over the sum of their magnitudes */
        double potential;  /* worst, relative */
};

/* How far the forces of the tree are from those of all pairs. */
static struct error error_of(double theta)
{
        struct nbody_rank rank = make(N, theta);
        struct error error = { 0 };
        nbody_divide(&rank, 1, 0);
        compute(&rank);
        for (int64_t i = 0; i < N; i++) {
                struct direct right = direct(&rank, &rank.own[i]);
                double off2 = 0;
                for (int axis = 0; axis < 3; axis++) {
                        double off = rank.force[i].a[axis] - right.pull.a[axis];
                        off2 += off * off;
                }
                error.rms += off2 / (right.magnitudes * right.magnitudes) / N;
                error.worst = fmax(error.worst, sqrt(off2) / right.magnitudes);
                error.potential =
                    fmax(error.potential, fabs(rank.force[i].potential / right.pull.potential - 1));
        }
        error.rms = sqrt(error.rms);
        unmake(&rank);
        return error;
}

/* With theta 0 the tree is the direct sum, to rounding. */
static void test_direct_sum(void **state)
{
        (void)state;
        struct error error = error_of(0);
        assert_true(error.worst < 1e-10 && error.potential < 1e-12);
}

/*
 * Forces are within the error of the opening angle. A cell taken as a point is wrong from its
 * second moment on, of order theta^2 (Salmon and Warren 1994); errors of many cells partly cancel.
 */
static void test_opening_angle(void **state)
{
        (void)state;
        static const double theta[] = { 0.2, 0.4, 0.6, 0.8, 1 };
        double before = 0;
        for (size_t i = 0; i < sizeof(theta) / sizeof(theta[0]); i++) {
                struct error error = error_of(theta[i]);
                assert_true(error.rms < 0.02 * theta[i] * theta[i]);
                assert_true(error.worst < 0.15 * theta[i] * theta[i]);
                assert_true(error.rms > before); /* there is something to gain */
                before = error.rms;
        }
}

/* Cells hold all bodies: the root has all mass at the centre of mass, leaves each source once. */
static void test_tree(void **state)
{
        (void)state;
        struct nbody_rank rank = make(N, 0.5);
        nbody_divide(&rank, 1, 0);
        assert_true(rank.ncell <= 2 * N && rank.cell[0].next == rank.ncell);
        int32_t next = 0;
        for (int32_t i = 0; i < rank.ncell; i++) {
                if (rank.cell[i].count == 0)
                        continue;
                assert_int_equal(rank.cell[i].first, next);
                next += rank.cell[i].count;
        }
        assert_int_equal(next, N);
        assert_true(fabs(rank.cell[0].mass - 1) < 1e-12);
        unmake(&rank);
}

/* Bodies at one place make no endless tree, and no force on each other. */
static void test_one_place(void **state)
{
        (void)state;
        struct nbody_rank rank = make(100, 0.5);
        for (int i = 0; i < 100; i++)
                memset(rank.all[i].x, 0, sizeof(rank.all[i].x));
        nbody_divide(&rank, 1, 0);
        compute(&rank);
        assert_int_equal(rank.ncell, 1);
        for (int i = 0; i < 100; i++)
                assert_true(rank.force[i].a[0] == 0 && rank.force[i].potential == 0);
        unmake(&rank);
}

/* A short run keeps its energy, the better the shorter the step: leapfrog is of second order. */
static void test_energy(void **state)
{
        (void)state;
        double drift[2];
        for (int fine = 0; fine < 2; fine++) {
                struct nbody_rank rank = make(500, 0);
                struct nbody_drift watch = { 0 };
                rank.nbody.softening = 0.1;
                rank.nbody.step = fine ? 0.01 : 0.04;
                for (int i = 0; i < (fine ? 81 : 21); i++) {
                        nbody_divide(&rank, 1, 0);
                        compute(&rank);
                        nbody_watch(&watch, nbody_advance(&rank));
                        memcpy(rank.near, rank.own, 500 * sizeof(struct body));
                        nbody_collect(&rank);
                }
                assert_true(fabs(watch.first + 0.25) < 0.05);
                drift[fine] = watch.worst;
                unmake(&rank);
        }
        assert_true(drift[0] < 5e-3 && drift[1] < drift[0] / 4);
}

/* Every body has one owner; parts have their share of the work within a body for each cut. */
static void test_bisection(void **state)
{
        (void)state;
        struct lb_random random;
        struct body *body = app_alloc(N * sizeof(*body));
        int64_t *mine = app_alloc(N * sizeof(*mine)), total = 0;
        body_fill(body, N, 6);
        lb_random_init(&random, 1, LB_RANDOM_TEST, 0);
        for (int64_t i = 0; i < N; i++)
                total += body[i].work = 1 + (int64_t)lb_random_below(&random, 1000);
        for (int32_t nrank = 1; nrank <= 13; nrank++) {
                char owners[N] = { 0 };
                for (int32_t rank = 0; rank < nrank; rank++) {
                        int64_t work = 0, count = orb_owned(body, N, nrank, rank, mine);
                        for (int64_t i = 0; i < count; i++) {
                                assert_true(i == 0 || mine[i] > mine[i - 1]);
                                owners[mine[i]]++;
                                work += body[mine[i]].work;
                        }
                        double share = (double)total / nrank;
                        assert_true(fabs((double)work - share) <= 1000 * 4 + 1);
                }
                for (int64_t i = 0; i < N; i++)
                        assert_int_equal(owners[i], 1);
        }
        free(body);
        free(mine);
}

/* More ranks than bodies: some have none. */
static void test_more_ranks(void **state)
{
        (void)state;
        struct body body[3];
        int64_t mine[3], sum = 0;
        body_fill(body, 3, 1);
        for (int32_t rank = 0; rank < 8; rank++)
                sum += orb_owned(body, 3, 8, rank, mine);
        assert_int_equal(sum, 3);
}

/* Bodies move bit by bit the same however many ranks share them. */
static void test_any_ranks(void **state)
{
        (void)state;
        uint64_t hash[3];
        static const int32_t nrank[] = { 1, 2, 5 };
        for (int run = 0; run < 3; run++) {
                struct nbody_rank rank = make(300, 0.6);
                struct body *all = app_alloc(300 * sizeof(*all));
                for (int step = 0; step < 4; step++) {
                        int64_t n = 0;
                        int32_t steps = rank.steps;
                        for (int32_t r = 0; r < nrank[run]; r++) {
                                nbody_divide(&rank, nrank[run], r);
                                compute(&rank);
                                rank.steps = steps;
                                nbody_advance(&rank);
                                memcpy(all + n, rank.own, (size_t)rank.nown * sizeof(*all));
                                n += rank.nown;
                        }
                        assert_int_equal(n, 300);
                        memcpy(rank.near, all, 300 * sizeof(*all));
                        nbody_collect(&rank);
                }
                hash[run] = app_hash(0, rank.all, 300 * sizeof(*all));
                free(all);
                unmake(&rank);
        }
        assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_direct_sum), cmocka_unit_test(test_opening_angle),
                cmocka_unit_test(test_tree),       cmocka_unit_test(test_one_place),
                cmocka_unit_test(test_energy),     cmocka_unit_test(test_bisection),
                cmocka_unit_test(test_more_ranks), cmocka_unit_test(test_any_ranks),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
