/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lbsim show --figure and --html: a figure or a page of a finished sweep, from its scenario (in
 * DIR/results.json) and the runs in DIR/runs.journal. Nothing is simulated.
 */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "sim/commands/show.h"
#include "sim/output/figure.h"
#include "sim/output/results_page.h"
#include "sim/sweep/sweep.h"

/* The scenario of the results into a file of its own, beside no other: its name into path. */
static int write_scenario(const struct lb_json *json, char *path, struct lb_error *err)
{
        const cJSON *tree = cJSON_GetObjectItemCaseSensitive(json->root, "scenario");
        char *text = cJSON_IsObject(tree) ? cJSON_PrintUnformatted(tree) : NULL;
        int fd = text ? mkstemp(path) : -1;
        int status = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
        if (fd >= 0)
                close(fd);
        cJSON_free(text);
        if (status == 0)
                return 0;
        return text
                   ? lb_error_fail(err, "cannot write '%s'", path)
                   : lb_error_set(err, "'%s' names no scenario (give --scenario FILE)", json->file);
}

static int open_stored(struct scenario *scenario, const struct show_options *options,
                       struct lb_error *err)
{
        char file[4096], path[] = "/tmp/lbsim-show-XXXXXX", seed[32] = "";
        struct lb_json json;
        if (snprintf(file, sizeof(file), "%s/results.json", options->directory) >=
            (int)sizeof(file))
                return lb_error_set(err, "'%.300s' is too long for a path", options->directory);
        if (lb_json_open(&json, file, err) < 0)
                return -1;
        const cJSON *drawn = cJSON_GetObjectItemCaseSensitive(json.root, "seed");
        if (cJSON_IsNumber(drawn))
                snprintf(seed, sizeof(seed), "%.0f", drawn->valuedouble);
        /* The stored scenario has its seed. */
        const struct scenario_options given = { .seed =
                                                    options->scenario && seed[0] ? seed : NULL };
        int status = 0;
        if (!options->scenario && (status = write_scenario(&json, path, err)) == 0) {
                status = scenario_open(scenario, path, &given, err);
                unlink(path);
        } else if (options->scenario) {
                status = scenario_open(scenario, options->scenario, &given, err);
        }
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
                                 "finished sweep",
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
        if (open_stored(&scenario, options, err) < 0)
                return -1;
        int status = results_page_write(&scenario, options->directory, options->html, err);
        scenario_close(&scenario);
        return status;
}
