/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "graphs/graph.h"
#include "models/taskgraph.h"
#include "models/trace.h"
#include "models/workload.h"
#include "sim/systems/offload/machine.h"
#include "sim/engine/host.h"
#include "sim/engine/queue.h"
#include "sim/scenario/scenario_impl.h"

/*
 * What values must obey together. A rule blames one value. Where a rule may skip, a combination of
 * a sweep that breaks it is left out if one of the values involved is swept: a sweep over 4 and 64
 * nodes may well go up to degree 8.
 */
enum { NINVOLVED = 5 };

struct rule {
        struct scenario_target blame;
        int ninvolved; /* 0: never skipped */
        struct scenario_target involved[NINVOLVED];
        /* Does the point break it? Then what was found and what is allowed goes to text[size]. */
        bool (*broken)(const struct scenario_point *point, char *text, size_t size);
};

static double platform_of(const struct scenario_point *point, enum platform_param param)
{
        return point->value[SECTION_PLATFORM][param];
}

static double workload_of(const struct scenario_point *point, enum workload_param param)
{
        return point->value[SECTION_WORKLOAD][param];
}

bool scenario_is_model(const struct scenario_point *point, const char *name)
{
        const char *model = workload_models[(int)workload_of(point, WORKLOAD_MODEL)];
        return strcmp(model, name) == 0;
}

/* ---- Rules that skip ---- */

static bool degree_beyond_nodes(const struct scenario_point *point, char *text, size_t size)
{
        double nodes = platform_of(point, PLATFORM_NODES);
        if (point->degree <= nodes)
                return false;
        snprintf(text, size, "found %d, allowed is at most platform.nodes, which is %.0f",
                 point->degree, nodes);
        return true;
}

static bool imbalance_beyond_appranks(const struct scenario_point *point, char *text, size_t size)
{
        double imbalance = workload_of(point, WORKLOAD_IMBALANCE);
        bool drawn = scenario_is_model(point, "synthetic") || scenario_is_model(point, "cholesky");
        if (imbalance <= point->napprank || !drawn)
                return false;
        snprintf(text, size, "found %.10g, allowed is at most the number of appranks, %d",
                 imbalance, point->napprank);
        return true;
}

static double workers_per_node(const struct scenario_point *point)
{
        return platform_of(point, PLATFORM_APPRANKS_PER_NODE) * point->degree;
}

/* May helpers be talk-only: own no core, and borrow? */
static bool helpers_may_talk(const struct scenario_point *point)
{
        double choice = point->value[SECTION_RUNTIME][RUNTIME_TALK_ONLY];
        return point->lewi && !point->system->host && !point->grows &&
               (enum alloc_talk)choice != ALLOC_TALK_NEVER;
}

static bool workers_beyond_cores(const struct scenario_point *point, char *text, size_t size)
{
        double cores = platform_of(point, PLATFORM_CORES_PER_NODE);
        double appranks = platform_of(point, PLATFORM_APPRANKS_PER_NODE);
        int32_t owners = helpers_may_talk(point) ? 1 : point->degree;
        if (appranks * owners <= cores)
                return false;
        snprintf(
            text, size,
            "found %.0f, allowed is at least %.0f: the %.0f appranks of a node have %d workers "
            "each, which need a core each",
            cores, appranks * owners, appranks, owners);
        return true;
}

/* A system's host may need more than one core for each apprank. */
static bool too_few_for_host(const struct scenario_point *point, char *text, size_t size)
{
        enum { PARAM_MAX = 64 };
        double param[PARAM_MAX];
        const char *what_for;
        const struct sim_host *host =
            point->system->host ? sim_host_find(point->system->host) : NULL;
        if (!host || !host->cores_least || lb_param_count(host->tables[0]) > PARAM_MAX)
                return false;
        scenario_policy_values(point, host->name, host->tables[0], param);
        int32_t least = host->cores_least(param, &what_for);
        double appranks = platform_of(point, PLATFORM_APPRANKS_PER_NODE);
        double cores = platform_of(point, PLATFORM_CORES_PER_NODE);
        if (cores >= least * appranks)
                return false;
        snprintf(text, size,
                 "found %.0f for %.0f appranks, allowed with system \"%s\" are at least %d for "
                 "each, %s",
                 cores, appranks, point->system->name, least, what_for);
        return true;
}

static bool cannot_lend(const struct scenario_point *point, char *text, size_t size)
{
        if (!point->lewi || point->system->lewi)
                return false;
        snprintf(text, size, "found true, but system \"%s\" lends no cores: allowed is false",
                 point->system->name);
        return true;
}

static bool cannot_move_cores(const struct scenario_point *point, char *text, size_t size)
{
        if (!point->drom || point->system->drom)
                return false;
        snprintf(text, size, "found true, but system \"%s\" moves no cores: allowed is false",
                 point->system->name);
        return true;
}

static bool too_few_zones(const struct scenario_point *point, char *text, size_t size)
{
        if (!scenario_is_model(point, "multizone"))
                return false;
        int32_t zones = workload_nzone(point->value[SECTION_WORKLOAD]);
        if (point->napprank <= zones)
                return false;
        snprintf(text, size,
                 "found a class of %d zones for %d appranks, allowed is at least one for each",
                 zones, point->napprank);
        return true;
}

/* ---- Rules that do not ---- */

static bool too_many_appranks(const struct scenario_point *point, char *text, size_t size)
{
        double edges = (double)point->napprank * point->start_degree;
        if (point->napprank <= GRAPH_APPRANK_MAX && edges <= GRAPH_EDGE_MAX)
                return false;
        snprintf(text, size,
                 "found %.0f, with %d appranks and %.0f workers in all; allowed are at most %d "
                 "appranks and %d workers",
                 platform_of(point, PLATFORM_NODES), point->napprank, edges, GRAPH_APPRANK_MAX,
                 GRAPH_EDGE_MAX);
        return true;
}

/* Each node takes a block of event slots, a power of two, and one block is the machine's. */
static bool too_many_slots(const struct scenario_point *point, char *text, size_t size)
{
        double nodes = platform_of(point, PLATFORM_NODES);
        double cores = platform_of(point, PLATFORM_CORES_PER_NODE);
        double needed = cores + workers_per_node(point) + 1;
        int64_t block = 1, slots = (int64_t)1 << QUEUE_SLOT_BITS_MOST;
        while ((double)block < needed || block < NSLOT_MACHINE)
                block *= 2;
        int64_t allowed = slots / block - 1;
        if (nodes <= (double)allowed)
                return false;
        snprintf(text, size,
                 "found %.0f, allowed are at most %lld nodes of %.0f cores and %.0f workers", nodes,
                 (long long)allowed, cores, workers_per_node(point));
        return true;
}

double scenario_tasks(const struct scenario_point *point)
{
        double iterations = workload_of(point, WORKLOAD_ITERATIONS);
        double each = workload_of(point, WORKLOAD_TRACE_TASKS);
        if (point->trace && scenario_is_model(point, "trace") && each > 0)
                return each * point->napprank * iterations;
        if (point->trace && scenario_is_model(point, "trace"))
                return trace_all_tasks(point->trace, (int64_t)iterations);
        struct workload_spec spec = {
                .nnode = (int32_t)platform_of(point, PLATFORM_NODES),
                .cores_per_node = (int32_t)platform_of(point, PLATFORM_CORES_PER_NODE),
                .appranks_per_node = (int32_t)platform_of(point, PLATFORM_APPRANKS_PER_NODE),
                .param = point->value[SECTION_WORKLOAD],
                .graph = point->graph,
        };
        return workload_tasks_about(&spec);
}

static bool too_many_tasks(const struct scenario_point *point, char *text, size_t size)
{
        const double allowed = 1e13;
        double iterations = workload_of(point, WORKLOAD_ITERATIONS);
        double tasks = scenario_tasks(point);
        if (tasks <= allowed)
                return false;
        snprintf(text, size, "found %.0f, which makes %.3g tasks; allowed are at most %.3g tasks",
                 iterations, tasks, allowed);
        return true;
}

static bool too_many_bodies(const struct scenario_point *point, char *text, size_t size)
{
        double bodies = workload_of(point, WORKLOAD_NBODY_BODIES);
        double nodes = platform_of(point, PLATFORM_NODES);
        if (!scenario_is_model(point, "nbody") || bodies * nodes <= WORKLOAD_BODY_MAX)
                return false;
        snprintf(text, size, "found %.0f, with %.0f nodes; allowed are at most %d bodies in all",
                 bodies, nodes, WORKLOAD_BODY_MAX);
        return true;
}

static bool speed_of_no_node(const struct scenario_point *point, char *text, size_t size)
{
        int32_t nodes = (int32_t)platform_of(point, PLATFORM_NODES);
        for (int32_t i = 0; i < point->nspeed; i++) {
                if (point->speed[i].node < nodes)
                        continue;
                snprintf(text, size, "found node %d, allowed is at most %d: platform.nodes is %d",
                         point->speed[i].node, nodes - 1, nodes);
                return true;
        }
        return false;
}

static bool wrong_number_of_loads(const struct scenario_point *point, char *text, size_t size)
{
        if (!scenario_is_model(point, "given") || point->nload == point->napprank)
                return false;
        snprintf(text, size,
                 "\"given\" with %d values of workload.load_ms, allowed is one for each of the %d "
                 "appranks",
                 point->nload, point->napprank);
        return true;
}

static bool no_trace(const struct scenario_point *point, char *text, size_t size)
{
        if (!scenario_is_model(point, "trace") || point->trace)
                return false;
        snprintf(
            text, size,
            "\"trace\" %s, allowed is with the name of a file of loads, as lbrun --loads writes "
            "it",
            point->graph ? "with a file of tasks" : "without workload.file");
        return true;
}

static bool trace_of_other_appranks(const struct scenario_point *point, char *text, size_t size)
{
        if (!scenario_is_model(point, "trace") || trace_napprank(point->trace) == point->napprank)
                return false;
        snprintf(text, size,
                 "found work of %d appranks, allowed is of %d: platform.nodes x "
                 "platform.appranks_per_node",
                 trace_napprank(point->trace), point->napprank);
        return true;
}

static bool trace_without_tasks(const struct scenario_point *point, char *text, size_t size)
{
        if (!scenario_is_model(point, "trace") || trace_has_tasks(point->trace) ||
            workload_of(point, WORKLOAD_TRACE_TASKS) > 0)
                return false;
        snprintf(text, size,
                 "found work without its number of tasks, allowed is with column \"tasks\", or "
                 "with workload.trace_tasks");
        return true;
}

static bool no_graph(const struct scenario_point *point, char *text, size_t size)
{
        if (!scenario_is_model(point, "graph") || point->graph)
                return false;
        snprintf(text, size,
                 "\"graph\" %s, allowed is with the name of a file of tasks: "
                 "apprank,seconds,bytes,after",
                 point->trace ? "with a file of loads" : "without workload.file");
        return true;
}

static bool graph_of_more_appranks(const struct scenario_point *point, char *text, size_t size)
{
        if (!scenario_is_model(point, "graph") ||
            taskgraph_napprank(point->graph) <= point->napprank)
                return false;
        snprintf(text, size,
                 "found tasks of apprank %d, allowed are those below %d: platform.nodes x "
                 "platform.appranks_per_node",
                 taskgraph_napprank(point->graph) - 1, point->napprank);
        return true;
}

static bool jitter_of_explicit_tasks(const struct scenario_point *point, char *text, size_t size)
{
        bool is_explicit =
            scenario_is_model(point, "graph") || scenario_is_model(point, "cholesky");
        if (!is_explicit || !(workload_of(point, WORKLOAD_JITTER) > 0))
                return false;
        snprintf(text, size,
                 "found %s, allowed with model \"%s\" is none: its tasks have durations of their "
                 "own",
                 workload_params[WORKLOAD_JITTER].choices[(int)workload_of(point, WORKLOAD_JITTER)],
                 workload_models[(int)workload_of(point, WORKLOAD_MODEL)]);
        return true;
}

/* More than memory is likely to have. */
static bool too_large_matrices(const struct scenario_point *point, char *text, size_t size)
{
        double tiles = ceil(workload_of(point, WORKLOAD_CHOLESKY_SIZE) /
                            workload_of(point, WORKLOAD_CHOLESKY_BLOCK));
        double most = ceil(workload_of(point, WORKLOAD_CHOLESKY_MATRICES) *
                           workload_of(point, WORKLOAD_IMBALANCE));
        double tasks = most * tiles * tiles * tiles / 6;
        if (!scenario_is_model(point, "cholesky") || tasks <= TASKGRAPH_TASK_MAX)
                return false;
        snprintf(
            text, size,
            "found %.0f, which makes %.0f tiles a side and with %.0f matrices %.3g tasks of one "
            "apprank; allowed are at most %d",
            workload_of(point, WORKLOAD_CHOLESKY_SIZE), tiles, most, tasks, TASKGRAPH_TASK_MAX);
        return true;
}

/* A run has 4 bytes for each. */
static bool too_many_matrices(const struct scenario_point *point, char *text, size_t size)
{
        const double allowed = 1e9;
        double tasks = scenario_tasks(point) / workload_of(point, WORKLOAD_ITERATIONS);
        if (!scenario_is_model(point, "cholesky") || tasks <= allowed)
                return false;
        snprintf(text, size,
                 "found %.10g, which makes %.3g tasks of all appranks; allowed are at most %.3g",
                 workload_of(point, WORKLOAD_CHOLESKY_MATRICES), tasks, allowed);
        return true;
}

/* The workload knows which scatter each distribution allows: ask for the smallest one. */
static bool impossible_jitter(const struct scenario_point *point, char *text, size_t size)
{
        double param[WORKLOAD_NPARAM];
        struct lb_error err;
        if (!(workload_of(point, WORKLOAD_JITTER) > 0))
                return false;
        memcpy(param, point->value[SECTION_WORKLOAD], sizeof(param));
        param[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], "synthetic");
        param[WORKLOAD_IMBALANCE] = 1;
        struct workload_spec spec = {
                .nnode = 1, .cores_per_node = 1, .appranks_per_node = 1, .param = param
        };
        struct workload *workload = workload_create(&spec, &err);
        if (!workload)
                snprintf(text, size, "%s", err.text);
        workload_destroy(workload);
        return !workload;
}

/* clang-format off */
#define PLATFORM(name) { SECTION_PLATFORM, PLATFORM_##name }
#define WORKLOAD(name) { SECTION_WORKLOAD, WORKLOAD_##name }
#define SYSTEM(name)   { SECTION_SYSTEM, SYSTEM_##name }

/* The shortest that anything simulated takes; a run has as many samples as memory holds. */
static const double SERIES_LEAST_S = 1e-6;

static bool too_short_samples(const struct scenario_point *point, char *text, size_t size)
{
        double series_s = point->value[SECTION_OUTPUT][OUTPUT_SERIES_S];
        if (!(series_s > 0 && series_s < SERIES_LEAST_S))
                return false;
        snprintf(text, size, "found %.10g, allowed is 0 (no time series) or %g and more", series_s,
                 SERIES_LEAST_S);
        return true;
}

static const struct rule rules[] = {
        { { SECTION_GRAPH, GRAPH_DEGREE }, 2,
          { { SECTION_GRAPH, GRAPH_DEGREE }, PLATFORM(NODES) }, degree_beyond_nodes },
        { WORKLOAD(IMBALANCE), 3,
          { WORKLOAD(IMBALANCE), PLATFORM(NODES), PLATFORM(APPRANKS_PER_NODE) },
          imbalance_beyond_appranks },
        { PLATFORM(CORES_PER_NODE), 5,
          { PLATFORM(CORES_PER_NODE), PLATFORM(APPRANKS_PER_NODE),
            { SECTION_GRAPH, GRAPH_DEGREE }, SYSTEM(NAME), SYSTEM(LEWI) }, workers_beyond_cores },
        { PLATFORM(CORES_PER_NODE), 3,
          { PLATFORM(CORES_PER_NODE), PLATFORM(APPRANKS_PER_NODE), SYSTEM(NAME) },
          too_few_for_host },
        { SYSTEM(LEWI), 1, { SYSTEM(LEWI) }, cannot_lend },
        { SYSTEM(DROM), 1, { SYSTEM(DROM) }, cannot_move_cores },
        { WORKLOAD(MULTIZONE_CLASS), 3,
          { WORKLOAD(MULTIZONE_CLASS), PLATFORM(NODES), PLATFORM(APPRANKS_PER_NODE) },
          too_few_zones },
        { PLATFORM(NODES), 0, { { 0 } }, too_many_appranks },
        { PLATFORM(NODES), 0, { { 0 } }, too_many_slots },
        { WORKLOAD(ITERATIONS), 0, { { 0 } }, too_many_tasks },
        { WORKLOAD(NBODY_BODIES), 0, { { 0 } }, too_many_bodies },
        { { SECTION_PLATFORM, TARGET_SPEED }, 0, { { 0 } }, speed_of_no_node },
        { WORKLOAD(MODEL), 0, { { 0 } }, wrong_number_of_loads },
        { WORKLOAD(MODEL), 0, { { 0 } }, no_trace },
        { { SECTION_WORKLOAD, TARGET_FILE }, 0, { { 0 } }, trace_of_other_appranks },
        { { SECTION_WORKLOAD, TARGET_FILE }, 0, { { 0 } }, trace_without_tasks },
        { WORKLOAD(MODEL), 0, { { 0 } }, no_graph },
        { { SECTION_WORKLOAD, TARGET_FILE }, 0, { { 0 } }, graph_of_more_appranks },
        { WORKLOAD(JITTER), 2, { WORKLOAD(MODEL), WORKLOAD(JITTER) }, jitter_of_explicit_tasks },
        { WORKLOAD(CHOLESKY_SIZE), 0, { { 0 } }, too_large_matrices },
        { WORKLOAD(CHOLESKY_MATRICES), 0, { { 0 } }, too_many_matrices },
        { WORKLOAD(JITTER_CV), 0, { { 0 } }, impossible_jitter },
        { { SECTION_OUTPUT, OUTPUT_SERIES_S }, 0, { { 0 } }, too_short_samples },
};
/* clang-format on */

/* ---- Judging ---- */

static bool is_swept(const struct scenario *scenario, struct scenario_target target)
{
        const struct scenario_axis *axis;
        int32_t place;
        scenario_value_at(scenario, 0, target, &axis, &place);
        return axis != NULL;
}

static bool may_skip(const struct scenario *scenario, const struct rule *rule)
{
        for (int i = 0; i < rule->ninvolved; i++)
                if (is_swept(scenario, rule->involved[i]))
                        return true;
        return false;
}

/* "/graph/degree" of "graph.degree". */
static void pointer_of(const char *path, char *pointer)
{
        snprintf(pointer, SCENARIO_POINTER_SIZE, "/%s", path);
        for (char *dot = strchr(pointer, '.'); dot; dot = strchr(dot, '.'))
                *dot = '/';
}

void scenario_locate(const struct scenario *scenario, struct scenario_target target, char *pointer)
{
        char path[128];
        const struct scenario_axis *axis;
        int32_t place;
        scenario_value_at(scenario, 0, target, &axis, &place);
        scenario_target_path(target, path, sizeof(path));
        pointer_of(path, pointer);
        if (!axis)
                return;
        snprintf(pointer, SCENARIO_POINTER_SIZE, "/sweep");
        scenario_pointer_add(pointer, axis->key);
}

/* The place of the value that a combination has for a target. */
static void locate(const struct scenario *scenario, int64_t combination,
                   struct scenario_target target, const char *path, char *pointer)
{
        const struct scenario_axis *axis;
        int32_t place;
        int32_t value = scenario_value_at(scenario, combination, target, &axis, &place);
        pointer[0] = '\0';
        if (axis) {
                scenario_pointer_add(pointer, "sweep");
                scenario_pointer_add(pointer, axis->key);
                scenario_pointer_add_index(pointer, value);
                if (axis->tied)
                        scenario_pointer_add_index(pointer, place);
                return;
        }
        pointer_of(path, pointer);
}

static void blame(const struct scenario *scenario, int64_t combination, const struct rule *rule,
                  const char *text, struct lb_error *err)
{
        char path[128], pointer[SCENARIO_POINTER_SIZE];
        bool given = scenario->body->given[rule->blame.section][rule->blame.index];
        scenario_target_path(rule->blame, path, sizeof(path));
        locate(scenario, combination, rule->blame, path, pointer);
        scenario_complain(scenario, path, pointer, err, "%s%s", text,
                          given ? "" : " (the value is the default)");
}

enum scenario_verdict scenario_judge(const struct scenario *scenario, int64_t combination,
                                     const struct scenario_point *point, bool explain,
                                     struct lb_error *err)
{
        char text[512];
        for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
                const struct rule *rule = &rules[i];
                if (!rule->broken(point, text, sizeof(text)))
                        continue;
                bool skip = may_skip(scenario, rule);
                if (!skip || explain)
                        blame(scenario, combination, rule, text, err);
                return skip ? VERDICT_SKIP : VERDICT_ERROR;
        }
        return VERDICT_FINE;
}
