/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/live_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "plots/page.h"
#include "policies/host/metrics.h"
#include "real/launch/live_trace.h"

enum { TEXT_SIZE = 1024, MOVES_MAX = 5000 };

static int take_name(char name[static LB_PATH_SIZE], const char **option, const char *page,
                     const char *ending, struct lb_error *err)
{
        int failed =
            *option ? lb_path(name, err, "%s", *option) : lb_path(name, err, "%s%s", page, ending);
        if (failed)
                return lb_error_prefix(err, "--html: ");
        *option = name;
        return 0;
}

/* All 0 where there is none. Whoever writes it writes another file of that name. */
static struct stat look_at(const char *name)
{
        struct stat file;
        return stat(name, &file) == 0 ? file : (struct stat){ 0 };
}

static bool is_new(const char *name, const struct stat *before)
{
        struct stat now = look_at(name);
        return now.st_ino &&
               (now.st_ino != before->st_ino || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
                now.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

bool live_page_has_report(const struct live_page *page)
{
        return is_new(page->report, &page->before[0]);
}

int live_page_prepare(struct live_page *page, struct options *options, struct lb_error *err)
{
        if (take_name(page->report, &options->report, options->html, ".report.json", err) < 0 ||
            take_name(page->trace, &options->trace, options->html, ".trace.json", err) < 0)
                return -1;
        if (lb_file_check(options->html, err) < 0)
                return lb_error_prefix(err, "--html: ");
        if (lb_file_apart(options->html, "--html", page->trace, "--trace", err) < 0 ||
            lb_file_apart(options->html, "--html", page->report, "--report", err) < 0)
                return -1;
        size_t length = strlen(page->trace);
        if (length < 5 || strcmp(page->trace + length - 5, ".json") != 0)
                return lb_error_set(err,
                                    "--html reads the trace, which must be FILE.json, found "
                                    "--trace '%.300s'",
                                    page->trace);
        page->before[0] = look_at(page->report);
        page->before[1] = look_at(page->trace);
        return 0;
}

/* ---- The report ---- */

static double number_of(const struct lb_json *report, const char *name)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(report->root, name);
        return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static void write_verdict(const struct lb_json *report, FILE *out)
{
        char text[TEXT_SIZE];
        double time_s = number_of(report, "time_per_iteration_s");
        double bound_s = number_of(report, "optimal_s");
        const cJSON *system = cJSON_GetObjectItemCaseSensitive(report->root, "system");
        const char *name = cJSON_IsString(system) ? system->valuestring : "?";
        if (bound_s > 0)
                snprintf(text, sizeof(text),
                         "Under %.40s an iteration takes %.4g s, %.3g times the bound (%.4g s: all "
                         "work over the speed of all cores); the appranks' work is uneven by %.3g "
                         "(max / mean).",
                         name, time_s, time_s / bound_s, bound_s,
                         number_of(report, "apprank_imbalance"));
        else
                snprintf(text, sizeof(text), "Under %.40s: no iteration was ended by all appranks.",
                         name);
        page_lead(out, text);
}

static void write_compared(const struct compared *compared, FILE *out)
{
        static const char *const columns[] = { "last third", "simulated", "live", "difference" };
        const struct {
                const char *name;
                const double *value;
                bool relative;
        } rows[] = { { "an iteration, s", compared->time_s, true },
                     { "over the bound", compared->ratio_to_optimal, true },
                     { "tasks away, %", compared->offloaded_percent, false } };
        if (!(compared->time_s[0] > 0))
                return;
        page_heading(out, "Simulated against live");
        page_text(out, "lbsim simulated the same system on the loads that this job had, so that "
                       "what differs is the model, and what else the machine did.");
        enum { NROW = sizeof(rows) / sizeof(rows[0]) };
        char text[NROW][3][32];
        const char *cell[NROW][4];
        for (int i = 0; i < NROW; i++) {
                const double *v = rows[i].value;
                bool relative = rows[i].relative && v[0] > 0;
                snprintf(text[i][0], sizeof(text[i][0]), "%.4g", v[0]);
                snprintf(text[i][1], sizeof(text[i][1]), "%.4g", v[1]);
                snprintf(text[i][2], sizeof(text[i][2]), relative ? "%+.1f %%" : "%+.1f points",
                         relative ? 100 * (v[1] / v[0] - 1) : v[1] - v[0]);
                cell[i][0] = rows[i].name;
                for (int c = 0; c < 3; c++)
                        cell[i][c + 1] = text[i][c];
        }
        page_table(out, columns, 4, cell[0], NROW);
}

/* Numbers, words and switches; lists have no place here. */
static void write_figures(const struct lb_json *report, FILE *out)
{
        static const char *const columns[] = { "what", "value", "unit" };
        const cJSON *item;
        page_heading(out, "Every figure and setting");
        page_table_begin(out, columns, 3);
        cJSON_ArrayForEach(item, report->root)
        {
                char number[64] = "";
                int metric = metric_find(item->string, METRIC_ALL);
                const char *unit = metric >= 0 ? metric_table[metric].unit : NULL;
                if (cJSON_IsNumber(item))
                        snprintf(number, sizeof(number), "%.6g", item->valuedouble);
                const char *cell[] = { item->string,
                                       cJSON_IsString(item) ? item->valuestring
                                       : cJSON_IsBool(item) ? cJSON_IsTrue(item) ? "yes" : "no"
                                                            : number,
                                       unit ? unit : "" };
                if (!cJSON_IsArray(item) && !cJSON_IsObject(item) && !cJSON_IsNull(item))
                        page_table_row(out, cell, 3);
        }
        page_table_end(out);
}

/* A list of numbers, to be freed; NULL where there is none. */
static double *numbers_of(const struct lb_json *report, const char *name, int64_t *count)
{
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(report->root, name), *item;
        double *value =
            calloc(cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) + 1 : 1, sizeof(*value));
        *count = 0;
        cJSON_ArrayForEach(item, list)
        {
                if (value)
                        value[(*count)++] = cJSON_IsNumber(item) ? item->valuedouble : NAN;
        }
        return value;
}

static void write_iterations(const struct lb_json *report, const struct compared *compared,
                             FILE *out)
{
        int64_t count;
        double *live = numbers_of(report, "iteration_s", &count);
        const struct page_line line[] = {
                { "live", live, count, 1 },
                { "simulated", compared->iteration_s, compared->niteration, 0 },
        };
        page_lines(out, &(struct page_lines){ .title = "Time of each iteration",
                                              .x = "iteration",
                                              .unit = "s",
                                              .line = line,
                                              .nline = compared->niteration > 0 ? 2 : 1,
                                              .level_name = "bound",
                                              .level = number_of(report, "optimal_s") });
        free(live);
}

/* ---- The trace ---- */

static void write_lanes(const struct live_trace *trace, const double *value, const char *title,
                        double most, bool marks, FILE *out)
{
        struct page_lane *lane = calloc((size_t)trace->nnode, sizeof(*lane));
        char(*name)[32] = calloc((size_t)trace->nnode, sizeof(*name));
        for (int32_t n = 0; lane && name && n < trace->nnode; n++) {
                snprintf(name[n], sizeof(name[n]), "node %" PRId32, n);
                lane[n] = (struct page_lane){ name[n], most,
                                              value + (int64_t)n * trace->napprank * LIVE_BINS };
        }
        const struct page_timeline timeline = { .title = title,
                                                .layers = "apprank",
                                                .marks = "cores change owner",
                                                .end_s = trace->end_s,
                                                .lane = lane,
                                                .nlane = trace->nnode,
                                                .nlayer = trace->napprank,
                                                .nbin = LIVE_BINS,
                                                .mark_s = trace->move_s,
                                                .nmark = marks ? trace->nmove : 0 };
        if (lane && name)
                page_timeline(out, &timeline);
        free(lane);
        free(name);
}

/* The most cores of a node that are ever in use or owned. */
static double most_cores(const struct live_trace *trace, const double *value)
{
        double most = 0;
        for (int32_t n = 0; n < trace->nnode; n++)
                for (int32_t b = 0; b < LIVE_BINS; b++) {
                        double sum = 0;
                        for (int32_t a = 0; a < trace->napprank; a++)
                                sum += value[((int64_t)n * trace->napprank + a) * LIVE_BINS + b];
                        most = sum > most ? sum : most;
                }
        return most;
}

static void write_moves(const struct live_trace *trace, FILE *out)
{
        static const char *const columns[] = { "time, s", "node", "apprank", "cores before",
                                               "cores after" };
        char text[5][32];
        page_heading(out, "Decisions: cores that changed owner");
        if (trace->nmove == 0) {
                page_text(out, "None.");
                return;
        }
        page_table_begin(out, columns, 5);
        for (int64_t m = 0; m < trace->nmove && m < MOVES_MAX; m++) {
                const struct live_move *move = &trace->move[m];
                const int32_t whole[] = { move->node, move->apprank, move->from, move->to };
                const char *cell[5] = { text[0] };
                snprintf(text[0], sizeof(text[0]), "%.4f", move->time_s);
                for (int i = 0; i < 4; i++) {
                        snprintf(text[i + 1], sizeof(text[i + 1]), "%" PRId32, whole[i]);
                        cell[i + 1] = text[i + 1];
                }
                page_table_row(out, cell, 5);
        }
        page_table_end(out);
        if (trace->nmove > MOVES_MAX)
                page_text(out, "Only the first 5000 are on this page.");
}

static void write_timelines(const struct live_trace *trace, FILE *out)
{
        double most = most_cores(trace, trace->owned);
        write_lanes(trace, trace->owned, "Cores that each apprank owns", most, true, out);
        write_lanes(trace, trace->busy, "Cores that execute its tasks", most, false, out);
        write_lanes(trace, trace->borrowed, "Borrowed cores that execute its tasks", most, false,
                    out);
}

/* ---- The page ---- */

static bool is_cut(const struct lb_json *report)
{
        return cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(report->root, "complete"));
}

static void write_end(const struct lb_json *report, FILE *out)
{
        char text[TEXT_SIZE + 256], when[64] = "";
        const cJSON *who = cJSON_GetObjectItemCaseSensitive(report->root, "ended_by");
        bool known = cJSON_IsString(who);
        if (number_of(report, "until_s") > 0)
                snprintf(when, sizeof(when), " (%.4g s after its start)",
                         number_of(report, "until_s"));
        snprintf(text, sizeof(text),
                 "The job was ended before its end%s%.1000s: this is what was measured until "
                 "then%s.",
                 known ? ", since " : "", known ? who->valuestring : "", when);
        page_text(out, text);
}

/* Whoever was killed without a word on several nodes has left none. */
static int read_trace(const struct live_page *page, const struct lb_json *report,
                      struct live_trace *trace, struct lb_error *err)
{
        *trace = (struct live_trace){ 0 };
        if (is_cut(report) && !is_new(page->trace, &page->before[1]))
                return 0;
        return live_trace_read(trace, page->trace, err);
}

static int write_page(const struct lb_json *report, const struct live_trace *trace,
                      const struct options *options, const struct compared *compared, FILE *out,
                      struct lb_error *err)
{
        page_begin(out, "A live run");
        write_verdict(report, out);
        if (is_cut(report))
                write_end(report, out);
        write_compared(compared, out);
        write_iterations(report, compared, out);
        if (trace->nnode > 0)
                write_timelines(trace, out);
        if (trace->nnode > 0)
                write_moves(trace, out);
        write_figures(report, out);
        page_heading(out, "How to repeat it");
        if (page_command(out, "", options->argv) < 0)
                return lb_error_fail(err, "out of memory for the page");
        page_script(out);
        page_end(out);
        return 0;
}

int live_page_write(const struct live_page *page, const struct options *options,
                    const struct compared *compared, struct lb_error *err)
{
        struct lb_json report;
        struct live_trace trace;
        struct lb_file file;
        if (lb_json_open(&report, page->report, err) < 0)
                return -1;
        int status = read_trace(page, &report, &trace, err);
        if (status == 0 && (status = lb_file_create(&file, options->html, err)) == 0) {
                status = write_page(&report, &trace, options, compared, file.stream, err);
                if (status == 0)
                        status = lb_file_commit(&file, err);
                lb_file_abandon(&file);
        }
        live_trace_finish(&trace);
        lb_json_close(&report);
        return status;
}
