/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/figure_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ---- Axes ---- */

/* Where the name in plain words would not do. */
static const struct {
        const char *path, *axis, *value; /* value: a format; NULL: "value axis" */
} paths[] = {
        { "platform.nodes", "Nodes", "%s nodes" },
        { "platform.cores_per_node", "Cores per node", "%s cores per node" },
        { "platform.appranks_per_node", "Appranks per node", "%s appranks per node" },
        { "platform.network.bandwidth_GBps", "Network bandwidth (GB/s)", "%s GB/s" },
        { "platform.network.latency_us", "Network latency (µs)", "latency %s µs" },
        { "platform.network.message_cpu_us", "Processor time of a message (µs)", NULL },
        { "platform.speed", "Slow nodes", "" },
        { "graph.degree", "Offloading degree", "degree %s" },
        { "graph.method", "Kind of graph", "%s graph" },
        { "workload.model", "Workload", "%s" },
        { "workload.imbalance", "Application imbalance (max / mean)", "imbalance %s" },
        { "workload.iterations", "Iterations", "" },
        { "workload.slow_factor", "Slowness of the first node (factor)", "slowed by %s" },
        { "workload.matmul_size", "Size of the matrices (rows)", "matrices of %s" },
        { "workload.jitter", "Kind of jitter", "jitter %s" },
        { "workload.jitter_cv", "Jitter of tasks (std. dev. / mean)", "jitter %s" },
        { "workload.task_ms", "Length of a task (ms)", "tasks of %s ms" },
        { "workload.task_bytes", "Data of a task (bytes)", "%s bytes a task" },
        { "workload.file", "Loads", "%s" },
        { "system.name", "System", "%s" },
        { "system.lewi", "LeWI", NULL },
        { "system.drom", "DROM", NULL },
        { "system.migrate", "Migration", "to %s" },
        { "system.pack_wake_us", "Waking of a CPU (µs)", "woken in %s µs" },
        { "system.turn_us", "Turn of CHAMELEON's communication (µs)", "a turn every %s µs" },
        { "system.period_s", "Period of decisions (s)", "every %s s" },
        { "system.local_average_s", "Length of local's average (s)", "average of %s s" },
        { "system.global_average_s", "Length of the average (s)", "average of %s s" },
        { "system.global_average", "Kind of average", "%s" },
        { "system.place_reserve_cores", "Cores kept free in placing", "%s cores kept free" },
        { "system.partition_nodes", "Nodes decided for at once", "groups of %s nodes" },
        { "runtime.create_us", "Creating a task (µs)", NULL },
        { "runtime.task_us", "Runtime work of a task (µs)", NULL },
        { "runtime.message_poll_us", "Polling for messages (µs)", NULL },
        { "runtime.poll_s", "Polling of cores (s)", NULL },
        { "runtime.solver_ms", "Time of a decision (ms)", "" },
        { "time_per_iteration_s", "Time per iteration (s)", NULL },
        { "time_ci95_s", "± (95 % interval, s)", NULL },
        { "ratio_ci95", "± (95 % interval)", NULL },
        { "optimal_s", "Bound (s)", NULL },
        { "ratio_to_optimal", "Time per iteration / bound", NULL },
        { "total_s", "Time of the run (s)", NULL },
        { "offloaded_fraction", "Tasks away from home (share)", NULL },
        { "apprank_imbalance", "Imbalance among appranks (max / mean)", NULL },
        { "node_imbalance", "Imbalance among nodes (max / mean)", NULL },
        { "cores_used", "Cores used", NULL },
        { "offloaded_bytes", "Data moved between nodes (bytes)", NULL },
        { "ownership_changes", "Cores that changed owner", NULL },
        { "helper_ranks", "Helper processes", NULL },
        { "energy_per_iteration_J", "Energy of an iteration (J)", NULL },
        { "wins", "Cases won", NULL },
        { "losses", "Cases lost", NULL },
        { "same", "No difference", NULL },
        { "best_percent", "Best change (%)", NULL },
        { "best_case", "In case", NULL },
        { "worst_percent", "Worst change (%)", NULL },
        { "worst_case", "In case", NULL },
        { "pairs", "Pairs of runs", NULL },
};
enum { NPATH = sizeof(paths) / sizeof(paths[0]) };

static const struct {
        const char *ending, *unit;
} units[] = {
        { "_us", "µs" }, { "_ms", "ms" },          { "_GBps", "GB/s" }, { "_s", "s" },
        { "_J", "J" },   { "_bytes", "bytes" },    { "_GB", "GB" },     { "_W", "W" },
        { "_mb", "MB" }, { "_fraction", "share" }, { "_percent", "%" },
};

static int path_place(const char *path)
{
        int i = 0;
        while (i < NPATH && strcmp(paths[i].path, path) != 0)
                i++;
        return i < NPATH ? i : -1;
}

/* How much of a name is not its unit, which goes to *unit. */
static size_t without_unit(const char *name, const char **unit)
{
        size_t length = strlen(name);
        for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
                size_t ending = strlen(units[i].ending);
                if (length <= ending || strcmp(name + length - ending, units[i].ending) != 0)
                        continue;
                *unit = units[i].unit;
                return length - ending;
        }
        *unit = "";
        return length;
}

/* "solver_ms" is "Solver (ms)". */
static void plain_words(const char *path, char text[static FIGURE_WORDS_SIZE])
{
        const char *dot = strrchr(path, '.'), *name = dot ? dot + 1 : path, *unit;
        int length = (int)without_unit(name, &unit);
        snprintf(text, FIGURE_WORDS_SIZE, "%.*s%s%s%s", length, name, *unit ? " (" : "", unit,
                 *unit ? ")" : "");
        for (int i = 0; i < length && text[i]; i++)
                text[i] = (char)(text[i] == '_' ? ' ' : text[i]);
        text[0] = (char)toupper((unsigned char)text[0]);
}

void figure_axis_words(const char *path, char text[static FIGURE_WORDS_SIZE])
{
        int place = path_place(path);
        if (place >= 0)
                snprintf(text, FIGURE_WORDS_SIZE, "%s", paths[place].axis);
        else
                plain_words(path, text);
}

void figure_unit_words(const char *words, const char *metric, char text[static FIGURE_WORDS_SIZE])
{
        const char *unit;
        without_unit(metric, &unit);
        snprintf(text, FIGURE_WORDS_SIZE, "%.100s%s%s%s", words, *unit ? " (" : "", unit,
                 *unit ? ")" : "");
}

/* ---- Values ---- */

static const struct {
        const char *path, *value, *words;
} values[] = {
        { "system.lewi", "true", "LeWI" },
        { "system.lewi", "false", "no LeWI" },
        { "system.drom", "true", "DROM" },
        { "system.drom", "false", "no DROM" },
        { "system.pack", "none", "not packed" },
        { "system.pack", "subset-sum", "packed by subset sums" },
        { "system.pack", "exact", "packed exactly" },
        { "system.pack_waiting", "yield", "who waits yields" },
        { "system.pack_waiting", "poll", "who waits polls" },
        { "system.pack_waiting", "block", "who waits blocks" },
        { "system.pack_wake_us", "5", "" },
        { "system.as", "paper", "as the paper" },
        { "system.as", "original", "as the code" },
        { "system.as", "published", "as the code of March 2022" },
        { "system.migrate", "pairs", "paired by load" },
        { "system.migrate", "least", "to the least loaded" },
        { "system.processors", "fixed", "fixed processors" },
        { "system.processors", "dpb", "one processor at a time" },
        { "system.processors", "proportional", "all processors at once" },
        { "system.processors_start", "equal", "" },
        { "system.processors_start", "work", "started by work" },
        { "system.partition_nodes", "0", "" },
        { "system.global_average", "window", "mean over a window" },
        { "system.global_average", "exponential", "exponential average" },
        { "runtime.solver_time", "none", "decisions free" },
        { "runtime.solver_time", "model", "as our solver takes" },
        { "runtime.solver_time", "given", "as published" },
        { "runtime.solver_node", "first", "" },
        { "runtime.solver_node", "least_loaded", "on the least loaded node" },
        { "workload.multizone_map", "block", "zones in blocks" },
        { "workload.multizone_map", "packed", "zones packed by size" },
        { "workload.slow", "none", "" },
        { "workload.slow", "most", "slow node with most work" },
        { "workload.slow", "least", "slow node with least work" },
        { "workload.slow", "first", "first node slow" },
        { "workload.model", "nbody", "n-body" },
        { "workload.model", "micropp", "MicroPP" },
        { "workload.model", "ft", "FT" },
        { "workload.model", "minife", "miniFE" },
        { "workload.model", "matmul", "matrices" },
        { "workload.model", "cholesky", "Cholesky" },
        { "workload.model", "trace", "recorded loads" },
};

void figure_plain(const char *text, char *plain, size_t size)
{
        size_t used = 0;
        while (*text) {
                size_t length = lb_text_character(text);
                const char *sign = *text == '"'                ? "”"
                                   : *text == '|'              ? "∣"
                                   : (unsigned char)*text < 32 ? " "
                                                               : text;
                size_t bytes = sign == text ? length : strlen(sign);
                if (used + bytes >= size)
                        break;
                memmove(plain + used, sign, bytes);
                used += bytes;
                text += length ? length : 1;
        }
        plain[used] = '\0';
}

void figure_add_words(char text[static FIGURE_WORDS_SIZE], const char *words)
{
        if (words[0])
                lb_text_add(text, FIGURE_WORDS_SIZE, "%s%s", text[0] ? ", " : "", words);
        figure_plain(text, text, FIGURE_WORDS_SIZE);
}

/* A value into a format that has one "%s", or none. */
static void fill_in(const char *format, const char *value, char text[static FIGURE_WORDS_SIZE])
{
        const char *at = strstr(format, "%s");
        if (at)
                snprintf(text, FIGURE_WORDS_SIZE, "%.*s%s%s", (int)(at - format), format, value,
                         at + 2);
        else
                snprintf(text, FIGURE_WORDS_SIZE, "%s", format);
}

/* Not of a name in capitals, as LeWI. */
static void lower_first(char *text)
{
        size_t rest = text[0] ? 1 : 0;
        rest += strcspn(text + rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ ");
        if (!isupper((unsigned char)text[rest]))
                text[0] = (char)tolower((unsigned char)text[0]);
}

void figure_axis_value_words(const char *path, const char *value,
                             char text[static FIGURE_WORDS_SIZE])
{
        char axis[FIGURE_WORDS_SIZE];
        figure_axis_words(path, axis);
        lower_first(axis);
        snprintf(text, FIGURE_WORDS_SIZE, "%.120s ", axis);
        figure_plain(value, text + strlen(text), 121);
}

void figure_value_words(const char *path, const char *value, char text[static FIGURE_WORDS_SIZE])
{
        int place = path_place(path);
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
                if (strcmp(values[i].path, path) != 0 || strcmp(values[i].value, value) != 0)
                        continue;
                snprintf(text, FIGURE_WORDS_SIZE, "%s", values[i].words);
                return;
        }
        if (place >= 0 && paths[place].value) {
                char plain[201];
                figure_plain(value, plain, sizeof(plain));
                fill_in(paths[place].value, plain, text);
        } else {
                figure_axis_value_words(path, value, text);
        }
        if (strcmp(value, "1") == 0 && strcmp(path, "platform.nodes") == 0)
                snprintf(text, FIGURE_WORDS_SIZE, "1 node");
        else if (strcmp(value, "1") == 0 && strcmp(path, "platform.cores_per_node") == 0)
                snprintf(text, FIGURE_WORDS_SIZE, "1 core per node");
}

/* ---- Points ---- */

/* Do values of the path have words, some of them at least? */
static bool has_words(const char *path)
{
        int place = path_place(path);
        return place < 0 || !paths[place].value || paths[place].value[0];
}

bool figure_of_system(const char *path)
{
        return strncmp(path, "system.", strlen("system.")) == 0 ||
               strncmp(path, "graph.", strlen("graph.")) == 0;
}

bool figure_not_of_system(const char *path)
{
        return !figure_of_system(path);
}

void figure_point_words(const struct scenario *scenario, int64_t point,
                        bool (*wants)(const char *path), char text[static FIGURE_WORDS_SIZE])
{
        figure_other_words(scenario, point, wants, -1, text);
}

void figure_other_words(const struct scenario *scenario, int64_t point,
                        bool (*wants)(const char *path), int32_t axis,
                        char text[static FIGURE_WORDS_SIZE])
{
        text[0] = '\0';
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++) {
                const char *path = scenario_column(scenario, c);
                const char *value = scenario_point_text(scenario, point, c);
                char words[FIGURE_WORDS_SIZE] = "";
                if (c != axis && wants(path))
                        figure_value_words(path, value, words);
                if (c != axis && wants(path) && axis >= 0 && !has_words(path))
                        figure_axis_value_words(path, value, words);
                figure_add_words(text, words);
        }
}

/* The words of an axis, as far as its unit. */
static int before_unit(const char *words)
{
        const char *unit = strstr(words, " (");
        return unit ? (int)(unit - words) : (int)strlen(words);
}

void figure_title_words(const char *x, const char *y, char title[static FIGURE_WORDS_SIZE])
{
        char by[FIGURE_WORDS_SIZE];
        snprintf(by, sizeof(by), "%.*s", before_unit(x), x);
        lower_first(by);
        snprintf(title, FIGURE_WORDS_SIZE, "%.*s by %.90s", before_unit(y), y, by);
}
