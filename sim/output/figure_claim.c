/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a claim holds: the time of the last axis's first value, over that of the best of its other
 * values, or over the bound where it has no other, is at most output.claim_at_most (and so many
 * CPUs are freed, output.claim_freed). By the 95 % interval over replicates a cell holds, does not,
 * or is open (plots/claim.gp).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/output/figure_map.h"

#include "base/text.h"

struct claim {
        double at_most, freed;
};

enum verdict { VERDICT_FAILS = -1, VERDICT_OPEN, VERDICT_HOLDS };

static struct claim claim_of(const struct scenario *scenario)
{
        struct claim claim = { NAN, NAN };
        struct scenario_point config;
        struct lb_error err = { 0 };
        if (scenario_point_get(scenario, 0, &config, &err) < 0)
                return claim;
        claim.at_most = config.value[SECTION_OUTPUT][OUTPUT_CLAIM_AT_MOST];
        claim.freed = config.value[SECTION_OUTPUT][OUTPUT_CLAIM_FREED];
        scenario_point_finish(&config);
        return claim;
}

static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        struct figure_map map;
        (void)rows;
        return !figure_map_init(&map, scenario, 1, why, size);
}

/* The best of the others there; -1: none. */
static int64_t rival_of(const struct figure_map *map, const struct sweep *sweep,
                        struct figure_cell cell)
{
        int64_t best = -1;
        for (int32_t v = 1; v < map->nvariant; v++) {
                int64_t point = figure_map_point(map, cell, v);
                if (point >= 0 && figure_map_faster(sweep, point, best))
                        best = point;
        }
        return best;
}

static enum verdict judge(const struct claim *claim, struct interval time, double freed)
{
        if (time.low > claim->at_most || freed < claim->freed)
                return VERDICT_FAILS;
        return time.high <= claim->at_most ? VERDICT_HOLDS : VERDICT_OPEN;
}

static void write_cell(FILE *out, const struct figure_map *map, const struct sweep *sweep,
                       struct figure_cell cell)
{
        struct claim claim = claim_of(map->scenario);
        int64_t point = figure_map_point(map, cell, 0), rival = rival_of(map, sweep, cell);
        if (point < 0 || (map->nvariant > 1 && rival < 0))
                return;
        struct interval time =
            rival < 0 ? figure_interval(sweep, point, METRIC_RATIO_TO_OPTIMAL)
                      : figure_quotient(sweep, METRIC_TIME_PER_ITERATION_S, point, rival);
        double freed = claim.freed > 0 ? figure_interval(sweep, point, METRIC_FREED_FRACTION).mean
                                       : claim.freed;
        figure_map_place(out, map, cell);
        figure_put_interval(out, time);
        fprintf(out, " %.6g %d\n", freed, (int)judge(&claim, time, freed));
}

static void put_title(const struct figure_map *map, char title[static FIGURE_WORDS_SIZE])
{
        struct claim claim = claim_of(map->scenario);
        char of[FIGURE_WORDS_SIZE], other[FIGURE_WORDS_SIZE] = "the bound", freed[64] = "";
        figure_map_variant(map, 0, of);
        if (map->nvariant == 2)
                figure_map_variant(map, 1, other);
        else if (map->nvariant > 2)
                snprintf(other, sizeof(other), "the best of %d others", map->nvariant - 1);
        if (claim.freed > 0)
                snprintf(freed, sizeof(freed), ", with %.3g %% of the CPUs freed",
                         100 * claim.freed);
        figure_plain(of, of, 81);
        figure_plain(other, other, 81);
        snprintf(title, FIGURE_WORDS_SIZE, "%.80s: time at most %.4g x %.80s%s", of, claim.at_most,
                 other, freed);
}

static void write_data(FILE *out, const struct figure_input *input)
{
        struct figure_map map;
        char why[256], title[FIGURE_WORDS_SIZE];
        fprintf(out, "# title x y; then panel its_words y its_value x its_value time_ratio low "
                     "high freed_fraction verdict (1 holds, 0 open, -1 does not)\n");
        if (!figure_map_init(&map, input->sweep->scenario, 1, why, sizeof(why)))
                return;
        put_title(&map, title);
        figure_map_begin(out, &map, title);
        int64_t ncell = map.npanel * map.ny * map.nx;
        for (int64_t i = 0; i < ncell; i++)
                write_cell(out, &map, input->sweep,
                           (struct figure_cell){ .panel = i / map.nx / map.ny,
                                                 .y = (int32_t)(i / map.nx % map.ny),
                                                 .x = (int32_t)(i % map.nx) });
}

/* Columns of the data, as the comment in write_data() says. */
enum { TITLE_WORDS = 3, LOW_COLUMN = 7, HIGH_COLUMN, VERDICT_COLUMN = 10, COLUMNS };

static void put_verdict(FILE *data, char text[static FIGURE_VERDICT_SIZE])
{
        char line[FIGURE_MAP_LINE_SIZE], title[FIGURE_WORDS_SIZE] = "";
        char *word[FIGURE_MAP_WORDS];
        int count[] = { 0, 0, 0 }, ncell = 0;
        bool spread = false;
        for (int n; (n = figure_map_read(data, line, word)) >= 0;) {
                if (n == TITLE_WORDS)
                        snprintf(title, sizeof(title), "%s", word[0]);
                if (n != COLUMNS)
                        continue;
                int verdict = atoi(word[VERDICT_COLUMN]);
                count[verdict < 0 ? 0 : verdict > 0 ? 2 : 1]++;
                spread |= strcmp(word[LOW_COLUMN], word[HIGH_COLUMN]) != 0;
                ncell++;
        }
        if (ncell == 0)
                return;
        size_t used = (size_t)snprintf(text, FIGURE_VERDICT_SIZE,
                                       "\"%s\" holds in %d of %d case%s, does not in %d, and ",
                                       title, count[2], ncell, lb_s(ncell), count[0]);
        figure_map_open(text + used, FIGURE_VERDICT_SIZE - used, count[1], spread);
}

const struct figure_type figure_claim = {
        .name = "claim",
        .place = "the values of sweep",
        .refuse = refuse,
        .write = write_data,
        .verdict = put_verdict,
};
