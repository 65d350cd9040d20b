/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/figure_map.h"

#include <string.h>

#include "base/text.h"
#include "sim/scenario/scenario_impl.h"

/* From the last: what is compared, x, y. */
enum map_axis { AXIS_VARIANT = 1, AXIS_X, AXIS_Y, NAXIS_LEAST = AXIS_Y };

static const struct scenario_axis *axis_of(const struct figure_map *map, enum map_axis axis)
{
        return &map->scenario->body->axis[map->scenario->body->naxis - (int)axis];
}

bool figure_map_init(struct figure_map *map, const struct scenario *scenario, int32_t nleast,
                     char *why, size_t size)
{
        int32_t naxis = scenario->body->naxis;
        *map = (struct figure_map){ .scenario = scenario, .npanel = 1 };
        if (naxis < NAXIS_LEAST || axis_of(map, AXIS_VARIANT)->nvalue < nleast) {
                snprintf(why, size,
                         "sweep must have three axes or more: panels, upwards, across, and as the "
                         "last what is compared, with %d value%s or more",
                         nleast, lb_s(nleast));
                return false;
        }
        map->nvariant = axis_of(map, AXIS_VARIANT)->nvalue;
        map->nx = axis_of(map, AXIS_X)->nvalue;
        map->ny = axis_of(map, AXIS_Y)->nvalue;
        for (int32_t a = 0; a < naxis - NAXIS_LEAST; a++)
                map->npanel *= scenario->body->axis[a].nvalue;
        return true;
}

int64_t figure_map_point(const struct figure_map *map, struct figure_cell cell, int32_t variant)
{
        int64_t place = ((cell.panel * map->ny + cell.y) * map->nx + cell.x) * map->nvariant;
        int64_t point = scenario_point_of(map->scenario, place + variant);
        for (int32_t v = 0; v < variant && point >= 0; v++)
                if (scenario_point_of(map->scenario, place + v) == point)
                        return -1;
        return point;
}

bool figure_map_faster(const struct sweep *sweep, int64_t a, int64_t b)
{
        double more_s = 0;
        if (b < 0)
                return sweep_estimate(sweep, a, METRIC_TIME_PER_ITERATION_S).count > 0;
        for (int32_t r = 0; r < sweep->scenario->replicates; r++) {
                int64_t of_a = sweep_place(sweep, a, r), of_b = sweep_place(sweep, b, r);
                if (sweep->done[of_a] && sweep->done[of_b])
                        more_s += sweep->result[of_b].metric[METRIC_TIME_PER_ITERATION_S] -
                                  sweep->result[of_a].metric[METRIC_TIME_PER_ITERATION_S];
        }
        return more_s > 0;
}

/* ---- Words ---- */

static void value_words(const struct scenario_axis *axis, int64_t value,
                        char text[static FIGURE_WORDS_SIZE])
{
        for (int32_t p = 0; p < axis->npath; p++) {
                char words[FIGURE_WORDS_SIZE];
                figure_value_words(axis->path[p], axis->text[value * axis->npath + p], words);
                figure_add_words(text, words);
        }
}

void figure_map_variant(const struct figure_map *map, int32_t variant,
                        char text[static FIGURE_WORDS_SIZE])
{
        text[0] = '\0';
        value_words(axis_of(map, AXIS_VARIANT), variant, text);
}

static void panel_words(const struct figure_map *map, int64_t panel,
                        char text[static FIGURE_WORDS_SIZE])
{
        int64_t block = map->npanel;
        text[0] = '\0';
        for (int32_t a = 0; a < map->scenario->body->naxis - NAXIS_LEAST; a++) {
                const struct scenario_axis *axis = &map->scenario->body->axis[a];
                block /= axis->nvalue;
                value_words(axis, panel / block % axis->nvalue, text);
        }
}

void figure_map_begin(FILE *out, const struct figure_map *map, const char *title)
{
        char x[FIGURE_WORDS_SIZE], y[FIGURE_WORDS_SIZE];
        figure_axis_words(axis_of(map, AXIS_X)->path[0], x);
        figure_axis_words(axis_of(map, AXIS_Y)->path[0], y);
        fprintf(out, "\"%s\" \"%s\" \"%s\"\n\n\n", title, x, y);
}

void figure_map_place(FILE *out, const struct figure_map *map, struct figure_cell cell)
{
        const struct scenario_axis *x = axis_of(map, AXIS_X), *y = axis_of(map, AXIS_Y);
        char panel[FIGURE_WORDS_SIZE], of_y[FIGURE_WORDS_SIZE], of_x[FIGURE_WORDS_SIZE];
        panel_words(map, cell.panel, panel);
        figure_plain(y->text[cell.y * y->npath], of_y, sizeof(of_y));
        figure_plain(x->text[cell.x * x->npath], of_x, sizeof(of_x));
        fprintf(out, "%lld \"%s\" %d \"%s\" %d \"%s\"", (long long)cell.panel, panel, cell.y, of_y,
                cell.x, of_x);
}

/* ---- Read again ---- */

/* The word at *at, quoted or not, ended in place; *at is then behind it. */
static char *next_word(char **at)
{
        *at += strspn(*at, " \n");
        bool quoted = **at == '"';
        char *word = *at + quoted;
        *at = word + strcspn(word, quoted ? "\"" : " \n");
        if (**at)
                *(*at)++ = '\0';
        return word;
}

void figure_map_open(char *text, size_t size, int nopen, bool spread)
{
        if (spread || nopen > 0)
                snprintf(text, size, "in %d the replicates leave it open.", nopen);
        else
                snprintf(text, size, "no case has an interval: one run each, or all alike.");
}

int figure_map_read(FILE *data, char line[static FIGURE_MAP_LINE_SIZE],
                    char *word[static FIGURE_MAP_WORDS])
{
        if (!fgets(line, FIGURE_MAP_LINE_SIZE, data))
                return -1;
        int count = 0;
        for (char *at = line; line[0] != '#' && count < FIGURE_MAP_WORDS; count++) {
                if (at[strspn(at, " \n")] == '\0')
                        break;
                word[count] = next_word(&at);
        }
        return count;
}
