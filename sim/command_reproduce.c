/* SPDX-License-Identifier: BSD-3-Clause */
/* lbsim reproduce: what the papers published against what is simulated. */
#include "sim/commands.h"

#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "plots/table.h"
#include "sim/data.h"
#include "sim/published.h"

static const char help[] =
    "usage: lbsim reproduce [--out DIR] [--quick] [--only TEXT] [--replicates N] [--jobs N]\n"
    "                       [--format table|csv|json|markdown] [--fail-if-differs]\n"
    "\n"
    "Simulate every quantity that the papers publish, and print one row for each: published,\n"
    "simulated with half the 95 % confidence interval over replicates, difference, verdict; below, "
    "why\n"
    "where they differ. What a paper withholds is predicted. Rows are scenarios/published.json.\n"
    "\n"
    "  --out DIR          write reproduce.csv, reproduce.json and reproduce.md as well\n"
    "  --quick            the rows that take an instant\n"
    "  --only TEXT        rows whose paper, place or quantity holds TEXT\n"
    "  --replicates N     draws of the loads, 1 to 100 (default 3)\n"
    "  --jobs N           threads, 1 to 1024 (default: one per core)\n"
    "  --format FORMAT    what is printed\n"
    "  --fail-if-differs  exit with 3 where a row differs and no reason is known\n"
    "  --help             this text\n";

enum output { OUTPUT_TABLE = 0, OUTPUT_CSV, OUTPUT_JSON, OUTPUT_MARKDOWN, NOUTPUT };
static const char *const outputs[NOUTPUT] = { "table", "csv", "json", "markdown" };

struct reproduce {
        const char *directory, *only;
        bool quick, fail, help;
        enum output format;
        struct published_options options;
        struct published published;
        bool *wanted;                    /* [nrow] */
        struct published_result *result; /* [nrow] */
};

static const char *const verdicts[] = { [VERDICT_AGREES] = "agrees",
                                        [VERDICT_DIFFERS] = "differs",
                                        [VERDICT_PREDICTION] = "prediction" };

/* ---- Output ---- */

static void claim_text(const struct published_row *row, char *text, size_t size)
{
        static const char *const words[] = {
                [CLAIM_ABOUT] = "", [CLAIM_AT_MOST] = "<= ", [CLAIM_AT_LEAST] = ">= "
        };
        if (row->claim == CLAIM_WITHHELD)
                snprintf(text, size, "withheld");
        else
                snprintf(text, size, "%s%.4g", words[row->claim], row->value);
}

/* Relative to what is published, percent; NaN where nothing is. */
static double difference_percent(const struct published_row *row,
                                 const struct published_result *result)
{
        if (row->claim == CLAIM_WITHHELD || row->value == 0)
                return NAN;
        return 100 * (result->value - row->value) / fabs(row->value);
}

static struct table *make_table(const struct reproduce *r)
{
        static const char *const names[] = {
                "paper",     "place",     "quantity",           "unit",   "published",
                "simulated", "half_ci95", "difference_percent", "verdict"
        };
        struct table *table = table_create(sizeof(names) / sizeof(names[0]), names);
        for (int32_t i = 0; table && i < r->published.nrow; i++) {
                const struct published_row *row = &r->published.row[i];
                char claim[48];
                if (!r->wanted[i])
                        continue;
                claim_text(row, claim, sizeof(claim));
                table_row(table);
                table_text(table, row->paper);
                table_text(table, row->place);
                table_text(table, row->quantity);
                table_text(table, row->unit ? row->unit : "");
                table_text(table, claim);
                table_number(table, r->result[i].value, 4);
                table_number(table, r->result[i].half_width, 2);
                table_number(table, difference_percent(row, &r->result[i]), 3);
                table_text(table, verdicts[published_judge(row, &r->result[i])]);
        }
        return table;
}

static void print_markdown(const struct reproduce *r, FILE *out)
{
        fputs("| paper | place | quantity | published | simulated | difference | verdict |\n"
              "|---|---|---|---|---|---|---|\n",
              out);
        for (int32_t i = 0; i < r->published.nrow; i++) {
                const struct published_row *row = &r->published.row[i];
                const struct published_result *result = &r->result[i];
                char claim[48], change[32] = "";
                if (!r->wanted[i])
                        continue;
                claim_text(row, claim, sizeof(claim));
                if (isfinite(difference_percent(row, result)))
                        snprintf(change, sizeof(change), "%+.1f %%",
                                 difference_percent(row, result));
                fprintf(out, "| %s | %s | %s%s%s | %s | %.4g", row->paper, row->place,
                        row->quantity, row->unit ? ", " : "", row->unit ? row->unit : "", claim,
                        result->value);
                if (isfinite(result->half_width))
                        fprintf(out, " ± %.2g", result->half_width);
                fprintf(out, " | %s | %s |\n", change, verdicts[published_judge(row, result)]);
        }
}

/* Why they differ, a line for each row that does. */
static void print_reasons(const struct reproduce *r, FILE *out)
{
        bool first = true;
        for (int32_t i = 0; i < r->published.nrow; i++) {
                const struct published_row *row = &r->published.row[i];
                if (!r->wanted[i] || published_judge(row, &r->result[i]) != VERDICT_DIFFERS)
                        continue;
                fprintf(out, "%s- %s, %s: %s\n", first ? "\n" : "", row->place, row->quantity,
                        row->note ? row->note : "no reason is known");
                first = false;
        }
}

static int print_as(const struct reproduce *r, enum output format, FILE *out, struct lb_error *err)
{
        static const enum table_format formats[] = {
                [OUTPUT_TABLE] = TABLE_TEXT, [OUTPUT_CSV] = TABLE_CSV, [OUTPUT_JSON] = TABLE_JSON
        };
        int status = 0;
        if (format == OUTPUT_MARKDOWN) {
                print_markdown(r, out);
        } else {
                struct table *table = make_table(r);
                status = table ? table_write(table, out, formats[format]) : -1;
                table_destroy(table);
        }
        if (format == OUTPUT_TABLE || format == OUTPUT_MARKDOWN)
                print_reasons(r, out);
        if (status < 0 && !ferror(out))
                return lb_error_fail(err, "out of memory for the results");
        return 0;
}

static int write_file(const struct reproduce *r, enum output format, const char *ending,
                      struct lb_error *err)
{
        char path[4096];
        struct lb_file file;
        if (snprintf(path, sizeof(path), "%s/reproduce.%s", r->directory, ending) >=
            (int)sizeof(path))
                return lb_error_set(err, "'%.300s' is too long for a path", r->directory);
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        int status = print_as(r, format, file.stream, err);
        if (status == 0)
                status = lb_file_commit(&file, err);
        lb_file_abandon(&file);
        return status;
}

static int write_files(const struct reproduce *r, struct lb_error *err)
{
        if (lb_make_directory(r->directory, err) < 0 || write_file(r, OUTPUT_CSV, "csv", err) < 0 ||
            write_file(r, OUTPUT_JSON, "json", err) < 0 ||
            write_file(r, OUTPUT_MARKDOWN, "md", err) < 0)
                return -1;
        return 0;
}

static void show_progress(int32_t done, int32_t count)
{
        if (isatty(STDERR_FILENO))
                fprintf(stderr, "\rlbsim reproduce: scenario %d of %d \033[K%s", done + 1, count,
                        done + 1 == count ? "\n" : "");
}

/* ---- The command line ---- */

enum option_code {
        OPTION_OUT = 256,
        OPTION_QUICK,
        OPTION_ONLY,
        OPTION_REPLICATES,
        OPTION_JOBS,
        OPTION_FORMAT,
        OPTION_FAIL
};

static const struct option long_options[] = {
        { "out", required_argument, NULL, OPTION_OUT },
        { "quick", no_argument, NULL, OPTION_QUICK },
        { "only", required_argument, NULL, OPTION_ONLY },
        { "replicates", required_argument, NULL, OPTION_REPLICATES },
        { "jobs", required_argument, NULL, OPTION_JOBS },
        { "format", required_argument, NULL, OPTION_FORMAT },
        { "fail-if-differs", no_argument, NULL, OPTION_FAIL },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
};

static int read_count(const char *name, const char *text, int32_t most, int32_t *value,
                      struct lb_error *err)
{
        char *end;
        long number = strtol(text, &end, 10);
        if (end == text || *end || number < 1 || number > most)
                return lb_error_set(err, "%s %.60s, must be a whole number from 1 to %d", name,
                                    text, most);
        *value = (int32_t)number;
        return 0;
}

static int read_format(const char *text, enum output *format, struct lb_error *err)
{
        for (int i = 0; i < NOUTPUT; i++)
                if (strcmp(outputs[i], text) == 0) {
                        *format = (enum output)i;
                        return 0;
                }
        return lb_error_set(err, "--format %.60s, must be one of table, csv, json, markdown", text);
}

static int take_option(struct reproduce *r, int code, const char *value, struct lb_error *err)
{
        switch (code) {
        case OPTION_OUT:
                r->directory = value;
                return 0;
        case OPTION_QUICK:
                r->quick = true;
                return 0;
        case OPTION_ONLY:
                r->only = value;
                return 0;
        case OPTION_REPLICATES:
                return read_count("--replicates", value, 100, &r->options.replicates, err);
        case OPTION_JOBS:
                return read_count("--jobs", value, 1024, &r->options.jobs, err);
        case OPTION_FORMAT:
                return read_format(value, &r->format, err);
        case OPTION_FAIL:
                r->fail = true;
                return 0;
        default:
                r->help = true;
                return 0;
        }
}

static int read_options(struct reproduce *r, int argc, char **argv, struct lb_error *err)
{
        int code;
        opterr = 0;
        optind = 1;
        while ((code = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
                if (code == '?' || code == ':')
                        return lb_error_set(err, "%s %s (lbsim reproduce --help)", argv[optind - 1],
                                            code == ':' ? "needs a value" : "is no option");
                if (take_option(r, code, optarg, err) < 0)
                        return -1;
        }
        if (optind < argc)
                return lb_error_set(err, "unexpected '%.60s' (lbsim reproduce --help)",
                                    argv[optind]);
        return 0;
}

/* ---- Running ---- */

static bool wants(const struct reproduce *r, const struct published_row *row)
{
        if (r->quick && !row->quick)
                return false;
        return !r->only || strstr(row->paper, r->only) || strstr(row->place, r->only) ||
               strstr(row->quantity, r->only);
}

static int choose_rows(struct reproduce *r, struct lb_error *err)
{
        size_t nrow = (size_t)r->published.nrow;
        int32_t count = 0;
        r->wanted = calloc(nrow, sizeof(*r->wanted));
        r->result = calloc(nrow, sizeof(*r->result));
        if (!r->wanted || !r->result)
                return lb_error_fail(err, "out of memory");
        for (int32_t i = 0; i < r->published.nrow; i++) {
                r->wanted[i] = wants(r, &r->published.row[i]);
                count += r->wanted[i];
        }
        return count ? 0 : lb_error_set(err, "no row is left to simulate");
}

/* Rows that differ without a known reason. */
static int32_t count_unexplained(const struct reproduce *r)
{
        int32_t count = 0;
        for (int32_t i = 0; i < r->published.nrow; i++)
                count += r->wanted[i] && !r->published.row[i].note &&
                         published_judge(&r->published.row[i], &r->result[i]) == VERDICT_DIFFERS;
        return count;
}

static int run(struct reproduce *r, struct lb_error *err)
{
        char file[DATA_PATH_SIZE];
        if (!data_find("scenarios", "published.json", file))
                return lb_error_set(err, "scenarios/published.json was not found (in $LBSIM_DATA, "
                                         "or where lbsim was installed)");
        if (published_open(&r->published, file, err) < 0 || choose_rows(r, err) < 0)
                return -1;
        *strrchr(file, '/') = '\0';
        if (published_simulate(&r->published, r->wanted, file, &r->options, r->result, err) < 0 ||
            print_as(r, r->format, stdout, err) < 0)
                return -1;
        return r->directory ? write_files(r, err) : 0;
}

int command_reproduce(int argc, char **argv)
{
        enum { FAILED_CONDITION = 3, REPLICATES = 3, JOBS_MAX = 1024 };
        struct lb_error err = { .kind = LB_ERROR_NONE };
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        struct reproduce r = { .options = { .replicates = REPLICATES,
                                            .jobs = cores < 1          ? 1
                                                    : cores > JOBS_MAX ? JOBS_MAX
                                                                       : (int32_t)cores,
                                            .progress = show_progress } };
        int status = read_options(&r, argc, argv, &err);
        if (status == 0 && r.help)
                fputs(help, stdout);
        else if (status == 0)
                status = run(&r, &err);
        bool failed = status == 0 && r.fail && !r.help && count_unexplained(&r) > 0;
        if (status < 0)
                fprintf(stderr, "lbsim reproduce: %s\n", err.text);
        published_close(&r.published);
        free(r.wanted);
        free(r.result);
        return failed ? FAILED_CONDITION : lb_error_exit_code(&err);
}
