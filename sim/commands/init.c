/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* realpath() */
/*
 * lbsim init: a scenario for a case of one's own, with a comment for every value. What the values
 * mean, their units and ranges are the tables' of the rooms.
 */
#include "sim/commands/commands.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_write.h"
#include "base/text.h"
#include "models/workload.h"
#include "sim/commands/init.h"
#include "sim/scenario/scenario.h"

/* The values that are asked for, in the order of the file. */
enum value {
        NODES,
        CORES,
        APPRANKS,
        LATENCY,
        BANDWIDTH,
        IMBALANCE,
        TASKS,
        TASK_MS,
        TASK_BYTES,
        ITERATIONS,
        VALUE_COUNT
};
enum { LOADS = VALUE_COUNT, SYSTEMS, DEGREES, ASK, FORCE, OPTION_COUNT };

struct init_options {
        double value[VALUE_COUNT];
        const char *loads, *systems, *degrees;
        bool ask, force;
        bool given[OPTION_COUNT]; /* as `options_table` */
};

#define VALUE_OPTION(name, table, place, index)                                                    \
        {                                                                                          \
                name, LB_OPTION_PARAM,                                                             \
                    .param = &(table)[place],                                                      \
                    .to = offsetof(struct init_options, value) + (index) * sizeof(double),         \
                    .size = sizeof(double)                                                         \
        }

static const struct lb_option options_table[] = {
        [NODES] = VALUE_OPTION("nodes", platform_params, PLATFORM_NODES, NODES),
        [CORES] = VALUE_OPTION("cores", platform_params, PLATFORM_CORES_PER_NODE, CORES),
        [APPRANKS] = VALUE_OPTION("appranks-per-node", platform_params, PLATFORM_APPRANKS_PER_NODE,
                                  APPRANKS),
        [LATENCY] = VALUE_OPTION("latency-us", network_params, NETWORK_LATENCY_US, LATENCY),
        [BANDWIDTH] =
            VALUE_OPTION("bandwidth-gbps", network_params, NETWORK_BANDWIDTH_GBPS, BANDWIDTH),
        [IMBALANCE] = VALUE_OPTION("imbalance", workload_params, WORKLOAD_IMBALANCE, IMBALANCE),
        [TASKS] = VALUE_OPTION("tasks-per-core", workload_params, WORKLOAD_TASKS_PER_CORE, TASKS),
        [TASK_MS] = VALUE_OPTION("task-ms", workload_params, WORKLOAD_TASK_MS, TASK_MS),
        [TASK_BYTES] = VALUE_OPTION("task-bytes", workload_params, WORKLOAD_TASK_BYTES, TASK_BYTES),
        [ITERATIONS] = VALUE_OPTION("iterations", workload_params, WORKLOAD_ITERATIONS, ITERATIONS),
        [LOADS] = { "loads", LB_OPTION_FILE, "FILE",
                    "loads of a real program (lbrun --loads), in place of drawn ones",
                    LB_OPTION_TO(struct init_options, loads) },
        [SYSTEMS] = { "systems", LB_OPTION_TEXT, "A,B", "the systems to compare",
                      LB_OPTION_TO(struct init_options, systems),
                      .fallback = "baseline,local,global,tight" },
        [DEGREES] = { "degrees", LB_OPTION_TEXT, "N,M", "the offloading degrees to compare",
                      LB_OPTION_TO(struct init_options, degrees), .fallback = "1,2,3,4" },
        [ASK] = { "ask", LB_OPTION_FLAG, NULL,
                  "ask for what is not given, as on a terminal without any option",
                  LB_OPTION_TO(struct init_options, ask) },
        [FORCE] = { "force", LB_OPTION_FLAG, NULL, "write over a file that is there",
                    LB_OPTION_TO(struct init_options, force) },
        { .name = NULL },
};

/* ---- Asking ---- */

static bool is_of_drawn_loads(int value)
{
        return value >= IMBALANCE && value <= TASK_MS;
}

/* Until the answer is allowed; an empty one keeps the default. Returns false at the end of input.
 */
static bool ask(const struct lb_param *param, const char *name, double *value)
{
        char line[256], range[256], now[64];
        struct lb_error err;
        lb_param_allowed(param, range, sizeof(range));
        lb_param_format(param, *value, now, sizeof(now));
        for (;;) {
                fprintf(stderr, "%s: %s (%s) [%s]: ", name, param->help, range, now);
                if (!fgets(line, sizeof(line), stdin))
                        return false;
                line[strcspn(line, "\n")] = '\0';
                if (line[0] == '\0' || lb_param_parse(param, line, value, &err) == 0)
                        return true;
                fprintf(stderr, "  %s\n", err.text);
        }
}

/* What the answers before it do not allow would cost all of them in the end. */
static bool fits(const struct init_options *o, int i)
{
        double appranks = o->value[NODES] * o->value[APPRANKS];
        if (i != IMBALANCE || o->value[IMBALANCE] <= appranks)
                return true;
        fprintf(stderr, "  found %g, allowed is at most %g, the number of appranks\n",
                o->value[IMBALANCE], appranks);
        return false;
}

static void ask_all(struct init_options *o)
{
        for (int i = 0; i < VALUE_COUNT; i++) {
                if (o->given[i] || (o->loads && is_of_drawn_loads(i)))
                        continue;
                double fallback = fmin(
                    o->value[i], i == IMBALANCE ? o->value[NODES] * o->value[APPRANKS] : INFINITY);
                do {
                        o->value[i] = fallback;
                        if (!ask(options_table[i].param, options_table[i].name, &o->value[i])) {
                                fputc('\n', stderr);
                                return;
                        }
                } while (!fits(o, i));
        }
}

/* ---- Writing ---- */

static void write_value(FILE *out, const struct init_options *o, int i, const char *end)
{
        const struct lb_param *param = options_table[i].param;
        const char *indent = i == LATENCY || i == BANDWIDTH ? "      " : "    ";
        char range[256], value[64];
        lb_param_allowed(param, range, sizeof(range));
        lb_param_format(param, o->value[i], value, sizeof(value));
        fprintf(out, "%s// %s (%s)\n%s\"%s\": %s%s\n", indent, param->help, range, indent,
                param->name, value, end);
}

static void write_platform(FILE *out, const struct init_options *o)
{
        fputs("  \"platform\": {\n", out);
        for (int i = NODES; i <= APPRANKS; i++)
                write_value(out, o, i, ",");
        fputs("    // nodes that are not like the others: half as fast is a factor of 0.5\n"
              "    // \"speed\": [{ \"node\": 0, \"factor\": 0.5 }],\n"
              "    \"network\": {\n",
              out);
        write_value(out, o, LATENCY, ",");
        write_value(out, o, BANDWIDTH, "");
        fputs("    }\n  },\n", out);
}

static void write_workload(FILE *out, const struct init_options *o, const char *loads)
{
        fputs("  \"workload\": {\n", out);
        if (loads) {
                fputs("    // the work per apprank and iteration that was measured\n"
                      "    \"model\": \"trace\",\n    \"file\": ",
                      out);
                lb_json_write_string(out, loads);
                fputs(",\n", out);
        } else {
                fputs("    // drawn for an imbalance; other models: lbsim params\n"
                      "    \"model\": \"synthetic\",\n",
                      out);
        }
        for (int i = IMBALANCE; i < VALUE_COUNT; i++)
                if (!loads || !is_of_drawn_loads(i))
                        write_value(out, o, i, i + 1 < VALUE_COUNT ? "," : "");
        fputs("  },\n", out);
}

/* "a,b" as a JSON array; what of it is a number is one. */
static void write_list(FILE *out, const char *list)
{
        char word[64];
        const char *between = "";
        fputc('[', out);
        for (const char *at = list; *at; at += *at == ',') {
                size_t length = strcspn(at, ",");
                snprintf(word, sizeof(word), "%.*s", (int)length, at);
                fputs(between, out);
                if (isdigit((unsigned char)word[0]))
                        fputs(word, out);
                else
                        lb_json_write_string(out, word);
                between = ", ";
                at += length;
        }
        fputc(']', out);
}

static void write_scenario(FILE *out, const struct init_options *o, const char *name,
                           const char *loads)
{
        fputs("// A scenario of lbsim. What stands behind // is a comment; lbsim params explains "
              "every value.\n{\n  \"name\": ",
              out);
        lb_json_write_string(out, name);
        fputs(",\n", out);
        write_platform(out, o);
        write_workload(out, o, loads);
        fputs("  // every combination of these is simulated; lbsim --help says what the systems "
              "are,\n  // and degree 1 is an apprank on its own node alone\n"
              "  \"sweep\": {\n    \"system.name\": ",
              out);
        write_list(out, o->systems);
        fputs(",\n    \"graph.degree\": ", out);
        write_list(out, o->degrees);
        fputs("\n  },\n  // a line for each system, over the degree; none: no figure\n"
              "  \"output\": { \"figure\": \"lines\" },\n"
              "  // runs of each, with other random loads: means and intervals\n"
              "  \"replicates\": 3,\n  \"seed\": 1\n}\n",
              out);
}

/* The file as it stands holds to all rules; messages name it as it will be called. */
static int check(struct lb_file *file, const char *path, int64_t *npoint, struct lb_error *err)
{
        char name[4096], text[sizeof(err->text)];
        struct scenario scenario;
        const struct scenario_options options = { .nset = 0 };
        lb_file_open_name(file, name, sizeof(name));
        if (fflush(file->stream) != 0)
                return lb_error_fail(err, "cannot write '%s': %s", path, strerror(errno));
        if (scenario_open(&scenario, name, &options, err) < 0) {
                const char *at = strstr(err->text, name);
                snprintf(text, sizeof(text), "%s%s", path, at ? at + strlen(name) : err->text);
                return lb_error_set(err, "not written, as it would be refused: %s", text);
        }
        *npoint = scenario.npoint;
        scenario_close(&scenario);
        return 0;
}

/* "folder/my_case.json": my_case */
static void name_of(const char *path, char name[static 256])
{
        snprintf(name, 256, "%s", basename(path));
        char *dot = strrchr(name, '.');
        if (dot && dot > name)
                *dot = '\0';
}

/* Values that are not given follow those that are; given ones are refused by their option, as there
 * is no file yet to point into. */
static int settle(struct init_options *o, struct lb_error *err)
{
        static const char *const degrees_of[] = { "1", "1,2", "1,2,3" };
        double nodes = o->value[NODES], appranks = nodes * o->value[APPRANKS];
        if (!o->given[DEGREES] && nodes <= 3)
                o->degrees = degrees_of[(int)nodes - 1];
        if (o->loads || o->value[IMBALANCE] <= appranks)
                return 0;
        if (o->given[IMBALANCE])
                return lb_error_set(err,
                                    "--imbalance: found %g, allowed is at most %g, the number of "
                                    "appranks (--nodes, --appranks-per-node)",
                                    o->value[IMBALANCE], appranks);
        o->value[IMBALANCE] = appranks;
        return 0;
}

static int write_file(const struct init_options *o, const char *path, const char *loads,
                      struct lb_error *err)
{
        struct lb_file file;
        char name[256];
        name_of(path, name);
        int64_t npoint;
        if (lb_file_check(path, err) < 0 || lb_file_create(&file, path, err) < 0)
                return -1;
        write_scenario(file.stream, o, name, loads);
        int status = check(&file, path, &npoint, err);
        if (status == 0)
                status = lb_file_commit(&file, err);
        lb_file_abandon(&file);
        if (status == 0) {
                char *const next[] = { "lbsim", (char *)(uintptr_t)path, "--out", "results", NULL };
                fprintf(stderr, "lbsim init: wrote %s, %" PRId64 " point%s; next: ", path, npoint,
                        lb_s((double)npoint));
                lb_text_shell(stderr, next);
                fputc('\n', stderr);
        }
        return status;
}

static int init_scenario(struct init_options *o, const char *path, struct lb_error *err)
{
        char *loads = NULL;
        bool any = false;
        for (int i = 0; i < OPTION_COUNT; i++) {
                any |= o->given[i];
                if (o->loads && o->given[i] && is_of_drawn_loads(i))
                        return lb_error_set(err,
                                            "--%s is of drawn loads, with --loads the file "
                                            "says it",
                                            options_table[i].name);
        }
        if (!o->force && access(path, F_OK) == 0)
                return lb_error_set(err, "'%s' is there already (--force writes over it)", path);
        if (o->loads && !(loads = realpath(o->loads, NULL)))
                return lb_error_set(err, "--loads: cannot find '%s'", o->loads);
        if (o->ask || (!any && isatty(STDIN_FILENO)))
                ask_all(o);
        int status = settle(o, err);
        if (status == 0)
                status = write_file(o, path, loads, err);
        free(loads);
        return status;
}

static const char *const words[] = { "policy", NULL };

/* "lbsim init polcy" would write a scenario of that name. */
static bool means_policy(const char *word)
{
        return !strpbrk(word, "./") && lb_nearest_name(word, words, 1);
}

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        bool policy = call->nword > 0 && strcmp(call->word[0], words[0]) == 0;
        if (policy && call->nword == 1)
                return lb_error_set(err, "a name for the policy is needed: lbsim init policy NAME");
        if (policy)
                return init_policy(call->word[1], err);
        if (call->nword > 0 && means_policy(call->word[0]))
                return lb_error_set(err,
                                    "found '%.60s', did you mean 'policy'? A scenario of that "
                                    "name is './%.60s'",
                                    call->word[0], call->word[0]);
        if (call->nword > 1)
                return lb_error_set(err, "found '%.60s', allowed is one file, or policy NAME",
                                    call->word[1]);
        return init_scenario(given, call->nword ? call->word[0] : "my_case.json", err);
}

const struct lb_command command_init = {
        .program = &lbsim_program,
        .name = "init",
        .summary = "begin a scenario or a policy of your own",
        .usage = "[FILE.json] [OPTION]...\npolicy NAME",
        .about =
            "Write a scenario for a case of your own, with a comment for every value, as the "
            "options say; on a terminal without options, it asks. FILE is my_case.json by "
            "default, and is only written where everything in it is allowed.\n\n"
            "lbsim init policy NAME writes a folder NAME: a policy in C that compiles and is a "
            "system called NAME, simulated and live, a scenario that compares it, and a test of "
            "both (make test).",
        .options = options_table,
        .size = sizeof(struct init_options),
        .given = offsetof(struct init_options, given),
        .word = LB_OPTION_FILE,
        .choices = words,
        .word_max = 2,
        .run = run,
};
