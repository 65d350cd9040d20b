/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/measure.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "real/launch/advise.h"
#include "real/launch/claim.h"
#include "real/launch/command.h"
#include "real/launch/hosts.h"
#include "real/launch/line.h"
#include "real/launch/measure_place.h"
#include "real/launch/options.h"
#include "real/launch/program.h"
#include "real/measure/measurement.h"
#include "real/measure/rank_file.h"

enum { NOT_MEASURED = 125, PATH_SIZE = PROGRAM_PATH_SIZE };

enum { SKIPPED_MAX = 8, SKIPPED_LONGEST = 60 };

struct request {
        const char *out, *mpi;
        char own[MEASURE_PLACE_NAME]; /* out, where none was named */
        enum mpi asked;               /* --mpi */
        double from_s, for_s;
        struct lb_option_list skip;
        char *const *launch;
};

/* ---- Command line ---- */

static int check_launcher(struct request *request, struct lb_error *err)
{
        char late[PATH_SIZE];
        const char *launcher = request->launch[0];
        if (line_check_there(launcher, err) != 0)
                return -1;
        if (request->asked != MPI_NONE)
                request->mpi = mpi_name(request->asked);
        else
                request->mpi = line_mpi_of(launcher);
        if (request->mpi)
                return 0;
        return lb_error_set(
            err,
            "'%s' is no launcher whose MPI is known: write the line that starts "
            "the program, as in 'lbrun measure -- mpirun -n 4 ./app'%s, or name its "
            "MPI by --mpi openmpi or --mpi mpich",
            launcher, line_begins_late(request->launch, late, sizeof(late)));
}

/* What the ranks need to know. */
static int write_setup(const struct request *request, const char *ranks, struct lb_error *err)
{
        char path[2 * PATH_SIZE];
        struct lb_file file;
        snprintf(path, sizeof(path), "%s/" RANK_FILE_SETUP, ranks);
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        fprintf(file.stream, "from %.9g\nfor %.9g\n", request->from_s, request->for_s);
        for (int32_t i = 0; i < request->skip.count; i++)
                fprintf(file.stream, "skip %s\n", request->skip.text[i]);
        return lb_file_commit(&file, err);
}

/* ---- Run ---- */

/* As a shell reads it, to be freed; NULL: no memory. */
static char *shell_line(char *const *word)
{
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        if (!out)
                return NULL;
        words_print_shell(word, out);
        fclose(out);
        return text;
}

/* Ranks that were killed are no good end, whatever the launcher says. */
static int conclude(const struct request *request, const char *ranks, int *code,
                    struct lb_error *err)
{
        struct measurement measurement;
        if (measurement_read(&measurement, ranks, err) < 0)
                return -1;
        char *launch = shell_line(request->launch);
        measurement.launch = launch;
        int failed = measurement_write(&measurement, request->out, err);
        free(launch);
        if (!failed)
                measurement_print(&measurement, request->out, stderr);
        if (!failed && *code == 0 && measurement.killed > 0) {
                fputs("lbrun: ranks were killed, which the launcher takes for a good end\n",
                      stderr);
                *code = 1;
        }
        measurement_finish(&measurement);
        return failed;
}

static void say_unmeasured(const struct lb_error *err)
{
        int signal = line_signal();
        if (signal)
                fprintf(stderr, "lbrun: not measured: ended by signal %d, %s: %s\n", signal,
                        strsignal(signal), err->text);
        else
                fprintf(stderr, "lbrun: not measured: %s\n", err->text);
}

/* The loader preloads nothing where a program has other rights than who starts it. */
static bool gives_rights(const struct stat *file)
{
        return ((file->st_mode & S_ISUID) && file->st_uid != getuid()) ||
               ((file->st_mode & S_ISGID) && file->st_gid != getgid());
}

/* What would be said at the end of a job of hours is said before it, too, where the program is
 * seen.
 */
static void warn_of_program(const struct request *request)
{
        char path[PROGRAM_PATH_SIZE];
        struct stat file;
        if (!line_program(request->launch, path))
                return;
        if (program_is_static(path))
                fprintf(stderr,
                        "lbrun measure: '%s' is linked statically, so nothing can be measured of "
                        "it: link it with MPI's shared library\n",
                        path);
        else if (stat(path, &file) == 0 && gives_rights(&file))
                fprintf(stderr,
                        "lbrun measure: '%s' is setuid or setgid, so nothing can be measured of "
                        "it: start a copy that is not (cp, then chmod ug-s)\n",
                        path);
}

static bool find_hosts(void *user, struct hosts *hosts)
{
        const char *const *ranks = user;
        struct measurement m;
        bool known = measurement_peek(&m, *ranks);
        for (int32_t i = 0; known && i < m.nrank; i++)
                hosts_add(hosts, m.rank[i]->host, m.rank[i]->state == RANK_RUNS);
        measurement_finish(&m);
        return known;
}

/* With a directory for what the ranks measure. */
static int run_measured(const struct request *request, struct words *line,
                        const struct line_preload *preload, struct lb_error *err)
{
        const char *ranks = preload->set[0].value;
        if (write_setup(request, ranks, err) < 0 ||
            line_make(line, request->mpi, request->launch, preload, err) < 0)
                return -1;
        if (line->failed || command_ready() < 0)
                return lb_error_fail(err, "out of memory");
        warn_of_program(request);
        const struct line_watch watch = { .hosts = find_hosts, .user = &ranks };
        int code = line_run(line->word, &watch, err);
        if (code >= 0 && conclude(request, ranks, &code, err) < 0) {
                say_unmeasured(err);
                code = code ? code : NOT_MEASURED;
        }
        return code;
}

static int measure(struct request *request, struct words *line, struct lb_error *err)
{
        char library[PATH_SIZE], ranks[PATH_SIZE], path[PROGRAM_PATH_SIZE];
        bool fresh;
        struct timespec since;
        clock_gettime(CLOCK_REALTIME_COARSE, &since);
        if (program_locate(request->launch[0], path, err) != 0 ||
            line_library(library, sizeof(library), "measure", request->mpi, err) < 0)
                return -1;
        int code = -1;
        struct claim *claim = request->out ? measure_place_claim(request->out, &fresh, err)
                                           : measure_place_choose(request->own, &fresh, err);
        if (!claim)
                return -1;
        request->out = request->out ? request->out : request->own;
        const struct line_preload preload = { library, { { RANK_FILE_VARIABLE, ranks } } };
        if (measure_place_of_ranks(request->out, ranks, err) == 0) {
                code = run_measured(request, line, &preload, err);
                line_clean(&since);
                line_remove(ranks);
        }
        claim_destroy(claim);
        if (fresh)
                rmdir(request->out); /* where nothing is in it */
        return code;
}

static int check_skipped(const struct request *request, struct lb_error *err)
{
        for (int32_t i = 0; i < request->skip.count; i++) {
                const char *library = request->skip.text[i];
                if (i == SKIPPED_MAX || library[0] == '\0' || strlen(library) > SKIPPED_LONGEST ||
                    strpbrk(library, " \t\n/"))
                        return lb_error_set(err,
                                            "--skip: found '%s', allowed are the file names of at "
                                            "most %d libraries, each of 1 to %d letters",
                                            library, SKIPPED_MAX, SKIPPED_LONGEST);
        }
        return 0;
}

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        struct request *request = given;
        struct words line = { 0 };
        request->launch = call->word;
        int code = check_launcher(request, err) < 0 || check_skipped(request, err) < 0 ? -1 : 0;
        if (code == 0)
                code = measure(request, &line, err);
        words_finish(&line);
        return code;
}

/* One that was there before is refused by run(). */
static int run_advise(const struct lb_call *call, void *given, struct lb_error *err)
{
        const struct request *request = given;
        int code = run(call, given, err);
        return code < 0 || !measure_place_is_measured(request->out) ? code
                                                                    : advise(request->out, code);
}

static const struct lb_option options[] = {
        { "out", LB_OPTION_FOLDER, "DIR",
          "what is found: measured.json, talp.json, and loads.csv, a workload for lbsim, by "
          "iteration where MPI calls repeat, else by window. It must not have a measurement "
          "already; without, it is measured, or the first of measured-2, measured-3, ... that has "
          "none and that no other job writes to",
          LB_OPTION_TO(struct request, out) },
        { "from", LB_OPTION_NUMBER, "S", "begin so many seconds after MPI_Init",
          LB_OPTION_TO(struct request, from_s), .min = 0, .max = 1e9, .fallback = "0" },
        { "for", LB_OPTION_NUMBER, "S", "measure so many seconds; 0: to the end",
          LB_OPTION_TO(struct request, for_s), .min = 0, .max = 1e9, .fallback = "0" },
        { "skip", LB_OPTION_LIST, "LIBRARY",
          "its callers are the call sites, not it: its file's name or how that begins; may be "
          "repeated",
          LB_OPTION_TO(struct request, skip) },
        { "mpi", LB_OPTION_CHOICE, NULL,
          "the MPI of the launcher, where its name does not tell (srun)",
          LB_OPTION_TO(struct request, asked), .min = MPI_NONE, .choices = options_mpis,
          .fallback = "auto" },
        { .name = NULL },
};

const struct lb_command measure_command = {
        .program = &lbrun_program,
        .name = "measure",
        .summary = "run a program as it is, and say how its load is spread over its ranks",
        .usage = "[OPTION]... -- LAUNCHER ... PROGRAM ...",
        .about = "Run a program as it is, under its own launcher, and say how its load is spread "
                 "over its ranks: lbrun measure -- mpirun -n 64 ./app args. Load is time outside "
                 "MPI, but for time without a CPU.",
        .ends = "The launcher's; 125 where the program ended well and could not be measured; 2 "
                "wrong command line.",
        .options = options,
        .size = sizeof(struct request),
        .word_min = 1,
        .word_max = INT32_MAX,
        .needed = "no -- and launch line, for instance -- mpirun -n 4 ./app",
        .in_order = true,
        .run = run,
};

const struct lb_command advise_command = {
        .program = &lbrun_program,
        .name = "advise",
        .summary = "measure a program as it is, and say what balancing it would gain",
        .usage = "[OPTION]... -- LAUNCHER ... PROGRAM ...",
        .about = "Run a program as it is, under its own launcher, measure its loads (lbrun "
                 "measure), and say whether it is out of balance, what each system would gain, and "
                 "what that asks of you: lbrun advise -- mpirun -n 64 ./app args. The answer is "
                 "also a page, DIR/advice.html. The same again, with other assumptions, without "
                 "the program: lbsim gain DIR.",
        .ends = "The launcher's; 125 where the program ended well without advice; 2 wrong command "
                "line.",
        .options = options,
        .size = sizeof(struct request),
        .word_min = 1,
        .word_max = INT32_MAX,
        .needed = "no -- and launch line, for instance -- mpirun -n 4 ./app",
        .in_order = true,
        .run = run_advise,
};
