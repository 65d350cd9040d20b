/* SPDX-License-Identifier: BSD-3-Clause */
/* lbsim trace: one run of a scenario, written down for Paraver or Perfetto. */
#include "sim/commands/commands.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/file.h"
#include "sim/scenario/point.h"

static const char help[] =
    "usage: lbsim trace SCENARIO.json FILE.prv|FILE.json [--set PATH=VALUE]... [--seed S]\n"
    "                   [--window FROM:TO] [--core-step N] [--decisions LOG]\n"
    "\n"
    "Simulate one point of a scenario, of any system, and write what every core does and what\n"
    "every worker owns, borrows and holds: for Paraver (.prv, with .pcf and .row beside it) or as\n"
    "Chrome's JSON, for Perfetto. Paraver's views of busy, owned and borrowed cores, offloaded\n"
    "tasks and node imbalance are the .cfg files of plots/paraver.\n"
    "\n"
    "  --set PATH=VALUE  narrow a sweep to one point: --set graph.degree=4; may be repeated\n"
    "  --seed S          the scenario's seed\n"
    "  --window FROM:TO  seconds of simulated time that are written (default: all)\n"
    "  --core-step N     only every N-th core of a node (figures are always complete)\n"
    "  --decisions LOG   also what the policies saw and decided, for lbsim replay LOG\n"
    "  --help            this text\n";

struct trace_options {
        const char *scenario, *file;
        struct scenario_options input;
        const char **set; /* [argc] */
        struct sim_trace trace;
        bool help;
};

enum option_code {
        OPTION_SET = 256,
        OPTION_SEED,
        OPTION_WINDOW,
        OPTION_CORE_STEP,
        OPTION_DECISIONS
};

static const struct option long_options[] = {
        { "set", required_argument, NULL, OPTION_SET },
        { "seed", required_argument, NULL, OPTION_SEED },
        { "window", required_argument, NULL, OPTION_WINDOW },
        { "core-step", required_argument, NULL, OPTION_CORE_STEP },
        { "decisions", required_argument, NULL, OPTION_DECISIONS },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
};

static bool is_time(double seconds)
{
        return isfinite(seconds) && seconds >= 0 && seconds <= 1e9;
}

static int read_window(const char *text, struct sim_trace *trace, struct lb_error *err)
{
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
                return lb_error_set(err, "--window %s, allowed is FROM:TO in seconds, FROM < TO",
                                    text);
        trace->from_ns = (int64_t)(from * 1e9);
        trace->until_ns = (int64_t)(until * 1e9);
        return 0;
}

static int read_step(const char *text, int32_t *step, struct lb_error *err)
{
        char *end;
        long value = strtol(text, &end, 10);
        if (end == text || *end || value < 1 || value > 1024)
                return lb_error_set(err, "--core-step %s, allowed is a whole number from 1 to 1024",
                                    text);
        *step = (int32_t)value;
        return 0;
}

static int take_option(struct trace_options *options, int code, char *value, struct lb_error *err)
{
        switch (code) {
        case OPTION_SET:
                options->set[options->input.nset++] = value;
                return 0;
        case OPTION_SEED:
                options->input.seed = value;
                return 0;
        case OPTION_WINDOW:
                return read_window(value, &options->trace, err);
        case OPTION_CORE_STEP:
                return read_step(value, &options->trace.core_step, err);
        case OPTION_DECISIONS:
                options->trace.decisions = value;
                return 0;
        default:
                options->help = true;
                return 0;
        }
}

static int read_options(struct trace_options *options, int argc, char **argv, struct lb_error *err)
{
        int code;
        opterr = 0;
        optind = 1;
        while ((code = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
                if (code == '?' || code == ':')
                        return lb_error_set(err, "%s %s (lbsim trace --help)", argv[optind - 1],
                                            code == ':' ? "needs a value" : "is no option");
                if (take_option(options, code, optarg, err) < 0)
                        return -1;
        }
        options->input.set = options->set;
        if (options->help)
                return 0;
        if (argc - optind != 2)
                return lb_error_set(err, "a scenario and a file are needed (lbsim trace --help)");
        options->scenario = argv[optind];
        options->trace.file = argv[optind + 1];
        return 0;
}

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
static int simulate(const struct scenario *scenario, const struct point_graphs *graphs,
                    const struct sim_trace *trace, struct sim_result *result, struct lb_error *err)
{
        char name[4096];
        struct lb_file log;
        struct sim_trace to = *trace;
        if (!trace->decisions)
                return point_trace(scenario, graphs, 0, 0, trace, result, NULL, err);
        if (lb_file_create(&log, trace->decisions, err) < 0)
                return -1;
        lb_file_open_name(&log, name, sizeof(name));
        to.decisions = name;
        int status = point_trace(scenario, graphs, 0, 0, &to, result, NULL, err);
        if (status == 0) {
                status = lb_file_commit(&log, err);
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
        struct point_graphs *graphs = point_graphs_create(scenario, err);
        if (!graphs)
                return -1;
        int status = simulate(scenario, graphs, trace, &result, err);
        point_graphs_destroy(graphs);
        if (status < 0)
                return -1;
        fprintf(stderr, "lbsim trace: wrote %s: %d iterations, %.6g s\n", trace->file,
                result.niteration, result.metric[METRIC_TOTAL_S]);
        name_views(trace->file);
        sim_result_finish(&result);
        return 0;
}

static int run(const struct trace_options *options, struct lb_error *err)
{
        struct scenario scenario;
        if (scenario_open(&scenario, options->scenario, &options->input, err) < 0)
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

int command_trace(int argc, char **argv)
{
        struct lb_error err = { .kind = LB_ERROR_NONE };
        struct trace_options options = { .trace.core_step = 1 };
        options.set = calloc((size_t)argc + 1, sizeof(*options.set));
        int status = options.set ? read_options(&options, argc, argv, &err)
                                 : lb_error_fail(&err, "out of memory");
        if (status == 0 && options.help)
                fputs(help, stdout);
        else if (status == 0)
                status = run(&options, &err);
        if (status < 0)
                fprintf(stderr, "lbsim trace: %s\n", err.text);
        free(options.set);
        return lb_error_exit_code(&err);
}
