/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thing changed at a time: how far each parameter moves the time, in units of the optimum, from
 * that of the first point of the same system.
 */
#include <string.h>

#include "sim/output/figure_impl.h"
#include "sim/output/figure_words.h"

/* The first row of a row's system, by point. */
static const struct figure_row *base_of(const struct figure_rows *rows, const char *system)
{
        const struct figure_row *base = NULL;
        for (int64_t i = 0; i < rows->nrow; i++)
                if (strcmp(rows->row[i].system, system) == 0 &&
                    (!base || rows->row[i].point < base->point))
                        base = &rows->row[i];
        return base;
}

enum { COLUMN_MAX = 2, CHANGES_MAX = 100 }; /* the latter as in plots/tornado.gp */

/* The columns in which a row differs from its base; of more than COLUMN_MAX only the number. */
struct change {
        int32_t count;
        int32_t column[COLUMN_MAX];
};

static struct change change_of(const struct scenario *scenario, const struct figure_row *base,
                               const struct figure_row *row)
{
        struct change change = { 0 };
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++) {
                if (strcmp(scenario_point_text(scenario, base->point, c),
                           scenario_point_text(scenario, row->point, c)) == 0)
                        continue;
                if (change.count < COLUMN_MAX)
                        change.column[change.count] = c;
                change.count++;
        }
        return change;
}

static bool same_change(const struct change *a, const struct change *b)
{
        bool same = a->count == b->count;
        for (int32_t i = 0; same && i < a->count; i++)
                same = a->column[i] == b->column[i];
        return same;
}

/* Is a row the first of its system with that change, in the order of rows? */
static bool is_new(const struct scenario *scenario, const struct figure_rows *rows, int64_t row,
                   const struct change *change)
{
        const char *system = rows->row[row].system;
        for (int64_t i = 0; i < row; i++) {
                const struct figure_row *r = &rows->row[i];
                if (strcmp(r->system, system) != 0)
                        continue;
                struct change its = change_of(scenario, base_of(rows, system), r);
                if (same_change(&its, change))
                        return false;
        }
        return true;
}

static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        int32_t changed = 0, different = 0;
        for (int64_t i = 0; i < rows->nrow; i++) {
                const struct figure_row *r = &rows->row[i];
                struct change change = change_of(scenario, base_of(rows, r->system), r);
                changed += change.count > 0;
                different += change.count > 0 && strcmp(r->system, rows->row[0].system) == 0 &&
                             is_new(scenario, rows, i, &change);
                if (change.count <= COLUMN_MAX)
                        continue;
                snprintf(why, size,
                         "point %lld of system %s differs from the first in %d values, must be in "
                         "one or two (tie the paths: \"a,b\": [[1, 2], [3, 2], [1, 4]])",
                         (long long)r->point, r->system, change.count);
                return true;
        }
        if (changed == 0)
                snprintf(why, size, "nothing but the system is swept");
        else if (different > CHANGES_MAX)
                snprintf(why, size, "it has room for %d changes, not for %d", CHANGES_MAX,
                         different);
        return changed == 0 || different > CHANGES_MAX;
}

/* What is changed under one system, over the replicates that all of its points have: pairs of the
 * same work as the base's, so that what scatters is how far a change moves the time. */
struct study {
        const struct scenario *scenario;
        const struct figure_input *input;
        const struct figure_row *base;
        int32_t runs;
};

static bool is_under(const struct study *study, const struct figure_row *row)
{
        return strcmp(row->system, study->base->system) == 0;
}

static struct study study_of(const struct figure_input *input, const struct figure_row *base)
{
        struct study study = { input->sweep->scenario, input, base, INT32_MAX };
        for (int64_t i = 0; i < input->rows->nrow; i++) {
                const struct figure_row *r = &input->rows->row[i];
                int32_t runs =
                    is_under(&study, r) ? figure_runs(input->sweep, r->point) : study.runs;
                study.runs = runs < study.runs ? runs : study.runs;
        }
        return study;
}

static struct interval time_of(const struct study *study, const struct figure_row *row)
{
        return figure_beside(study->input->sweep, METRIC_RATIO_TO_OPTIMAL, row->point,
                             study->base->point, study->runs);
}

/* From the lowest to the highest of the base and the rows with one change, which `row` is the first
 * of; else nothing. */
struct bar {
        const struct figure_row *low, *high;
};

static bool bar_of(const struct study *study, const struct figure_row *row,
                   const struct change *change, struct bar *bar)
{
        double low = time_of(study, study->base).mean, high = low;
        *bar = (struct bar){ study->base, study->base };
        for (int64_t i = 0; i < study->input->rows->nrow; i++) {
                const struct figure_row *r = &study->input->rows->row[i];
                struct change its = change_of(study->scenario, study->base, r);
                if (!is_under(study, r) || !same_change(&its, change))
                        continue;
                if (r->point < row->point)
                        return false;
                double mean = time_of(study, r).mean;
                bar->low = mean < low ? r : bar->low;
                bar->high = mean > high ? r : bar->high;
                low = mean < low ? mean : low;
                high = mean > high ? mean : high;
        }
        return true;
}

/* The values that a row has in the changed columns; or their names in words where row is NULL. */
static void put_texts(FILE *out, const struct scenario *scenario, const struct figure_row *row,
                      const struct change *change)
{
        for (int32_t i = 0; i < change->count; i++) {
                char words[FIGURE_WORDS_SIZE];
                int32_t column = change->column[i];
                if (row)
                        figure_plain(scenario_point_text(scenario, row->point, column), words,
                                     sizeof(words));
                else
                        figure_axis_words(scenario_column(scenario, column), words);
                fprintf(out, "%s%s", i ? ", " : " \"", words);
        }
        fputc('"', out);
}

static void write_bar(FILE *out, const struct study *study, const struct bar *bar,
                      const struct change *change)
{
        const struct figure_row *const place[] = { study->base, bar->low, bar->high };
        fprintf(out, "\"%s\"", study->base->system);
        put_texts(out, study->scenario, NULL, change);
        for (int i = 0; i < 3; i++) {
                put_texts(out, study->scenario, place[i], change);
                figure_put_interval(out, time_of(study, place[i]));
        }
        fprintf(out, " %d\n", study->runs);
}

static void write_study(FILE *out, const struct study *study)
{
        for (int64_t i = 0; i < study->input->rows->nrow; i++) {
                struct bar bar;
                const struct figure_row *r = &study->input->rows->row[i];
                struct change change = change_of(study->scenario, study->base, r);
                if (is_under(study, r) && change.count > 0 && bar_of(study, r, &change, &bar))
                        write_bar(out, study, &bar, &change);
        }
}

static void write_data(FILE *out, const struct figure_input *input)
{
        fprintf(out,
                "# system what base_values base low high its_values lowest low high its_values "
                "highest low high runs (ratios to the bound; intervals of what it moves from the "
                "base, in pairs of the same seed)\n");
        for (int64_t i = 0; i < input->rows->nrow; i++) {
                const struct figure_row *r = &input->rows->row[i];
                if (base_of(input->rows, r->system) != r)
                        continue;
                struct study study = study_of(input, r);
                write_study(out, &study);
        }
}

/* A line of the data: three places of the time over the bound, mean and interval. */
struct effect {
        char system[64], what[FIGURE_WORDS_SIZE], with[3][FIGURE_WORDS_SIZE];
        struct interval at[3]; /* base, lowest, highest */
        int runs;
};

static bool read_effect(const char *line, struct effect *e)
{
        struct interval *b = &e->at[0], *l = &e->at[1], *h = &e->at[2];
        return sscanf(
                   line,
                   "\"%63[^\"]\" \"%255[^\"]\" \"%255[^\"]\" %lf %lf %lf \"%255[^\"]\" %lf %lf %lf "
                   "\"%255[^\"]\" %lf %lf %lf %d",
                   e->system, e->what, e->with[0], &b->mean, &b->low, &b->high, e->with[1],
                   &l->mean, &l->low, &l->high, e->with[2], &h->mean, &h->low, &h->high,
                   &e->runs) == 15;
}

static double span_of(const struct effect *e)
{
        return e->at[2].mean - e->at[1].mean;
}

/* Which moves the time most, by system, and how many move it beyond the replicates' scatter. */
struct effects {
        struct effect most;
        int count, clear, scattered;
};

static void add_effect(struct effects *all, const struct effect *e)
{
        if (strcmp(e->system, all->most.system) != 0)
                all->count = all->clear = all->scattered = 0;
        if (all->count == 0 || span_of(e) > span_of(&all->most))
                all->most = *e;
        all->count++;
        all->clear += e->at[1].high < e->at[0].mean || e->at[2].low > e->at[0].mean;
        for (int i = 0; i < 3; i++)
                all->scattered += e->at[i].low < e->at[i].high;
}

static size_t put_effects(const struct effects *all, char *text, size_t size, bool first)
{
        const struct effect *most = &all->most;
        char scatter[160] = "no run has an interval: one run each, or all alike";
        if (all->scattered > 0)
                snprintf(scatter, sizeof(scatter),
                         "%d of %d values that were changed move it beyond the scatter of %d pairs",
                         all->clear, all->count, most->runs);
        return (size_t)snprintf(
            text, size,
            "%sUnder %s the time depends most on: %s, %.3g times the bound with "
            "%s, %.3g with %s; %s.",
            first ? "" : " ", most->system, most->what, most->at[1].mean, most->with[1],
            most->at[2].mean, most->with[2], scatter);
}

static void verdict(FILE *data, char text[static FIGURE_VERDICT_SIZE])
{
        char line[2048];
        struct effects all = { .count = 0 };
        struct effect e;
        size_t used = 0;
        text[0] = '\0';
        for (bool more = true; more && used < FIGURE_VERDICT_SIZE;) {
                more = fgets(line, sizeof(line), data);
                if (more && !read_effect(line, &e))
                        continue;
                if (all.count > 0 && (!more || strcmp(e.system, all.most.system) != 0))
                        used +=
                            put_effects(&all, text + used, FIGURE_VERDICT_SIZE - used, used == 0);
                if (more)
                        add_effect(&all, &e);
        }
}

const struct figure_type figure_tornado = {
        .name = "tornado",
        .place = "what differs from the first",
        .refuse = refuse,
        .write = write_data,
        .verdict = verdict,
};
