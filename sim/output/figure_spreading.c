/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What helpers cost and gain: time over the bound, and helper processes, for every value of the
 * sweep's last axis (systems and degrees); every combination of the other axes is a group
 * (plots/spreading.gp).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sim/output/figure_dots.h"
#include "sim/output/figure_impl.h"
#include "sim/output/figure_words.h"
#include "sim/scenario/scenario_impl.h"

static const struct scenario_axis *last_axis(const struct scenario *scenario)
{
        return &scenario->body->axis[scenario->body->naxis - 1];
}

static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        (void)rows;
        bool compares = false;
        for (int32_t p = 0; scenario->body->naxis >= 2 && p < last_axis(scenario)->npath; p++)
                compares |= strcmp(last_axis(scenario)->path[p], "system.name") == 0;
        if (!compares)
                snprintf(why, size,
                         "sweep must have two axes or more, the last of which is what is compared "
                         "and has system.name");
        return !compares;
}

static void group_words(const struct figure_row *r, char *text)
{
        char model[FIGURE_WORDS_SIZE], imbalance[32] = "", appranks[32] = "";
        figure_value_words("workload.model", r->model, model);
        if (strcmp(r->model, "synthetic") == 0)
                snprintf(imbalance, sizeof(imbalance), ", imbalance %.4g", r->imbalance);
        if (r->appranks_per_node > 1)
                snprintf(appranks, sizeof(appranks), " x %d appranks", r->appranks_per_node);
        snprintf(text, FIGURE_WORDS_SIZE, "%.100s%s, %d node%s%s", model, imbalance, r->nodes,
                 lb_s(r->nodes), appranks);
}

static void variant_words(const struct figure_row *r, char *text)
{
        if (strcmp(r->system, "dynamic") == 0)
                snprintf(text, FIGURE_WORDS_SIZE, "dynamic");
        else
                snprintf(text, FIGURE_WORDS_SIZE, "%s, degree %d", r->system, r->degree);
}

/* Rows are sorted by nodes and more; the figure goes in the order of the scenario. */
static const struct figure_row *row_of(const struct figure_rows *rows, int64_t point)
{
        int64_t i = 0;
        while (rows->row[i].point != point)
                i++;
        return &rows->row[i];
}

static void write_data(FILE *out, const struct figure_input *input)
{
        static const char *const metrics[] = { "ratio_to_optimal", "helper_ranks" };
        const struct scenario *scenario = input->sweep->scenario;
        int32_t nvariant = last_axis(scenario)->nvalue;
        figure_dots_begin(out, metrics, 2);
        for (int64_t p = 0; p < scenario->npoint; p++) {
                const struct figure_row *r = row_of(input->rows, p);
                char group[FIGURE_WORDS_SIZE], variant[FIGURE_WORDS_SIZE];
                group_words(r, group);
                variant_words(r, variant);
                const struct figure_dot dot = {
                        .group = scenario->combination[p] / nvariant,
                        .variant = scenario->combination[p] % nvariant,
                        .group_words = group,
                        .variant_words = variant,
                        .system = r->system,
                        .published = NAN,
                        .metric = { r->ratio,
                                    figure_interval(input->sweep, p, METRIC_HELPER_RANKS) },
                };
                figure_dots_put(out, &dot, 2);
        }
}

const struct figure_type figure_spreading = {
        .name = "spreading",
        .place = "the values of sweep",
        .refuse = refuse,
        .write = write_data,
};
