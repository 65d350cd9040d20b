/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/measure.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "real/launch/program.h"
#include "real/measure/measurement.h"
#include "real/measure/rank_file.h"

enum { USAGE = 2, NOT_MEASURED = 125, PATH_SIZE = PROGRAM_PATH_SIZE };

static const char usage[] =
    "Usage: lbrun measure [--out DIR] [--from S] [--for S] [--mpi MPI] [--skip LIBRARY]... -- "
    "LAUNCHER ...\n"
    "\n"
    "Run a program as it is, under its own launcher, and say how its load is spread over its "
    "ranks:\n"
    "lbrun measure -- mpirun -n 64 ./app args. Load is time outside MPI, but for time without a "
    "CPU.\n"
    "\n"
    "  --out DIR                what is found: measured.json, talp.json, and loads.csv, a workload "
    "for\n"
    "                           lbsim, by iteration where MPI calls repeat, else by window; "
    "default\n"
    "                           measured. It must not have a measurement already\n"
    "  --from S --for S         a part of a long run: seconds after MPI_Init, and how many\n"
    "  --skip LIBRARY           its callers are the call sites, not it (file name or how it "
    "begins)\n"
    "  --mpi openmpi|mpich      the MPI of the launcher, where its name does not tell (srun)\n"
    "\n"
    "The exit code is the launcher's; 125 where the program ended well and could not be "
    "measured.\n";

struct request {
        const char *out, *mpi;
        double from_s, for_s;
        const char *skip[8];
        int nskip;
        char *const *launch;
        bool help;
};

/* ---- Command line ---- */

static int read_seconds(const char *option, const char *text, double *value, struct lb_error *err)
{
        char *end;
        *value = strtod(text, &end);
        if (end == text || *end != '\0' || !(*value >= 0 && *value < 1e9))
                return lb_error_set(err, "measure: %s: found '%s', allowed are seconds, 0 to 1e9",
                                    option, text);
        return 0;
}

static int add_skipped(struct request *request, const char *library, struct lb_error *err)
{
        enum { LONGEST = 60 };
        if (request->nskip == 8 || library[0] == '\0' || strlen(library) > LONGEST ||
            strpbrk(library, " \t\n/"))
                return lb_error_set(err,
                                    "measure: --skip: found '%s', allowed are the file names of at "
                                    "most 8 libraries, each of 1 to %d letters",
                                    library, LONGEST);
        request->skip[request->nskip++] = library;
        return 0;
}

static int read_option(struct request *request, char *const *word, struct lb_error *err)
{
        static const char *const name[] = { "--out", "--mpi", "--from", "--for", "--skip" };
        size_t at = 0, count = sizeof(name) / sizeof(name[0]);
        while (at < count && strcmp(word[0], name[at]) != 0)
                at++;
        if (at == count)
                return lb_error_set(
                    err,
                    "measure: found '%s', allowed are --out DIR, --from S, --for S, "
                    "--mpi openmpi|mpich, --skip LIBRARY, then -- and the launch line",
                    word[0]);
        if (!word[1])
                return lb_error_set(err, "measure: %s needs a value", word[0]);
        switch (at) {
        case 0:
                request->out = word[1];
                return 0;
        case 1:
                request->mpi = word[1];
                return 0;
        case 2:
                return read_seconds(word[0], word[1], &request->from_s, err);
        case 3:
                return read_seconds(word[0], word[1], &request->for_s, err);
        default:
                return add_skipped(request, word[1], err);
        }
}

static int check_launcher(struct request *request, struct lb_error *err)
{
        const char *launcher = request->launch[0];
        if (!launcher)
                return lb_error_set(err,
                                    "measure: no launch line after --, for instance mpirun -n 4 "
                                    "./app");
        if (!request->mpi)
                request->mpi = measure_mpi_of(launcher);
        if (!request->mpi)
                return lb_error_set(
                    err,
                    "measure: '%s' is no launcher whose MPI is known: write the line "
                    "that starts the program, as in 'lbrun measure -- mpirun -n 4 "
                    "./app', or name its MPI by --mpi openmpi or --mpi mpich",
                    launcher);
        if (strcmp(request->mpi, "openmpi") != 0 && strcmp(request->mpi, "mpich") != 0)
                return lb_error_set(
                    err, "measure: --mpi: found '%s', allowed are openmpi and mpich", request->mpi);
        return 0;
}

static int read_words(struct request *request, char *const *word, struct lb_error *err)
{
        *request = (struct request){ .out = "measured" };
        for (; *word && strcmp(*word, "--") != 0; word += 2) {
                request->help |= strcmp(*word, "--help") == 0;
                if (request->help)
                        return 0;
                if (read_option(request, word, err) < 0)
                        return -1;
        }
        if (!*word)
                return lb_error_set(err, "measure: no -- and launch line");
        request->launch = word + 1;
        return check_launcher(request, err);
}

/* ---- Where ---- */

/* Beside lbrun as built, or as installed. */
static int find_library(char path[static PATH_SIZE], const char *mpi, struct lb_error *err)
{
        static const char *const place[] = { "lib", LB_LIBRARY_FROM_BIN };
        char own[PATH_SIZE];
        ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
        own[length > 0 ? length : 0] = '\0';
        char *slash = strrchr(own, '/');
        if (slash)
                *slash = '\0';
        for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++)
                if (snprintf(path, PATH_SIZE, "%.2000s/%s/liblbrun-measure-%s.so", own, place[i],
                             mpi) < PATH_SIZE &&
                    access(path, R_OK) == 0)
                        return 0;
        return lb_error_fail(err, "measure: '%s' is not installed", path);
}

static int make_directories(const struct request *request, char ranks[static PATH_SIZE],
                            struct lb_error *err)
{
        char path[PATH_SIZE];
        if (snprintf(path, sizeof(path), "%s/measured.json", request->out) >= PATH_SIZE)
                return lb_error_set(err, "--out '%.60s...': too long a name", request->out);
        if (access(path, F_OK) == 0)
                return lb_error_set(err,
                                    "--out '%s': it has a measurement already; name another "
                                    "directory, or remove it",
                                    request->out);
        if (lb_make_directory(request->out, err) < 0)
                return -1;
        char *whole = realpath(request->out, NULL);
        int size = whole ? snprintf(ranks, PATH_SIZE, "%s/ranks-XXXXXX", whole) : PATH_SIZE;
        free(whole);
        if (size >= PATH_SIZE || !mkdtemp(ranks))
                return lb_error_set(err, "--out '%s' cannot be written: %s", request->out,
                                    strerror(errno));
        return chmod(ranks, 0755);
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
        for (int i = 0; i < request->nskip; i++)
                fprintf(file.stream, "skip %s\n", request->skip[i]);
        return lb_file_commit(&file, err);
}

static void remove_directory(const char *path)
{
        char file[2 * PATH_SIZE];
        DIR *entries = opendir(path);
        for (struct dirent *entry; entries && (entry = readdir(entries));) {
                snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
                unlink(file);
        }
        if (entries)
                closedir(entries);
        rmdir(path);
}

/* ---- Run ---- */

static volatile sig_atomic_t child;

static void pass_on(int signal)
{
        if (child > 0)
                kill((pid_t)child, signal);
}

/* The launcher has our terminal and our process group, so what a terminal sends it has already. */
static int run_line(char *const *line, struct lb_error *err)
{
        static const int passed[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
        int status;
        pid_t pid = fork();
        if (pid == 0) {
                execvp(line[0], line);
                fprintf(stderr, "lbrun: '%s' cannot be run: %s\n", line[0], strerror(errno));
                _exit(errno == ENOENT ? 127 : 126);
        }
        if (pid < 0)
                return lb_error_fail(err, "cannot start '%s': %s", line[0], strerror(errno));
        child = pid;
        signal(SIGPIPE, SIG_IGN); /* whoever reads our messages may leave, the job goes on */
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
        for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
                signal(passed[i], pass_on);
        while (waitpid(pid, &status, 0) < 0)
                if (errno != EINTR)
                        return lb_error_fail(err, "cannot wait for '%s': %s", line[0],
                                             strerror(errno));
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int conclude(const struct request *request, const char *ranks, struct lb_error *err)
{
        struct measurement measurement;
        if (measurement_read(&measurement, ranks, err) < 0)
                return -1;
        int failed = measurement_write(&measurement, request->out, err);
        if (!failed)
                measurement_print(&measurement, request->out, stderr);
        measurement_finish(&measurement);
        return failed;
}

static int measure(const struct request *request, struct words *line, struct lb_error *err)
{
        char library[PATH_SIZE], ranks[PATH_SIZE], path[PROGRAM_PATH_SIZE];
        bool fresh = access(request->out, F_OK) < 0;
        int code = program_locate(request->launch[0], path, err);
        if (code)
                return lb_error_prefix(err, "measure: ");
        if (find_library(library, request->mpi, err) < 0 ||
            make_directories(request, ranks, err) < 0 || write_setup(request, ranks, err) < 0 ||
            measure_line(line, request->mpi, request->launch, library, ranks, err) < 0)
                return -1;
        if (line->failed)
                return lb_error_fail(err, "out of memory");
        code = run_line(line->word, err);
        if (code >= 0 && conclude(request, ranks, err) < 0) {
                fprintf(stderr, "lbrun: not measured: %s\n", err->text);
                code = code ? code : NOT_MEASURED;
        }
        remove_directory(ranks);
        if (fresh)
                rmdir(request->out); /* where nothing is in it */
        return code;
}

int measure_main(int count, char **word)
{
        struct lb_error err = { 0 };
        struct request request;
        struct words line = { 0 };
        (void)count;
        int code = read_words(&request, word, &err);
        if (code == 0 && request.help) {
                fputs(usage, stdout);
                return 0;
        }
        if (code == 0)
                code = measure(&request, &line, &err);
        words_finish(&line);
        if (code >= 0)
                return code;
        fprintf(stderr, "lbrun: %s\n", err.text);
        return err.kind == LB_ERROR_INPUT ? USAGE : NOT_MEASURED;
}
