/* SPDX-License-Identifier: BSD-3-Clause */
/* lbsim trace: one run of a scenario, written down for Paraver or Perfetto. */
#include "sim/commands/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/file.h"
#include "base/text.h"
#include "plots/trace.h"
#include "sim/scenario/point.h"
#include "sim/scenario/shared.h"

struct trace_options {
        const char *scenario, *seed;
        struct lb_option_list set;
        struct sim_trace trace;
};

static bool is_time(double seconds)
{
        return isfinite(seconds) && seconds >= 0 && seconds <= 1e9;
}

static int read_window(const char *text, void *to, struct lb_error *err)
{
        struct sim_trace *trace = to;
        char *end;
        double from = strtod(text, &end), until = 0;
        bool valid = end != text && *end == ':';
        if (valid) {
                const char *second = end + 1;
                until = strtod(second, &end);
                valid = end != second && *end == '\0' && is_time(from) && is_time(until) &&
                        from < until;
        }
        if (!valid)
                return lb_error_set(err, "found '%.60s', allowed is FROM:TO in seconds, FROM < TO",
                                    text);
        trace->from_ns = (int64_t)(from * 1e9);
        trace->until_ns = (int64_t)(until * 1e9);
        return 0;
}

static const struct lb_option options_table[] = {
        OPTION_SET(struct trace_options),
        OPTION_SEED(struct trace_options),
        { "window", LB_OPTION_OWN, "FROM:TO",
          "seconds of simulated time that are written; default all",
          LB_OPTION_TO(struct trace_options, trace), .read = read_window },
        { "core-step", LB_OPTION_WHOLE, "N",
          "only every N-th core of a node; figures are always complete",
          LB_OPTION_TO(struct trace_options, trace.core_step), .min = 1, .max = 1024,
          .fallback = "1" },
        { "decisions", LB_OPTION_FILE, "LOG",
          "also what the policies saw and decided, for lbsim replay LOG",
          LB_OPTION_TO(struct trace_options, trace.decisions), .read = lb_option_written },
        { .name = NULL },
};

/* Where Paraver's views of such a trace are. */
static void name_views(const char *file)
{
        char path[LB_DATA_PATH_SIZE];
        const char *ending = strrchr(file, '.');
        if (strcmp(ending, ".prv") != 0 || !lb_data_find("plots/paraver", "busy_cores.cfg", path))
                return;
        *strrchr(path, '/') = '\0';
        fprintf(stderr, "lbsim trace: views for Paraver: %s/*.cfg\n", path);
}

/* The log appears whole or not at all, as the trace does. */
static int simulate(const struct scenario *scenario, struct point_shared *graphs,
                    const struct sim_trace *trace, struct sim_result *result, struct lb_error *err)
{
        char name[4096];
        struct lb_file log;
        struct lb_error why = { .kind = LB_ERROR_NONE };
        struct sim_trace to = *trace;
        if (!trace->decisions)
                return point_trace(scenario, graphs, 0, 0, trace, result, NULL, err);
        if (lb_file_create(&log, trace->decisions, err) < 0)
                return -1;
        lb_file_open_name(&log, name, sizeof(name));
        to.decisions = name;
        to.decisions_failure = &why;
        int status = point_trace(scenario, graphs, 0, 0, &to, result, NULL, err);
        if (status == 0) {
                status = why.kind ? lb_error_fail(err, "cannot write '%s': %s", trace->decisions,
                                                  why.text)
                                  : lb_file_commit(&log, err);
                if (status < 0)
                        sim_result_finish(result);
        }
        lb_file_abandon(&log);
        return status;
}

static int run_point(const struct scenario *scenario, const struct sim_trace *trace,
                     struct lb_error *err)
{
        struct sim_result result;
        struct point_shared *graphs = point_shared_create(scenario, err);
        if (!graphs)
                return -1;
        int status = simulate(scenario, graphs, trace, &result, err);
        point_shared_destroy(graphs);
        if (status < 0)
                return -1;
        fprintf(stderr, "lbsim trace: wrote %s: %d iteration%s, %.6g s\n", trace->file,
                result.niteration, lb_s(result.niteration), result.metric[METRIC_TOTAL_S]);
        name_views(trace->file);
        sim_result_finish(&result);
        return 0;
}

/* What is written with the trace can be, and is no other file. */
static int check_beside(const struct sim_trace *trace, struct lb_error *err)
{
        char name[4096];
        for (int i = 0; trace_beside(trace->file, i, name, sizeof(name)); i++)
                if (lb_file_check(name, err) < 0 ||
                    (trace->decisions && lb_file_apart(name, "the trace's further file",
                                                       trace->decisions, "--decisions", err) < 0))
                        return -1;
        return 0;
}

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        struct trace_options *options = given;
        struct scenario scenario;
        const struct scenario_options input = { .set = options->set.text,
                                                .nset = options->set.count,
                                                .seed = options->seed };
        options->scenario = call->word[0];
        options->trace.file = call->word[1];
        if (lb_file_check(options->trace.file, err) < 0 ||
            lb_file_apart(options->scenario, "the scenario", options->trace.file, "the trace",
                          err) < 0 ||
            check_beside(&options->trace, err) < 0 ||
            scenario_open(&scenario, options->scenario, &input, err) < 0)
                return -1;
        int status;
        if (scenario.npoint != 1)
                status = lb_error_set(err,
                                      "%s has %lld points, a trace is of one: narrow it with --set "
                                      "PATH=VALUE",
                                      options->scenario, (long long)scenario.npoint);
        else
                status = run_point(&scenario, &options->trace, err);
        scenario_close(&scenario);
        return status;
}

const struct lb_command command_trace = {
        .program = &lbsim_program,
        .name = "trace",
        .summary = "write one run for Paraver or Perfetto",
        .usage = "SCENARIO.json FILE.prv|FILE.json [OPTION]...",
        .about = "Simulate one point of a scenario (--set narrows a sweep to one), of any system, "
                 "and write what every core does and what every worker owns, borrows and holds: "
                 "for Paraver (.prv, with .pcf and .row beside it) or as Chrome's JSON, for "
                 "Perfetto. Paraver's views of busy, owned and borrowed cores, offloaded tasks and "
                 "node imbalance are the .cfg files of plots/paraver.",
        .options = options_table,
        .size = sizeof(struct trace_options),
        .word = LB_OPTION_FILE,
        .word_min = 2,
        .word_max = 2,
        .needed = "a scenario and a file are needed",
        .run = run,
};
