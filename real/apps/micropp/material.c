/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/micropp/material.h"

#include <math.h>
#include <string.h>

struct moduli {
        double bulk, shear;
};

static struct moduli moduli_of(const struct material *material)
{
        return (struct moduli){
                .bulk = material->young / (3 * (1 - 2 * material->poisson)),
                .shear = material->young / (2 * (1 + material->poisson)),
        };
}

/* The part of a stress that does not change the volume; returns its norm. */
static double deviator(const double stress[static 6], double out[static 6])
{
        double mean = (stress[0] + stress[1] + stress[2]) / 3, norm2 = 0;
        for (int i = 0; i < 6; i++) {
                out[i] = i < 3 ? stress[i] - mean : stress[i];
                norm2 += i < 3 ? out[i] * out[i] : 2 * out[i] * out[i];
        }
        return sqrt(norm2);
}

static void elastic_stress(struct moduli moduli, const double strain[static 6],
                           double stress[static 6])
{
        double volume = strain[0] + strain[1] + strain[2];
        for (int i = 0; i < 6; i++)
                stress[i] = i < 3
                                ? moduli.bulk * volume + 2 * moduli.shear * (strain[i] - volume / 3)
                                : moduli.shear * strain[i];
}

/* bulk 1x1 + 2 shear (scale of the deviator - pull n x n) */
static void fill_tangent(struct moduli moduli, double scale, double pull, const double n[static 6],
                         double *tangent)
{
        for (int i = 0; i < 6; i++) {
                for (int j = 0; j < 6; j++) {
                        double value = -2 * moduli.shear * pull * n[i] * n[j];
                        if (i < 3 && j < 3)
                                value += moduli.bulk - 2 * moduli.shear * scale / 3;
                        if (i == j)
                                value += (i < 3 ? 2 : 1) * moduli.shear * scale;
                        tangent[6 * i + j] = value;
                }
        }
}

static double radius(const struct material *material, const double *state)
{
        return sqrt(2.0 / 3) * (material->yield + material->hardening * state[6]);
}

double material_yield(const struct material *material, const double stress[static 6],
                      const double state[static MATERIAL_STATE])
{
        double s[6];
        return deviator(stress, s) - radius(material, state);
}

/* From a trial stress `beyond` the yield surface back to it. */
static void return_to_surface(const struct material *material, double beyond,
                              double after[MATERIAL_STATE], double stress[static 6],
                              double *tangent)
{
        struct moduli moduli = moduli_of(material);
        double n[6], norm = deviator(stress, n);
        double flow = beyond / (2 * moduli.shear + 2 * material->hardening / 3);
        for (int i = 0; i < 6; i++) {
                n[i] /= norm;
                after[i] += (i < 3 ? 1 : 2) * flow * n[i];
                stress[i] -= 2 * moduli.shear * flow * n[i];
        }
        after[6] += sqrt(2.0 / 3) * flow;
        double scale = 1 - 2 * moduli.shear * flow / norm;
        double pull = 1 / (1 + material->hardening / (3 * moduli.shear)) - (1 - scale);
        if (tangent)
                fill_tangent(moduli, scale, pull, n, tangent);
}

void material_update(const struct material *material, const double strain[static 6],
                     const double before[static MATERIAL_STATE], double after[MATERIAL_STATE],
                     double stress[static 6], double *tangent)
{
        static const double nothing[6] = { 0 };
        struct moduli moduli = moduli_of(material);
        double elastic[6];
        for (int i = 0; i < 6; i++)
                elastic[i] = strain[i] - before[i];
        memcpy(after, before, MATERIAL_STATE * sizeof(*after));
        elastic_stress(moduli, elastic, stress);
        double beyond = material->plastic ? material_yield(material, stress, before) : 0;
        if (beyond > 0)
                return_to_surface(material, beyond, after, stress, tangent);
        else if (tangent)
                fill_tangent(moduli, 1, 0, nothing, tangent);
}
