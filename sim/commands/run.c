/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"
#include "sim/commands/commands.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build.h"
#include "base/file.h"
#include "sim/output/figure.h"
#include "sim/sweep/launched.h"
#include "sim/output/results.h"
#include "sim/output/results_page.h"
#include "sim/output/seal.h"
#include "sim/sweep/lock.h"
#include "sim/sweep/sweep.h"

/* ---- The command line ---- */

struct shard {
        int32_t index, count; /* 0, 0: all of it */
};

struct run_options {
        const char *directory, *seed, *html;
        int32_t jobs; /* 0: not given */
        enum table_format format;
        bool quiet, no_figure, alone, compress, version;
        struct lb_option_list set;
        struct shard shard;
        double hung_s;
        int figure_size;
        int other_build; /* 0: not given, else 1 + enum other_build */
        /* What follows from the words. */
        const char *file;
        bool merges;        /* lbsim merge */
        char *const *merge; /* [nmerge] */
        int32_t nmerge;
        struct ranks ranks;
        int32_t asked_jobs; /* 0: not given */
};

/* "3/8": the third of eight. */
static int read_shard(const char *text, void *to, struct lb_error *err)
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
                return lb_error_set(err, "found '%.60s', must be I/N with 1 <= I <= N <= %d", text,
                                    SHARDS_MAX);
        *(struct shard *)to = (struct shard){ (int32_t)shard - 1, (int32_t)count };
        return 0;
}

static const char *const other_builds[] = { "anew", "keep", NULL };

static const struct lb_option options_table[] = {
        { "out", LB_OPTION_FOLDER, "DIR",
          "write results.csv, results.json, summary.csv and figures into DIR; run again, it "
          "continues where it stopped",
          LB_OPTION_TO(struct run_options, directory) },
        OPTION_JOBS(struct run_options, jobs),
        OPTION_SET(struct run_options),
        OPTION_SEED(struct run_options),
        OPTION_TABLE_FORMAT(struct run_options),
        { "shard", LB_OPTION_OWN, "I/N",
          "do the I-th of N parts of about equal cost, for job arrays: each part into a directory "
          "of its own, then lbsim merge",
          LB_OPTION_TO(struct run_options, shard), .read = read_shard },
        { "compress", LB_OPTION_FLAG, NULL,
          "write results.csv.zst and so on in place of results.csv, compressed by libzstd; lbsim "
          "show and compare read either",
          LB_OPTION_TO(struct run_options, compress) },
        OPTION_HUNG(struct run_options),
        { "other-build", LB_OPTION_CHOICE, NULL,
          "runs in DIR that another build of lbsim or of a policy's plugin has simulated: set them "
          "aside into DIR/build-XXXXXXXX with the results, and simulate them anew (default), or "
          "take them as they are; a merge refuses them unless told",
          LB_OPTION_TO(struct run_options, other_build), .min = 1, .choices = other_builds },
        { "alone", LB_OPTION_FLAG, NULL,
          "not to share the sweep with the other processes of mpirun or srun",
          LB_OPTION_TO(struct run_options, alone) },
        { "quiet", LB_OPTION_FLAG, NULL, "no progress and no notes",
          LB_OPTION_TO(struct run_options, quiet) },
        { "no-figure", LB_OPTION_FLAG, NULL, "draw no figure",
          LB_OPTION_TO(struct run_options, no_figure) },
        OPTION_FIGURE_SIZE(struct run_options),
        OPTION_HTML(struct run_options, NULL),
        { "version", LB_OPTION_FLAG, NULL, "print version, build, commit, compiler and libraries",
          LB_OPTION_TO(struct run_options, version) },
        { .name = NULL },
};

/* What the words say, and what was not given. */
static int settle(struct run_options *options, const struct lb_call *call, struct lb_error *err)
{
        options->merges = call->command == &command_merge;
        if (options->other_build > 0)
                options->other_build--;
        else
                options->other_build = options->merges ? OTHER_BUILD_REFUSE : OTHER_BUILD_ANEW;
        if (call->nword == 0)
                return lb_error_set(err, "no scenario given (lbsim --help)");
        options->file = call->word[0];
        if (options->merges) {
                options->merge = call->word + 1;
                options->nmerge = call->nword - 1;
        } else if (call->nword > 1) {
                return lb_error_set(err, "one scenario at a time, found '%s' and '%s'",
                                    call->word[0], call->word[1]);
        }
        if (options->html && !options->directory)
                return lb_error_set(err, "--html is of stored results, and needs --out DIR");
        if (options->merges && (options->nmerge == 0 || !options->directory))
                return lb_error_set(err, "a merge needs directories to merge, and --out DIR");
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

/* Of several processes each has threads for its own runs. */
static void note_threads(const struct sweep *sweep, const struct run_options *options)
{
        if (options->quiet || options->asked_jobs <= sweep->nrun || !sweep->undivided)
                return;
        fprintf(
            stderr,
            "lbsim: of %d threads %lld %s used, one for each run: a run is not divided, as %s\n",
            options->asked_jobs, (long long)sweep->nrun, sweep->nrun == 1 ? "is" : "are",
            sweep->undivided);
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
                fprintf(stderr, "lbsim: %lld of %lld run%s merged\n", (long long)sweep->nmerged,
                        (long long)sweep->nrun, lb_s((double)sweep->nrun));
        if (sweep->nreused > 0)
                fprintf(stderr, "lbsim: %lld of %lld run%s taken from an earlier call\n",
                        (long long)sweep->nreused, (long long)sweep->nrun,
                        lb_s((double)sweep->nrun));
        note_other_build(sweep->nother);
        int64_t simulated = sweep->ndone - sweep->nreused - sweep->nmerged;
        if (simulated > 0)
                fprintf(stderr, "lbsim: %lld run%s in %.3g s\n", (long long)simulated,
                        lb_s((double)simulated), sweep->elapsed_s);
}

static struct seal_request seal_of(const struct scenario *scenario,
                                   const struct run_options *options)
{
        return (struct seal_request){ .scenario = scenario,
                                      .directory = options->directory,
                                      .compress = options->compress,
                                      .figure = !options->no_figure,
                                      .figure_size = options->figure_size,
                                      .other_build = (enum other_build)options->other_build,
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

/* The most replicates were not enough for what was asked. */
static void note_precision(const struct sweep *sweep, FILE *out)
{
        double widest;
        const struct scenario *scenario = sweep->scenario;
        int64_t count = sweep->ndone == sweep->nrun ? sweep_imprecise(sweep, &widest) : 0;
        if (count > 0)
                fprintf(out,
                        "note: %lld of %lld point%s %s not within precision, %.3g %%, after %d "
                        "replicates (replicates_most): the widest is within %.3g %%\n",
                        (long long)count, (long long)scenario->npoint,
                        lb_s((double)scenario->npoint), count == 1 ? "is" : "are",
                        100 * scenario->precision, scenario->replicates, 100 * widest);
}

/* Figures are drawn of complete sweeps only. */
static int write_files(const struct sweep *sweep, const struct run_options *options,
                       const struct results_call *call, struct lb_error *err)
{
        struct lb_text all;
        FILE *notes = lb_text_begin(&all);
        if (!notes)
                return lb_error_fail(err, "out of memory");
        seal_remove(options->directory);
        note_precision(sweep, notes);
        int status = results_write(sweep, call, options->directory, options->compress, notes, err);
        if (status == 0 && !options->no_figure && sweep->ndone == sweep->nrun)
                status = figure_draw(
                    sweep, &(struct figure_order){ .size = (enum figure_size)options->figure_size },
                    options->directory, notes, err);
        char *text = lb_text_end(&all);
        status = text ? status : lb_error_fail(err, "out of memory");
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
        int status =
            options->format == TABLE_JSON
                ? results_json(sweep, call, NULL, NULL, stdout)
                : results_put(sweep, options->format == TABLE_CSV ? results_runs : results_overview,
                              stdout, options->format);
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
        if (!options->quiet && !options->directory)
                note_precision(sweep, stderr);
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

/* Is what is to be printed not in the directory's files? */
static bool is_unwritten(const struct run_options *options)
{
        return options->compress && options->format == TABLE_JSON;
}

/* Is everything done and in order? Then it is only printed: 1; else 0, or -1 on failure. A merge
 * has other directories to look at. */
static int report_sealed(const struct scenario *scenario, const struct run_options *options,
                         struct lb_error *err)
{
        struct seal seal;
        const struct seal_request request = seal_of(scenario, options);
        if (!options->directory || options->merges || options->ranks.rank > 0 ||
            is_unwritten(options))
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

/* The page may lie in the directory. made: it was not there before. */
static int make_place(const struct run_options *options, bool *made, struct lb_error *err)
{
        *made = options->directory && access(options->directory, F_OK) < 0;
        if (options->directory && lb_make_directory(options->directory, err) < 0)
                return lb_error_prefix(err, "--out: ");
        if (options->html && options->ranks.rank == 0 &&
            (lb_file_check(options->html, err) < 0 ||
             sweep_check_apart(options->directory, options->html, err) < 0))
                return lb_error_prefix(err, "--html: ");
        return 0;
}

static int run_sweep(const struct scenario *scenario, const struct run_options *options,
                     const struct results_call *call, struct lb_error *err)
{
        struct sweep_options sweep_options = {
                .directory = options->directory,
                .jobs = options->jobs,
                .cores = command_cores(),
                .progress = !options->quiet,
                .stop = &interrupted,
                .shard = options->shard.index,
                .nshard = options->shard.count,
                .hung_s = options->hung_s,
                .merge = (const char *const *)options->merge,
                .nmerge = options->nmerge,
                .other_build = (enum other_build)options->other_build,
                .notes = options->quiet ? NULL : stderr,
                .rank = options->ranks.rank,
                .nrank = options->ranks.size,
        };
        struct sweep sweep;
        struct lb_error stopped = { .kind = LB_ERROR_NONE };
        bool made;
        if (make_place(options, &made, err) < 0)
                return -1;
        int sealed = report_sealed(scenario, options, err);
        if (sealed != 0)
                return sealed < 0 ? -1 : 0;
        catch_signal(SIGINT);
        catch_signal(SIGTERM);
        if (sweep_run(&sweep, scenario, &sweep_options, &stopped) < 0 &&
            stopped.kind != LB_ERROR_STOPPED) {
                if (made)
                        (void)rmdir(options->directory); /* if nothing has come into it */
                *err = stopped;
                return -1;
        }
        note_threads(&sweep, options);
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
        options->asked_jobs = options->jobs;
        if (options->jobs == 0)
                options->jobs = options->ranks.size > 1 ? 1 : command_cores();
        if (options->ranks.size == 1)
                return 0;
        if (!options->directory)
                return lb_error_set(err,
                                    "%d processes need --out DIR, a folder they all see, to share "
                                    "the runs (--alone: each does all)",
                                    options->ranks.size);
        if (options->shard.count > 1)
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
        const struct scenario_options given = { .set = options->set.text,
                                                .nset = options->set.count,
                                                .seed = options->seed };
        if (scenario_open(&scenario, options->file, &given, err) < 0)
                return -1;
        if (!options->quiet)
                note_scenario(&scenario);
        int status = 0;
        if (options->directory && !options->no_figure)
                status = figure_check(&scenario, NULL, err);
        if (status == 0)
                status = run_sweep(&scenario, options, call, err);
        if (status == 0 && options->html && options->ranks.rank == 0)
                status = results_page_write(&scenario, options->directory, options->html, err);
        scenario_close(&scenario);
        return status;
}

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        struct run_options *options = given;
        const struct results_call results_call = { .argc = call->argc, .argv = call->argv };
        if (options->version)
                return lb_program_version(&lbsim_program, stdout), 0;
        int status = settle(options, call, err);
        if (status == 0)
                status = settle_ranks(options, err);
        if (status == 0)
                status = run_scenario(options, &results_call, err);
        if (status < 0 && options->ranks.size > 1)
                lb_error_prefix(err, "rank %d: ", options->ranks.rank);
        return status;
}

const struct lb_command command_run = {
        .program = &lbsim_program,
        .usage = "SCENARIO.json [OPTION]...\nCOMMAND [OPTION]...",
        .about = "Simulate every point of a scenario and print one row per point, means over "
                 "replicates. Started by mpirun, mpiexec or srun, the processes share the runs: "
                 "mpirun -n 64 lbsim S.json --out DIR, in a folder that all of them see.",
        .ends = "0 done; 2 the command line or an input file is wrong: the message names the "
                "place, what was found and what is allowed; 130 interrupted; 1 anything else.",
        .options = options_table,
        .size = sizeof(struct run_options),
        .word = LB_OPTION_FILE,
        .word_max = INT32_MAX,
        .run = run,
};

const struct lb_command command_merge = {
        .program = &lbsim_program,
        .name = "merge",
        .summary = "put the shards of a sweep together",
        .usage = "SCENARIO.json DIR... --out DIR [OPTION]...",
        .about = "Put the runs of several directories together in one, and simulate what is "
                 "missing. Options are those of lbsim SCENARIO.json.",
        .options = options_table,
        .size = sizeof(struct run_options),
        .word = LB_OPTION_FILE,
        .word_max = INT32_MAX,
        .run = run,
};
