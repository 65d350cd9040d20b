/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What helpers cost and gain: time over the bound, and helper processes, for every value of the
 * sweep's last axis (systems and degrees); every combination of the other axes is a group
 * (plots/spreading.gp).
 */
#include <stdio.h>
#include <string.h>

#include "sim/output/figure_impl.h"
#include "sim/scenario/scenario_impl.h"

enum { LABEL_SIZE = 128 };

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

static void group_label(const struct figure_row *r, char *text)
{
        int used = snprintf(text, LABEL_SIZE, "%s", r->model);
        if (strcmp(r->model, "synthetic") == 0)
                used += snprintf(text + used, (size_t)(LABEL_SIZE - used), " %.4g", r->imbalance);
        used += snprintf(text + used, (size_t)(LABEL_SIZE - used), ", %d", r->nodes);
        if (r->appranks_per_node > 1)
                snprintf(text + used, (size_t)(LABEL_SIZE - used), " x %d", r->appranks_per_node);
}

static double mean_helpers(const struct sweep *sweep, int64_t point)
{
        int32_t n = sweep->scenario->replicates;
        double sum = 0;
        for (int32_t r = 0; r < n; r++)
                sum += sweep->result[sweep_place(sweep, point, r)].metric[METRIC_HELPER_RANKS];
        return sum / n;
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
        const struct scenario *scenario = input->sweep->scenario;
        int32_t nvariant = last_axis(scenario)->nvalue;
        fprintf(out, "# group variant group_label system degree ratio_to_optimal helper_ranks\n");
        for (int64_t p = 0; p < scenario->npoint; p++) {
                const struct figure_row *r = row_of(input->rows, p);
                int64_t combination = scenario->combination[p];
                char label[LABEL_SIZE];
                group_label(r, label);
                fprintf(out, "%lld %lld \"%s\" \"%s\" %d %.6g %.6g\n",
                        (long long)(combination / nvariant), (long long)(combination % nvariant),
                        label, r->system, r->degree, r->ratio, mean_helpers(input->sweep, p));
        }
}

const struct figure_type figure_spreading = {
        .name = "spreading",
        .place = "the values of sweep",
        .refuse = refuse,
        .write = write_data,
};
