/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lbsim explain DIR: one run of stored results, simulated again with a look
 * inside, and said in words. The scenario is the one that is stored with the
 * results.
 */
#include "sim/commands/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "sim/commands/commands.h"
#include "sim/output/results_file.h"
#include "sim/scenario/point.h"
#include "sim/scenario/shared.h"
#include "sim/sweep/journal.h"

enum { PATH_SIZE = 4096, SAMPLES = 400 };

struct explain_options {
        struct lb_option_list where;
        char *scenario; /* NULL: not given */
};

static const struct lb_option options_table[] = {
        { "where", LB_OPTION_LIST, "PATH=VALUE,...",
          "only runs with one of these values; may be repeated, all must hold",
          LB_OPTION_TO(struct explain_options, where) },
        { "scenario", LB_OPTION_FILE, "FILE",
          "the scenario, where its files are named relative to it and not where they were",
          LB_OPTION_TO(struct explain_options, scenario) },
        { .name = NULL },
};

/* ---- Which run ---- */

/* The run that is farthest from the bound, among those that are asked for. */
static int choose_row(struct results_file *f, const struct explain_options *o, int64_t *row,
                      struct lb_error *err)
{
        int32_t column;
        double worst = -1, ratio;
        for (int32_t i = 0; i < o->where.count; i++)
                if (results_file_filter(f, o->where.text[i], err) < 0)
                        return -1;
        if (results_file_column(f, "ratio_to_optimal", &column, err) < 0)
                return -1;
        for (int64_t i = 0; i < f->nrow; i++) {
                if (lb_csv_value(&f->csv, f->row[i], column, &ratio, err) < 0)
                        return -1;
                *row = ratio > worst ? f->row[i] : *row;
                worst = ratio > worst ? ratio : worst;
        }
        return worst >= 0 ? 0 : lb_error_set(err, "%.300s has no run with a time", f->csv.file);
}

static bool is_point(const struct scenario *scenario, int64_t point, const struct results_file *f,
                     int64_t row)
{
        for (int32_t c = 0; c < f->nkey; c++)
                if (strcmp(scenario_point_text(scenario, point, c), lb_csv_cell(&f->csv, row, c)) !=
                    0)
                        return false;
        return true;
}

/* The point and replicate of a row. */
static int find_run(const struct scenario *scenario, const struct results_file *f, int64_t row,
                    int64_t *point, int32_t *replicate, struct lb_error *err)
{
        uint64_t seed = strtoull(lb_csv_cell(&f->csv, row, f->nkey), NULL, 10);
        *replicate = (int32_t)(seed - scenario->seed);
        for (*point = 0; *point < scenario->npoint; ++*point)
                if (scenario_ncolumn(scenario) == f->nkey && is_point(scenario, *point, f, row) &&
                    point_seed(scenario, *replicate) == seed)
                        return 0;
        return lb_error_set(err, "%.300s: row %" PRId64 " is no point of the scenario beside it",
                            f->csv.file, row + 2);
}

/* ---- The scenario that is stored ---- */

/* The scenario's file as the command of the run had it: its first word that was one. */
static const char *file_of_command(const cJSON *command)
{
        for (const cJSON *word = command ? command->child : NULL; word; word = word->next) {
                const char *text = cJSON_IsString(word) ? word->valuestring : "";
                size_t length = strlen(text);
                if (length > 5 && strcmp(text + length - 5, ".json") == 0 && text[0] != '-')
                        return text;
        }
        return "scenario.json";
}

/* "sweep=..." as an option: then keys that only systems or models read which an option took out of
 * the sweep are left alone, as they were in the run that is stored. NULL: out of memory. */
static char *sweep_option(const cJSON *scenario)
{
        const cJSON *sweep = cJSON_GetObjectItemCaseSensitive(scenario, "sweep");
        char *text = sweep ? cJSON_PrintUnformatted(sweep) : strdup("{}");
        size_t size = text ? strlen(text) + sizeof("sweep=") : 0;
        char *option = text ? malloc(size) : NULL;
        if (option)
                snprintf(option, size, "sweep=%s", text);
        free(text);
        return option;
}

/* A stored scenario, and how to read it. */
struct stored {
        const char *directory, *file; /* files that it names stand beside the file */
        char *text, *sweep;
        bool swept;
};

static int open_plain(struct scenario *scenario, const struct stored *s, struct lb_error *err)
{
        const char *const set[] = { s->sweep };
        const struct scenario_options options = { .set = set, .nset = s->swept };
        return scenario_open_text(scenario, s->file, s->text, &options, err);
}

/* Of other files another run would be explained. */
static int check_files(const struct stored *s, struct lb_error *err)
{
        struct scenario plain;
        if (open_plain(&plain, s, err) < 0)
                return -1;
        bool another = journal_is_of_another(s->directory, &plain);
        scenario_close(&plain);
        return another
                   ? lb_error_set(err,
                                  "the runs in '%.300s' are of other files than those that "
                                  "'%.300s' names now (workload.file, include), or of another "
                                  "scenario: --scenario FILE beside which they are as they were",
                                  s->directory, s->file)
                   : 0;
}

/* With time series of every worker, about SAMPLES of them. */
static int open_with_series(struct scenario *scenario, const struct stored *s, double total_s,
                            struct lb_error *err)
{
        char series[64];
        const char *const set[] = { s->sweep, series, "output.workers=true", "output.figure=none" };
        const struct scenario_options options = { .set = set, .nset = 4 };
        snprintf(series, sizeof(series), "output.series_s=%.3g", fmin(total_s / SAMPLES, 3600));
        return scenario_open_text(scenario, s->file, s->text, &options, err);
}

static int open_text(struct scenario *scenario, const struct stored *s, double total_s,
                     struct lb_error *err)
{
        if (!s->text || !s->sweep)
                return lb_error_fail(err, "out of memory");
        if (check_files(s, err) == 0)
                return open_with_series(scenario, s, total_s, err);
        if (strstr(err->text, ": cannot read '"))
                lb_error_prefix(err, "--scenario FILE, beside which its file is, is needed: ");
        return -1;
}

/* file: where files that the scenario names are beside; NULL: as the run's command had it. */
static int open_stored(struct scenario *scenario, const char *directory, const char *file,
                       double total_s, struct lb_error *err)
{
        char path[LB_PATH_SIZE];
        struct lb_json results;
        if (results_file_of(directory, "results.json", "results.partial.json", path, err) < 0 ||
            lb_json_open(&results, path, err) < 0)
                return -1;
        cJSON *tree = cJSON_GetObjectItemCaseSensitive(results.root, "scenario");
        const cJSON *command = cJSON_GetObjectItemCaseSensitive(results.root, "command");
        struct stored stored = { .directory = directory,
                                 .file = file ? file : file_of_command(command) };
        int status = cJSON_IsObject(tree) ? 0 : lb_error_set(err, "it holds no scenario");
        if (status == 0) {
                stored.text = cJSON_Print(tree);
                stored.sweep = sweep_option(tree);
                stored.swept = cJSON_GetObjectItemCaseSensitive(tree, "sweep") != NULL;
                status = open_text(scenario, &stored, total_s, err);
        }
        if (status < 0)
                lb_error_prefix(err, "the scenario of %.200s: ", path);
        free(stored.text);
        free(stored.sweep);
        lb_json_close(&results);
        return status;
}

/* ---- Simulating it again ---- */

struct again {
        struct scenario scenario;
        int64_t point;
        int32_t replicate;
        double stored_s; /* time per iteration */
};

static void print_name(const struct again *a)
{
        printf("%s:", a->scenario.name);
        for (int32_t c = 0; c < scenario_ncolumn(&a->scenario); c++)
                printf("%s %s=%s", c ? "," : "", scenario_column(&a->scenario, c),
                       scenario_point_text(&a->scenario, a->point, c));
        printf("%s seed %" PRIu64 "\n", scenario_ncolumn(&a->scenario) ? "," : "",
               point_seed(&a->scenario, a->replicate));
}

/* The longest task of an apprank in an iteration, on a core of speed 1. */
static int64_t longest_ns(const struct workload *w, int32_t apprank, int32_t iteration,
                          const struct work *work)
{
        int64_t most_ns = 0, task_ns[WORKLOAD_BLOCK];
        if (workload_alike(w))
                return work->ntask > 0 ? work->task_ns : 0;
        for (int64_t t = 0; t < work->ntask; t++) {
                if (t % WORKLOAD_BLOCK == 0)
                        workload_block_ns(w, apprank, iteration, t / WORKLOAD_BLOCK, task_ns);
                int64_t ns = task_ns[t % WORKLOAD_BLOCK];
                most_ns = ns > most_ns ? ns : most_ns;
        }
        return most_ns;
}

/* How long the longest task of an iteration lasts, mean over those that the bound is of. */
static int longest_task(const struct workload *w, const struct bound *b, double *task_s,
                        struct lb_error *err)
{
        double sum_ns = 0;
        struct work *work = calloc((size_t)b->napprank, sizeof(*work));
        if (!work)
                return lb_error_fail(err, "out of memory");
        for (int32_t i = b->first; i < b->last; i++) {
                int64_t most_ns = 0;
                workload_iteration(w, i, work);
                for (int32_t a = 0; a < b->napprank; a++) {
                        int64_t ns = longest_ns(w, a, i, &work[a]);
                        most_ns = ns > most_ns ? ns : most_ns;
                }
                sum_ns += (double)most_ns;
        }
        free(work);
        *task_s = sum_ns * 1e-9 / (b->last - b->first);
        return 0;
}

/* With the bound, which is freed. */
static int say_bounded(const struct again *a, const struct bound_case *c, struct bound *bound,
                       const struct sim_result *result, double *node, struct lb_error *err)
{
        double task_s = 0;
        int status = longest_task(c->workload, bound, &task_s, err);
        if (status == 0) {
                print_name(a);
                explain_print(c, bound, result, task_s, node, stdout);
        }
        bound_finish(bound);
        return status;
}

static int say(const struct again *a, const struct bound_case *c, const struct sim_result *result,
               struct lb_error *err)
{
        struct bound bound;
        double *node = calloc((size_t)c->graph->nnode, sizeof(*node));
        int status = node ? bound_find(&bound, c, err) : lb_error_fail(err, "out of memory");
        if (status == 0)
                status = say_bounded(a, c, &bound, result, node, err);
        free(node);
        double time_s = result->metric[METRIC_TIME_PER_ITERATION_S];
        if (status == 0 && fabs(time_s - a->stored_s) > 1e-9 * time_s)
                fprintf(stderr,
                        "lbsim explain: stored are %.6g s, this build simulates %.6g s: the "
                        "results are of another build\n",
                        a->stored_s, time_s);
        return status;
}

static int explain(const struct again *a, struct lb_error *err)
{
        struct scenario_point point;
        struct sim_result result = { .niteration = 0 };
        struct point_shared *shared = point_shared_create(&a->scenario, err);
        if (!shared)
                return -1;
        if (scenario_point_get(&a->scenario, a->point, &point, err) < 0) {
                point_shared_destroy(shared);
                return -1;
        }
        struct bound_case c = { .point = &point };
        int status = point_run(&a->scenario, shared, a->point, a->replicate, &result, NULL, err);
        if (status == 0)
                c.workload =
                    shared_workload(shared, &point, point_seed(&a->scenario, a->replicate), err);
        c.graph = result.series.graph ? result.series.graph : shared_graph(shared, a->point, err);
        if (status == 0 && c.workload)
                status = shared_drawn(shared, c.workload, &c.drawn_ns, err);
        if (status == 0)
                status = c.workload && c.graph ? say(a, &c, &result, err) : -1;
        shared_workload_return(shared, c.workload);
        sim_result_finish(&result);
        scenario_point_finish(&point);
        point_shared_destroy(shared);
        return status;
}

static int explain_row(const struct results_file *f, const char *directory, const char *file,
                       int64_t row, struct lb_error *err)
{
        struct again a;
        int32_t total, time;
        double total_s;
        if (results_file_column(f, "total_s", &total, err) < 0 ||
            results_file_column(f, "time_per_iteration_s", &time, err) < 0 ||
            lb_csv_value(&f->csv, row, total, &total_s, err) < 0 ||
            lb_csv_value(&f->csv, row, time, &a.stored_s, err) < 0 ||
            open_stored(&a.scenario, directory, file, total_s, err) < 0)
                return -1;
        int status = find_run(&a.scenario, f, row, &a.point, &a.replicate, err);
        if (status == 0)
                status = explain(&a, err);
        scenario_close(&a.scenario);
        return status;
}

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        struct results_file file;
        const struct explain_options *options = given;
        int64_t row = -1;
        if (results_file_open(&file, call->word[0], err) < 0)
                return -1;
        results_file_warn(&file);
        int status = choose_row(&file, options, &row, err);
        if (status == 0)
                status = explain_row(&file, call->word[0], options->scenario, row, err);
        results_file_close(&file);
        return status;
}

const struct lb_command command_explain = {
        .program = &lbsim_program,
        .name = "explain",
        .summary = "why a point came out as it did",
        .usage = "DIR [OPTION]...",
        .about = "Say in words why a run of stored results takes the time that it "
                 "takes: which appranks "
                 "and nodes bind (the cut that proves the optimum of its graph), "
                 "which cores idle and "
                 "why, what messages and the size of tasks cost. Of the runs that "
                 "--where leaves, the "
                 "one that is farthest above the bound, simulated again.",
        .options = options_table,
        .size = sizeof(struct explain_options),
        .word = LB_OPTION_FOLDER,
        .word_min = 1,
        .word_max = 1,
        .needed = "a folder of results is needed",
        .run = run,
};
