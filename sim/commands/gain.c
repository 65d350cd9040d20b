/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What would each system gain for a program whose loads were measured? Every system at every degree
 * on the same loads, the least time first, and how to run it.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "models/measured.h"
#include "models/taskgraph.h"
#include "models/trace.h"
#include "sim/commands/commands.h"
#include "sim/commands/gain_measured.h"
#include "sim/commands/gain_print.h"
#include "sim/commands/gain_scenario.h"

enum { WORD_MAX = 64, PARTS_MAX = 1000000 };

struct gain_options {
        const char *loads, *systems, *degrees, *nodes, *platform, *html, *rankfile, *hostfile,
            *iteration_times;
        int32_t cores, appranks_per_node, iterations; /* 0: not given */
        int32_t threads, tasks;                       /* the same */
        bool serial, no_range;
        enum table_format format;
        bool quiet;
        struct lb_option_list set;
};

static const struct lb_option options_table[] = {
        { "cores", LB_OPTION_WHOLE, "C",
          "cores of a node; needed for loads, for a measurement those that its ranks use are the "
          "default",
          LB_OPTION_TO(struct gain_options, cores), .min = 1, .max = 4096 },
        { "appranks-per-node", LB_OPTION_WHOLE, "K", "the program's ranks on a node",
          LB_OPTION_TO(struct gain_options, appranks_per_node), .min = 1, .max = 4096 },
        { "serial", LB_OPTION_FLAG, NULL, "a rank computes on one core, its work cannot be divided",
          LB_OPTION_TO(struct gain_options, serial) },
        { "threads", LB_OPTION_WHOLE, "T", "a rank computes on T cores, in equal parts",
          LB_OPTION_TO(struct gain_options, threads), .min = 1, .max = PARTS_MAX },
        { "tasks", LB_OPTION_WHOLE, "N",
          "the work of a rank in an iteration is, or would be, N equal tasks",
          LB_OPTION_TO(struct gain_options, tasks), .min = 1, .max = PARTS_MAX },
        { "systems", LB_OPTION_TEXT, "NAME,...",
          "default: all that can be simulated on these nodes",
          LB_OPTION_TO(struct gain_options, systems) },
        { "degrees", LB_OPTION_TEXT, "D,...",
          "nodes per apprank, for systems that offload; default 2,3,4,8, and 4 of so many ranks "
          "that "
          "they would take minutes",
          LB_OPTION_TO(struct gain_options, degrees) },
        { "nodes", LB_OPTION_TEXT, "N,...",
          "predict for so many nodes, too, with the same ranks and as many cores each",
          LB_OPTION_TO(struct gain_options, nodes) },
        { "platform", LB_OPTION_FILE, "FILE",
          "the machine's constants, as lbsim calibrate writes them; default what it wrote last, "
          "where it was run",
          LB_OPTION_TO(struct gain_options, platform) },
        { "iterations", LB_OPTION_WHOLE, "N",
          "default: those that were measured, again and again for a minute of simulated time, so "
          "that policies have settled; of loads the last third is judged, by default all that was "
          "measured",
          LB_OPTION_TO(struct gain_options, iterations), .min = 1, .max = TRACE_ITERATION_MAX },
        { "html", LB_OPTION_FILE, "PAGE",
          "write the answer as one page, of a measurement: loads, where the time goes, systems",
          LB_OPTION_TO(struct gain_options, html), .read = lb_option_written },
        { "rankfile", LB_OPTION_FILE, "FILE",
          "write Open MPI's rankfile that puts heavy ranks beside light ones",
          LB_OPTION_TO(struct gain_options, rankfile), .read = lb_option_written },
        { "hostfile", LB_OPTION_FILE, "FILE",
          "write the same as the node of each rank: mpirun --map-by seq --bind-to none --hostfile "
          "FILE (Open MPI), mpirun -f FILE (MPICH), SLURM_HOSTFILE=FILE srun -m arbitrary",
          LB_OPTION_TO(struct gain_options, hostfile), .read = lb_option_written },
        { "iteration-times", LB_OPTION_FILE, "FILE",
          "of loads or tasks: write how long each iteration would take, as CSV",
          LB_OPTION_TO(struct gain_options, iteration_times), .read = lb_option_written },
        { "no-range", LB_OPTION_FLAG, NULL,
          "what the machine costs is taken to be known: simulate once in place of with cheap and "
          "dear tasks and messages, too",
          LB_OPTION_TO(struct gain_options, no_range) },
        OPTION_SET(struct gain_options),
        OPTION_TABLE_FORMAT(struct gain_options),
        { "quiet", LB_OPTION_FLAG, NULL, "no progress", LB_OPTION_TO(struct gain_options, quiet) },
        { .name = NULL },
};

/* ---- The scenario ---- */

/* How the user says that the work is divided; GAIN_UNKNOWN where he does not. */
static int divide(const struct gain_options *options, enum gain_division *division, int32_t *parts,
                  struct lb_error *err)
{
        if (options->serial + (options->threads > 0) + (options->tasks > 0) > 1)
                return lb_error_set(err, "--serial, --threads and --tasks: allowed is one of them");
        *division = options->serial    ? GAIN_SERIAL
                    : options->threads ? GAIN_THREADS
                    : options->tasks   ? GAIN_TASKS
                                       : GAIN_UNKNOWN;
        *parts = options->serial ? 1 : options->threads + options->tasks;
        return 0;
}

static int read_program(const struct gain_options *options, struct gain_program *program,
                        struct lb_error *err)
{
        *program = (struct gain_program){ .file = options->loads,
                                          .appranks_per_node = options->appranks_per_node,
                                          .cores = options->cores };
        if (divide(options, &program->division, &program->parts, err) < 0)
                return -1;
        return gain_program_read(program, err);
}

/* Tasks of one simulation, some ten seconds of a core. */
static const double tasks_most = 1e8;

static double tasks_of_iteration(const struct gain_program *program)
{
        return (program->parts > 0 ? program->parts : program->tasks) * program->napprank;
}

/* The last third of so many, which is judged, is all that was measured. */
static int32_t turn_of(const struct gain_program *program)
{
        return 3 * program->niteration;
}

/* Enough for averages over tens of seconds to settle, but for tasks beyond number; and so many that
 * the last third, which is judged, is all that was measured, once or several times: loads may be
 * even at the end alone. */
static int32_t iterations_of(const struct gain_options *options, const struct gain_program *program)
{
        static const double settled_s = 60, most = 20000;
        if (options->iterations)
                return options->iterations;
        double allowed = fmin(most, tasks_most / fmax(tasks_of_iteration(program), 1));
        double count = fmin(ceil(settled_s / program->iteration_s), allowed);
        double whole = turn_of(program);
        count = whole * fmax(ceil(count / whole), 1);
        return count <= TRACE_ITERATION_MAX ? (int32_t)count : program->niteration;
}

/* It takes no memory, but time. */
static void note_tasks(const struct gain_program *program, int32_t niteration)
{
        static const double task_s = 1e-7, minute_s = 60;
        double tasks = tasks_of_iteration(program) * niteration;
        if (tasks > 2 * tasks_most)
                fprintf(
                    stderr,
                    "lbsim gain: each simulation is of %.2g tasks, some %.0f minutes of a core; "
                    "fewer of them by --systems, --degrees, --iterations, or loads with fewer "
                    "tasks\n",
                    tasks, ceil(tasks * task_s / minute_s));
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

static int run_loads(const struct gain_options *options, struct lb_error *err)
{
        char list[WORD_MAX], ordered[GAIN_NAMES_SIZE];
        const char *systems = options->systems;
        struct gain_program program;
        struct gain_machine machine;
        struct gain_runs runs;
        if (gain_check_systems(systems, err) < 0 || read_program(options, &program, err) < 0 ||
            gain_check_degrees(options->degrees, program.nnode, err) < 0 ||
            gain_machine_read(&machine, options->platform, err) < 0)
                return -1;
        if (program.ordered) {
                if (gain_ordered_systems(systems, ordered, program.left_out, err) < 0)
                        return -1;
                systems = ordered;
        }
        struct gain_setting setting = { .loads = options->loads,
                                        .ordered = program.ordered,
                                        .systems = systems,
                                        .degrees = options->degrees,
                                        .tasks = tasks_of(&program, list),
                                        .nnode = program.nnode,
                                        .cores = options->cores,
                                        .appranks_per_node = options->appranks_per_node,
                                        .iterations = iterations_of(options, &program),
                                        .platform = options->platform,
                                        .machine = options->no_range ? NULL : &machine,
                                        .set = options->set.text,
                                        .nset = options->set.count,
                                        .quiet = options->quiet };
        if (!options->quiet)
                note_tasks(&program, setting.iterations);
        if (!options->quiet && options->format != TABLE_TEXT && program.left_out[0])
                fprintf(stderr, "lbsim gain: %s\n", program.left_out);
        if (gain_runs_simulate(&setting, tasks_of_iteration(&program), turn_of(&program), &runs,
                               err) < 0)
                return -1;
        char costs[LB_DATA_PATH_SIZE + 128];
        gain_machine_line(&machine, options->platform, runs.count > 1, costs, sizeof(costs));
        int status = gain_print(&runs, &program, costs, options->format, err);
        if (status == 0 && options->iteration_times)
                status = gain_write_iterations(&runs, &program, options->iteration_times, err);
        gain_runs_finish(&runs);
        return status;
}

/* What was measured of a program as it is says more than loads: wall time, nodes, MPI. */
static int run_measured(const struct gain_options *options, struct lb_error *err)
{
        struct gain_request request = { .path = options->loads,
                                        .html = options->html,
                                        .rankfile = options->rankfile,
                                        .hostfile = options->hostfile,
                                        .nodes = options->nodes,
                                        .platform = options->platform,
                                        .systems = options->systems,
                                        .degrees = options->degrees,
                                        .cores = options->cores,
                                        .appranks_per_node = options->appranks_per_node,
                                        .iterations = options->iterations,
                                        .set = options->set.text,
                                        .nset = options->set.count,
                                        .format = options->format,
                                        .quiet = options->quiet };
        if (options->iteration_times)
                return lb_error_set(err,
                                    "--iteration-times: '%s' is a measurement, allowed are loads",
                                    options->loads);
        if (divide(options, &request.division, &request.parts, err) < 0)
                return -1;
        return gain_measured(&request, err);
}

static int complain_cores(const char *file, struct lb_error *err)
{
        if (access(file, R_OK) < 0)
                return lb_error_set(err, "cannot read '%.300s': %s", file, strerror(errno));
        return lb_error_set(err,
                            "'%.300s' is no measurement, and --cores is not given, which loads "
                            "need: allowed are a directory of lbrun measure, TALP's JSON, mpiP's "
                            "text, a Paraver trace, OTF2, CSV, or loads or tasks with --cores C",
                            file);
}

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        struct gain_options *options = given;
        char machine[LB_DATA_PATH_SIZE];
        options->loads = call->word[0];
        if (!options->platform && lb_data_machine(machine) && access(machine, R_OK) == 0)
                options->platform = machine;
        if (!taskgraph_is_file(options->loads) && measured_is(options->loads))
                return run_measured(options, err);
        if (options->cores == 0)
                return complain_cores(options->loads, err);
        if (options->html || options->rankfile || options->hostfile || options->nodes)
                return lb_error_set(err,
                                    "--html, --rankfile, --hostfile and --nodes: '%s' has loads "
                                    "or tasks alone, allowed is a measurement",
                                    options->loads);
        if (options->appranks_per_node == 0)
                options->appranks_per_node = 1;
        return run_loads(options, err);
}

const struct lb_command command_gain = {
        .program = &lbsim_program,
        .name = "gain",
        .summary = "what each system would gain for a program's measured loads",
        .usage = "DIR|FILE [--html PAGE] [--rankfile FILE] [OPTION]...\n"
                 "LOADS --cores C [--serial | --threads T | --tasks N] [OPTION]...\n"
                 "TASKS --cores C [OPTION]...",
        .about =
            "What would each system gain for a program that was measured as it is? DIR is what "
            "lbrun measure wrote; FILE is TALP's JSON, mpiP's text, a Paraver trace (.prv), "
            "Score-P's (traces.otf2), or CSV "
            "with a column for the rank and one for the load (rank,load_s; also mpi_s, wall_s, "
            "window, node, cores). Where the time without balancing, simulated, is not within a "
            "tenth of the measured one there is no prediction.\n\n"
            "Or simulate what each system would gain for a program whose loads were measured, on "
            "nodes of C cores with K of its ranks each. LOADS is what lbrun --loads wrote, or "
            "the like of your own: lines iteration,apprank,work_s,tasks with the work of a "
            "rank in an iteration in seconds of one core, and the number of its tasks. Only "
            "tasks can go elsewhere: without that column, or where it is 1 throughout, nothing "
            "can be said of the gain unless you say how the work is divided; a range is shown "
            "then.\n\n"
            "TASKS is tasks that wait for each other, one a line: "
            "iteration,apprank,seconds,bytes,after,within,priority, "
            "where after names earlier tasks of the same rank and iteration, which are numbered "
            "from 0, and within the one that a task runs with, wherever that is; of ready tasks "
            "the one of the highest priority is first. These two and iteration may be left out: "
            "all iterations are alike then. Systems that take tasks without their order are left "
            "out.",
        .options = options_table,
        .size = sizeof(struct gain_options),
        .word = LB_OPTION_FILE,
        .word_min = 1,
        .word_max = 1,
        .needed = "one file of loads and --cores are needed",
        .run = run,
};
