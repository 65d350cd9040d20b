/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/commands.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "sim/output/figure.h"
#include "sim/sweep/launched.h"
#include "sim/output/results.h"
#include "sim/output/seal.h"
#include "sim/sweep/lock.h"
#include "sim/sweep/sweep.h"

static const char help[] =
    "usage: lbsim SCENARIO.json [--out DIR] [--jobs N] [--set PATH=VALUE]... [--seed S]\n"
    "                           [--format table|csv|json] [--shard I/N] [--quiet] [--no-figure]\n"
    "       lbsim graph ...    make, judge, draw and store an apprank-node graph\n"
    "       lbsim solve ...    solve one global core allocation\n"
    "       lbsim merge SCENARIO.json DIR... --out DIR\n"
    "                          put the shards of a sweep together\n"
    "       lbsim gain LOADS   what each system would gain for a program's measured loads\n"
    "       lbsim reproduce    published results against simulated ones\n"
    "       lbsim show DIR     filter, group and draw stored results\n"
    "       lbsim journal DIR  the finished runs that DIR keeps, as lines of JSON\n"
    "       lbsim compare A B  which points of two folders of results differ\n"
    "       lbsim trace ...    write one run for Paraver or Perfetto\n"
    "       lbsim replay ...   decide again what a live job decided\n"
    "       lbsim params       all parameters of a scenario\n"
    "       lbsim metrics      what is measured of a run, and for which systems\n"
    "       lbsim schema       the JSON Schema of scenarios, or of results\n"
    "       lbsim --version\n"
    "\n"
    "Simulate every point of a scenario and print one row per point, means over replicates. "
    "Started\n"
    "by mpirun, mpiexec or srun, the processes share the runs: mpirun -n 64 lbsim S.json --out "
    "DIR,\n"
    "in a folder that all of them see.\n"
    "\n"
    "  --out DIR         write results.csv, results.json, summary.csv and figures into DIR; run\n"
    "                    again, it continues where it stopped\n"
    "  --jobs N          threads, 1 to 1024 (default: one per core; one under mpirun or srun);\n"
    "                    results do not depend on it\n"
    "  --set PATH=VALUE  change the scenario: --set graph.degree=4; may be given repeatedly\n"
    "  --seed S          the scenario's seed\n"
    "  --policy FILE.so  a policy of your own, a further system: policies/plugin.h\n"
    "                    for every command, may be given repeatedly\n"
    "  --format FORMAT   what is printed: table (means), csv (as results.csv), json (as\n"
    "                    results.json)\n"
    "  --shard I/N       do the I-th of N parts of about equal cost, for job arrays: each part "
    "into a\n"
    "                    directory of its own, then lbsim merge\n"
    "  --compress        write results.csv.zst and so on in place of results.csv, by the program\n"
    "                    zstd; lbsim show and compare read either\n"
    "  --hung-s S        end the sweep where a call of a policy lasts S seconds (default: it is\n"
    "                    named after 10 s and waited for)\n"
    "  --other-build keep|anew\n"
    "                    runs in DIR that another build of lbsim or of a policy's plugin has\n"
    "                    simulated: take them as they are, or (default) set them aside into\n"
    "                    DIR/build-XXXXXXXX with the results, and simulate them anew; a merge\n"
    "                    refuses them unless told\n"
    "  --alone           not to share the sweep with the other processes of mpirun or srun\n"
    "  --quiet           no progress and no notes\n"
    "  --no-figure       draw no figure\n"
    "  --help            this text\n";

enum { JOBS_MAX = 1024 };

/* ---- The command line ---- */

struct run_options {
        const char *file, *directory;
        int32_t jobs; /* 0: not given */
        enum table_format format;
        bool quiet, no_figure, help, alone, compress;
        struct ranks ranks;
        struct scenario_options scenario;
        const char **set; /* [argc] */
        int32_t shard, nshard;
        double hung_s;
        bool merges;        /* lbsim merge */
        char *const *merge; /* [nmerge] */
        int32_t nmerge;
        enum other_build other_build;
};

enum option_code {
        OPTION_OUT = 256,
        OPTION_JOBS,
        OPTION_SET,
        OPTION_SEED,
        OPTION_FORMAT,
        OPTION_SHARD,
        OPTION_HUNG_S,
        OPTION_ALONE,
        OPTION_OTHER_BUILD,
        OPTION_COMPRESS,
        OPTION_QUIET,
        OPTION_NO_FIGURE,
        OPTION_HELP
};

static const struct option long_options[] = {
        { "out", required_argument, NULL, OPTION_OUT },
        { "jobs", required_argument, NULL, OPTION_JOBS },
        { "set", required_argument, NULL, OPTION_SET },
        { "seed", required_argument, NULL, OPTION_SEED },
        { "format", required_argument, NULL, OPTION_FORMAT },
        { "shard", required_argument, NULL, OPTION_SHARD },
        { "hung-s", required_argument, NULL, OPTION_HUNG_S },
        { "other-build", required_argument, NULL, OPTION_OTHER_BUILD },
        { "alone", no_argument, NULL, OPTION_ALONE },
        { "compress", no_argument, NULL, OPTION_COMPRESS },
        { "quiet", no_argument, NULL, OPTION_QUIET },
        { "no-figure", no_argument, NULL, OPTION_NO_FIGURE },
        { "help", no_argument, NULL, OPTION_HELP },
        { NULL, 0, NULL, 0 },
};

static int read_jobs(const char *text, int32_t *jobs, struct lb_error *err)
{
        int64_t value = 0;
        bool valid = *text != '\0';
        for (const char *at = text; *at && valid; at++) {
                valid = *at >= '0' && *at <= '9';
                value = 10 * value + (*at - '0');
                valid = valid && value <= JOBS_MAX;
        }
        if (!valid || value < 1)
                return lb_error_set(err, "--jobs %s, must be a whole number from 1 to %d", text,
                                    JOBS_MAX);
        *jobs = (int32_t)value;
        return 0;
}

static int read_format(const char *text, enum table_format *format, struct lb_error *err)
{
        *format = table_format_named(text);
        if (*format != TABLE_NONE)
                return 0;
        return lb_error_set(err, "--format %s, must be one of table, csv, json", text);
}

static int read_other_build(const char *text, enum other_build *choice, struct lb_error *err)
{
        static const enum other_build choices[] = { OTHER_BUILD_KEEP, OTHER_BUILD_ANEW };
        static const char *const words[] = { "keep", "anew" };
        for (int i = 0; i < 2; i++) {
                if (strcmp(text, words[i]) != 0)
                        continue;
                *choice = choices[i];
                return 0;
        }
        return lb_error_set(err, "--other-build %.60s, must be one of keep, anew", text);
}

/* "3/8": the third of eight. */
static int read_shard(const char *text, struct run_options *options, struct lb_error *err)
{
        enum { SHARDS_MAX = 1000000 };
        char *end;
        long shard = strtol(text, &end, 10), count = 0;
        if (end != text && *end == '/') {
                const char *second = end + 1;
                count = strtol(second, &end, 10);
                if (end == second)
                        count = 0;
        }
        if (*end || shard < 1 || count < shard || count > SHARDS_MAX)
                return lb_error_set(err, "--shard %.60s, must be I/N with 1 <= I <= N <= %d", text,
                                    SHARDS_MAX);
        options->shard = (int32_t)shard - 1;
        options->nshard = (int32_t)count;
        return 0;
}

static int read_hung(const char *text, double *hung_s, struct lb_error *err)
{
        static const double longest = 1e6;
        char *end;
        *hung_s = strtod(text, &end);
        if (end != text && !*end && *hung_s >= 0.1 && *hung_s <= longest)
                return 0;
        return lb_error_set(err, "--hung-s %.60s, must be a number of seconds from 0.1 to %.0f",
                            text, longest);
}

/* Does the word give a value to an option that takes none, "--quiet=yes"? */
static const char *plain_option(const char *word)
{
        for (const struct option *option = long_options; option->name; option++) {
                size_t length = strlen(option->name);
                if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, option->name, length) == 0 &&
                    word[2 + length] == '=')
                        return option->name;
        }
        return NULL;
}

/* Say what is wrong with the argument that getopt refused. */
static int refuse(const char *word, bool missing, struct lb_error *err)
{
        static const char *const known[] = { "--out",    "--jobs",       "--set",       "--seed",
                                             "--format", "--quiet",      "--no-figure", "--help",
                                             "--shard",  "--alone",      "--compress",  "--policy",
                                             "--hung-s", "--other-build" };
        const char *plain = plain_option(word);
        const char *nearest = lb_nearest_name(word, known, sizeof(known) / sizeof(known[0]));
        if (missing)
                return lb_error_set(err, "%s needs a value (lbsim --help)", word);
        if (plain)
                return lb_error_set(err, "--%s takes no value (lbsim --help)", plain);
        if (nearest)
                return lb_error_set(err, "unknown option %s, did you mean %s?", word, nearest);
        return lb_error_set(err, "unknown option %s (lbsim --help)", word);
}

static int take_option(struct run_options *options, int code, char *value, struct lb_error *err)
{
        switch ((enum option_code)code) {
        case OPTION_OUT:
                options->directory = value;
                break;
        case OPTION_JOBS:
                return read_jobs(value, &options->jobs, err);
        case OPTION_SET:
                options->set[options->scenario.nset++] = value;
                break;
        case OPTION_SEED:
                options->scenario.seed = value;
                break;
        case OPTION_FORMAT:
                return read_format(value, &options->format, err);
        case OPTION_SHARD:
                return read_shard(value, options, err);
        case OPTION_HUNG_S:
                return read_hung(value, &options->hung_s, err);
        case OPTION_OTHER_BUILD:
                return read_other_build(value, &options->other_build, err);
        case OPTION_ALONE:
                options->alone = true;
                break;
        case OPTION_COMPRESS:
                options->compress = true;
                break;
        case OPTION_QUIET:
                options->quiet = true;
                break;
        case OPTION_NO_FIGURE:
                options->no_figure = true;
                break;
        case OPTION_HELP:
                options->help = true;
                break;
        }
        return 0;
}

/* Reads into options, whose set[] has room; the arguments keep the strings. */
static int read_options(struct run_options *options, int argc, char **argv, struct lb_error *err)
{
        int code;
        opterr = 0;
        optind = 1;
        while ((code = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
                if (code == '?' || code == ':')
                        return refuse(argv[optind - 1], code == ':', err);
                if (take_option(options, code == 'h' ? OPTION_HELP : code, optarg, err) < 0)
                        return -1;
        }
        options->scenario.set = options->set;
        if (options->help)
                return 0;
        if (optind == argc)
                return lb_error_set(err, "no scenario given (lbsim --help)");
        if (options->merges && (optind + 1 == argc || !options->directory))
                return lb_error_set(err, "a merge needs directories to merge, and --out DIR");
        if (options->merges) {
                options->merge = argv + optind + 1;
                options->nmerge = argc - optind - 1;
        }
        if (!options->merges && optind + 1 < argc)
                return lb_error_set(err, "one scenario at a time, found '%s' and '%s'",
                                    argv[optind], argv[optind + 1]);
        options->file = argv[optind];
        return 0;
}

/* ---- Interruption ---- */

/* What a signal handler can reach is global: set by the first SIGINT or SIGTERM. */
static volatile int interrupted;

static void on_signal(int signal_number)
{
        (void)signal_number;
        interrupted = 1;
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
}

/* A signal that is ignored, as for jobs in the background, stays so. */
static void catch_signal(int signal_number)
{
        struct sigaction before, action = { .sa_handler = on_signal };
        sigemptyset(&action.sa_mask);
        if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
                sigaction(signal_number, &action, NULL);
}

/* ---- Running ---- */

static void note_scenario(const struct scenario *scenario)
{
        if (scenario->nskipped > 0)
                fprintf(stderr,
                        "lbsim: %lld of %lld combinations skipped: they repeat another or cannot "
                        "be (degree > nodes, imbalance > appranks)\n",
                        (long long)scenario->nskipped,
                        (long long)(scenario->npoint + scenario->nskipped));
}

static void note_other_build(int64_t count)
{
        if (count > 0)
                fprintf(stderr, "lbsim: %lld of them simulated by another build, and kept\n",
                        (long long)count);
}

static void note_sweep(const struct sweep *sweep)
{
        if (sweep->norphan > 0)
                fprintf(stderr,
                        "lbsim: a rank ended before its time; what it had begun (%lld of the "
                        "runs) was done again\n",
                        (long long)sweep->norphan);
        if (sweep->nmerged > 0)
                fprintf(stderr, "lbsim: %lld of %lld runs merged\n", (long long)sweep->nmerged,
                        (long long)sweep->nrun);
        if (sweep->nreused > 0)
                fprintf(stderr, "lbsim: %lld of %lld runs taken from an earlier call\n",
                        (long long)sweep->nreused, (long long)sweep->nrun);
        note_other_build(sweep->nother);
        int64_t simulated = sweep->ndone - sweep->nreused - sweep->nmerged;
        if (simulated > 0)
                fprintf(stderr, "lbsim: %lld runs in %.3g s\n", (long long)simulated,
                        sweep->elapsed_s);
}

static struct seal_request seal_of(const struct scenario *scenario,
                                   const struct run_options *options)
{
        return (struct seal_request){ .scenario = scenario,
                                      .directory = options->directory,
                                      .compress = options->compress,
                                      .figure = !options->no_figure,
                                      .other_build = options->other_build,
                                      .notes = options->quiet ? NULL : stderr };
}

/* Each line names a file that was written, or is a note or a warning. */
static void note_files(char *text)
{
        char *rest = NULL;
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
                fprintf(stderr, "lbsim: %s%s\n", seal_is_remark(line) ? "" : "wrote ", line);
        }
}

/* Figures are drawn of complete sweeps only. */
static int write_files(const struct sweep *sweep, const struct run_options *options,
                       const struct results_call *call, struct lb_error *err)
{
        char *text = NULL;
        size_t size = 0;
        FILE *notes = open_memstream(&text, &size);
        if (!notes)
                return lb_error_fail(err, "out of memory");
        seal_remove(options->directory);
        int status = results_write(sweep, call, options->directory, options->compress, notes, err);
        if (status == 0 && !options->no_figure && sweep->ndone == sweep->nrun)
                status = figure_draw(sweep, options->directory, notes, err);
        status = fclose(notes) == 0 ? status : lb_error_fail(err, "out of memory");
        if (status == 0 && sweep->ndone == sweep->nrun) {
                const struct seal_request request = seal_of(sweep->scenario, options);
                seal_write(&request, sweep, text);
        }
        if (!options->quiet && text)
                note_files(text);
        free(text);
        return status;
}

/* A write error is found by the last flush of standard output. */
static int print_results(const struct sweep *sweep, const struct run_options *options,
                         const struct results_call *call, struct lb_error *err)
{
        int status;
        if (options->format == TABLE_JSON) {
                status = results_json(sweep, call, stdout);
        } else {
                struct table *table =
                    options->format == TABLE_CSV ? results_runs(sweep) : results_overview(sweep);
                status = table ? table_write(table, stdout, options->format) : -1;
                table_destroy(table);
        }
        if (status < 0 && !ferror(stdout))
                return lb_error_fail(err, "out of memory for the results");
        if (sweep->ndone < sweep->nrun && options->format != TABLE_JSON)
                printf("# incomplete: %lld of %lld runs\n", (long long)sweep->ndone,
                       (long long)sweep->nrun);
        return 0;
}

/* Show and keep what is done: of an interrupted sweep, too. */
static int report(const struct sweep *sweep, const struct run_options *options,
                  const struct results_call *call, struct lb_error *err)
{
        if (!options->quiet)
                note_sweep(sweep);
        if (options->directory && write_files(sweep, options, call, err) < 0)
                return -1;
        return print_results(sweep, options, call, err);
}

/* ---- A sweep that is finished already ---- */

static void note_sealed(struct seal *seal, const struct run_options *options)
{
        if (options->quiet)
                return;
        fprintf(stderr, "lbsim: %lld of %lld runs taken from an earlier call\n",
                (long long)seal->nrun, (long long)seal->nrun);
        note_other_build(seal->nother);
        fprintf(stderr,
                "lbsim: the sweep is finished, and its files in %s are as they were written\n",
                options->directory);
        note_files(seal->remarks);
}

/* Is everything done and in order? Then it is only printed: 1; else 0, or -1 on failure. A merge
 * has other directories to look at. */
static int report_sealed(const struct scenario *scenario, const struct run_options *options,
                         struct lb_error *err)
{
        struct seal seal;
        const struct seal_request request = seal_of(scenario, options);
        if (!options->directory || options->merges || options->ranks.rank > 0)
                return 0;
        int lock = directory_lock(options->directory, false, err);
        if (lock < 0)
                return -1;
        int status = 0;
        if (seal_holds(&request, &seal)) {
                note_sealed(&seal, options);
                status = results_print_stored(options->directory, options->format,
                                              options->compress, stdout, err) < 0
                             ? -1
                             : 1;
                seal_finish(&seal);
        }
        directory_unlock(lock);
        return status;
}

static int run_sweep(const struct scenario *scenario, const struct run_options *options,
                     const struct results_call *call, struct lb_error *err)
{
        struct sweep_options sweep_options = {
                .directory = options->directory,
                .jobs = options->jobs,
                .progress = !options->quiet,
                .stop = &interrupted,
                .shard = options->shard,
                .nshard = options->nshard,
                .hung_s = options->hung_s,
                .merge = (const char *const *)options->merge,
                .nmerge = options->nmerge,
                .other_build = options->other_build,
                .notes = options->quiet ? NULL : stderr,
                .rank = options->ranks.rank,
                .nrank = options->ranks.size,
        };
        struct sweep sweep;
        struct lb_error stopped = { .kind = LB_ERROR_NONE };
        if (options->directory && lb_make_directory(options->directory, err) < 0)
                return -1;
        int sealed = report_sealed(scenario, options, err);
        if (sealed != 0)
                return sealed < 0 ? -1 : 0;
        catch_signal(SIGINT);
        catch_signal(SIGTERM);
        if (sweep_run(&sweep, scenario, &sweep_options, &stopped) < 0 &&
            stopped.kind != LB_ERROR_STOPPED) {
                *err = stopped;
                return -1;
        }
        int status = options->ranks.rank > 0 ? 0 : report(&sweep, options, call, err);
        sweep_finish(&sweep);
        if (status < 0 || stopped.kind == LB_ERROR_NONE)
                return status;
        return lb_error_stop(err, "%s%s", stopped.text,
                             options->directory ? "; the same command continues" : "");
}

/* One of several processes of a launcher? Then threads are not its own to spread over all cores. */
static int settle_ranks(struct run_options *options, struct lb_error *err)
{
        options->ranks = (struct ranks){ .rank = 0, .size = 1 };
        if (!options->alone && !options->merges && ranks_find(&options->ranks, err) < 0)
                return -1;
        long cores = options->ranks.size > 1 ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
        if (options->jobs == 0)
                options->jobs = cores < 1 ? 1 : cores > JOBS_MAX ? JOBS_MAX : (int32_t)cores;
        if (options->ranks.size == 1)
                return 0;
        if (!options->directory)
                return lb_error_set(err,
                                    "%d processes need --out DIR, a folder they all see, to share "
                                    "the runs (--alone: each does all)",
                                    options->ranks.size);
        if (options->nshard > 1)
                return lb_error_set(err,
                                    "--shard is for processes on their own; these %d share "
                                    "the runs (--alone: each does its shard)",
                                    options->ranks.size);
        options->quiet |= options->ranks.rank > 0;
        return 0;
}

static int run_scenario(const struct run_options *options, const struct results_call *call,
                        struct lb_error *err)
{
        struct scenario scenario;
        if (scenario_open(&scenario, options->file, &options->scenario, err) < 0)
                return -1;
        if (!options->quiet)
                note_scenario(&scenario);
        int status = 0;
        if (options->directory && !options->no_figure)
                status = figure_check(&scenario, err);
        if (status == 0 && options->compress)
                status = lb_zstd_check(err);
        if (status == 0)
                status = run_sweep(&scenario, options, call, err);
        scenario_close(&scenario);
        return status;
}

static int run_or_merge(int argc, char **argv, bool merges)
{
        struct lb_error err = { .kind = LB_ERROR_NONE };
        struct run_options options = { .format = TABLE_TEXT, .merges = merges };
        options.other_build = merges ? OTHER_BUILD_REFUSE : OTHER_BUILD_ANEW;
        struct results_call call = { .argc = argc, .argv = argv };
        options.set = calloc((size_t)argc + 1, sizeof(*options.set));
        int status = options.set ? read_options(&options, argc, argv, &err)
                                 : lb_error_fail(&err, "out of memory");
        if (status == 0 && options.help)
                fputs(help, stdout);
        else if (status == 0)
                status = settle_ranks(&options, &err);
        if (status == 0 && !options.help)
                status = run_scenario(&options, &call, &err);
        if (status < 0 && options.ranks.size > 1)
                fprintf(stderr, "lbsim: rank %d: %s\n", options.ranks.rank, err.text);
        else if (status < 0)
                fprintf(stderr, "lbsim: %s\n", err.text);
        free(options.set);
        return lb_error_exit_code(&err);
}

int command_run(int argc, char **argv)
{
        return run_or_merge(argc, argv, false);
}

int command_merge(int argc, char **argv)
{
        return run_or_merge(argc, argv, true);
}
