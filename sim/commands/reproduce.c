/* SPDX-License-Identifier: BSD-3-Clause */
/* lbsim reproduce: what the papers published against what is simulated. */
#include "sim/commands/commands.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "sim/output/published_report.h"

static const char help[] =
    "usage: lbsim reproduce [--out DIR [--figures]] [--quick] [--only TEXT] [--replicates N]\n"
    "                       [--jobs N] [--format table|csv|json|markdown] [--fail-if-differs]\n"
    "\n"
    "Simulate every quantity that the papers publish, and print one row for each: published,\n"
    "simulated with half the 95 % confidence interval over replicates, difference, verdict; below, "
    "why\n"
    "where they differ. What a paper withholds is predicted. Rows are scenarios/published.json.\n"
    "\n"
    "  --out DIR          write reproduce.csv, reproduce.json and reproduce.md as well\n"
    "  --figures          and draw the figures that the rows are of, from one draw of the loads, "
    "into\n"
    "                     directories there\n"
    "  --quick            the rows that take an instant\n"
    "  --only TEXT        rows whose paper, place or quantity holds TEXT\n"
    "  --replicates N     draws of the loads, 1 to 100 (default 3)\n"
    "  --jobs N           threads, 1 to 1024 (default: one per core)\n"
    "  --format FORMAT    what is printed\n"
    "  --fail-if-differs  exit with 3 where a row differs and no reason is known\n"
    "  --help             this text\n";

static const char *const formats[REPORT_NFORMAT] = { "table", "csv", "json", "markdown" };

struct reproduce {
        const char *directory, *only;
        bool quick, figures, fail, help;
        enum report_format format;
        struct published_options options;
        struct published published;
        bool *wanted;                    /* [nrow] */
        struct published_result *result; /* [nrow] */
};

static void show_progress(int32_t done, int32_t count)
{
        if (isatty(STDERR_FILENO))
                fprintf(stderr, "\rlbsim reproduce: scenario %d of %d \033[K%s", done + 1, count,
                        done + 1 == count ? "\n" : "");
}

/* ---- The command line ---- */

enum option_code {
        OPTION_OUT = 256,
        OPTION_FIGURES,
        OPTION_QUICK,
        OPTION_ONLY,
        OPTION_REPLICATES,
        OPTION_JOBS,
        OPTION_FORMAT,
        OPTION_FAIL
};

static const struct option long_options[] = {
        { "out", required_argument, NULL, OPTION_OUT },
        { "figures", no_argument, NULL, OPTION_FIGURES },
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

static int read_format(const char *text, enum report_format *format, struct lb_error *err)
{
        for (int i = 0; i < REPORT_NFORMAT; i++)
                if (strcmp(formats[i], text) == 0) {
                        *format = (enum report_format)i;
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
        case OPTION_FIGURES:
                r->figures = true;
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
        if (r->figures && !r->directory && !r->help)
                return lb_error_set(err, "--figures needs --out DIR (lbsim reproduce --help)");
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

static int draw_figures(const struct reproduce *r, const struct report *report,
                        const char *scenarios, struct lb_error *err)
{
        char *text = NULL;
        size_t size = 0;
        FILE *notes = open_memstream(&text, &size);
        if (!notes)
                return lb_error_fail(err, "out of memory");
        int status = report_draw(report, scenarios, r->directory, &r->options, notes, err);
        fclose(notes);
        char *rest = NULL;
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
                fprintf(stderr, "lbsim reproduce: %s\n", line);
        free(text);
        return status;
}

static int run(struct reproduce *r, struct lb_error *err)
{
        char file[LB_DATA_PATH_SIZE];
        if (!lb_data_find("scenarios", "published.json", file))
                return lb_error_set(err, "scenarios/published.json was not found (in $LBSIM_DATA, "
                                         "or where lbsim was installed)");
        if (published_open(&r->published, file, err) < 0 || choose_rows(r, err) < 0)
                return -1;
        *strrchr(file, '/') = '\0';
        if (published_simulate(&r->published, r->wanted, file, &r->options, r->result, err) < 0)
                return -1;
        struct report report = { &r->published, r->wanted, r->result };
        if (report_print(&report, r->format, stdout, err) < 0 ||
            (r->directory && report_write(&report, r->directory, err) < 0))
                return -1;
        return r->figures ? draw_figures(r, &report, file, err) : 0;
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
