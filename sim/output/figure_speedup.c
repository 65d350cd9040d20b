/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Speedups as bars (plots/speedup.gp): the last axis of the sweep is what is compared, its first
 * value the reference; every combination of the other axes is a group. Published speedups, rows of
 * scenarios/published.json that narrow this scenario to a point, are marked.
 */
#include <math.h>
#include <string.h>

#include "base/data.h"
#include "sim/output/figure_impl.h"
#include "sim/output/published.h"
#include "sim/scenario/scenario_impl.h"

enum { LABEL_SIZE = 256 };

static int32_t variants(const struct scenario *scenario)
{
        return scenario->body->axis[scenario->body->naxis - 1].nvalue;
}

static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        (void)rows;
        if (scenario->body->naxis < 2)
                snprintf(why, size,
                         "sweep has %d axes, must be two or more, the last of which is "
                         "what is compared",
                         scenario->body->naxis);
        else if (scenario->npoint % variants(scenario) != 0 || scenario->nskipped > 0)
                snprintf(why, size, "%lld combinations of sweep are left out, must be none",
                         (long long)scenario->nskipped);
        else
                return false;
        return true;
}

/* The values of columns from .. until-1 of a point, with " / " between. */
static void label(const struct scenario *scenario, int64_t point, int32_t from, int32_t until,
                  char *text)
{
        size_t used = 0;
        text[0] = '\0';
        for (int32_t c = from; c < until && used < LABEL_SIZE; c++)
                used +=
                    (size_t)snprintf(text + used, LABEL_SIZE - used, "%s%s", c > from ? " / " : "",
                                     scenario_point_text(scenario, point, c));
}

static double mean_total_s(const struct sweep *sweep, int64_t point)
{
        return sweep_estimate(sweep, point, METRIC_TOTAL_S).mean;
}

/* The same with the columns' names, without their sections. */
static void names(const struct scenario *scenario, int32_t until, char *text)
{
        size_t used = 0;
        text[0] = '\0';
        for (int32_t c = 0; c < until && used < LABEL_SIZE; c++)
                used += (size_t)snprintf(text + used, LABEL_SIZE - used, "%s%s", c > 0 ? " / " : "",
                                         strrchr(scenario_column(scenario, c), '.') + 1);
}

/* ---- Published ---- */

static bool same_point(const struct scenario *scenario, int64_t point, const struct scenario *one)
{
        bool same = one->npoint == 1 && scenario_ncolumn(one) == scenario_ncolumn(scenario);
        for (int32_t c = 0; same && c < scenario_ncolumn(scenario); c++)
                same = strcmp(scenario_column(scenario, c), scenario_column(one, c)) == 0 &&
                       strcmp(scenario_point_text(scenario, point, c),
                              scenario_point_text(one, 0, c)) == 0;
        return same;
}

static bool is_speedup(const struct scenario *scenario, const struct published_row *row)
{
        size_t length = strlen(scenario->name);
        return row->as == AS_RATIO && row->claim == CLAIM_ABOUT && row->metric == METRIC_TOTAL_S &&
               row->unit && strcmp(row->unit, "speedup") == 0 &&
               strncmp(row->run.scenario, scenario->name, length) == 0 &&
               strcmp(row->run.scenario + length, ".json") == 0;
}

/* Does an option, "PATH=VALUE", narrow the sweep and nothing else? */
static bool narrows(const struct scenario *scenario, const char *option)
{
        size_t sweep = strncmp(option, "sweep.", 6) == 0 ? 6 : 0;
        size_t length = strcspn(option + sweep, "=");
        for (int32_t a = 0; a < scenario->body->naxis; a++) {
                const char *key = scenario->body->axis[a].key;
                if (strlen(key) == length && strncmp(option + sweep, key, length) == 0)
                        return true;
        }
        return false;
}

static bool is_about(const struct scenario *scenario, int64_t point,
                     const struct published_row *row, const char *directory)
{
        const struct published_run *run = &row->against;
        char file[LB_DATA_PATH_SIZE];
        struct scenario one;
        struct lb_error err;
        struct scenario_options options = { .set = run->set, .nset = run->nset };
        for (int32_t i = 0; i < run->nset; i++)
                if (!narrows(scenario, run->set[i]))
                        return false;
        int length = snprintf(file, sizeof(file), "%s/%s", directory, run->scenario);
        if (length >= (int)sizeof(file) || scenario_open(&one, file, &options, &err) < 0)
                return false;
        bool about = same_point(scenario, point, &one);
        scenario_close(&one);
        return about;
}

static double published_speedup(const struct scenario *scenario, int64_t point,
                                const struct published *published, const char *directory)
{
        for (int32_t i = 0; i < published->nrow; i++)
                if (is_speedup(scenario, &published->row[i]) &&
                    is_about(scenario, point, &published->row[i], directory))
                        return published->row[i].value;
        return NAN;
}

/* ---- Data ---- */

static void write_points(FILE *out, const struct sweep *sweep, const struct published *published,
                         const char *directory)
{
        const struct scenario *scenario = sweep->scenario;
        int32_t nvariant = variants(scenario), ncolumn = scenario_ncolumn(scenario);
        int32_t inner = scenario->body->axis[scenario->body->naxis - 1].npath;
        char title[LABEL_SIZE];
        names(scenario, ncolumn - inner, title);
        fprintf(out, "# group variant group_label variant_label speedup published group_title\n");
        for (int64_t p = 0; p < scenario->npoint; p++) {
                char group[LABEL_SIZE], variant[LABEL_SIZE];
                double reference_s = mean_total_s(sweep, p - p % nvariant);
                label(scenario, p, 0, ncolumn - inner, group);
                label(scenario, p, ncolumn - inner, ncolumn, variant);
                fprintf(out, "%lld %lld \"%s\" \"%s\" %.6g %.6g \"%s\"\n",
                        (long long)(p / nvariant), (long long)(p % nvariant), group, variant,
                        reference_s / mean_total_s(sweep, p),
                        published_speedup(scenario, p, published, directory), title);
        }
}

static void write_data(FILE *out, const struct figure_input *input)
{
        char file[LB_DATA_PATH_SIZE] = "";
        struct published published = { .nrow = 0 };
        struct lb_error err;
        bool found = lb_data_find("scenarios", "published.json", file) &&
                     published_open(&published, file, &err) == 0;
        if (found)
                *strrchr(file, '/') = '\0';
        write_points(out, input->sweep, &published, file);
        if (found)
                published_close(&published);
}

const struct figure_type figure_speedup = {
        .name = "speedup",
        .place = "the values of sweep",
        .refuse = refuse,
        .write = write_data,
};
