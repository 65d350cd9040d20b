/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Speedups (plots/speedup.gp): the last axis of the sweep is what is compared, its first
 * value the reference; every combination of the other axes is a group. Published speedups, rows of
 * scenarios/published.json that narrow this scenario to a point, are marked.
 */
#include <math.h>
#include <string.h>

#include "base/data.h"
#include "sim/output/figure_dots.h"
#include "sim/output/figure_impl.h"
#include "sim/output/figure_words.h"
#include "sim/output/published.h"
#include "sim/scenario/scenario_impl.h"

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

/* The values of columns from .. until-1 of a point in words; or "first". */
static void put_words(const struct scenario *scenario, int64_t point, int32_t from, int32_t until,
                      char *text)
{
        text[0] = '\0';
        for (int32_t c = from; c < until; c++) {
                char words[FIGURE_WORDS_SIZE];
                figure_value_words(scenario_column(scenario, c),
                                   scenario_point_text(scenario, point, c), words);
                figure_add_words(text, words);
        }
        if (!text[0])
                snprintf(text, FIGURE_WORDS_SIZE, "as it is");
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

/* Whose colour a point has: processors that stay are the baseline's. */
static const char *system_of(const struct figure_input *input, int64_t point)
{
        const struct scenario *scenario = input->sweep->scenario;
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++)
                if (strcmp(scenario_column(scenario, c), "system.processors") == 0 &&
                    strcmp(scenario_point_text(scenario, point, c), "fixed") == 0)
                        return "baseline";
        int64_t i = 0;
        while (input->rows->row[i].point != point)
                i++;
        return input->rows->row[i].system;
}

static void write_points(FILE *out, const struct figure_input *input,
                         const struct published *published, const char *directory)
{
        static const char *const metrics[] = { "speedup" };
        const struct scenario *scenario = input->sweep->scenario;
        int32_t nvariant = variants(scenario), ncolumn = scenario_ncolumn(scenario);
        int32_t inner = scenario->body->axis[scenario->body->naxis - 1].npath;
        figure_dots_begin(out, metrics, 1);
        for (int64_t p = 0; p < scenario->npoint; p++) {
                char group[FIGURE_WORDS_SIZE], variant[FIGURE_WORDS_SIZE];
                put_words(scenario, p, 0, ncolumn - inner, group);
                put_words(scenario, p, ncolumn - inner, ncolumn, variant);
                const struct figure_dot dot = {
                        .group = p / nvariant,
                        .variant = p % nvariant,
                        .group_words = group,
                        .variant_words = variant,
                        .system = system_of(input, p),
                        .published = published_speedup(scenario, p, published, directory),
                        .metric = { figure_quotient(input->sweep, METRIC_TOTAL_S, p - p % nvariant,
                                                    p) },
                };
                figure_dots_put(out, &dot, 1);
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
        write_points(out, input, &published, file);
        if (found)
                published_close(&published);
}

const struct figure_type figure_speedup = {
        .name = "speedup",
        .place = "the values of sweep",
        .refuse = refuse,
        .write = write_data,
};
