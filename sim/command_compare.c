/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lbsim compare A B: which points of a sweep differ between two folders of results, beyond what
 * the replicates scatter. Runs of equal seed saw the same work, so they are compared in pairs.
 */
#include "sim/commands.h"

#include <getopt.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "plots/table.h"

static const char help[] =
    "usage: lbsim compare DIR_A DIR_B [--metric NAME] [--all] [--fail-if-worse PERCENT]\n"
    "                     [--format table|csv|json]\n"
    "\n"
    "Compare two folders of results point by point: runs of equal seed in pairs. A point has\n"
    "changed where the 95 % confidence interval of the difference does not hold zero; with a "
    "single\n"
    "replicate, where there is any difference.\n"
    "\n"
    "  --metric NAME            a column of results.csv (default: time_per_iteration_s)\n"
    "  --all                    show points that have not changed, too\n"
    "  --fail-if-worse PERCENT  exit with 3 where a point is worse by more than that\n"
    "  --format FORMAT          table, csv or json\n"
    "  --help                   this text\n";

struct compare_options {
        const char *directory[2], *metric;
        double worse_percent; /* < 0: never fail */
        enum table_format format;
        bool all, help;
};

/* The results of one folder, with its rows in the order of their keys. */
struct results_file {
        struct lb_csv csv;
        int32_t nkey; /* swept columns: all before "seed", which follows them */
        int32_t metric;
        int64_t *row; /* [csv.nrow] */
};

/* How a point differs. */
struct difference {
        int64_t npair;
        double sum[2], sum_difference, squares;
        bool changed;
        double percent; /* of B over A */
};

struct tally {
        int64_t better, worse, same, unpaired[2];
        double worst_percent; /* of those that are worse */
};

/* ---- Reading ---- */

static int need_column(const struct lb_csv *csv, const char *name, int32_t *column,
                       struct lb_error *err)
{
        *column = lb_csv_column(csv, name);
        if (*column >= 0)
                return 0;
        return lb_error_set(err, "%.300s: no column \"%.60s\"; its columns are in its first line",
                            csv->file, name);
}

static int compare_keys(const struct results_file *a, int64_t i, const struct results_file *b,
                        int64_t j, int32_t count)
{
        for (int32_t c = 0; c < count; c++) {
                int order = strcmp(lb_csv_cell(&a->csv, i, c), lb_csv_cell(&b->csv, j, c));
                if (order)
                        return order;
        }
        return 0;
}

/* Merge sort, since qsort() has no place for the file: src[from, to) into order, with spare memory.
 */
static void sort_rows(const struct results_file *f, int64_t *row, int64_t *spare, int64_t count)
{
        if (count < 2)
                return;
        int64_t half = count / 2;
        sort_rows(f, row, spare, half);
        sort_rows(f, row + half, spare, count - half);
        memcpy(spare, row, (size_t)half * sizeof(*row));
        int64_t i = 0, j = half, k = 0;
        while (i < half && j < count)
                row[k++] =
                    compare_keys(f, row[j], f, spare[i], f->nkey + 1) < 0 ? row[j++] : spare[i++];
        while (i < half)
                row[k++] = spare[i++];
}

static int open_results(struct results_file *f, const char *directory, const char *metric,
                        struct lb_error *err)
{
        char path[4096];
        if (snprintf(path, sizeof(path), "%s/results.csv", directory) >= (int)sizeof(path))
                return lb_error_set(err, "'%.300s' is too long for a path", directory);
        if (lb_csv_open(&f->csv, path, err) < 0 ||
            need_column(&f->csv, "seed", &f->nkey, err) < 0 ||
            need_column(&f->csv, metric, &f->metric, err) < 0)
                return -1;
        size_t size = (size_t)(f->csv.nrow + 1) * sizeof(*f->row);
        f->row = malloc(size);
        int64_t *spare = malloc(size);
        for (int64_t i = 0; f->row && i < f->csv.nrow; i++)
                f->row[i] = i;
        if (f->row && spare)
                sort_rows(f, f->row, spare, f->csv.nrow);
        free(spare);
        return f->row && spare ? 0 : lb_error_fail(err, "out of memory for '%.300s'", path);
}

static void close_results(struct results_file *f)
{
        lb_csv_close(&f->csv);
        free(f->row);
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

static int add_pair(struct difference *d, const struct results_file *a, int64_t i,
                    const struct results_file *b, int64_t j, struct lb_error *err)
{
        double x, y;
        if (lb_csv_number(&a->csv, i, a->metric, &x, err) < 0 ||
            lb_csv_number(&b->csv, j, b->metric, &y, err) < 0)
                return -1;
        d->npair++;
        d->sum[0] += x;
        d->sum[1] += y;
        d->sum_difference += y - x;
        d->squares += (y - x) * (y - x);
        return 0;
}

static void judge(struct difference *d)
{
        double n = (double)d->npair, mean = d->sum_difference / n;
        double variance = d->npair > 1 ? (d->squares - n * mean * mean) / (n - 1) : 0;
        double half_width =
            d->npair > 1 ? gsl_cdf_tdist_Pinv(0.975, n - 1) * sqrt(fmax(variance, 0) / n) : 0;
        d->changed = fabs(mean) > half_width;
        d->percent =
            d->sum[0] != 0 ? 100 * d->sum_difference / fabs(d->sum[0]) : d->changed * 100.0;
}

/* Efficiencies and balance are better when they are larger. */
static bool larger_is_better(const char *metric)
{
        const char *ending = strstr(metric, "efficiency");
        return ending || strcmp(metric, "load_balance") == 0;
}

static void count(struct tally *tally, const struct difference *d, bool larger)
{
        double worse = larger ? -d->percent : d->percent;
        tally->same += !d->changed;
        tally->better += d->changed && worse < 0;
        tally->worse += d->changed && worse >= 0;
        if (d->changed && worse > tally->worst_percent)
                tally->worst_percent = worse;
}

static void show(struct table *table, const struct results_file *f, int64_t row,
                 const struct difference *d, bool larger)
{
        double n = (double)d->npair;
        bool worse = (d->percent < 0) == larger;
        table_row(table);
        for (int32_t c = 0; c < f->nkey; c++)
                table_text(table, lb_csv_cell(&f->csv, row, c));
        table_number(table, n, 6);
        table_number(table, d->sum[0] / n, 4);
        table_number(table, d->sum[1] / n, 4);
        table_number(table, d->percent, 3);
        table_text(table, !d->changed ? "same" : worse ? "worse" : "better");
}

static struct table *make_table(const struct results_file *f)
{
        const char *name[256];
        int32_t count = 0;
        for (int32_t c = 0; c < f->nkey && count < 240; c++)
                name[count++] = lb_csv_name(&f->csv, c);
        static const char *const own[] = { "pairs", "a", "b", "change_percent", "verdict" };
        for (int i = 0; i < 5; i++)
                name[count++] = own[i];
        return table_create(count, name);
}

/* One point: all rows of `a` from *i and of `b` from *j that have its key. */
static int compare_point(const struct results_file *a, int64_t *i, const struct results_file *b,
                         int64_t *j, struct difference *d, struct tally *tally,
                         struct lb_error *err)
{
        int64_t first = *i < a->csv.nrow ? a->row[*i] : -1;
        int64_t other = *j < b->csv.nrow ? b->row[*j] : -1;
        bool from_a = first >= 0 && (other < 0 || compare_keys(a, first, b, other, a->nkey) <= 0);
        const struct results_file *f = from_a ? a : b;
        int64_t point = from_a ? first : other;
        for (;;) {
                bool has_a =
                    *i < a->csv.nrow && compare_keys(f, point, a, a->row[*i], f->nkey) == 0;
                bool has_b =
                    *j < b->csv.nrow && compare_keys(f, point, b, b->row[*j], f->nkey) == 0;
                if (!has_a && !has_b)
                        return 0;
                int order = !has_a   ? 1
                            : !has_b ? -1
                                     : strcmp(lb_csv_cell(&a->csv, a->row[*i], a->nkey),
                                              lb_csv_cell(&b->csv, b->row[*j], b->nkey));
                if (order == 0 && add_pair(d, a, a->row[*i], b, b->row[*j], err) < 0)
                        return -1;
                tally->unpaired[0] += order < 0;
                tally->unpaired[1] += order > 0;
                *i += order <= 0;
                *j += order >= 0;
        }
}

static int compare_all(const struct results_file *a, const struct results_file *b,
                       const struct compare_options *options, struct table *table,
                       struct tally *tally, struct lb_error *err)
{
        bool larger = larger_is_better(options->metric);
        int64_t i = 0, j = 0;
        while (i < a->csv.nrow || j < b->csv.nrow) {
                struct difference d = { 0 };
                int64_t first = i;
                if (compare_point(a, &i, b, &j, &d, tally, err) < 0)
                        return -1;
                if (d.npair == 0)
                        continue;
                judge(&d);
                count(tally, &d, larger);
                if (d.changed || options->all)
                        show(table, a, a->row[first], &d, larger);
        }
        return 0;
}

static void print_tally(const struct tally *tally, const struct compare_options *options)
{
        fprintf(stderr, "lbsim compare: %s: %lld points better, %lld worse, %lld the same",
                options->metric, (long long)tally->better, (long long)tally->worse,
                (long long)tally->same);
        if (tally->unpaired[0] || tally->unpaired[1])
                fprintf(stderr, "; without a partner: %lld runs of A, %lld of B",
                        (long long)tally->unpaired[0], (long long)tally->unpaired[1]);
        fputc('\n', stderr);
}

static int compare(const struct compare_options *options, struct tally *tally, struct lb_error *err)
{
        struct results_file file[2] = { 0 };
        struct table *table = NULL;
        int status = open_results(&file[0], options->directory[0], options->metric, err);
        if (status == 0)
                status = open_results(&file[1], options->directory[1], options->metric, err);
        if (status == 0)
                status = check_alike(&file[0], &file[1], err);
        if (status == 0) {
                table = make_table(&file[0]);
                status = table ? 0 : lb_error_fail(err, "out of memory");
        }
        if (status == 0)
                status = compare_all(&file[0], &file[1], options, table, tally, err);
        if (status == 0 && (table_rows(table) > 0 || options->format != TABLE_TEXT) &&
            table_write(table, stdout, options->format) < 0 && !ferror(stdout))
                status = lb_error_fail(err, "out of memory");
        table_destroy(table);
        close_results(&file[0]);
        close_results(&file[1]);
        return status;
}

/* ---- The command line ---- */

enum option_code { OPTION_METRIC = 256, OPTION_ALL, OPTION_FAIL, OPTION_FORMAT };

static const struct option long_options[] = {
        { "metric", required_argument, NULL, OPTION_METRIC },
        { "all", no_argument, NULL, OPTION_ALL },
        { "fail-if-worse", required_argument, NULL, OPTION_FAIL },
        { "format", required_argument, NULL, OPTION_FORMAT },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
};

static int read_percent(const char *text, double *percent, struct lb_error *err)
{
        char *end;
        *percent = strtod(text, &end);
        if (end != text && *end == '\0' && *percent >= 0 && *percent <= 1e6)
                return 0;
        return lb_error_set(err, "--fail-if-worse %.60s, allowed is a number from 0 on, percent",
                            text);
}

static int take_option(struct compare_options *options, int code, const char *value,
                       struct lb_error *err)
{
        switch (code) {
        case OPTION_METRIC:
                options->metric = value;
                return 0;
        case OPTION_ALL:
                options->all = true;
                return 0;
        case OPTION_FAIL:
                return read_percent(value, &options->worse_percent, err);
        case OPTION_FORMAT:
                options->format = table_format_named(value);
                return options->format == TABLE_NONE
                           ? lb_error_set(err, "--format %.60s, must be one of table, csv, json",
                                          value)
                           : 0;
        default:
                options->help = true;
                return 0;
        }
}

static int read_options(struct compare_options *options, int argc, char **argv,
                        struct lb_error *err)
{
        int code;
        opterr = 0;
        optind = 1;
        while ((code = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
                if (code == '?' || code == ':')
                        return lb_error_set(err, "%s %s (lbsim compare --help)", argv[optind - 1],
                                            code == ':' ? "needs a value" : "is no option");
                if (take_option(options, code, optarg, err) < 0)
                        return -1;
        }
        if (options->help)
                return 0;
        if (argc - optind != 2)
                return lb_error_set(err,
                                    "two folders of results are needed (lbsim compare --help)");
        options->directory[0] = argv[optind];
        options->directory[1] = argv[optind + 1];
        return 0;
}

int command_compare(int argc, char **argv)
{
        enum { FAILED_CONDITION = 3 };
        struct lb_error err = { .kind = LB_ERROR_NONE };
        struct compare_options options = { .metric = "time_per_iteration_s",
                                           .worse_percent = -1,
                                           .format = TABLE_TEXT };
        struct tally tally = { 0 };
        int status = read_options(&options, argc, argv, &err);
        if (status == 0 && options.help) {
                fputs(help, stdout);
                return 0;
        }
        if (status == 0)
                status = compare(&options, &tally, &err);
        if (status < 0) {
                fprintf(stderr, "lbsim compare: %s\n", err.text);
                return lb_error_exit_code(&err);
        }
        print_tally(&tally, &options);
        bool failed = options.worse_percent >= 0 && tally.worst_percent > options.worse_percent;
        return failed ? FAILED_CONDITION : 0;
}
