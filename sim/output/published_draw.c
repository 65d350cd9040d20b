/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures that published quantities are of. */
#include <string.h>

#include "base/file.h"
#include "sim/output/figure.h"
#include "sim/output/published_report.h"
#include "sim/sweep/sweep.h"

static int draw_sweep(const struct scenario *scenario, const char *directory,
                      const struct published_options *options, FILE *notes, struct lb_error *err)
{
        struct sweep sweep;
        struct sweep_options how = { .jobs = options->jobs, .stop = options->stop };
        if (figure_check(scenario, NULL, err) < 0 || lb_make_directory(directory, err) < 0)
                return -1;
        if (sweep_run(&sweep, scenario, &how, err) < 0) {
                if (err->kind == LB_ERROR_STOPPED)
                        sweep_finish(&sweep);
                return -1;
        }
        int status = figure_draw(&sweep, &(struct figure_order){ 0 }, directory, notes, err);
        sweep_finish(&sweep);
        return status;
}

/* Of SCENARIO.json into directory/SCENARIO. */
static int draw_scenario(const char *name, const char *scenarios, const char *directory,
                         const struct published_options *options, FILE *notes, struct lb_error *err)
{
        static const char *const set[] = { "replicates=1" };
        const struct scenario_options once = { .set = set, .nset = 1 };
        const char *ending = strrchr(name, '.');
        int length = ending ? (int)(ending - name) : (int)strlen(name);
        char file[LB_PATH_SIZE], into[LB_PATH_SIZE];
        if (lb_path(file, err, "%s/%s", scenarios, name) < 0 ||
            lb_path(into, err, "%s/%.*s", directory, length, name) < 0)
                return -1;
        struct scenario scenario;
        if (scenario_open(&scenario, file, &once, err) < 0)
                return -1;
        int status = draw_sweep(&scenario, into, options, notes, err);
        scenario_close(&scenario);
        return status;
}

/* Is this wanted row the first of its scenario? */
static bool is_first(const struct report *report, int32_t row)
{
        const struct published_row *rows = report->published->row;
        for (int32_t i = 0; i < row; i++)
                if (report->wanted[i] && strcmp(rows[i].run.scenario, rows[row].run.scenario) == 0)
                        return false;
        return report->wanted[row];
}

int report_draw(const struct report *report, const char *scenarios, const char *directory,
                const struct published_options *options, FILE *notes, struct lb_error *err)
{
        for (int32_t i = 0; i < report->published->nrow; i++)
                if (is_first(report, i) &&
                    draw_scenario(report->published->row[i].run.scenario, scenarios, directory,
                                  options, notes, err) < 0)
                        return -1;
        return 0;
}
