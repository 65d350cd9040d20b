/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/results_page.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/text.h"
#include "plots/page.h"
#include "sim/output/figure.h"
#include "sim/output/figure_words.h"
#include "sim/output/results_file.h"
#include "sim/sweep/interval.h"
#include "sim/sweep/journal_print.h"

enum {
        PATH_SIZE = 4096,
        LINE_SIZE = 1024,
        GROUPS_MAX = 64,
        WAYS_MAX = 12,
        COLUMNS_MAX = 256,
        ROWS_MAX = 5000,
        VALUES_MAX = 1024,
        CELL_SIZE = 64
};

struct results_page {
        const struct scenario *scenario;
        const char *directory;
        struct lb_csv summary;
        struct results_file runs;
        struct lb_json results;
};

/* ---- The verdict ---- */

/* Points of one system and its settings: their times over the bound. */
struct group {
        char name[FIGURE_WORDS_SIZE];
        int64_t count;
        double logs, least, most;
};

static struct group *group_of(struct group *group, int *ngroup, const char *name)
{
        for (int g = 0; g < *ngroup; g++)
                if (strcmp(group[g].name, name) == 0)
                        return &group[g];
        if (*ngroup == GROUPS_MAX)
                return NULL;
        struct group *fresh = &group[(*ngroup)++];
        *fresh = (struct group){ .least = INFINITY };
        snprintf(fresh->name, sizeof(fresh->name), "%s", name);
        return fresh;
}

/* Is a path about what is compared: the system, its graph, what its decisions cost? */
static bool is_compared(const char *path)
{
        return figure_of_system(path) || strncmp(path, "runtime.solver_", 15) == 0;
}

/* What is swept of that, in words. */
static void name_row(const struct results_page *p, int64_t row, char name[static FIGURE_WORDS_SIZE])
{
        name[0] = '\0';
        for (int32_t c = 0; c < scenario_ncolumn(p->scenario); c++) {
                const char *path = scenario_column(p->scenario, c);
                int32_t column = lb_csv_column(&p->summary, path);
                char words[FIGURE_WORDS_SIZE] = "";
                if (column >= 0 && is_compared(path))
                        figure_value_words(path, lb_csv_cell(&p->summary, row, column), words);
                figure_add_words(name, words);
        }
        if (!name[0])
                snprintf(name, FIGURE_WORDS_SIZE, "all points");
}

static int fill_groups(const struct results_page *p, struct group *group, struct lb_error *err)
{
        int ngroup = 0;
        int32_t column = lb_csv_column(&p->summary, "ratio_to_optimal");
        for (int64_t i = 0; column >= 0 && i < p->summary.nrow; i++) {
                char name[FIGURE_WORDS_SIZE];
                double ratio;
                if (lb_csv_value(&p->summary, i, column, &ratio, err) < 0)
                        return -1;
                name_row(p, i, name);
                struct group *g = ratio > 0 ? group_of(group, &ngroup, name) : NULL;
                if (!g)
                        continue;
                g->count++;
                g->logs += log(ratio);
                g->least = fmin(g->least, ratio);
                g->most = fmax(g->most, ratio);
        }
        return ngroup;
}

static double mean_of(const struct group *group)
{
        return exp(group->logs / (double)group->count);
}

static int by_mean(const void *a, const void *b)
{
        double x = mean_of(a), y = mean_of(b);
        return x < y ? -1 : x > y;
}

static void put_group(const struct group *g, char text[static LINE_SIZE])
{
        snprintf(text, LINE_SIZE, "%s: %.3g times the bound (%.3g to %.3g, %lld point%s)", g->name,
                 mean_of(g), g->least, g->most, (long long)g->count, lb_s((double)g->count));
}

/* With `precision` points have unequally many runs. */
struct runs {
        int32_t fewest, most;
};

static struct runs runs_of_points(const struct results_page *p)
{
        struct runs runs = { INT32_MAX, 0 };
        struct lb_error ignored;
        int32_t column = lb_csv_column(&p->summary, "replicates");
        for (int64_t i = 0; column >= 0 && i < p->summary.nrow; i++) {
                double count;
                if (lb_csv_number(&p->summary, i, column, &count, &ignored) < 0)
                        continue;
                runs.fewest = count < runs.fewest ? (int32_t)count : runs.fewest;
                runs.most = count > runs.most ? (int32_t)count : runs.most;
        }
        return runs;
}

/* What the scenario asks first; else, and beside it, who is nearest to the bound. */
static void write_verdict(const struct results_page *p, struct group *group, int ngroup, FILE *out)
{
        char text[LINE_SIZE], line[2 * LINE_SIZE], answer[FIGURE_VERDICT_SIZE];
        figure_verdict(p->scenario, p->directory, answer);
        if (answer[0])
                page_lead(out, answer);
        if (ngroup == 0 || (answer[0] && ngroup > WAYS_MAX))
                return;
        qsort(group, (size_t)ngroup, sizeof(*group), by_mean);
        put_group(&group[0], text);
        snprintf(line, sizeof(line), "%s%s.", ngroup > 1 ? "Nearest to the bound is " : "", text);
        (answer[0] ? page_text : page_lead)(out, line);
        if (ngroup > 1) {
                put_group(&group[ngroup - 1], text);
                snprintf(line, sizeof(line),
                         "Farthest is %s. Geometric means over the points of each; the bound is "
                         "all work over the speed of all cores.",
                         text);
                page_text(out, line);
        }
        struct runs runs = runs_of_points(p);
        if (ngroup > 1 && runs.fewest < runs.most)
                page_text(out,
                          "These are means of all runs that each point has: of unequally many, "
                          "so not of the same work.");
}

/* ---- Figures ---- */

static int is_svg(const struct dirent *entry)
{
        size_t length = strlen(entry->d_name);
        return length > 4 && strcmp(entry->d_name + length - 4, ".svg") == 0;
}

static void write_figure(FILE *out, const char *directory, const char *name, int number)
{
        char path[PATH_SIZE], words[256];
        snprintf(path, sizeof(path), "%s/%s", directory, name);
        snprintf(words, sizeof(words), "%.*s", (int)strlen(name) - 4, name);
        for (char *at = words; *at; at++)
                *at = (char)(*at == '_' ? ' ' : *at);
        FILE *svg = fopen(path, "re");
        if (!svg)
                return;
        if (page_svg(out, svg, words, number) < 0)
                page_text(out, "This figure cannot be read.");
        fclose(svg);
}

void results_page_figures(FILE *out, const char *directory, int first)
{
        struct dirent **entry = NULL;
        int count = scandir(directory, &entry, is_svg, alphasort);
        for (int i = 0; i < count; i++) {
                write_figure(out, directory, entry[i]->d_name, first + i);
                free(entry[i]);
        }
        free(entry);
        if (count <= 0)
                page_text(out, "There is no figure: the scenario asks for none, or gnuplot was "
                               "not there.");
}

/* ---- Every point, every parameter ---- */

/* The metric that a column of the summary has half an interval of; or NULL. */
static const char *metric_within(const struct lb_csv *csv, int32_t column)
{
        const char *name = lb_csv_name(csv, column);
        return strcmp(name, "time_ci95_s") == 0  ? "time_per_iteration_s"
               : strcmp(name, "ratio_ci95") == 0 ? "ratio_to_optimal"
                                                 : NULL;
}

/* Of the runs from `first` on, those of row i of the summary. -1: they are not there. */
static int32_t runs_of(const struct results_page *p, int64_t i, int64_t first)
{
        double count;
        struct lb_error ignored;
        int32_t column = lb_csv_column(&p->summary, "replicates");
        if (column < 0 || lb_csv_number(&p->summary, i, column, &count, &ignored) < 0 ||
            !(count >= 1 && count <= VALUES_MAX) || first + (int64_t)count > p->runs.csv.nrow)
                return -1;
        for (int32_t c = 0; c < scenario_ncolumn(p->scenario); c++)
                if (strcmp(lb_csv_cell(&p->summary, i, c), lb_csv_cell(&p->runs.csv, first, c)) !=
                    0)
                        return -1;
        return (int32_t)count;
}

/* The interval that figures draw, which a few values' half width goes beyond (interval.h). */
static void put_interval(const struct results_page *p, int64_t first, int32_t count,
                         const char *metric, char text[static CELL_SIZE])
{
        double value[VALUES_MAX];
        struct lb_error ignored;
        int32_t column = lb_csv_column(&p->runs.csv, metric);
        for (int32_t i = 0; i < count; i++)
                if (column < 0 ||
                    lb_csv_value(&p->runs.csv, first + i, column, &value[i], &ignored) < 0)
                        value[i] = NAN;
        struct interval interval = interval_of(value, count);
        text[0] = '\0';
        if (interval.count > 1)
                snprintf(text, CELL_SIZE, "%.4g to %.4g", interval.low, interval.high);
}

static void put_cell(const char *value, char text[static CELL_SIZE])
{
        double number;
        bool is_number = lb_number_is(value, &number);
        bool whole = fabs(number) < 1e15 && !(number < trunc(number)) && !(number > trunc(number));
        if (!is_number)
                snprintf(text, CELL_SIZE, "%s", value);
        else
                snprintf(text, CELL_SIZE, whole ? "%.0f" : "%.5g", number);
}

static void write_points(const struct results_page *p, FILE *out)
{
        const struct lb_csv *csv = &p->summary;
        int32_t ncolumn = csv->ncolumn < COLUMNS_MAX ? csv->ncolumn : COLUMNS_MAX;
        char words[COLUMNS_MAX][FIGURE_WORDS_SIZE], text[COLUMNS_MAX][CELL_SIZE];
        const char *cell[COLUMNS_MAX];
        for (int32_t c = 0; c < ncolumn; c++) {
                figure_axis_words(lb_csv_name(csv, c), words[c]);
                if (metric_within(csv, c))
                        figure_unit_words("95 % interval", metric_within(csv, c), words[c]);
                cell[c] = words[c];
        }
        page_heading(out, "Every point");
        page_table_begin(out, cell, ncolumn);
        int64_t first = 0;
        for (int64_t i = 0; i < csv->nrow && i < ROWS_MAX; i++) {
                int32_t count = runs_of(p, i, first);
                for (int32_t c = 0; c < ncolumn; c++) {
                        const char *metric = metric_within(csv, c);
                        if (metric)
                                put_interval(p, first, count, metric, text[c]);
                        else
                                put_cell(lb_csv_cell(csv, i, c), text[c]);
                        cell[c] = text[c];
                }
                page_table_row(out, cell, ncolumn);
                first += count > 0 ? count : 0;
        }
        page_table_end(out);
        if (csv->nrow > ROWS_MAX)
                page_text(out, "Only the first 5000 points are on this page.");
}

static bool is_swept(const struct scenario *scenario, const char *path)
{
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++)
                if (strcmp(scenario_column(scenario, c), path) == 0)
                        return true;
        return false;
}

static void write_section(const struct results_page *p, const struct scenario_point *point,
                          enum scenario_section section, FILE *out)
{
        const struct lb_param *table = scenario_section_table(section);
        for (size_t i = 0; table && table[i].name; i++) {
                char path[256], value[128], fallback[128];
                snprintf(path, sizeof(path), "%s.%s", scenario_section_path(section),
                         table[i].name);
                bool swept = is_swept(p->scenario, path);
                lb_param_format(&table[i], point->value[section][i], value, sizeof(value));
                lb_param_format(&table[i], table[i].fallback, fallback, sizeof(fallback));
                const char *const cell[] = { path, swept ? "swept" : value,
                                             table[i].unit ? table[i].unit : "",
                                             swept || strcmp(value, fallback) != 0 ? "yes" : "",
                                             table[i].help };
                page_table_row(out, cell, 5);
        }
}

static int write_parameters(const struct results_page *p, FILE *out, struct lb_error *err)
{
        static const char *const columns[] = { "parameter", "value", "unit", "not the default",
                                               "what it is" };
        struct scenario_point point;
        if (scenario_point_get(p->scenario, 0, &point, err) < 0)
                return -1;
        page_heading(out, "Every parameter");
        page_fold_begin(out, "those of the first point; swept ones are in the table of points");
        page_table_begin(out, columns, 5);
        for (int s = 0; s < SECTION_COUNT; s++)
                write_section(p, &point, (enum scenario_section)s, out);
        page_table_end(out);
        page_fold_end(out);
        scenario_point_finish(&point);
        return 0;
}

/* ---- How to repeat it ---- */

/* Those of a command, NULL behind them. NULL: no memory. */
static char **words_of(const cJSON *command)
{
        char **words = calloc((size_t)cJSON_GetArraySize(command) + 1, sizeof(*words));
        int32_t count = 0;
        for (const cJSON *item = command ? command->child : NULL; words && item; item = item->next)
                if (cJSON_IsString(item))
                        words[count++] = item->valuestring;
        return words;
}

/* -1: out of memory. */
static int write_repeat(const struct results_page *p, FILE *out)
{
        const cJSON *root = p->results.root;
        const cJSON *command = cJSON_GetObjectItemCaseSensitive(root, "command");
        const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "version");
        char text[LINE_SIZE], **words = words_of(command);
        page_heading(out, "How to repeat it");
        struct runs runs = runs_of_points(p);
        char fewest[32] = "";
        if (runs.fewest < runs.most)
                snprintf(fewest, sizeof(fewest), "%d to ", runs.fewest);
        snprintf(text, sizeof(text), "lbsim %.40s, seed %llu, %s%d replicate%s of each point:",
                 cJSON_IsString(version) ? version->valuestring : "",
                 (unsigned long long)p->scenario->seed, fewest, runs.most, lb_s(runs.most));
        page_text(out, text);
        int status = words ? page_command(out, "", words) : -1;
        free(words);
        char *tree = cJSON_Print(p->scenario->tree);
        page_fold_begin(out, "the scenario");
        page_code(out, tree ? tree : "");
        page_fold_end(out);
        status = tree ? status : -1;
        cJSON_free(tree);
        return status;
}

/* ---- The page ---- */

/* Of a sweep that is not finished. */
static void write_partial(const struct results_page *p, FILE *out)
{
        char text[LINE_SIZE], runs[JOURNAL_COUNT_SIZE];
        struct journal_count count = { .wanted = p->scenario->npoint * p->scenario->replicates,
                                       .at_most = p->scenario->precision > 0 };
        if (!p->runs.partial)
                return;
        journal_count_text(&count, p->runs.nrow, runs);
        snprintf(text, sizeof(text),
                 "Not finished: this page is of %s. The command below goes on with them.", runs);
        page_text(out, text);
}

static int write_page(const struct results_page *p, FILE *out, struct lb_error *err)
{
        struct group group[GROUPS_MAX];
        int ngroup = fill_groups(p, group, err);
        if (ngroup < 0)
                return -1;
        page_begin(out, p->scenario->name ? p->scenario->name : "Results");
        write_partial(p, out);
        write_verdict(p, group, ngroup, out);
        if (p->scenario->description)
                page_text(out, p->scenario->description);
        results_page_figures(out, p->directory, 0);
        write_points(p, out);
        if (write_parameters(p, out, err) < 0)
                return -1;
        if (write_repeat(p, out) < 0)
                return lb_error_fail(err, "out of memory for the page");
        page_script(out);
        page_end(out);
        return 0;
}

static int open_parts(struct results_page *p, struct lb_error *err)
{
        char path[LB_PATH_SIZE];
        if (results_file_of(p->directory, "results.json", "results.partial.json", path, err) < 0 ||
            lb_json_open(&p->results, path, err) < 0 ||
            results_file_of(p->directory, "summary.csv", "summary.partial.csv", path, err) < 0 ||
            lb_csv_open(&p->summary, path, err) < 0)
                return -1;
        return results_file_open(&p->runs, p->directory, err);
}

int results_page_write(const struct scenario *scenario, const char *directory, const char *path,
                       struct lb_error *err)
{
        struct results_page p = { .scenario = scenario, .directory = directory };
        struct lb_file file;
        int status = open_parts(&p, err);
        if (status == 0 && (status = lb_file_create(&file, path, err)) == 0) {
                status = write_page(&p, file.stream, err);
                if (status == 0)
                        status = lb_file_commit(&file, err);
                lb_file_abandon(&file);
        }
        lb_json_close(&p.results);
        lb_csv_close(&p.summary);
        results_file_close(&p.runs);
        return status;
}
