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
#include "real/apps/micropp/micropp.h"
#include "real/apps/micropp/stencil.h"

static const struct material steel = { 200, 0.3, true, 0.2, 5 };

static void draw(struct lb_random *random, double size, double *out, size_t n)
{
        for (size_t i = 0; i < n; i++)
                out[i] = size * (2 * lb_random_unit(random) - 1);
}

/* After any strain the stress is within the yield surface, elastic strain gives it back, and
 * plastic flow keeps the volume. */
static void test_yield(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 1, LB_RANDOM_TEST, 0);
        double before[MATERIAL_STATE] = { 0 }, after[MATERIAL_STATE], strain[6], stress[6];
        int yielded = 0;
        for (int round = 0; round < 1000; round++) {
                draw(&random, 0.003, strain, 6);
                material_update(&steel, strain, before, after, stress, NULL);
                assert_true(material_yield(&steel, stress, after) < 1e-12);
                assert_true(after[6] >= before[6]);
                assert_true(fabs(after[0] + after[1] + after[2]) < 1e-15);
                yielded += after[6] > before[6];
                double elastic[6], again[6];
                struct material soft = steel;
                soft.plastic = false;
                for (int i = 0; i < 6; i++)
                        elastic[i] = strain[i] - after[i];
                double none[MATERIAL_STATE] = { 0 }, unused[MATERIAL_STATE];
                material_update(&soft, elastic, none, unused, again, NULL);
                for (int i = 0; i < 6; i++)
                        assert_true(fabs(again[i] - stress[i]) < 1e-12);
                memcpy(before, after, sizeof(before));
        }
        assert_true(yielded > 100 && yielded < 1000);
}

/* The tangent is symmetric and the derivative of the stress, where it is elastic and where not. */
static void test_tangent(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 2, LB_RANDOM_TEST, 0);
        const double h = 1e-7;
        for (int round = 0; round < 200; round++) {
                double none[MATERIAL_STATE] = { 0 }, after[MATERIAL_STATE];
                double strain[6], stress[6], tangent[36];
                draw(&random, round % 2 ? 0.01 : 0.0003, strain, 6);
                material_update(&steel, strain, none, after, stress, tangent);
                assert_true((after[6] > 0) == (round % 2));
                for (int j = 0; j < 6; j++) {
                        double moved[6], up[6], down[6];
                        memcpy(moved, strain, sizeof(moved));
                        moved[j] += h;
                        material_update(&steel, moved, none, after, up, NULL);
                        moved[j] -= 2 * h;
                        material_update(&steel, moved, none, after, down, NULL);
                        for (int i = 0; i < 6; i++) {
                                double slope = (up[i] - down[i]) / (2 * h);
                                assert_true(fabs(slope - tangent[6 * i + j]) < 1e-3);
                                assert_true(fabs(tangent[6 * i + j] - tangent[6 * j + i]) < 1e-9);
                        }
                }
        }
}

struct volume {
        struct rve rve;
        double *displacement[2], *state[2];
        struct rve_result result;
        double strain[6];
};

static struct volume make(int32_t side, bool plastic, double young_of_ball)
{
        size_t n = rve_displacement_entries(side), m = rve_state_entries(side);
        struct volume volume = { .rve = { .side = side,
                                          .matrix = { 1, 0.3, plastic, 0.0025, 0.05 },
                                          .ball = { .young = young_of_ball, .poisson = 0.3 },
                                          .radius = 0.35 } };
        volume.displacement[0] = app_alloc(2 * n * sizeof(double));
        volume.displacement[1] = volume.displacement[0] + n;
        volume.state[0] = app_alloc(2 * m * sizeof(double));
        volume.state[1] = volume.state[0] + m;
        return volume;
}

static void unmake(struct volume *volume)
{
        free(volume->displacement[0]);
        free(volume->state[0]);
}

/* Strain on to `strain`; the state after becomes the state before. */
static void strain_to(struct volume *volume, const double strain[static 6])
{
        struct rve_step step = {
                .displacement_before = volume->displacement[0],
                .state_before = volume->state[0],
                .displacement = volume->displacement[1],
                .state = volume->state[1],
                .result = &volume->result,
        };
        memcpy(step.strain_before, volume->strain, sizeof(step.strain_before));
        memcpy(step.strain, strain, sizeof(step.strain));
        memcpy(volume->strain, strain, sizeof(volume->strain));
        rve_solve(&volume->rve, &step);
        memcpy(volume->displacement[0], volume->displacement[1],
               rve_displacement_entries(volume->rve.side) * sizeof(double));
        memcpy(volume->state[0], volume->state[1],
               rve_state_entries(volume->rve.side) * sizeof(double));
}

/* The patch test: one material all over takes up the strain evenly, with its own stress. */
static void test_patch(void **state)
{
        (void)state;
        static const double strain[6] = { 1e-3, -4e-4, 2e-4, 7e-4, -3e-4, 5e-4 };
        struct volume volume = make(5, false, 1);
        double none[MATERIAL_STATE] = { 0 }, after[MATERIAL_STATE], stress[6];
        strain_to(&volume, strain);
        material_update(&volume.rve.matrix, strain, none, after, stress, NULL);
        assert_int_equal(volume.result.failed, 0);
        assert_int_equal(volume.result.newton, 0);
        for (int i = 0; i < 6; i++)
                assert_true(fabs(volume.result.stress[i] - stress[i]) < 1e-15);
        unmake(&volume);
}

/*
 * Elastic and plastic: the solution converges; the average of stress times strain is the product of
 * the averages; the residual is what is allowed.
 */
static void test_equilibrium(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 3, LB_RANDOM_TEST, 0);
        for (int round = 0; round < 6; round++) {
                struct volume volume = make(4 + round, round % 2, 3);
                double strain[6];
                draw(&random, 0.005, strain, 6);
                strain_to(&volume, strain);
                const struct rve_result *result = &volume.result;
                assert_int_equal(result->failed, 0);
                assert_true(result->residual <= rve_residual_allowed);
                assert_true(round % 2 ? result->newton > 1 : result->newton == 1);
                double product = 0;
                for (int i = 0; i < 6; i++)
                        product += result->stress[i] * strain[i];
                assert_true(fabs(product / result->energy - 1) < 1e-7);
                unmake(&volume);
        }
}

/* The composite's elasticity is symmetric, and stiffer than its soft part and softer than its stiff
 * one. */
static void test_composite(void **state)
{
        (void)state;
        double stiffness[6][6], energy[3];
        static const double young[] = { 1, 3 };
        for (int j = 0; j < 6; j++) {
                struct volume volume = make(6, false, 3);
                double strain[6] = { 0 };
                strain[j] = 1;
                strain_to(&volume, strain);
                memcpy(stiffness[j], volume.result.stress, sizeof(stiffness[j]));
                energy[0] = volume.result.energy;
                unmake(&volume);
                for (int which = 0; which < 2; which++) {
                        struct material only = { young[which], 0.3, false, 0, 0 };
                        double none[MATERIAL_STATE] = { 0 }, after[MATERIAL_STATE], stress[6];
                        material_update(&only, strain, none, after, stress, NULL);
                        energy[1 + which] = stress[j];
                }
                assert_true(energy[1] < energy[0] && energy[0] < energy[2]);
        }
        for (int i = 0; i < 6; i++)
                for (int j = 0; j < i; j++)
                        assert_true(fabs(stiffness[i][j] - stiffness[j][i]) < 1e-7);
}

/* The stiffness matrix is symmetric and positive, also where material yields: x.Ky = y.Kx. */
static void test_stiffness(void **state)
{
        (void)state;
        enum { SIDE = 5 };
        size_t n = rve_displacement_entries(SIDE);
        struct lb_random random;
        lb_random_init(&random, 4, LB_RANDOM_TEST, 0);
        struct volume volume = make(SIDE, true, 3);
        double *vector = app_alloc(5 * n * sizeof(*vector)), *x = vector + n, *y = x + n;
        struct stencil stiffness = { SIDE, app_alloc(n / 3 * 27 * 9 * sizeof(double)) };
        draw(&random, 0.005, vector, n);
        rve_stiffness(&volume.rve, vector, volume.state[0], &stiffness);
        for (int round = 0; round < 20; round++) {
                for (size_t i = 0; i < n; i++) {
                        size_t node = i / 3, z = node / (SIDE * SIDE), row = node / SIDE % SIDE;
                        bool inside = z % 4 && row % 4 && node % SIDE % 4;
                        x[i] = inside ? 2 * lb_random_unit(&random) - 1 : 0;
                        y[i] = inside ? 2 * lb_random_unit(&random) - 1 : 0;
                }
                double *kx = y + n, *ky = kx + n;
                stencil_apply(&stiffness, x, kx);
                stencil_apply(&stiffness, y, ky);
                double xky = stencil_dot(SIDE, x, ky), ykx = stencil_dot(SIDE, y, kx);
                assert_true(fabs(xky - ykx) < 1e-12 * sqrt(stencil_dot(SIDE, kx, kx)) * 10);
                assert_true(stencil_dot(SIDE, x, kx) > 0);
        }
        free(vector);
        free(stiffness.block);
        unmake(&volume);
}

/* Strain and back: elastic material forgets, yielded material keeps stress. */
static void test_history(void **state)
{
        (void)state;
        static const double strain[6] = { 0.008, 0, 0, 0.004, 0, 0 }, none[6] = { 0 };
        for (int plastic = 0; plastic < 2; plastic++) {
                struct volume volume = make(5, plastic, 3);
                strain_to(&volume, strain);
                double loaded = fabs(volume.result.stress[0]);
                strain_to(&volume, none);
                assert_int_equal(volume.result.failed, 0);
                double left = fabs(volume.result.stress[0]) / loaded;
                assert_true(plastic ? left > 0.05 : left < 1e-9);
                unmake(&volume);
        }
}

static struct micropp_rank rank_of(int32_t elements, int32_t nrank, int32_t rank)
{
        char text[32], *argv[] = { text, text };
        snprintf(text, sizeof(text), "--elements=%d", elements);
        struct app_options options;
        struct lb_error err = { 0 };
        assert_int_equal(app_options_read(&micropp_app, 2, argv, &options, &err), 0);
        return micropp_rank_of(&options, nrank, rank);
}

/* Elements are dealt out in blocks without gaps, and the first quarter of all can yield. */
static void test_elements(void **state)
{
        (void)state;
        for (int32_t elements = 1; elements < 40; elements++) {
                for (int32_t nrank = 1; nrank < 9; nrank++) {
                        int32_t next = 0, plastic = 0;
                        for (int32_t r = 0; r < nrank; r++) {
                                struct micropp_rank rank = rank_of(elements, nrank, r);
                                assert_int_equal(rank.first, next);
                                next += rank.count;
                                for (int32_t i = 0; i < rank.count; i++)
                                        plastic += micropp_element(&rank, 0, i).rve.matrix.plastic;
                        }
                        assert_int_equal(next, elements);
                        assert_int_equal(plastic, (elements + 3) / 4);
                }
        }
}

/* As in MicroPP the first step yields nowhere, and later steps do and take several iterations. */
static void test_first_step(void **state)
{
        (void)state;
        struct micropp_rank rank = rank_of(32, 1, 0);
        size_t n = (size_t)rank.count;
        rank.displacement = app_alloc(2 * n * micropp_displacement_bytes(&rank.micropp));
        rank.state = app_alloc(2 * n * micropp_state_bytes(&rank.micropp));
        rank.result = app_alloc(n * sizeof(*rank.result));
        for (int32_t iteration = 0; iteration < 5; iteration++) {
                for (int32_t i = 0; i < rank.count; i++) {
                        struct micropp_work work = micropp_element(&rank, iteration, i);
                        micropp_run(&work);
                        bool yields = 4 * i < rank.count && iteration == 4;
                        assert_int_equal(rank.result[i].failed, 0);
                        assert_true(!yields || rank.result[i].newton > 1);
                        assert_true(iteration > 0 || rank.result[i].newton == 1);
                }
        }
        free(rank.displacement);
        free(rank.state);
        free(rank.result);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_yield),      cmocka_unit_test(test_tangent),
                cmocka_unit_test(test_patch),      cmocka_unit_test(test_equilibrium),
                cmocka_unit_test(test_composite),  cmocka_unit_test(test_stiffness),
                cmocka_unit_test(test_history),    cmocka_unit_test(test_elements),
                cmocka_unit_test(test_first_step),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
