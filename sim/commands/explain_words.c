/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/explain.h"

#include <math.h>
#include <string.h>

#include "models/platform.h"

enum { NAMED_MAX = 12 };

struct said {
        const struct bound_case *c;
        const struct bound *b;
        const struct sim_result *result;
        const double *metric;
        FILE *out;
};

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
        fprintf(out, "%s%s ", kind, found == 1 ? "" : "s");
        for (int32_t i = 0; i < total && named < NAMED_MAX; i++)
                if (member[i])
                        fprintf(out, "%s%d", named++ ? ", " : "", i);
        if (found > named)
                fprintf(out, ", ... (%d)", found);
}

/* May work of an apprank be done on other nodes than its home? */
static bool leaves_home(const struct said *s)
{
        return s->b->reach == BOUND_ANY || s->c->point->system->offloads;
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
        const struct bound *b = s->b;
        double work_s = sum_of(b->work_s, b->apprank_in_cut, b->napprank);
        double all_s = sum_of(b->work_s, NULL, b->napprank);
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
                "divided, that takes %.4g s, %.3g %% above perfect balance. %s\n",
                cores, all, b->least_s, above(b->least_s, b->perfect_s),
                leaves_home(s) ? "Only workers of these appranks on other nodes can relieve them: "
                                 "a higher degree, or another graph."
                               : "All other nodes wait for that.");
}

static void say_own(const struct said *s)
{
        const struct bound *b = s->b;
        fputs("No core moves in this system: ", s->out);
        name_members(s->out, "apprank", b->apprank_in_cut, b->napprank);
        fprintf(s->out,
                " has the most work for its own cores (%.4g core seconds) and takes "
                "%.4g s, %.3g "
                "%% above perfect balance; all others wait for it.\n",
                sum_of(b->work_s, b->apprank_in_cut, b->napprank), b->least_s,
                above(b->least_s, b->perfect_s));
}

/* What binds before any policy decides. */
static void say_bound(const struct said *s)
{
        double optimal_s = s->metric[METRIC_OPTIMAL_S];
        if (optimal_s > s->b->perfect_s * 1.01)
                fprintf(s->out,
                        "A chain of tasks binds: they wait for each other for %.4g s, "
                        "longer than "
                        "all work over all cores, %.4g s.\n",
                        optimal_s, s->b->perfect_s);
        if (!bound_is_proper(s->b))
                fprintf(s->out,
                        "%s: the work of %s fits the cores that it can reach in %.4g s an "
                        "iteration, as good as perfect balance.\n",
                        s->b->reach == BOUND_ANY ? "Tasks may go anywhere"
                        : leaves_home(s)         ? "The graph does not bind"
                                                 : "No node has more than its share",
                        s->b->napprank == 1 ? "the apprank" : "every set of appranks",
                        s->b->least_s);
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
        bool cut = s->b->reach == BOUND_GRAPH && bound_is_proper(s->b);
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
                        "tasks; "
                        "of the rest: nodes without work while others have some (load balance "
                        "%.3f), the busiest node waiting itself (transfer %.3f), the runtime's "
                        "own "
                        "work (%.3f).\n",
                        100 * useful, s->metric[METRIC_LOAD_BALANCE],
                        s->metric[METRIC_TRANSFER_EFFICIENCY],
                        s->metric[METRIC_RUNTIME_EFFICIENCY]);
        if (busy_of_nodes(s, begin_of(s, s->b->first), busy))
                say_least_busy(s, busy, cores);
}

/* ---- Messages and tasks ---- */

static void say_messages(const struct said *s)
{
        const double *network = s->c->point->value[SECTION_NETWORK];
        double fraction = s->metric[METRIC_STEADY_OFFLOADED_FRACTION];
        double bytes = s->metric[METRIC_OFFLOADED_BYTES] / s->result->niteration;
        double link_s = bytes / s->b->nnode / (network[NETWORK_BANDWIDTH_GBPS] * 1e9);
        double time_s = s->metric[METRIC_TIME_PER_ITERATION_S];
        if (!isfinite(fraction) || fraction <= 0)
                fputs("No task leaves its home node.\n", s->out);
        else
                fprintf(s->out,
                        "%.3g %% of the tasks run off their home node; an iteration moves "
                        "%.4g MB, "
                        "which keeps a node's link busy for %.2g %% of the time.\n",
                        100 * fraction, bytes * 1e-6, 100 * link_s / time_s);
}

/* How much of the distance to the bound these tasks would leave to anyone. */
static void say_floor(const struct said *s)
{
        double floor_s = s->metric[METRIC_FLOOR_S], blind_s = s->metric[METRIC_FLOOR_BLIND_S];
        double optimal_s = s->metric[METRIC_OPTIMAL_S];
        if (!isfinite(floor_s))
                return;
        fprintf(
            s->out,
            "Whole tasks cannot be balanced better than to %.4g s (%.2g %% above perfect "
            "balance; %.4g s for who does not know durations beforehand), any on any core and at "
            "once: the time is %.1f %% above the bound, %.1f %% above what these tasks and %s "
            "allow.\n",
            floor_s, fmax(above(floor_s, optimal_s), 0), blind_s,
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
                "A task lasts up to %.4g ms, %.3g %% of an iteration, and a core has "
                "%.4g of them: "
                "an iteration may end up to that much later than its work allows.\n",
                1e3 * b->task_s, 100 * b->task_s / time_s, b->tasks / cores);
}

/* ---- In one line ---- */

/* The time over perfect balance as a product of causes; the last is what is
 * left. */
static void say_most(const struct said *s)
{
        const double runtime = s->metric[METRIC_RUNTIME_EFFICIENCY];
        const double transfer = s->metric[METRIC_TRANSFER_EFFICIENCY];
        double time_s = s->metric[METRIC_TIME_PER_ITERATION_S];
        const char *who = s->b->reach == BOUND_OWN ? "that no core moves"
                          : leaves_home(s)         ? "the graph"
                                                   : "that no work leaves its node";
        const char *waits = leaves_home(s)
                                ? "waiting on the busiest node (messages, and tasks at the end)"
                                : "waiting on the busiest node (messages, and appranks of it "
                                  "that wait for others of it)";
        struct {
                const char *name;
                double factor;
        } cause[] = {
                { who, s->b->least_s / s->b->perfect_s },
                { "the runtime's own work", runtime > 0 ? 1 / runtime : 1 },
                { waits, transfer > 0 ? 1 / transfer : 1 },
                { "cores and tasks that are not where the optimum has them", 1 },
        };
        enum { COUNT = sizeof(cause) / sizeof(cause[0]) };
        cause[COUNT - 1].factor = time_s / s->b->perfect_s;
        for (int i = 0; i + 1 < COUNT; i++)
                cause[COUNT - 1].factor /= cause[i].factor;
        int most = 0;
        fprintf(s->out,
                "Time per iteration is %.4g s, %.3g %% above perfect balance (%.4g s):", time_s,
                above(time_s, s->b->perfect_s), s->b->perfect_s);
        for (int i = 0; i < COUNT; i++) {
                most = cause[i].factor > cause[most].factor ? i : most;
                double percent = 100 * (cause[i].factor - 1);
                fprintf(s->out, "%s %s %+.1f %%", i ? "," : "", cause[i].name,
                        fabs(percent) < 0.05 ? 0 : percent);
        }
        if (cause[most].factor > 1.01)
                fprintf(s->out, ". Mostly: %s.\n", cause[most].name);
        else
                fputs(". Nothing of note.\n", s->out);
}

void explain_print(const struct bound_case *c, const struct bound *bound,
                   const struct sim_result *result, double *node, FILE *out)
{
        const struct said said = { c, bound, result, result->metric, out };
        say_most(&said);
        say_bound(&said);
        say_packed(&said);
        say_idle(&said, node);
        say_messages(&said);
        say_tasks(&said);
        say_floor(&said);
}
