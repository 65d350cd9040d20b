/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lbsim compare A B: which points of a sweep differ between two folders of results, beyond what
 * the replicates scatter. Runs of equal seed saw the same work, so they are compared in pairs.
 */
#include "sim/commands/commands.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plots/table.h"
#include "sim/commands/compare_page.h"
#include "sim/output/figure_words.h"
#include "sim/output/paired.h"
#include "sim/output/results_file.h"

enum { COLUMNS_MAX = 256 };

enum { METRIC, ALL, FAIL, FORMAT, HTML };
struct compare_options {
        const char *metric, *html;
        double worse_percent;
        enum table_format format;
        bool all;
        bool given[6]; /* as `options_table` */
};

/* The results of one folder, in the order of swept values and seed. */
struct side {
        struct results_file file;
        int32_t column[COLUMNS_MAX]; /* 0, 1, 2, ... */
        int32_t metric;
};

struct tally {
        int64_t better, worse, same, unpaired[2];
        double worst_percent; /* of those that are worse */
};

/* ---- Reading ---- */

static int open_side(struct side *side, const char *directory, const char *metric,
                     struct lb_error *err)
{
        struct results_file *f = &side->file;
        if (results_file_open(f, directory, err) < 0 ||
            results_file_column(f, metric, &side->metric, err) < 0)
                return -1;
        results_file_warn(f);
        if (f->nkey >= COLUMNS_MAX)
                return lb_error_set(err, "%.300s: found %d swept columns, allowed are %d",
                                    f->csv.file, f->nkey, COLUMNS_MAX - 1);
        for (int32_t c = 0; c <= f->nkey; c++)
                side->column[c] = c;
        return results_file_sort(f, side->column, f->nkey + 1, err);
}

/* Order of two rows by their first columns. */
static int order(const struct side *a, int64_t i, const struct side *b, int64_t j, int32_t ncolumn)
{
        return results_file_order(&a->file, i, &b->file, j, a->column, ncolumn);
}

/* Only sweeps over the same paths have points in common. */
static int check_alike(const struct results_file *a, const struct results_file *b,
                       struct lb_error *err)
{
        bool alike = a->nkey == b->nkey;
        for (int32_t c = 0; alike && c < a->nkey; c++)
                alike = strcmp(lb_csv_name(&a->csv, c), lb_csv_name(&b->csv, c)) == 0;
        if (alike)
                return 0;
        return lb_error_set(err, "%.300s and %.300s are of sweeps over different paths",
                            a->csv.file, b->csv.file);
}

/* ---- Comparing ---- */

/* Where the metric has no meaning there is no run to compare with. */
static int add_pair(struct paired *d, struct tally *tally, const struct side *a, int64_t i,
                    const struct side *b, int64_t j, struct lb_error *err)
{
        double x, y;
        if (lb_csv_value(&a->file.csv, i, a->metric, &x, err) < 0 ||
            lb_csv_value(&b->file.csv, j, b->metric, &y, err) < 0)
                return -1;
        if (isnan(x) || isnan(y)) {
                tally->unpaired[0] += !isnan(x);
                tally->unpaired[1] += !isnan(y);
                return 0;
        }
        paired_add(d, x, y);
        return 0;
}

static void count(struct tally *tally, const struct paired *d, bool larger)
{
        double worse = larger ? -d->percent : d->percent;
        tally->same += !d->changed;
        tally->better += d->changed && worse < 0;
        tally->worse += d->changed && worse >= 0;
        if (d->changed && worse > tally->worst_percent)
                tally->worst_percent = worse;
}

static void show(struct table *table, const struct results_file *f, int64_t row,
                 const struct paired *d, bool larger)
{
        double n = (double)d->npair;
        table_row(table);
        for (int32_t c = 0; c < f->nkey; c++)
                table_text(table, lb_csv_cell(&f->csv, row, c));
        table_number(table, n, 6);
        table_number(table, d->sum[0] / n, 4);
        table_number(table, d->sum[1] / n, 4);
        table_number(table, d->percent, 3);
        table_text(table, paired_verdict(d, larger));
}

static struct table *make_table(const struct results_file *f)
{
        const char *name[COLUMNS_MAX + 5];
        int32_t count = 0;
        for (int32_t c = 0; c < f->nkey; c++)
                name[count++] = lb_csv_name(&f->csv, c);
        static const char *const own[] = { "pairs", "a", "b", "change_percent", "verdict" };
        for (int i = 0; i < 5; i++)
                name[count++] = own[i];
        return table_create(count, name);
}

/* Row number *i in order, or -1 behind the last. */
static int64_t row_at(const struct side *side, int64_t i)
{
        return i < side->file.nrow ? side->file.row[i] : -1;
}

/* One point: all rows of `a` from *i and of `b` from *j that have its swept values. */
static int compare_point(const struct side *a, int64_t *i, const struct side *b, int64_t *j,
                         struct paired *d, struct tally *tally, struct lb_error *err)
{
        int64_t x = row_at(a, *i), y = row_at(b, *j);
        int32_t nkey = a->file.nkey;
        bool from_a = x >= 0 && (y < 0 || order(a, x, b, y, nkey) <= 0);
        const struct side *side = from_a ? a : b;
        int64_t point = from_a ? x : y;
        for (;;) {
                x = row_at(a, *i);
                y = row_at(b, *j);
                bool has_a = x >= 0 && order(side, point, a, x, nkey) == 0;
                bool has_b = y >= 0 && order(side, point, b, y, nkey) == 0;
                if (!has_a && !has_b)
                        return 0;
                int which = !has_a ? 1 : !has_b ? -1 : order(a, x, b, y, nkey + 1);
                if (which == 0 && add_pair(d, tally, a, x, b, y, err) < 0)
                        return -1;
                tally->unpaired[0] += which < 0;
                tally->unpaired[1] += which > 0;
                *i += which <= 0;
                *j += which >= 0;
        }
}

static int compare_all(const struct side *a, const struct side *b,
                       const struct compare_options *options, struct table *table,
                       struct tally *tally, struct lb_error *err)
{
        bool larger = paired_larger_is_better(options->metric);
        int64_t i = 0, j = 0;
        while (i < a->file.nrow || j < b->file.nrow) {
                struct paired d = { 0 };
                int64_t first = i;
                if (compare_point(a, &i, b, &j, &d, tally, err) < 0)
                        return -1;
                if (d.npair == 0)
                        continue;
                paired_judge(&d);
                count(tally, &d, larger);
                if (d.changed || options->all)
                        show(table, &a->file, a->file.row[first], &d, larger);
        }
        return 0;
}

/* `metric`: what was compared, by its name or in words. */
static void put_tally(const struct tally *tally, const char *metric, char text[static 512])
{
        snprintf(text, 512, "%.100s: %lld point%s better, %lld worse, %lld the same", metric,
                 (long long)tally->better, lb_s((double)tally->better), (long long)tally->worse,
                 (long long)tally->same);
        bool none = tally->better + tally->worse + tally->same == 0;
        if (tally->unpaired[0] || tally->unpaired[1])
                lb_text_add(text, 512, "; without a partner: %lld run%s of A, %lld of B%s",
                            (long long)tally->unpaired[0], lb_s((double)tally->unpaired[0]),
                            (long long)tally->unpaired[1],
                            none ? " (partners have the same point and seed)" : "");
}

static int write_page(char *const *directory, const struct compare_options *options,
                      const struct tally *tally, const struct table *table, struct lb_error *err)
{
        char text[512], words[FIGURE_WORDS_SIZE];
        figure_axis_words(options->metric, words);
        put_tally(tally, words, text);
        const struct compare_page page = { .verdict = text,
                                           .metric = options->metric,
                                           .directory = { directory[0], directory[1] },
                                           .table = table };
        return compare_page_write(&page, options->html, err);
}

static int compare(char *const *directory, const struct compare_options *options,
                   struct tally *tally, struct lb_error *err)
{
        struct side side[2] = { 0 };
        struct table *table = NULL;
        int status = open_side(&side[0], directory[0], options->metric, err);
        if (status == 0)
                status = open_side(&side[1], directory[1], options->metric, err);
        if (status == 0)
                status = check_alike(&side[0].file, &side[1].file, err);
        if (status == 0) {
                table = make_table(&side[0].file);
                status = table ? 0 : lb_error_fail(err, "out of memory");
        }
        if (status == 0)
                status = compare_all(&side[0], &side[1], options, table, tally, err);
        if (status == 0 && options->given[FAIL] && tally->better + tally->worse + tally->same == 0)
                status =
                    lb_error_set(err,
                                 "--fail-if-worse: '%.200s' and '%.200s' have no run in common "
                                 "with a value of %.60s",
                                 directory[0], directory[1], options->metric);
        if (status == 0 && (table_rows(table) > 0 || options->format != TABLE_TEXT) &&
            table_write(table, stdout, options->format) < 0 && !ferror(stdout))
                status = lb_error_fail(err, "out of memory");
        if (status == 0 && options->html)
                status = write_page(directory, options, tally, table, err);
        table_destroy(table);
        results_file_close(&side[0].file);
        results_file_close(&side[1].file);
        return status;
}

/* ---- The command line ---- */

static const struct lb_option options_table[] = {
        [METRIC] = { "metric", LB_OPTION_TEXT, "NAME", "a column of results.csv",
                     LB_OPTION_TO(struct compare_options, metric),
                     .fallback = "time_per_iteration_s" },
        [ALL] = { "all", LB_OPTION_FLAG, NULL, "show points that have not changed, too",
                  LB_OPTION_TO(struct compare_options, all) },
        [FAIL] = { "fail-if-worse", LB_OPTION_NUMBER, "PERCENT",
                   "exit with 3 where a point is worse by more than that",
                   LB_OPTION_TO(struct compare_options, worse_percent), .max = 1e6 },
        [FORMAT] = OPTION_TABLE_FORMAT(struct compare_options),
        [HTML] = OPTION_HTML(struct compare_options, lb_option_written),
        { .name = NULL },
};

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        enum { FAILED_CONDITION = 3 };
        const struct compare_options *options = given;
        struct tally tally = { 0 };
        if (compare(call->word, options, &tally, err) < 0)
                return -1;
        char text[512];
        put_tally(&tally, options->metric, text);
        fprintf(stderr, "lbsim compare: %s\n", text);
        bool failed = options->given[FAIL] && tally.worst_percent > options->worse_percent;
        return failed ? FAILED_CONDITION : 0;
}

const struct lb_command command_compare = {
        .program = &lbsim_program,
        .name = "compare",
        .summary = "which points of two folders of results differ",
        .usage = "DIR_A DIR_B [OPTION]...",
        .about = "Compare two folders of results point by point: runs of equal seed in pairs. A "
                 "point has changed where the 95 % confidence interval of the difference does not "
                 "hold zero; with a single replicate, where there is any difference.",
        .ends = "3 where a point is worse by more than --fail-if-worse allows.",
        .options = options_table,
        .size = sizeof(struct compare_options),
        .given = offsetof(struct compare_options, given),
        .word = LB_OPTION_FOLDER,
        .word_min = 2,
        .word_max = 2,
        .needed = "two folders of results are needed",
        .run = run,
};
