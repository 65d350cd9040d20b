/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/number.h"
#include "base/self.h"
#include "real/launch/advise.h"
#include "real/launch/compare_say.h"
#include "real/launch/plan.h"
#include "real/launch/settings.h"

enum { TEXT_SIZE = 8192, PATH_SIZE = 256 };

/* ---- Before ---- */

/* What lbsim does not have. */
static int check(const struct options *options, struct lb_error *err)
{
        if (!options->graph)
                return 0;
        return lb_error_set(err, "--compare does not go with --graph: what was measured is "
                                 "simulated on a graph that lbsim makes, by degree and seed");
}

int compare_prepare(struct compare *compare, struct options *options, struct lb_error *err)
{
        const char *where = getenv("TMPDIR");
        compare->directory[0] = '\0';
        if (check(options, err) < 0)
                return -1;
        where = where && where[0] && strlen(where) < 40 ? where : "/tmp";
        snprintf(compare->directory, sizeof(compare->directory), "%s/lbrun-XXXXXX", where);
        if (!mkdtemp(compare->directory))
                return lb_error_fail(err, "--compare: '%s': %s", compare->directory,
                                     strerror(errno));
        snprintf(compare->report, sizeof(compare->report), "%s/report.json", compare->directory);
        snprintf(compare->loads, sizeof(compare->loads), "%s/loads.csv", compare->directory);
        snprintf(compare->tasks, sizeof(compare->tasks), "%s/tasks.csv", compare->directory);
        snprintf(compare->iterations, sizeof(compare->iterations), "%s/iterations.csv",
                 compare->directory);
        options->report = options->report ? options->report : compare->report;
        options->loads = options->loads ? options->loads : compare->loads;
        options->tasks_ordered = !options->tasks;
        options->tasks = options->tasks ? options->tasks : compare->tasks;
        return 0;
}

void compare_finish(struct compare *compare)
{
        if (!compare->directory[0])
                return;
        unlink(compare->report);
        unlink(compare->loads);
        unlink(compare->tasks);
        unlink(compare->iterations);
        rmdir(compare->directory);
}

/* ---- After ---- */

static double number_of(const cJSON *object, const char *name)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
        return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static void add_set(struct words *line, const char *text)
{
        words_add(line, "--set");
        words_add(line, text);
}

static void write_speeds(FILE *out, const double *speed, int32_t nnode)
{
        const char *before = "platform.speed=[";
        for (int32_t n = 0; n < nnode; n++) {
                char factor[LB_NUMBER_SIZE];
                if (!(speed[n] > 0)) /* not said */
                        continue;
                lb_number_text(speed[n], factor);
                fprintf(out, "%s{\"node\": %" PRId32 ", \"factor\": %s}", before, n, factor);
                before = ", ";
        }
        fputs("]", out);
}

/* The nodes that were said to be of another speed, each once. */
static void add_speeds(struct words *line, const struct options *options, int32_t nnode)
{
        struct lb_error err;
        double *speed = calloc((size_t)nnode + 1, sizeof(*speed));
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        bool fine = out && speed && plan_speeds(speed, nnode, options, &err) == 0;
        if (fine)
                write_speeds(out, speed, nnode);
        if (out && fclose(out) != 0)
                fine = false;
        if (fine)
                add_set(line, text);
        else
                line->failed = true;
        free(text);
        free(speed);
}

/* Ranks of one machine wake each other: nobody has to look for messages. */
static bool add_looks(struct words *line, const cJSON *report)
{
        bool one_machine = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(report, "virtual_nodes"));
        if (one_machine)
                add_set(line, "runtime.message_poll_us=0");
        return one_machine;
}

/* The job's own switches, which are on where they can be, and parameters, as far as a simulation
 * has them. */
static void add_settings(struct words *line, const struct options *options, const cJSON *report,
                         const char *system)
{
        static const char looks[] = "runtime.message_poll_us=";
        char path[PATH_SIZE];
        bool one_machine = add_looks(line, report);
        if (options->lewi == SWITCH_OFF)
                add_set(line, "system.lewi=false");
        if (options->drom == SWITCH_OFF)
                add_set(line, "system.drom=false");
        if (options->seed) {
                snprintf(path, sizeof(path), "graph.seed=%.200s", options->seed);
                add_set(line, path);
        }
        for (int32_t i = 0; i < options->param.count; i++)
                if (settings_simulated(options->param.text[i], system, path, sizeof(path)) &&
                    !(one_machine && strncmp(path, looks, strlen(looks)) == 0))
                        add_set(line, path);
}

/* What a task that ran elsewhere brought there, as much as it brought home on average, where the
 * tasks do not say; what it wrote comes home at the taskwait at the latest. */
static void add_data(struct words *line, const cJSON *report, bool alike)
{
        double bytes = number_of(report, "offloaded_bytes");
        double tasks = number_of(report, "offloaded_tasks");
        char text[64];
        if (!(bytes > 0) || !(tasks > 0))
                return;
        snprintf(text, sizeof(text), "workload.task_bytes=%.0f", bytes / tasks / 2);
        if (alike)
                add_set(line, text);
        add_set(line, "workload.writeback=true");
        double copy_s = number_of(report, "copy_s");
        snprintf(text, sizeof(text), "platform.network.copy_GBps=%.6g", 1e-9 * bytes / copy_s);
        if (copy_s > 0)
                add_set(line, text);
}

/* Did tasks say what they cost? */
static bool have_costs(const char *loads)
{
        struct lb_error err;
        struct lb_csv csv = { 0 };
        bool have = lb_csv_open(&csv, loads, &err) == 0 && lb_csv_column(&csv, "cost") >= 0;
        lb_csv_close(&csv);
        return have;
}

/* What is simulated. */
struct request {
        const struct compare *compare;
        const struct options *options;
        const cJSON *report;
        const char *system;
        const char *file; /* of tasks, or of loads */
};

/* seed: of the moments at which workers look for messages; 0: the usual one. */
static void add_line(struct words *line, const struct request *request, int32_t seed)
{
        const struct options *options = request->options;
        const cJSON *report = request->report;
        const char *system = request->system, *file = request->file;
        char lbsim[LB_SELF_SIZE];
        const struct {
                const char *option;
                double value;
        } numbers[] = {
                { "--cores", number_of(report, "cores") },
                { "--appranks-per-node",
                  number_of(report, "appranks") / number_of(report, "nodes") },
                { "--degrees", number_of(report, "degree") },
                { "--iterations", number_of(report, "iterations") },
        };
        words_add(line, lb_self_sister("lbsim", lbsim));
        words_add(line, "gain");
        words_add(line, file);
        words_add(line, "--systems"); /* and one that takes each parameter that others ignore */
        words_add_format(line, strcmp(system, "baseline") == 0 ? "%s" : "%s,baseline", system);
        words_add(line, "--quiet");
        words_add(line, "--no-range");
        words_add(line, "--format");
        words_add(line, "json");
        words_add(line, "--iteration-times");
        words_add(line, request->compare->iterations);
        if (options->policy) {
                words_add(line, "--policy");
                words_add(line, options->policy);
        }
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
                if (numbers[i].value >= 1) {
                        words_add(line, numbers[i].option);
                        words_add_format(line, "%.0f", numbers[i].value);
                }
        if (options->speed.count > 0)
                add_speeds(line, options, (int32_t)number_of(report, "nodes"));
        if (file == options->tasks && have_costs(options->loads))
                add_set(line, "runtime.cost_hints=true");
        add_data(line, report, file == options->loads);
        add_settings(line, options, report, system);
        if (seed > 0) {
                char text[32];
                snprintf(text, sizeof(text), "seed=%" PRId32, seed);
                add_set(line, text);
        }
}

/* A number of the row of a system, 0 where it has none. */
static double row_number(const char *row, const char *name)
{
        char field[64];
        int length = snprintf(field, sizeof(field), "\"%s\": ", name);
        const char *at = row ? strstr(row, field) : NULL;
        return at ? strtod(at + length, NULL) : 0;
}

/* The system's iterations; none where they cannot be read, or memory runs out. Where work may be in
 * parts of several sizes the first is as it was, and the others begin anew. */
static void read_iterations(struct compared *compared, const char *file, const char *system)
{
        struct lb_error err;
        struct lb_csv csv = { 0 };
        double number, time_s;
        if (lb_csv_open(&csv, file, &err) == 0)
                compared->iteration_s = calloc((size_t)csv.nrow + 1, sizeof(double));
        int32_t name = lb_csv_column(&csv, "system"), count = lb_csv_column(&csv, "iteration");
        int32_t time = lb_csv_column(&csv, "time_s");
        bool fine = compared->iteration_s && name >= 0 && count >= 0 && time >= 0;
        for (int64_t r = 0; fine && r < csv.nrow; r++)
                if (strcmp(lb_csv_cell(&csv, r, name), system) == 0 &&
                    lb_csv_number(&csv, r, count, &number, &err) == 0 &&
                    (int64_t)number == compared->niteration &&
                    lb_csv_number(&csv, r, time, &time_s, &err) == 0)
                        compared->iteration_s[compared->niteration++] = time_s;
        lb_csv_close(&csv);
}

/* Its time is 0 where lbsim gives none. */
static void simulate(struct compared *compared, const struct request *request, int32_t seed)
{
        struct words line = { 0 };
        char text[TEXT_SIZE] = "", name[64];
        add_line(&line, request, seed);
        bool fine = !line.failed && advise_ask(&line, text, sizeof(text), true);
        snprintf(name, sizeof(name), "\"system\": \"%.40s\"", request->system);
        const char *row = fine ? strstr(text, name) : NULL;
        words_finish(&line);
        compared->time_s[0] = row_number(row, "time_per_iteration_s");
        compared->ratio_to_optimal[0] = row_number(row, "ratio_to_optimal");
        compared->offloaded_percent[0] = row_number(row, "offloaded_tasks_percent");
        if (row)
                read_iterations(compared, request->compare->iterations, request->system);
}

/* Where the simulation knows of no order among tasks: no system is faster than those that wait for
 * each other. */
static void take_chain(struct compared *found, double chain_s)
{
        if (!(chain_s > found->time_s[0]))
                return;
        fprintf(stderr,
                "lbrun: tasks that wait for each other last %.4g s, where %.4g s are simulated "
                "without their order: taken for that\n",
                chain_s, found->time_s[0]);
        found->ratio_to_optimal[0] *= chain_s / found->time_s[0];
        found->time_s[0] = chain_s;
        for (int32_t i = 0; i < found->niteration; i++)
                found->iteration_s[i] = fmax(found->iteration_s[i], chain_s);
}

/* The same at other moments: the least and the most of all. */
static void simulate_again(const struct compared *found, const struct request *request,
                           double *least_s, double *most_s)
{
        enum { LAST_SEED = 4 };
        *least_s = *most_s = found->time_s[0];
        for (int32_t seed = 2; seed <= LAST_SEED; seed++) {
                struct compared again = { .time_s[0] = 0 };
                simulate(&again, request, seed);
                if (again.time_s[0] > 0) {
                        *least_s = fmin(*least_s, again.time_s[0]);
                        *most_s = fmax(*most_s, again.time_s[0]);
                }
                compared_finish(&again);
        }
}

static int tell(const struct compare *compare, const struct options *options, const cJSON *report,
                struct compared *compared, struct lb_error *err)
{
        const cJSON *system = cJSON_GetObjectItemCaseSensitive(report, "system");
        struct compared found = {
                .time_s[1] = number_of(report, "time_per_iteration_s"),
                .ratio_to_optimal[1] = number_of(report, "ratio_to_optimal"),
                .offloaded_percent[1] = 100 * number_of(report, "steady_offloaded_fraction"),
        };
        if (!(found.time_s[1] > 0) || !cJSON_IsString(system))
                return lb_error_fail(err, "--compare: no iteration was ended by all appranks");
        double chain_s = number_of(report, "chain_s");
        struct request request = { compare, options, report, system->valuestring, options->tasks };
        if (access(options->tasks, R_OK) == 0) /* else no task waits for another */
                simulate(&found, &request, 0);
        bool ordered = found.time_s[0] > 0;
        if (!ordered) {
                request.file = options->loads;
                simulate(&found, &request, 0);
        }
        if (!(found.time_s[0] > 0)) {
                compared_finish(&found);
                return lb_error_fail(err,
                                     "--compare: lbsim simulates no such job; lbsim gain %.200s "
                                     "--cores C says why (--loads FILE keeps what was measured)",
                                     options->loads);
        }
        if (!ordered)
                take_chain(&found, chain_s);
        compare_say(found.time_s[0], found.time_s[1]);
        if (compare_differ(found.time_s[0], found.time_s[1])) {
                double least_s, most_s;
                simulate_again(&found, &request, &least_s, &most_s);
                compare_why(&(struct compare_reasons){
                    .simulated_s = found.time_s[0],
                    .live_s = found.time_s[1],
                    .least_s = least_s,
                    .most_s = most_s,
                    .chain_s = ordered ? 0 : chain_s,
                    .ends_apart_s = number_of(report, "ends_apart_s"),
                    .file = request.file,
                    .tasks = ordered,
                });
        }
        *compared = found;
        return 0;
}

int compare_print(const struct compare *compare, const struct options *options,
                  struct compared *compared, struct lb_error *err)
{
        struct lb_json report;
        if (lb_json_open(&report, options->report, err) < 0)
                return lb_error_prefix(err, "--compare: ");
        int status = tell(compare, options, report.root, compared, err);
        lb_json_close(&report);
        return status;
}

void compared_finish(struct compared *compared)
{
        free(compared->iteration_s);
        *compared = (struct compared){ .iteration_s = NULL };
}
