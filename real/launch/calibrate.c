/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/calibrate.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "base/file.h"
#include "base/json.h"
#include "base/self.h"
#include "plots/table.h"
#include "real/launch/command.h"
#include "real/launch/doctor/doctor_impl.h"
#include "real/launch/line.h"
#include "real/launch/options.h"

/*
 * This machine's constants, for lbsim: a program of ours (real/calibrate/probe.c) is run under a
 * launcher for the network, and under lbrun for tasks and polls. Of each the median of its
 * repetitions is written, and beside it the 95 % interval of the median.
 */

enum { PATH_SIZE = PROGRAM_PATH_SIZE, TEXT_SIZE = 1 << 16, TRIALS_MAX = 64, RUN_S = 120 };

struct request {
        const char *out;
        enum mpi asked;
        const char *mpi;
        char *const *launch; /* [nlaunch] */
        int32_t nlaunch;
};

/* ---- Figures ---- */

struct figure {
        double median, low, high;
        int count;
};

static int by_value(const void *a, const void *b)
{
        double x = *(const double *)a, y = *(const double *)b;
        return (x > y) - (x < y);
}

/* The interval of order statistics around the median: binomial, normal approximation, which at 15
 * repetitions gives the 4th and the 12th, 96 %. */
static struct figure figure_of(double *value, int count)
{
        struct figure figure = { NAN, NAN, NAN, count };
        if (count == 0)
                return figure;
        qsort(value, (size_t)count, sizeof(*value), by_value);
        int off = (int)ceil(0.98 * sqrt(count));
        int low = (count + 1) / 2 - 1 - off, high = count / 2 + off;
        figure.median = (value[(count - 1) / 2] + value[count / 2]) / 2;
        figure.low = value[low > 0 ? low : 0];
        figure.high = value[high < count ? high : count - 1];
        return figure;
}

/* Of lines "calibrate NAME VALUE". */
static struct figure read_figure(const char *text, const char *name)
{
        double value[TRIALS_MAX];
        int count = 0;
        char line[64];
        int size = snprintf(line, sizeof(line), "calibrate %s ", name);
        for (const char *at = strstr(text, line); at && count < TRIALS_MAX; at = strstr(at, line)) {
                at += size;
                value[count++] = strtod(at, NULL);
        }
        return figure_of(value, count);
}

/* ---- Programs ---- */

static int find_probe(char path[static PATH_SIZE], const char *mpi, struct lb_error *err)
{
        char name[64];
        snprintf(name, sizeof(name), "lbrun-calibrate-%s", mpi);
        return program_own(path, name, err);
}

/* Run a line and look for figures in what it prints. */
static int run_line(const struct words *line, char *text, struct lb_error *err)
{
        if (line->failed)
                return lb_error_fail(err, "out of memory");
        int code = doctor_run(line->word, NULL, RUN_S, text, TEXT_SIZE);
        if (code == 0 && strstr(text, "calibrate "))
                return 0;
        if (code == 0)
                return lb_error_fail(err, "'%s' printed nothing that was measured", line->word[0]);
        return lb_error_fail(err, "'%s' ended with code %d: %s", line->word[0], code,
                             doctor_first_line(text));
}

/* lbrun itself, on virtual nodes. */
static int run_lbrun(const struct request *request, const char *probe, const char *nodes,
                     const char *what, char *text, struct lb_error *err)
{
        struct words line = { 0 };
        const char *const word[] = { "/proc/self/exe", "--virtual",  "--nodes",  nodes,
                                     "--cores",        "2",          "--degree", nodes,
                                     "--mpi",          request->mpi, "--system", "local",
                                     "--quiet",        "--",         probe,      what };
        char own[LB_SELF_SIZE];
        lb_self_file(own);
        words_add(&line, own);
        for (size_t i = 1; i < sizeof(word) / sizeof(word[0]); i++)
                words_add(&line, word[i]);
        int status = run_line(&line, text, err);
        words_finish(&line);
        return status;
}

/* Two ranks here, or as the user's line starts them. */
static int run_network(const struct request *request, const char *probe, bool here, char *text,
                       struct lb_error *err)
{
        struct words line = { 0 };
        char mpirun[32];
        snprintf(mpirun, sizeof(mpirun), "mpirun.%s", request->mpi);
        if (here) {
                words_add(&line, mpirun);
                words_add(&line, "-n");
                words_add(&line, "2");
        }
        for (int32_t i = 0; !here && i < request->nlaunch; i++)
                words_add(&line, request->launch[i]);
        words_add(&line, probe);
        words_add(&line, "network");
        int status = run_line(&line, text, err);
        words_finish(&line);
        if (status == 0 && strstr(text, "calibrate ranks"))
                return lb_error_set(err, "'%s' started one rank: allowed is a line for two or more",
                                    request->nlaunch ? request->launch[0] : mpirun);
        return status;
}

/* ---- What is measured ---- */

enum constant { LATENCY, BANDWIDTH, MESSAGE_CPU, CREATE, TASK, POLL, NCONSTANT };

static const struct {
        const char *section, *inner, *name; /* in a scenario */
} constants[NCONSTANT] = {
        [LATENCY] = { "platform", "network", "latency_us" },
        [BANDWIDTH] = { "platform", "network", "bandwidth_GBps" },
        [MESSAGE_CPU] = { "platform", "network", "message_cpu_us" },
        [CREATE] = { "runtime", NULL, "create_us" },
        [TASK] = { "runtime", NULL, "task_us" },
        [POLL] = { "runtime", NULL, "message_poll_us" },
};

struct machine {
        struct figure figure[NCONSTANT];
        bool same_node;
};

/* An offloaded task is two messages and itself; what it lasts longer is until somebody looks, on
 * average half of the time between two looks, twice. */
static struct figure poll_of(struct figure offload, const struct figure *f, struct figure latency)
{
        struct figure poll = { offload.median - 2 * latency.median - f[CREATE].median -
                                   f[TASK].median,
                               offload.low - 2 * latency.high - f[CREATE].high - f[TASK].high,
                               offload.high - 2 * latency.low - f[CREATE].low - f[TASK].low,
                               offload.count };
        poll.median = fmax(0, poll.median);
        poll.low = fmax(0, poll.low);
        poll.high = fmax(0, poll.high);
        return poll;
}

static int measure_all(const struct request *request, const char *probe, struct machine *machine,
                       char *text, struct lb_error *err)
{
        struct figure *f = machine->figure;
        if (run_network(request, probe, true, text, err) < 0)
                return -1;
        struct figure latency = read_figure(text, "latency_us");
        if (request->nlaunch && run_network(request, probe, false, text, err) < 0)
                return -1;
        machine->same_node = read_figure(text, "same_node").median > 0;
        for (int c = LATENCY; c <= MESSAGE_CPU; c++)
                f[c] = read_figure(text, constants[c].name);
        if (run_lbrun(request, probe, "1", "tasks", text, err) < 0)
                return -1;
        f[CREATE] = read_figure(text, constants[CREATE].name);
        f[TASK] = read_figure(text, constants[TASK].name);
        if (run_lbrun(request, probe, "2", "offload", text, err) < 0)
                return -1;
        f[POLL] = poll_of(read_figure(text, "offload_us"), f, latency);
        for (int c = 0; c < NCONSTANT; c++)
                if (!(f[c].median >= 0 && f[c].median < 1e6))
                        return lb_error_fail(err, "%s could not be measured", constants[c].name);
        return 0;
}

/* ---- What is written ---- */

static const char *describe(const struct machine *machine)
{
        return machine->same_node ? "network: two ranks of one node, as virtual nodes are"
                                  : "network: two nodes";
}

static cJSON *enter(cJSON *object, const char *key)
{
        cJSON *inner = cJSON_GetObjectItemCaseSensitive(object, key);
        return inner ? inner : cJSON_AddObjectToObject(object, key);
}

static bool put_constant(cJSON *root, cJSON *measured, enum constant c, const struct figure *f)
{
        char path[64];
        cJSON *object = enter(root, constants[c].section);
        if (object && constants[c].inner)
                object = enter(object, constants[c].inner);
        snprintf(path, sizeof(path), "%s%s%s.%s", constants[c].section,
                 constants[c].inner ? "." : "", constants[c].inner ? constants[c].inner : "",
                 constants[c].name);
        cJSON *item = cJSON_AddObjectToObject(measured, path);
        return object && item && lb_json_add_number(object, constants[c].name, f->median) &&
               lb_json_add_number(item, "median", f->median) &&
               lb_json_add_number(item, "low", f->low) &&
               lb_json_add_number(item, "high", f->high) &&
               lb_json_add_number(item, "repetitions", f->count);
}

static int put_machine(const struct request *request, const struct machine *machine, FILE *out,
                       struct lb_error *err)
{
        cJSON *root = cJSON_CreateObject();
        bool fine = root && cJSON_AddStringToObject(root, "schema", "lbsim-machine-1") &&
                    cJSON_AddStringToObject(root, "description", describe(machine));
        cJSON *measured = fine ? cJSON_CreateObject() : NULL;
        fine = measured && cJSON_AddStringToObject(measured, "mpi", request->mpi) &&
               cJSON_AddBoolToObject(measured, "same_node", machine->same_node);
        for (int c = 0; c < NCONSTANT && fine; c++)
                fine = put_constant(root, measured, (enum constant)c, &machine->figure[c]);
        if (!measured || !cJSON_AddItemToObject(root, "measured", measured)) {
                cJSON_Delete(measured);
                fine = false;
        }
        return lb_json_print(root, fine, out, err);
}

static int write_machine(const struct request *request, struct lb_file *file,
                         const struct machine *machine, struct lb_error *err)
{
        int status = put_machine(request, machine, file->stream, err);
        if (status == 0)
                return lb_file_commit(file, err);
        lb_file_abandon(file);
        return status;
}

static int print_machine(const struct machine *machine, struct lb_error *err)
{
        static const char *const columns[] = { "constant", "median", "low", "high", "repetitions" };
        struct table *table = table_create(5, columns);
        for (int c = 0; table && c < NCONSTANT; c++) {
                const struct figure *f = &machine->figure[c];
                table_row(table);
                table_text(table, constants[c].name);
                table_number(table, f->median, 4);
                table_number(table, f->low, 4);
                table_number(table, f->high, 4);
                table_number(table, f->count, 4);
        }
        int status = table ? table_write(table, stdout, TABLE_TEXT) : -1;
        table_destroy(table);
        return status < 0 ? lb_error_fail(err, "the table cannot be written") : 0;
}

/* ---- The command ---- */

/* That of the line, the one that is asked for, or the first that is here. */
static int choose_mpi(struct request *request, struct lb_error *err)
{
        char probe[PATH_SIZE];
        if (request->nlaunch > 0 && line_check_there(request->launch[0], err) != 0)
                return -1;
        if (request->asked != MPI_NONE)
                request->mpi = mpi_name(request->asked);
        else if (request->nlaunch > 0)
                request->mpi = line_mpi_of(request->launch[0]);
        else
                request->mpi = find_probe(probe, "openmpi", err) == 0 ? "openmpi" : "mpich";
        if (request->mpi)
                return 0;
        return lb_error_set(err,
                            "'%s' is no launcher whose MPI is known: name it by --mpi openmpi or "
                            "--mpi mpich",
                            request->launch[0]);
}

static int open_out(struct request *request, struct lb_file *file, char path[static PATH_SIZE],
                    struct lb_error *err)
{
        if (request->out)
                return lb_file_create(file, request->out, err);
        if (!lb_data_machine(path))
                return lb_error_set(err, "--out is needed: neither LBSIM_MACHINE nor HOME is set");
        char *slash = strrchr(path, '/');
        if (slash && slash != path) {
                *slash = '\0';
                if (lb_make_directory(path, err) < 0)
                        return -1;
                *slash = '/';
        }
        request->out = path;
        return lb_file_create(file, path, err);
}

static int calibrate(struct request *request, struct lb_error *err)
{
        char probe[PATH_SIZE], path[PATH_SIZE];
        struct lb_file file;
        struct machine machine = { .same_node = false };
        if (choose_mpi(request, err) < 0 || find_probe(probe, request->mpi, err) < 0 ||
            open_out(request, &file, path, err) < 0)
                return -1;
        char *text = malloc(TEXT_SIZE);
        int status = text ? measure_all(request, probe, &machine, text, err)
                          : lb_error_fail(err, "out of memory");
        free(text);
        if (status < 0) {
                lb_file_abandon(&file);
                return -1;
        }
        if (write_machine(request, &file, &machine, err) < 0 || print_machine(&machine, err) < 0)
                return -1;
        printf("%s, %s\nin %s: lbsim gain uses it%s; scenarios by \"include\"\n",
               strcmp(request->mpi, "openmpi") == 0 ? "Open MPI" : "MPICH", describe(&machine),
               request->out, request->out == path ? "" : " with --platform");
        return 0;
}

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        struct request *request = given;
        request->launch = call->word;
        request->nlaunch = call->nword;
        return calibrate(request, err);
}

static const struct lb_option options[] = {
        { "out", LB_OPTION_FILE, "FILE",
          "the machine; default LBSIM_MACHINE, else ~/.config/lbsim/machine.json, which lbsim gain "
          "uses",
          LB_OPTION_TO(struct request, out), .read = lb_option_written },
        { "mpi", LB_OPTION_CHOICE, NULL,
          "the MPI of the launcher, where its name does not tell (srun)",
          LB_OPTION_TO(struct request, asked), .min = MPI_NONE, .choices = options_mpis,
          .fallback = "auto" },
        { .name = NULL },
};

const struct lb_command calibrate_command = {
        .program = &lbrun_program,
        .name = "calibrate",
        .summary = "measure this machine's constants, for lbsim",
        .usage = "[OPTION]... [-- LAUNCHER ...]",
        .about =
            "Measure what a task and a message cost here, and the network: between two ranks "
            "of this machine, or between the first and the last rank that a launch line "
            "without a program starts (lbrun calibrate -- mpirun -n 2 --host a,b). Of each the "
            "median of 15 repetitions, and its 95 % interval. Written as a machine that "
            "scenarios include and lbsim gain uses. Takes some seconds.",
        .options = options,
        .size = sizeof(struct request),
        .word_min = 0,
        .word_max = INT32_MAX,
        .in_order = true,
        .run = run,
};
