/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/explain.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "models/platform.h"
#include "models/taskgraph.h"

enum { NAMED_MAX = 12 };

struct said {
        const struct bound_case *c;
        const struct bound *b;
        const struct sim_result *result;
        const double *metric;
        double perfect_s; /* all work that was drawn over all cores, mean over the last third */
        double drawn;     /* that over what the workload means by it, bound's perfect_s */
        double task_s;    /* the longest of an iteration, mean */
        FILE *out;
};

/* Chains of tasks are of models whose tasks last what the model says; without them optimal_s is
 * perfect balance. */
static double perfect_of(const struct bound_case *c, const struct bound *b, const double *metric)
{
        return workload_graph_of(c->workload) ? b->perfect_s : metric[METRIC_OPTIMAL_S];
}

/* What the cores that can be reached need for the work that was drawn: cut_s, in all systems. */
static double least_of(const struct said *s)
{
        return s->b->least_s * s->drawn;
}

static bool is_chain(const struct said *s)
{
        static const double same = 1.002; /* as bound_is_proper() */
        return s->metric[METRIC_OPTIMAL_S] > same * s->perfect_s;
}

/* Of all tasks that wait for each other, or for none, is it one alone that lasts longest? */
static bool is_one_task(const struct said *s)
{
        const struct taskgraph *graph = workload_graph_of(s->c->workload);
        double sum_ns = 0;
        for (int32_t i = s->b->first; graph && i < s->b->last; i++)
                sum_ns += (double)taskgraph_path_ns(graph, i);
        return sum_ns / (s->b->last - s->b->first) <= 1e9 * s->task_s + 1; /* that is rounded */
}

enum { TEXT_SIZE = 32 };

/* Per cent with three digits, and never with an exponent. */
static const char *percent(double value, char text[static TEXT_SIZE])
{
        if (value > 0 && value < 0.01)
                snprintf(text, TEXT_SIZE, "less than 0.01");
        else
                snprintf(text, TEXT_SIZE, value < 999.5 ? "%.3g" : "%.0f", value);
        return text;
}

/* By how much, in per cent, b is more than a. */
static double above(double b, double a)
{
        return a > 0 ? 100 * (b / a - 1) : 0;
}

static int32_t count(const bool *member, int32_t total)
{
        int32_t found = 0;
        for (int32_t i = 0; i < total; i++)
                found += member[i];
        return found;
}

/* "appranks 3, 5" or "apprank 3"; beyond some, "..." */
static void name_members(FILE *out, const char *kind, const bool *member, int32_t total)
{
        int32_t found = count(member, total), named = 0;
        fprintf(out, "%s%s ", kind, lb_s(found));
        for (int32_t i = 0; i < total && named < NAMED_MAX; i++)
                if (member[i])
                        fprintf(out, "%s%d", named++ ? ", " : "", i);
        if (found > named)
                fprintf(out, ", ... (%d)", found);
}

/* May work of an apprank be done on other nodes than its home? */
static bool leaves_home(const struct said *s)
{
        const struct system_type *system = s->c->point->system;
        return s->b->reach == BOUND_ANY || system->offloads || system->grow;
}

static double sum_of(const double *value, const bool *member, int32_t total)
{
        double sum = 0;
        for (int32_t i = 0; i < total; i++)
                sum += !member || member[i] ? value[i] : 0;
        return sum;
}

/* ---- What binds ---- */

static void say_cut(const struct said *s)
{
        char text[TEXT_SIZE];
        const struct bound *b = s->b;
        double work_s = sum_of(b->work_s, b->apprank_in_cut, b->napprank) * s->drawn;
        double all_s = sum_of(b->work_s, NULL, b->napprank) * s->drawn;
        double cores = sum_of(b->capacity, b->node_in_cut, b->nnode);
        double all = sum_of(b->capacity, NULL, b->nnode);
        fputs(leaves_home(s) ? "The graph binds: " : "No work leaves its node in this system: ",
              s->out);
        name_members(s->out, "apprank", b->apprank_in_cut, b->napprank);
        fprintf(s->out, " %s %.4g of the %.4g core seconds of an iteration, and %s",
                count(b->apprank_in_cut, b->napprank) == 1 ? "has" : "have", work_s, all_s,
                leaves_home(s) ? "workers on " : "");
        name_members(s->out, "node", b->node_in_cut, b->nnode);
        fprintf(s->out,
                " alone, with %.4g of %.4g cores (of speed 1). However cores are "
                "divided, that takes %.4g s, %s %% above perfect balance. %s\n",
                cores, all, least_of(s), percent(above(b->least_s, b->perfect_s), text),
                !leaves_home(s) ? "All other nodes wait for that."
                : s->c->point->system->grow
                    ? "Only helpers on other nodes, which did not come, can relieve these appranks."
                    : "Only workers of these appranks on other nodes can relieve them: "
                      "a higher degree, or another graph.");
}

static void say_own(const struct said *s)
{
        char text[TEXT_SIZE];
        const struct bound *b = s->b;
        fputs("No core moves in this system: ", s->out);
        name_members(s->out, "apprank", b->apprank_in_cut, b->napprank);
        fprintf(s->out,
                " has the most work for its own cores (%.4g core seconds) and takes "
                "%.4g s, %s "
                "%% above perfect balance; all others wait for it.\n",
                sum_of(b->work_s, b->apprank_in_cut, b->napprank) * s->drawn, least_of(s),
                percent(above(b->least_s, b->perfect_s), text));
}

static void say_serial(const struct said *s)
{
        char text[TEXT_SIZE];
        const struct bound *b = s->b;
        fprintf(s->out,
                "What comes before the tasks of apprank %d binds: its serial part, %.4g core "
                "seconds on one core of its home%s. With all cores that it can reach for these it "
                "takes %.4g s, %s %% above perfect balance; all others wait for it.\n",
                b->serial, b->serial_s[b->serial],
                b->start_s[b->serial] > b->serial_s[b->serial]
                    ? ", and those of appranks whose results it needs"
                    : "",
                least_of(s), percent(above(b->least_s, b->perfect_s), text));
}

/* What binds before any policy decides. */
static void say_bound(const struct said *s)
{
        if (is_chain(s))
                fprintf(s->out, "%s %.4g s, longer than all work over all cores, %.4g s.\n",
                        is_one_task(s) ? "One task binds: it alone lasts"
                                       : "A chain of tasks binds: they wait for each other for",
                        s->metric[METRIC_OPTIMAL_S], s->perfect_s);
        if (!bound_is_proper(s->b))
                fprintf(s->out,
                        "%s: the work of %s fits the cores that it can reach in %.4g s an "
                        "iteration, as good as perfect balance.\n",
                        s->b->reach == BOUND_ANY ? "Tasks may go anywhere"
                        : leaves_home(s)         ? "The graph does not bind"
                                                 : "No node has more than its share",
                        s->b->napprank == 1 ? "the apprank" : "every set of appranks", least_of(s));
        else if (s->b->serial >= 0)
                say_serial(s);
        else if (s->b->reach == BOUND_OWN)
                say_own(s);
        else
                say_cut(s);
}

/* ---- Cores that idle ---- */

/* Mean busy cores of each node from a time on; false where there are no
 * samples. */
static bool busy_of_nodes(const struct said *s, double from_s, double *busy)
{
        const struct sim_series *series = &s->result->series;
        const struct graph *g = series->graph ? series->graph : s->c->graph;
        int32_t samples = 0;
        if (!series->busy_cores || series->nworker != g->nedge)
                return false;
        for (int32_t n = 0; n < g->nnode; n++)
                busy[n] = 0;
        for (int32_t i = 0; i < series->nsample; i++) {
                if ((i + 1) * series->interval_s <= from_s)
                        continue;
                samples++;
                for (int32_t w = 0; w < series->nworker; w++)
                        busy[g->edge_node[w]] +=
                            (double)series->busy_cores[(int64_t)i * series->nworker + w];
        }
        for (int32_t n = 0; n < g->nnode && samples > 0; n++)
                busy[n] /= samples;
        return samples > 0;
}

static double begin_of(const struct said *s, int32_t iteration)
{
        double at_s = 0;
        for (int32_t i = 0; i < iteration && i < s->result->niteration; i++)
                at_s += s->result->iteration_s[i];
        return at_s;
}

/* Why the node that is busy least is not busier. */
static const char *why_idle(const struct said *s, const double *busy, int32_t least, int32_t most)
{
        bool cut = s->b->reach == BOUND_GRAPH && s->b->serial < 0 && bound_is_proper(s->b);
        if (s->b->reach == BOUND_OWN)
                return ": its appranks are done, and lend nothing";
        if (!leaves_home(s))
                return busy[most] > 1.05 * busy[least] ? ": its work is done, and no other comes"
                                                       : "";
        if (cut && !s->b->node_in_cut[least])
                return ": none of the appranks that are behind has a worker there";
        return busy[most] > 1.05 * busy[least] ? ": work that could have gone there did not" : "";
}

static void say_least_busy(const struct said *s, const double *busy, double cores)
{
        int32_t least = 0, most = 0;
        for (int32_t n = 1; n < s->b->nnode; n++) {
                least = busy[n] < busy[least] ? n : least;
                most = busy[n] > busy[most] ? n : most;
        }
        if (s->b->nnode == 1)
                return;
        fprintf(s->out, "Node %d is busiest, %.3g %% of its core time; node %d least, %.3g %%%s.\n",
                most, 100 * busy[most] / cores, least, 100 * busy[least] / cores,
                why_idle(s, busy, least, most));
}

/* What packing is for: not time, but CPUs that others may have. */
static void say_packed(const struct said *s)
{
        double used = s->metric[METRIC_CORES_USED], freed = s->metric[METRIC_FREED_FRACTION];
        double all = s->b->nnode * s->c->point->value[SECTION_PLATFORM][PLATFORM_CORES_PER_NODE];
        if (s->c->point->system->host && strcmp(s->c->point->system->host, "packing") == 0 &&
            isfinite(used) && isfinite(freed))
                fprintf(s->out,
                        "Processes that wait share CPUs: %.4g of %.4g CPUs are used, and of the "
                        "fastest nodes' %.3g %% are free for others. Packing gives these, and no "
                        "time: an iteration takes as long as its slowest process.\n",
                        used, all, 100 * freed);
}

static void say_idle(const struct said *s, double *busy)
{
        double cores = s->c->point->value[SECTION_PLATFORM][PLATFORM_CORES_PER_NODE];
        double useful = s->metric[METRIC_PARALLEL_EFFICIENCY];
        if (isfinite(useful))
                fprintf(s->out,
                        "Of the core time of the last third of the iterations %.3g %% is "
                        "%s; "
                        "of the rest: nodes without work while others have some (load balance "
                        "%.3f), the busiest node waiting itself (transfer %.3f), the runtime's "
                        "own "
                        "work (%.3f).\n",
                        100 * useful,
                        sum_of(s->b->serial_s, NULL, s->b->napprank) > 0 ? "tasks and serial parts"
                                                                         : "tasks",
                        s->metric[METRIC_LOAD_BALANCE], s->metric[METRIC_TRANSFER_EFFICIENCY],
                        s->metric[METRIC_RUNTIME_EFFICIENCY]);
        if (busy_of_nodes(s, begin_of(s, s->b->first), busy))
                say_least_busy(s, busy, cores);
}

/* ---- Messages and tasks ---- */

static void name_bytes(FILE *out, double bytes)
{
        static const struct {
                const char *name;
                double bytes;
        } unit[] = { { "MB", 1e6 }, { "kB", 1e3 }, { "bytes", 1 } };
        int i = 0;
        while (i < 2 && bytes < unit[i].bytes)
                i++;
        fprintf(out, "%.4g %s", bytes / unit[i].bytes, unit[i].name);
}

static void say_messages(const struct said *s)
{
        const double *network = s->c->point->value[SECTION_NETWORK];
        double fraction = s->metric[METRIC_STEADY_OFFLOADED_FRACTION];
        double bytes = s->metric[METRIC_OFFLOADED_BYTES] / s->result->niteration;
        double link_s = bytes / s->b->nnode / (network[NETWORK_BANDWIDTH_GBPS] * 1e9);
        double time_s = s->metric[METRIC_TIME_PER_ITERATION_S];
        char text[TEXT_SIZE];
        if (!isfinite(fraction) || fraction <= 0) {
                fputs("No task leaves its home node.\n", s->out);
                return;
        }
        fprintf(s->out, "%.3g %% of the tasks run off their home %s; an iteration moves ",
                100 * fraction, s->b->reach == BOUND_ANY ? "rank" : "node");
        name_bytes(s->out, bytes);
        fprintf(s->out, ", which keeps a node's link busy for %s %% of the time.\n",
                percent(100 * link_s / time_s, text));
}

/* How much of the distance to the bound these tasks would leave to anyone. */
static void say_floor(const struct said *s)
{
        double floor_s = s->metric[METRIC_FLOOR_S], blind_s = s->metric[METRIC_FLOOR_BLIND_S];
        double optimal_s = s->metric[METRIC_OPTIMAL_S];
        char text[TEXT_SIZE];
        if (!isfinite(floor_s))
                return;
        fprintf(
            s->out,
            "Whole tasks cannot be balanced better than to %.4g s (%s %% above perfect "
            "balance; %.4g s for who does not know durations beforehand), any on any core and at "
            "once: the time is %.1f %% above the bound, %.1f %% above what these tasks and %s "
            "allow.\n",
            floor_s, percent(fmax(above(floor_s, optimal_s), 0), text), blind_s,
            above(s->metric[METRIC_TIME_PER_ITERATION_S], optimal_s),
            100 * (s->metric[METRIC_RATIO_TO_POSSIBLE] - 1),
            leaves_home(s) ? "this graph" : "any node");
}

static void say_tasks(const struct said *s)
{
        const struct bound *b = s->b;
        double time_s = s->metric[METRIC_TIME_PER_ITERATION_S];
        double cores = sum_of(b->capacity, NULL, b->nnode);
        fprintf(s->out,
                "A task lasts up to %.4g ms (the longest of an iteration, mean), %.3g %% of an "
                "iteration, and a core has "
                "%.4g tasks: "
                "an iteration may end up to that much later than its work allows.\n",
                1e3 * s->task_s, 100 * s->task_s / time_s, b->tasks / cores);
}

/* ---- In one line ---- */

struct cause {
        const char *name;
        double factor;
};
enum { NCAUSE = 4 };

/* Where no core moves, waiting on a node is that, too. */
static int causes_of_own(const struct said *s, double whole, double cut,
                         struct cause cause[static NCAUSE])
{
        const double runtime = s->metric[METRIC_RUNTIME_EFFICIENCY];
        cause[0] = (struct cause){ "that no core moves", cut };
        cause[1] = (struct cause){ "the runtime's own work", runtime > 0 ? 1 / runtime : 1 };
        cause[2] = (struct cause){ "all else", whole / cut / cause[1].factor };
        return 3;
}

/* The time over perfect balance as a product of causes, the last of which is what is left. Where a
 * chain or a serial part binds, waiting is for it, on whatever node. How many there are. */
static int find_causes(const struct said *s, double whole, struct cause cause[static NCAUSE])
{
        const double runtime = s->metric[METRIC_RUNTIME_EFFICIENCY];
        const double transfer = s->metric[METRIC_TRANSFER_EFFICIENCY];
        double cut = s->b->least_s / s->b->perfect_s;
        double chain = s->metric[METRIC_OPTIMAL_S] / s->perfect_s;
        const char *waits = leaves_home(s)
                                ? "waiting on the busiest node (messages, and tasks at the end)"
                                : "waiting on the busiest node (messages, and appranks of it "
                                  "that wait for others of it)";
        bool chained = is_chain(s) && chain > cut;
        if (chained || (s->b->serial >= 0 && bound_is_proper(s->b))) {
                const char *first = !chained         ? "what comes before an apprank's tasks"
                                    : is_one_task(s) ? "the longest task"
                                                     : "the longest chain of tasks";
                cause[0] = (struct cause){ first, chained ? chain : cut };
                cause[1] = (struct cause){ "all else", whole / cause[0].factor };
                return 2;
        }
        if (s->b->reach == BOUND_OWN)
                return causes_of_own(s, whole, cut, cause);
        cause[0] =
            (struct cause){ leaves_home(s) ? "the graph" : "that no work leaves its node", cut };
        cause[1] = (struct cause){ "the runtime's own work", runtime > 0 ? 1 / runtime : 1 };
        cause[2] = (struct cause){ waits, transfer > 0 ? 1 / transfer : 1 };
        cause[3] =
            (struct cause){ "cores and tasks that are not where the optimum has them", whole };
        for (int i = 0; i + 1 < NCAUSE; i++)
                cause[NCAUSE - 1].factor /= cause[i].factor;
        return NCAUSE;
}

static void say_most(const struct said *s)
{
        char text[TEXT_SIZE];
        struct cause cause[NCAUSE];
        double time_s = s->metric[METRIC_TIME_PER_ITERATION_S];
        double whole = time_s / s->perfect_s;
        int most = 0, count = find_causes(s, whole, cause);
        fprintf(s->out,
                "Time per iteration is %.4g s, %s %% above perfect balance (%.4g s): %.3f times as "
                "long, the product of",
                time_s, percent(above(time_s, s->perfect_s), text), s->perfect_s, whole);
        for (int i = 0; i < count; i++) {
                most = cause[i].factor > cause[most].factor ? i : most;
                fprintf(s->out, "%s %s %.3f", i ? "," : "", cause[i].name, cause[i].factor);
        }
        if (cause[most].factor > 1.01)
                fprintf(s->out, ". Mostly: %s.\n", cause[most].name);
        else
                fputs(". Nothing of note.\n", s->out);
}

void explain_print(const struct bound_case *c, const struct bound *bound,
                   const struct sim_result *result, double task_s, double *node, FILE *out)
{
        double perfect_s = perfect_of(c, bound, result->metric);
        const struct said said = { .c = c,
                                   .b = bound,
                                   .result = result,
                                   .metric = result->metric,
                                   .perfect_s = perfect_s,
                                   .drawn = perfect_s / bound->perfect_s,
                                   .task_s = task_s,
                                   .out = out };
        if (!(perfect_s > 0)) {
                fputs("There is no work in the last third of the iterations.\n", out);
                return;
        }
        say_most(&said);
        say_bound(&said);
        say_packed(&said);
        say_idle(&said, node);
        say_messages(&said);
        say_tasks(&said);
        say_floor(&said);
}
