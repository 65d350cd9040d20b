/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which value of the last axis is fastest, over two others, and by how much the next one is slower:
 * open where the 95 % interval of that over replicates holds none (plots/winner.gp).
 */
#include <stdlib.h>
#include <string.h>

#include "sim/output/figure_map.h"

#include "base/text.h"

static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        struct figure_map map;
        (void)rows;
        return !figure_map_init(&map, scenario, 2, why, size);
}

/* The fastest but `without` (-1: of all); -1: none. */
static int32_t fastest(const struct figure_map *map, const struct sweep *sweep,
                       struct figure_cell cell, int32_t without)
{
        int32_t best = -1;
        for (int32_t v = 0; v < map->nvariant; v++) {
                int64_t point = v == without ? -1 : figure_map_point(map, cell, v);
                int64_t other = best < 0 ? -1 : figure_map_point(map, cell, best);
                if (point >= 0 && figure_map_faster(sweep, point, other))
                        best = v;
        }
        return best;
}

static const char *system_at_point(const struct figure_input *input, int64_t point)
{
        int64_t i = 0;
        while (input->rows->row[i].point != point)
                i++;
        return input->rows->row[i].system;
}

static void write_cell(FILE *out, const struct figure_map *map, const struct figure_input *input,
                       struct figure_cell cell)
{
        int32_t first = fastest(map, input->sweep, cell, -1);
        int32_t second = first < 0 ? -1 : fastest(map, input->sweep, cell, first);
        if (second < 0)
                return;
        int64_t point = figure_map_point(map, cell, first);
        struct interval over = figure_quotient(input->sweep, METRIC_TIME_PER_ITERATION_S,
                                               figure_map_point(map, cell, second), point);
        char words[FIGURE_WORDS_SIZE], next[FIGURE_WORDS_SIZE];
        figure_map_variant(map, first, words);
        figure_map_variant(map, second, next);
        figure_map_place(out, map, cell);
        figure_put_interval(out, over);
        fprintf(out, " %d \"%s\" %s \"%s\" %d\n", first, words, system_at_point(input, point), next,
                over.low > 1);
}

static void write_data(FILE *out, const struct figure_input *input)
{
        struct figure_map map;
        char why[256];
        fprintf(out, "# title x y; then panel its_words y its_value x its_value next_over_best low "
                     "high best its_words system next sure\n");
        if (!figure_map_init(&map, input->sweep->scenario, 2, why, sizeof(why)))
                return;
        figure_map_begin(out, &map, "Which is fastest, and the next one's time over it");
        int64_t ncell = map.npanel * map.ny * map.nx;
        for (int64_t i = 0; i < ncell; i++)
                write_cell(out, &map, input,
                           (struct figure_cell){ .panel = i / map.nx / map.ny,
                                                 .y = (int32_t)(i / map.nx % map.ny),
                                                 .x = (int32_t)(i % map.nx) });
}

/* Columns of the data, as the comment in write_data() says. */
enum {
        LOW_COLUMN = 7,
        HIGH_COLUMN,
        WINNER_COLUMN = 10,
        SURE_COLUMN = 13,
        COLUMNS,
        WINNERS_MAX = 64
};

struct winner {
        char words[FIGURE_WORDS_SIZE];
        int cases;
};

static int by_cases(const void *a, const void *b)
{
        const struct winner *x = a, *y = b;
        return y->cases - x->cases;
}

/* One more case of these words. */
static void count_winner(struct winner *winner, int *nwinner, const char *words)
{
        int i = 0;
        while (i < *nwinner && strcmp(winner[i].words, words) != 0)
                i++;
        if (i == WINNERS_MAX)
                return;
        if (i == *nwinner) {
                winner[(*nwinner)++] = (struct winner){ .cases = 0 };
                snprintf(winner[i].words, sizeof(winner[i].words), "%s", words);
        }
        winner[i].cases++;
}

static void put_verdict(FILE *data, char text[static FIGURE_VERDICT_SIZE])
{
        char line[FIGURE_MAP_LINE_SIZE], *word[FIGURE_MAP_WORDS];
        struct winner winner[WINNERS_MAX];
        int nwinner = 0, ncell = 0, nopen = 0;
        bool spread = false;
        for (int n; (n = figure_map_read(data, line, word)) >= 0;) {
                if (n != COLUMNS)
                        continue;
                ncell++;
                spread |= strcmp(word[LOW_COLUMN], word[HIGH_COLUMN]) != 0;
                if (atoi(word[SURE_COLUMN]))
                        count_winner(winner, &nwinner, word[WINNER_COLUMN]);
                else
                        nopen++;
        }
        qsort(winner, (size_t)nwinner, sizeof(*winner), by_cases);
        size_t used = 0;
        if (ncell > 0)
                used = (size_t)snprintf(text, FIGURE_VERDICT_SIZE, "Of %d case%s, ", ncell,
                                        lb_s(ncell));
        for (int i = 0; i < nwinner && used < FIGURE_VERDICT_SIZE - 200; i++)
                used +=
                    (size_t)snprintf(text + used, FIGURE_VERDICT_SIZE - used,
                                     "%.80s is fastest in %d, ", winner[i].words, winner[i].cases);
        if (ncell == 0)
                return;
        used += (size_t)snprintf(text + used, FIGURE_VERDICT_SIZE - used, "and ");
        figure_map_open(text + used, FIGURE_VERDICT_SIZE - used, nopen, spread);
}

const struct figure_type figure_winner = {
        .name = "winner",
        .place = "the values of sweep",
        .refuse = refuse,
        .write = write_data,
        .verdict = put_verdict,
};
