/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What would each system gain for a program whose loads were measured? Every system at every degree
 * on the same loads, the least time first, and how to run it.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/measured.h"
#include "models/trace.h"
#include "sim/commands/commands.h"
#include "sim/commands/gain_measured.h"
#include "sim/commands/gain_print.h"
#include "sim/commands/gain_scenario.h"

static const char help[] =
    "usage: lbsim gain DIR|FILE [--html PAGE] [--rankfile FILE] [--cores C]\n"
    "       lbsim gain LOADS --cores C [--appranks-per-node K]\n"
    "                  [--serial | --threads T | --tasks N] [--systems NAME,NAME,...]\n"
    "                  [--degrees D,D,...] [--iterations N] [--set PATH=VALUE]...\n"
    "                  [--format table|csv|json] [--quiet]\n"
    "\n"
    "What would each system gain for a program that was measured as it is? DIR is what lbrun "
    "measure\n"
    "wrote; FILE is TALP's JSON, mpiP's text, a Paraver trace (.prv), or CSV with a column for "
    "the\n"
    "rank and one for the load (rank,load_s; also mpi_s, wall_s, window, node, cores). Nodes have "
    "as\n"
    "many cores as their ranks use, unless --cores says another number. Where the time without\n"
    "balancing, simulated, is not within a tenth of the measured one there is no prediction.\n"
    "\n"
    "  --html PAGE        write the answer as one page: loads, where the time goes, systems\n"
    "  --rankfile FILE    write Open MPI's rankfile that puts heavy ranks beside light ones\n"
    "\n"
    "Or simulate what each system would gain for a program whose loads were measured, on nodes of "
    "C\n"
    "cores with K of its ranks each (default 1). LOADS is what lbrun --loads wrote, or the like "
    "of\n"
    "your own: lines iteration,apprank,work_s,tasks with the work of a rank in an iteration in\n"
    "seconds of one core, and the number of its tasks. Only tasks can go elsewhere: without that\n"
    "column, or where it is 1 throughout, nothing can be said of the gain unless you say how the\n"
    "work is divided; a range is shown then.\n"
    "\n"
    "  --serial           a rank computes on one core, its work cannot be divided\n"
    "  --threads T        a rank computes on T cores, in equal parts\n"
    "  --tasks N          the work of a rank in an iteration is, or would be, N equal tasks\n"
    "  --systems LIST     default: all that can be simulated on these nodes\n"
    "  --degrees LIST     nodes per apprank, for systems that offload; default 2,3,4,8\n"
    "  --iterations N     default: as many as were measured, again and again for a minute of\n"
    "                     simulated time, so that policies have settled; judged is the last third\n"
    "  --set PATH=VALUE   anything else of a scenario (lbsim params), as workload.task_bytes=1e6\n";

enum { WORD_MAX = 64 };

struct gain_options {
        const char *loads, *systems, *degrees, *html, *rankfile;
        int32_t cores, appranks_per_node, iterations; /* 0: not given */
        enum gain_division division;                  /* GAIN_UNKNOWN: not given */
        int32_t parts;
        enum table_format format;
        bool quiet, help, measured; /* measured: loads is no workload but a measurement */
        const char **set;
        int32_t nset;
};

/* ---- The command line ---- */

enum option_code {
        OPTION_CORES = 256,
        OPTION_APPRANKS_PER_NODE,
        OPTION_SYSTEMS,
        OPTION_DEGREES,
        OPTION_ITERATIONS,
        OPTION_SERIAL,
        OPTION_THREADS,
        OPTION_TASKS,
        OPTION_HTML,
        OPTION_RANKFILE,
        OPTION_SET,
        OPTION_FORMAT,
        OPTION_QUIET
};

static const struct option long_options[] = {
        { "cores", required_argument, NULL, OPTION_CORES },
        { "appranks-per-node", required_argument, NULL, OPTION_APPRANKS_PER_NODE },
        { "systems", required_argument, NULL, OPTION_SYSTEMS },
        { "degrees", required_argument, NULL, OPTION_DEGREES },
        { "iterations", required_argument, NULL, OPTION_ITERATIONS },
        { "serial", no_argument, NULL, OPTION_SERIAL },
        { "threads", required_argument, NULL, OPTION_THREADS },
        { "tasks", required_argument, NULL, OPTION_TASKS },
        { "html", required_argument, NULL, OPTION_HTML },
        { "rankfile", required_argument, NULL, OPTION_RANKFILE },
        { "set", required_argument, NULL, OPTION_SET },
        { "format", required_argument, NULL, OPTION_FORMAT },
        { "quiet", no_argument, NULL, OPTION_QUIET },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
};

static int read_count(const char *name, const char *text, int32_t max, int32_t *count,
                      struct lb_error *err)
{
        char *end;
        long value = strtol(text, &end, 10);
        if (*text < '0' || *text > '9' || *end || value < 1 || value > max)
                return lb_error_set(err, "--%s: found '%.60s', allowed is 1 to %" PRId32, name,
                                    text, max);
        *count = (int32_t)value;
        return 0;
}

static int divide(struct gain_options *options, enum gain_division division, const char *name,
                  const char *value, struct lb_error *err)
{
        if (options->division)
                return lb_error_set(err, "--serial, --threads and --tasks: allowed is one of them");
        options->division = division;
        options->parts = 1;
        return value ? read_count(name, value, 1000000, &options->parts, err) : 0;
}

static int take_option(struct gain_options *options, int code, const char *value,
                       struct lb_error *err)
{
        switch (code) {
        case OPTION_CORES:
                return read_count("cores", value, 4096, &options->cores, err);
        case OPTION_APPRANKS_PER_NODE:
                return read_count("appranks-per-node", value, 4096, &options->appranks_per_node,
                                  err);
        case OPTION_ITERATIONS:
                return read_count("iterations", value, TRACE_ITERATION_MAX, &options->iterations,
                                  err);
        case OPTION_SERIAL:
                return divide(options, GAIN_SERIAL, "serial", NULL, err);
        case OPTION_THREADS:
                return divide(options, GAIN_THREADS, "threads", value, err);
        case OPTION_TASKS:
                return divide(options, GAIN_TASKS, "tasks", value, err);
        case OPTION_SYSTEMS:
                options->systems = value;
                break;
        case OPTION_DEGREES:
                options->degrees = value;
                break;
        case OPTION_HTML:
                options->html = value;
                break;
        case OPTION_RANKFILE:
                options->rankfile = value;
                break;
        case OPTION_SET:
                options->set[options->nset++] = value;
                break;
        case OPTION_FORMAT:
                options->format = table_format_named(value);
                if (options->format == TABLE_NONE)
                        return lb_error_set(err, "--format %s, must be one of table, csv, json",
                                            value);
                break;
        case OPTION_QUIET:
                options->quiet = true;
                break;
        default:
                options->help = true;
        }
        return 0;
}

static int read_options(struct gain_options *options, int argc, char **argv, struct lb_error *err)
{
        int code;
        opterr = 0;
        optind = 1;
        while ((code = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
                if (code == '?' || code == ':')
                        return lb_error_set(err, "%s %s (lbsim gain --help)", argv[optind - 1],
                                            code == ':' ? "needs a value" : "is no option");
                if (take_option(options, code, optarg, err) < 0)
                        return -1;
        }
        if (options->help)
                return 0;
        options->loads = argc - optind == 1 ? argv[optind] : NULL;
        options->measured = options->loads && measured_is(options->loads);
        if (!options->loads || (options->cores == 0 && !options->measured))
                return lb_error_set(err, "one file of loads and --cores are needed (lbsim gain "
                                         "--help)");
        if (!options->measured && (options->html || options->rankfile))
                return lb_error_set(err,
                                    "--html and --rankfile: '%s' has loads alone, allowed is "
                                    "a measurement",
                                    options->loads);
        if (!options->measured && options->appranks_per_node == 0)
                options->appranks_per_node = 1;
        return 0;
}

/* ---- The scenario ---- */

/* Adds what each apprank does in iteration i to total_s[]; its max / mean, or 0 without work. */
static double add_iteration(const struct trace *trace, int32_t i, double *total_s)
{
        int32_t n = trace_napprank(trace);
        double most_s = 0, sum_s = 0;
        for (int32_t a = 0; a < n; a++) {
                double work_s = trace_work_s(trace, i, a);
                total_s[a] += work_s;
                sum_s += work_s;
                most_s = fmax(most_s, work_s);
        }
        return sum_s > 0 ? most_s * n / sum_s : 0;
}

static void measure(const struct trace *trace, struct gain_program *program, double *total_s)
{
        double sum = 0, work_s = 0, most_s = 0;
        int32_t working = 0;
        for (int32_t i = 0; i < program->niteration; i++) {
                double imbalance = add_iteration(trace, i, total_s);
                sum += imbalance;
                working += imbalance > 0;
        }
        for (int32_t a = 0; a < program->napprank; a++) {
                work_s += total_s[a];
                most_s = fmax(most_s, total_s[a]);
        }
        program->imbalance_iteration = sum / working;
        program->imbalance_total = most_s * program->napprank / work_s;
        program->iteration_s = work_s / program->niteration;
        program->tasks =
            trace_all_tasks(trace, program->niteration) / program->niteration / program->napprank;
}

/* One task for everything is what programs without tasks are given. */
static bool has_tasks(const struct trace *trace)
{
        bool several = false;
        for (int32_t i = 0; i < trace_niteration(trace) && !several; i++)
                for (int32_t a = 0; a < trace_napprank(trace) && !several; a++)
                        several = trace_tasks(trace, i, a) > 1;
        return several && trace_has_tasks(trace);
}

static int fill_program(const struct gain_options *options, const struct trace *trace,
                        struct gain_program *program, struct lb_error *err)
{
        int32_t per_node = options->appranks_per_node;
        *program = (struct gain_program){ .file = options->loads,
                                          .napprank = trace_napprank(trace),
                                          .niteration = trace_niteration(trace),
                                          .appranks_per_node = per_node,
                                          .cores = options->cores,
                                          .division = options->division,
                                          .parts = options->parts };
        if (program->napprank % per_node != 0)
                return lb_error_set(err,
                                    "--appranks-per-node %" PRId32 ": %s has %" PRId32
                                    " appranks, which is no multiple of it",
                                    per_node, options->loads, program->napprank);
        if (!program->division && has_tasks(trace))
                program->division = GAIN_MEASURED;
        double *total_s = calloc((size_t)program->napprank, sizeof(*total_s));
        if (!total_s)
                return lb_error_fail(err, "out of memory");
        measure(trace, program, total_s);
        free(total_s);
        program->nnode = program->napprank / per_node;
        program->iteration_s /= (double)program->nnode * options->cores;
        return 0;
}

static int read_program(const struct gain_options *options, struct gain_program *program,
                        struct lb_error *err)
{
        struct trace *trace = trace_read(options->loads, err);
        if (!trace)
                return -1;
        int status = fill_program(options, trace, program, err);
        trace_destroy(trace);
        return status;
}

/* Enough for averages over tens of seconds to settle. */
static int32_t iterations_of(const struct gain_options *options, const struct gain_program *program)
{
        static const double settled_s = 60, most = 20000;
        if (options->iterations)
                return options->iterations;
        double count = fmin(ceil(settled_s / program->iteration_s), most);
        return count > program->niteration ? (int32_t)count : program->niteration;
}

/* Where nobody knows: not divided, two tasks for each core of the rank, twenty. */
static const char *tasks_of(const struct gain_program *program, char list[static WORD_MAX])
{
        int32_t cores = program->cores / program->appranks_per_node;
        cores = cores > 0 ? cores : 1;
        if (program->division == GAIN_MEASURED)
                return NULL;
        if (program->division == GAIN_UNKNOWN)
                snprintf(list, WORD_MAX, "[1,%" PRId32 ",%" PRId32 "]", 2 * cores, 20 * cores);
        else
                snprintf(list, WORD_MAX, "%" PRId32, program->parts);
        return list;
}

static int run(const struct gain_options *options, struct lb_error *err)
{
        char list[WORD_MAX];
        struct gain_program program;
        struct scenario scenario;
        struct sweep sweep;
        if (read_program(options, &program, err) < 0)
                return -1;
        struct gain_setting setting = { .loads = options->loads,
                                        .systems = options->systems,
                                        .degrees = options->degrees,
                                        .tasks = tasks_of(&program, list),
                                        .nnode = program.nnode,
                                        .cores = options->cores,
                                        .appranks_per_node = options->appranks_per_node,
                                        .iterations = iterations_of(options, &program),
                                        .set = options->set,
                                        .nset = options->nset,
                                        .quiet = options->quiet };
        if (gain_simulate(&setting, &scenario, &sweep, err) < 0)
                return -1;
        int status = gain_print(&sweep, &program, options->format, err);
        sweep_finish(&sweep);
        scenario_close(&scenario);
        return status;
}

/* What was measured of a program as it is says more than loads: wall time, nodes, MPI. */
static int run_measured(const struct gain_options *options, struct lb_error *err)
{
        struct gain_request request = { .path = options->loads,
                                        .html = options->html,
                                        .rankfile = options->rankfile,
                                        .systems = options->systems,
                                        .degrees = options->degrees,
                                        .cores = options->cores,
                                        .appranks_per_node = options->appranks_per_node,
                                        .iterations = options->iterations,
                                        .division = options->division,
                                        .parts = options->parts,
                                        .set = options->set,
                                        .nset = options->nset,
                                        .format = options->format,
                                        .quiet = options->quiet };
        return gain_measured(&request, err);
}

int command_gain(int argc, char **argv)
{
        struct lb_error err = { .kind = LB_ERROR_NONE };
        struct gain_options options = { .format = TABLE_TEXT };
        options.set = calloc((size_t)argc + 1, sizeof(*options.set));
        int status = options.set ? read_options(&options, argc, argv, &err)
                                 : lb_error_fail(&err, "out of memory");
        if (status == 0 && options.help)
                fputs(help, stdout);
        else if (status == 0)
                status = (options.measured ? run_measured : run)(&options, &err);
        if (status < 0)
                fprintf(stderr, "lbsim gain: %s\n", err.text);
        free(options.set);
        return lb_error_exit_code(&err);
}
