/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/self.h"
#include "real/launch/advise.h"
#include "real/launch/settings.h"

enum { TEXT_SIZE = 8192, PATH_SIZE = 256 };

/* ---- Before ---- */

/* What the model of a machine does not have. */
static int check(const struct options *options, struct lb_error *err)
{
        const struct {
                const char *name;
                bool given;
        } none[] = { { "--speed", options->speed.count > 0 },
                     { "--policy", options->policy != NULL },
                     { "--graph", options->graph != NULL } };
        for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
                if (none[i].given)
                        return lb_error_set(err,
                                            "--compare does not go with %s: what was measured is "
                                            "simulated on equal nodes, with policies and graphs "
                                            "that lbsim has by name",
                                            none[i].name);
        return 0;
}

int compare_prepare(struct compare *compare, struct options *options, struct lb_error *err)
{
        const char *where = getenv("TMPDIR");
        compare->directory[0] = '\0';
        if (check(options, err) < 0)
                return -1;
        if (options->report && options->loads)
                return 0;
        where = where && where[0] && strlen(where) < 40 ? where : "/tmp";
        snprintf(compare->directory, sizeof(compare->directory), "%s/lbrun-XXXXXX", where);
        if (!mkdtemp(compare->directory))
                return lb_error_fail(err, "--compare: '%s': %s", compare->directory,
                                     strerror(errno));
        snprintf(compare->report, sizeof(compare->report), "%s/report.json", compare->directory);
        snprintf(compare->loads, sizeof(compare->loads), "%s/loads.csv", compare->directory);
        options->report = options->report ? options->report : compare->report;
        options->loads = options->loads ? options->loads : compare->loads;
        return 0;
}

void compare_finish(struct compare *compare)
{
        if (!compare->directory[0])
                return;
        unlink(compare->report);
        unlink(compare->loads);
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

/* The job's own switches, which are on where they can be, and parameters, as far as a simulation
 * has them. */
static void add_settings(struct words *line, const struct options *options, const char *system)
{
        char path[PATH_SIZE];
        if (options->lewi == SWITCH_OFF)
                add_set(line, "system.lewi=false");
        if (options->drom == SWITCH_OFF)
                add_set(line, "system.drom=false");
        if (options->seed) {
                snprintf(path, sizeof(path), "graph.seed=%.200s", options->seed);
                add_set(line, path);
        }
        if (strcmp(system, "chameleon") == 0)
                add_set(line, "system.comm_core=shared");
        for (int32_t i = 0; i < options->param.count; i++)
                if (settings_simulated(options->param.text[i], path, sizeof(path)))
                        add_set(line, path);
}

static void add_line(struct words *line, const struct options *options, const cJSON *report,
                     const char *system)
{
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
        words_add(line, options->loads);
        words_add(line, "--systems"); /* and one that takes each parameter that others ignore */
        words_add_format(line, strcmp(system, "baseline") == 0 ? "%s" : "%s,baseline", system);
        words_add(line, "--quiet");
        words_add(line, "--format");
        words_add(line, "json");
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
                if (numbers[i].value >= 1) {
                        words_add(line, numbers[i].option);
                        words_add_format(line, "%.0f", numbers[i].value);
                }
        add_settings(line, options, system);
}

/* A number of the row of a system, 0 where it has none. */
static double row_number(const char *row, const char *name)
{
        char field[64];
        int length = snprintf(field, sizeof(field), "\"%s\": ", name);
        const char *at = row ? strstr(row, field) : NULL;
        return at ? strtod(at + length, NULL) : 0;
}

/* Its time is 0 where lbsim gives none. */
static void simulate(struct compared *compared, const struct options *options, const cJSON *report,
                     const char *system)
{
        struct words line = { 0 };
        char text[TEXT_SIZE] = "", name[64];
        add_line(&line, options, report, system);
        bool fine = !line.failed && advise_ask(&line, text, sizeof(text), true);
        snprintf(name, sizeof(name), "\"system\": \"%.40s\"", system);
        const char *row = fine ? strstr(text, name) : NULL;
        words_finish(&line);
        compared->time_s[0] = row_number(row, "time_per_iteration_s");
        compared->ratio_to_optimal[0] = row_number(row, "ratio_to_optimal");
        compared->offloaded_percent[0] = row_number(row, "offloaded_tasks_percent");
}

void compare_say(double simulated_s, double live_s)
{
        fprintf(stderr, "lbrun: simulated %.4g s, live %.4g s, difference %+.1f %%, an iteration\n",
                simulated_s, live_s, 100 * (live_s / simulated_s - 1));
}

static int tell(const struct options *options, const cJSON *report, struct compared *compared,
                struct lb_error *err)
{
        const cJSON *system = cJSON_GetObjectItemCaseSensitive(report, "system");
        struct compared found = {
                .time_s[1] = number_of(report, "time_per_iteration_s"),
                .ratio_to_optimal[1] = number_of(report, "ratio_to_optimal"),
                .offloaded_percent[1] = 100 * number_of(report, "steady_offloaded_fraction"),
        };
        if (!(found.time_s[1] > 0) || !cJSON_IsString(system))
                return lb_error_fail(err, "--compare: no iteration was ended by all appranks");
        simulate(&found, options, report, system->valuestring);
        if (!(found.time_s[0] > 0))
                return lb_error_fail(err,
                                     "--compare: lbsim simulates no such job; lbsim gain %.200s "
                                     "--cores C says why (--loads FILE keeps what was measured)",
                                     options->loads);
        compare_say(found.time_s[0], found.time_s[1]);
        *compared = found;
        return 0;
}

int compare_print(const struct options *options, struct compared *compared, struct lb_error *err)
{
        struct lb_json report;
        if (lb_json_open(&report, options->report, err) < 0)
                return lb_error_prefix(err, "--compare: ");
        int status = tell(options, report.root, compared, err);
        lb_json_close(&report);
        return status;
}
