/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lbsim show --figure and --html: a figure of a finished sweep, or a page of any, from its scenario
 * (in DIR/results.json) and the runs in DIR/runs.journal. Nothing is simulated.
 */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "sim/commands/show.h"
#include "sim/output/figure.h"
#include "sim/output/results_page.h"
#include "sim/sweep/sweep.h"

/* The scenario as it was run, --set included; its files are where those of --scenario FILE are. */
static int open_text(struct scenario *scenario, const struct show_options *options,
                     const struct lb_json *json, struct lb_error *err)
{
        const cJSON *tree = cJSON_GetObjectItemCaseSensitive(json->root, "scenario");
        if (!cJSON_IsObject(tree))
                return lb_error_set(err, "'%s' names no scenario", json->file);
        char *text = cJSON_Print(tree);
        if (!text)
                return lb_error_fail(err, "out of memory");
        const struct scenario_options given = { 0 };
        const char *name = options->scenario ? options->scenario : json->file;
        int status = scenario_open_text(scenario, name, text, &given, err);
        cJSON_free(text);
        if (status < 0 && !options->scenario && strstr(err->text, "/workload/file: cannot read"))
                lb_error_prefix(err, "--scenario FILE, beside which its file is, is needed: ");
        return status;
}

static int open_stored(struct scenario *scenario, const struct show_options *options,
                       struct lb_error *err)
{
        char file[LB_PATH_SIZE];
        struct lb_json json;
        if (results_file_of(options->directory, "results.json", "results.partial.json", file, err) <
                0 ||
            lb_json_open(&json, file, err) < 0)
                return -1;
        int status = open_text(scenario, options, &json, err);
        lb_json_close(&json);
        return status;
}

static int draw(const struct scenario *scenario, const struct show_options *options,
                struct lb_error *err)
{
        static const volatile int stop = 1; /* take what is there, and run no further */
        const struct figure_order order = {
                .name = strcmp(options->figure, "own") == 0 ? NULL : options->figure,
                .size = (enum figure_size)options->figure_size,
        };
        const struct sweep_options given = { .directory = options->directory,
                                             .jobs = 1,
                                             .stop = &stop,
                                             .other_build = OTHER_BUILD_KEEP };
        struct sweep sweep;
        if (figure_check(scenario, order.name, err) < 0)
                return -1;
        int status = sweep_run(&sweep, scenario, &given, err);
        if (status < 0 && err->kind != LB_ERROR_STOPPED)
                return -1;
        if (sweep.ndone < sweep.nrun)
                status =
                    lb_error_set(err,
                                 "'%.200s' has %lld of %lld runs: a figure is of a "
                                 "finished sweep; the command that began it goes on with it",
                                 options->directory, (long long)sweep.ndone, (long long)sweep.nrun);
        else
                status = figure_draw(&sweep, &order, options->directory, stderr, err);
        sweep_finish(&sweep);
        return status;
}

int show_figure(const struct show_options *options, struct lb_error *err)
{
        struct scenario scenario;
        if (open_stored(&scenario, options, err) < 0)
                return -1;
        int status = draw(&scenario, options, err);
        scenario_close(&scenario);
        return status;
}

int show_page(const struct show_options *options, struct lb_error *err)
{
        struct scenario scenario;
        if (sweep_check_apart(options->directory, options->html, err) < 0)
                return lb_error_prefix(err, "--html: ");
        if (open_stored(&scenario, options, err) < 0)
                return -1;
        int status = results_page_write(&scenario, options->directory, options->html, err);
        scenario_close(&scenario);
        return status;
}
