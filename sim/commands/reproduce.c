/* SPDX-License-Identifier: BSD-3-Clause */
/* lbsim reproduce: what the papers published against what is simulated. */
#include "base/text.h"
#include "sim/commands/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "sim/output/published_report.h"

static const char *const states[] = { "each", "paper", "original", "published", NULL };
static const char *const formats[] = { "table", "csv", "json", "markdown", NULL };

struct reproduce {
        const char *directory, *only;
        bool quick, figures, fail;
        enum report_format format;
        int state; /* of states[] */
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

static const struct lb_option options_table[] = {
        { "out", LB_OPTION_FOLDER, "DIR",
          "write reproduce.csv, reproduce.json and reproduce.md as well",
          LB_OPTION_TO(struct reproduce, directory) },
        { "figures", LB_OPTION_FLAG, NULL,
          "and draw all rows at one look, and the figures that they are of, from one draw of the "
          "loads, into directories there",
          LB_OPTION_TO(struct reproduce, figures) },
        { "quick", LB_OPTION_FLAG, NULL, "the rows that take an instant",
          LB_OPTION_TO(struct reproduce, quick) },
        { "only", LB_OPTION_TEXT, "TEXT", "rows whose paper, place or quantity holds TEXT",
          LB_OPTION_TO(struct reproduce, only) },
        { "as", LB_OPTION_CHOICE, NULL,
          "one state of the rules (system.as) for all rows, those of other states left out; each: "
          "as "
          "every row says",
          LB_OPTION_TO(struct reproduce, state), .choices = states, .fallback = "each" },
        { "replicates", LB_OPTION_WHOLE, "N", "draws of the loads",
          LB_OPTION_TO(struct reproduce, options.replicates), .min = 1, .max = 100,
          .fallback = "3" },
        OPTION_JOBS(struct reproduce, options.jobs),
        { "format", LB_OPTION_CHOICE, NULL, "what is printed",
          LB_OPTION_TO(struct reproduce, format), .choices = formats, .fallback = "table" },
        { "fail-if-differs", LB_OPTION_FLAG, NULL,
          "exit with 3 where a row differs and no reason is known",
          LB_OPTION_TO(struct reproduce, fail) },
        { .name = NULL },
};

/* ---- Running ---- */

static bool wants(const struct reproduce *r, const struct published_row *row)
{
        if ((r->quick && !row->quick) || (r->state && row->again))
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
        struct lb_text all;
        FILE *notes = lb_text_begin(&all);
        if (!notes)
                return lb_error_fail(err, "out of memory");
        int status = report_overview(report, r->directory, notes, err);
        if (status == 0)
                status = report_draw(report, scenarios, r->directory, &r->options, notes, err);
        char *rest = NULL, *text = lb_text_end(&all);
        char *line = text ? strtok_r(text, "\n", &rest) : NULL;
        for (; line; line = strtok_r(NULL, "\n", &rest))
                fprintf(stderr, "lbsim reproduce: %s\n", line);
        free(text);
        return status;
}

static int reproduce(struct reproduce *r, struct lb_error *err)
{
        char file[LB_DATA_PATH_SIZE];
        if (!lb_data_find("scenarios", "published.json", file))
                return lb_error_set(err, "scenarios/published.json was not found (in $LBSIM_DATA, "
                                         "or where lbsim was installed)");
        if (published_open(&r->published, file, err) < 0 || choose_rows(r, err) < 0)
                return -1;
        *strrchr(file, '/') = '\0';
        if (r->directory && report_prepare(r->directory, err) < 0)
                return lb_error_prefix(err, "--out: ");
        if (published_simulate(&r->published, r->wanted, file, &r->options, r->result, err) < 0)
                return -1;
        struct report report = { &r->published, r->wanted, r->result };
        if (report_print(&report, r->format, stdout, err) < 0 ||
            (r->directory && report_write(&report, r->directory, err) < 0))
                return -1;
        return r->figures ? draw_figures(r, &report, file, err) : 0;
}

static int run(const struct lb_call *call, void *options, struct lb_error *err)
{
        enum { FAILED_CONDITION = 3 };
        struct reproduce *r = options;
        (void)call;
        if (r->figures && !r->directory)
                return lb_error_set(err, "--figures needs --out DIR (lbsim reproduce --help)");
        r->options.progress = show_progress;
        r->options.state = r->state ? states[r->state] : NULL;
        if (r->options.jobs == 0)
                r->options.jobs = command_cores();
        int status = reproduce(r, err);
        if (status == 0 && r->fail && count_unexplained(r) > 0)
                status = FAILED_CONDITION;
        published_close(&r->published);
        free(r->wanted);
        free(r->result);
        return status;
}

const struct lb_command command_reproduce = {
        .program = &lbsim_program,
        .name = "reproduce",
        .summary = "published results against simulated ones",
        .usage = "[--out DIR [--figures]] [OPTION]...",
        .about = "Simulate every quantity that the papers publish, and print one row for each: "
                 "published, simulated with half the 95 % confidence interval over replicates, "
                 "difference, verdict; below, why where they differ. What a paper withholds is "
                 "predicted. Rows are scenarios/published.json.",
        .ends = "3 where --fail-if-differs is given and a row differs without a known reason.",
        .options = options_table,
        .size = sizeof(struct reproduce),
        .run = run,
};
