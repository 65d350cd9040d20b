/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graphs/graph.h"
#include "models/taskgraph.h"
#include "models/trace.h"
#include "policies/alloc.h"
#include "policies/grow.h"
#include "sim/engine/sim.h"
#include "sim/scenario/scenario_impl.h"

/* From axes to points: the cross product, and the configuration of each combination. */

enum { NPOINT_MAX = 1000000 };

/* ---- Combinations ---- */

/* The place of a combination's value in an axis: a digit of it, the last axis being the fastest. */
static int32_t digit_of(const struct scenario_body *body, int64_t combination, int32_t axis)
{
        for (int32_t a = body->naxis - 1; a > axis; a--)
                combination /= body->axis[a].nvalue;
        return (int32_t)(combination % body->axis[axis].nvalue);
}

int32_t scenario_value_at(const struct scenario *scenario, int64_t combination,
                          struct scenario_target target, const struct scenario_axis **axis,
                          int32_t *place)
{
        const struct scenario_body *body = scenario->body;
        *axis = NULL;
        for (int32_t a = 0; a < body->naxis; a++) {
                for (int32_t p = 0; p < body->axis[a].npath; p++) {
                        const struct scenario_target *t = &body->axis[a].target[p];
                        if (t->section != target.section || t->index != target.index)
                                continue;
                        *axis = &body->axis[a];
                        *place = p;
                        return digit_of(body, combination, a);
                }
        }
        return 0;
}

/* ---- Configurations ---- */

static void apply_cell(struct scenario_point *out, struct scenario_target target,
                       const struct scenario_cell *cell)
{
        if (cell->speed) {
                out->speed = cell->speed;
                out->nspeed = cell->count;
        } else if (cell->load_ms) {
                out->load_ms = cell->load_ms;
                out->nload = cell->count;
        } else if (cell->trace || cell->graph) {
                out->trace = cell->trace;
                out->graph = cell->graph;
        } else {
                out->value[target.section][target.index] = cell->number;
        }
}

static void apply_axes(const struct scenario_body *body, int64_t combination,
                       struct scenario_point *out)
{
        for (int32_t a = body->naxis - 1; a >= 0; a--) {
                const struct scenario_axis *axis = &body->axis[a];
                int64_t first = combination % axis->nvalue * axis->npath;
                combination /= axis->nvalue;
                for (int32_t p = 0; p < axis->npath; p++)
                        apply_cell(out, axis->target[p], &axis->cell[first + p]);
        }
}

/* Other defaults, where the user has not given a value. */
static int apply_settings(const struct scenario_body *body, const struct system_setting *set,
                          struct scenario_point *out, struct lb_error *err)
{
        for (; set && set->path; set++) {
                struct scenario_target target;
                if (scenario_target_find(set->path, &target) < 0 || !scenario_target_param(target))
                        return lb_error_set(err, "system '%s': its setting '%s' is no parameter",
                                            out->system->name, set->path);
                if (!body->given[target.section][target.index] &&
                    lb_param_parse(scenario_target_param(target), set->value,
                                   &out->value[target.section][target.index], err) < 0)
                        return lb_error_prefix(
                            err, "system '%s': its setting of %s: ", out->system->name, set->path);
        }
        return 0;
}

/* system.as = original: every default becomes what the original code does; published: once did. */
static int apply_preset(const struct scenario_body *body, struct scenario_point *out,
                        struct lb_error *err)
{
        const struct lb_param *param = &scenario_section_table(SECTION_SYSTEM)[SYSTEM_AS];
        int as = (int)out->value[SECTION_SYSTEM][SYSTEM_AS];
        if (as == lb_param_choice(param, "paper"))
                return 0;
        for (int s = 0; s < SECTION_COUNT; s++) {
                const struct lb_param *table = scenario_section_table((enum scenario_section)s);
                for (int i = 0; table[i].name; i++)
                        if (table[i].differs && !body->given[s][i])
                                out->value[s][i] = table[i].original;
        }
        bool published = as == lb_param_choice(param, "published");
        return published ? apply_settings(body, system_published, out, err) : 0;
}

/* Every core is an apprank's: no helper would bring one, so all that there may be are there from
 * the start, and own none, as lbrun has it (alloc_talk_only()). */
static bool all_talk(const struct scenario_point *point)
{
        const double *platform = point->value[SECTION_PLATFORM];
        return point->lewi &&
               platform[PLATFORM_CORES_PER_NODE] <= platform[PLATFORM_APPRANKS_PER_NODE] &&
               point->value[SECTION_RUNTIME][RUNTIME_TALK_ONLY] != ALLOC_TALK_NEVER;
}

/* A graph that grows may start with more than graph.degree; not one of the catalogue, which need
 * not have another. */
static int32_t start_degree(const struct scenario_point *point, const double *grow)
{
        const double *platform = point->value[SECTION_PLATFORM];
        struct graph_spec spec = graph_spec_from(1, 1, point->value[SECTION_GRAPH]);
        if (!point->system->grow || spec.method == GRAPH_METHOD_CATALOGUE)
                return point->degree;
        if (system_finds_degree(point->system))
                return all_talk(point) ? (int32_t)fmin(grow[GROW_DEGREE], platform[PLATFORM_NODES])
                                       : point->degree;
        return grow_start_degree(grow, point->degree, (int32_t)platform[PLATFORM_NODES],
                                 (int32_t)platform[PLATFORM_CORES_PER_NODE],
                                 (int32_t)platform[PLATFORM_APPRANKS_PER_NODE]);
}

/* Is there anything to grow to, and a core for who comes? Those that own none do not grow. */
static bool grows(const struct scenario_point *point, const double *grow)
{
        const struct system_type *system = point->system;
        if (!system->grow || (system_finds_degree(system) && point->start_degree == point->degree))
                return system->grow != NULL;
        const double *platform = point->value[SECTION_PLATFORM];
        return point->start_degree < grow[GROW_DEGREE] &&
               point->start_degree < platform[PLATFORM_NODES] &&
               point->start_degree * platform[PLATFORM_APPRANKS_PER_NODE] <
                   platform[PLATFORM_CORES_PER_NODE] &&
               point->value[SECTION_RUNTIME][RUNTIME_TALK_ONLY] != ALLOC_TALK_HELPERS;
}

/* Those of a file that has several, or is one of loads; 0: it does not say. */
static int32_t file_iterations(const struct scenario_point *point)
{
        if (point->trace && scenario_is_model(point, "trace"))
                return trace_niteration(point->trace);
        if (point->graph && scenario_is_model(point, "graph") &&
            taskgraph_niteration(point->graph) > 1)
                return taskgraph_niteration(point->graph);
        return 0;
}

/* What follows from the values. */
static void derive(const struct scenario_body *body, struct scenario_point *out)
{
        const double *platform = out->value[SECTION_PLATFORM];
        double *system = out->value[SECTION_SYSTEM];
        const bool *given = body->given[SECTION_SYSTEM];
        if (!given[SYSTEM_LEWI])
                system[SYSTEM_LEWI] = out->system->lewi;
        if (!given[SYSTEM_DROM])
                system[SYSTEM_DROM] = out->system->drom;
        out->lewi = system[SYSTEM_LEWI] > 0;
        out->drom = system[SYSTEM_DROM] > 0;
        out->degree = out->system->offloads ? (int32_t)out->value[SECTION_GRAPH][GRAPH_DEGREE] : 1;
        double grow[GROW_NPARAM];
        if (out->system->grow)
                scenario_policy_values(out, out->system->grow, grow_params, grow);
        out->start_degree = start_degree(out, grow);
        out->grows = grows(out, grow);
        out->napprank = (int32_t)(platform[PLATFORM_NODES] * platform[PLATFORM_APPRANKS_PER_NODE]);
        if (!body->given[SECTION_WORKLOAD][WORKLOAD_ITERATIONS] && file_iterations(out) > 0)
                out->value[SECTION_WORKLOAD][WORKLOAD_ITERATIONS] = file_iterations(out);
}

int scenario_point_build(const struct scenario *scenario, int64_t combination,
                         struct scenario_point *out, struct lb_error *err)
{
        const struct scenario_body *body = scenario->body;
        size_t count = scenario_value_count();
        *out = (struct scenario_point){ 0 };
        double *all = malloc(count * sizeof(*all));
        if (!all)
                return lb_error_fail(err, "out of memory for a point of the scenario");
        memcpy(all, body->value[0], count * sizeof(*all));
        scenario_value_split(all, out->value);
        out->speed = body->speed.speed;
        out->nspeed = body->speed.count;
        out->load_ms = body->load.load_ms;
        out->nload = body->load.count;
        out->trace = body->file.trace;
        out->graph = body->file.graph;
        apply_axes(body, combination, out);
        out->system = system_at((int)out->value[SECTION_SYSTEM][SYSTEM_NAME]);
        if (apply_preset(body, out, err) < 0 ||
            apply_settings(body, out->system->settings, out, err) < 0) {
                scenario_point_finish(out);
                return -1;
        }
        derive(body, out);
        return 0;
}

int scenario_point_get(const struct scenario *scenario, int64_t point, struct scenario_point *out,
                       struct lb_error *err)
{
        assert(point >= 0 && point < scenario->npoint);
        return scenario_point_build(scenario, scenario->combination[point], out, err);
}

void scenario_point_finish(struct scenario_point *point)
{
        free(point->value[0]);
        *point = (struct scenario_point){ 0 };
}

void scenario_policy_values(const struct scenario_point *point, const char *owner,
                            const struct lb_param *table, double *value)
{
        policy_params_values(scenario_system_params(), point->value[SECTION_SYSTEM], owner, table,
                             value);
}

/* ---- Columns ---- */

int32_t scenario_ncolumn(const struct scenario *scenario)
{
        return scenario->body->ncolumn;
}

/* The axis of a column, and the place of its path in it. */
static int32_t axis_of(const struct scenario *scenario, int32_t column, int32_t *place)
{
        const struct scenario_body *body = scenario->body;
        assert(column >= 0 && column < body->ncolumn);
        int32_t a = 0;
        for (; column >= body->axis[a].npath; a++)
                column -= body->axis[a].npath;
        *place = column;
        return a;
}

const char *scenario_column(const struct scenario *scenario, int32_t column)
{
        int32_t place;
        int32_t a = axis_of(scenario, column, &place);
        return scenario->body->axis[a].path[place];
}

bool scenario_columns_tied(const struct scenario *scenario, int32_t a, int32_t b)
{
        int32_t place;
        return axis_of(scenario, a, &place) == axis_of(scenario, b, &place);
}

static const struct system_type *system_of(const struct scenario *scenario, int64_t combination)
{
        const struct scenario_axis *axis;
        int32_t place;
        struct scenario_target target = { SECTION_SYSTEM, SYSTEM_NAME };
        int64_t value = scenario_value_at(scenario, combination, target, &axis, &place);
        double name = scenario->body->value[SECTION_SYSTEM][SYSTEM_NAME];
        if (axis)
                name = axis->cell[value * axis->npath + place].number;
        return system_at((int)name);
}

uint64_t scenario_point_built(const struct scenario *scenario, int64_t point)
{
        assert(point >= 0 && point < scenario->npoint);
        bool plain = scenario->build == scenario->built_in ||
                     system_is_built_in(system_of(scenario, scenario->combination[point]));
        return plain ? scenario->built_in : scenario->build;
}

const char *scenario_point_text(const struct scenario *scenario, int64_t point, int32_t column)
{
        assert(point >= 0 && point < scenario->npoint);
        int32_t place;
        int32_t a = axis_of(scenario, column, &place);
        int64_t combination = scenario->combination[point];
        const struct scenario_axis *axis = &scenario->body->axis[a];
        const struct scenario_target *target = &axis->target[place];
        if (target->section == SECTION_GRAPH && target->index == GRAPH_DEGREE &&
            !system_of(scenario, combination)->offloads)
                return "1";
        int64_t value = digit_of(scenario->body, combination, a);
        return axis->text[value * axis->npath + place];
}

/* ---- The cross product ---- */

static enum scenario_graph_use graph_use(const struct system_type *system)
{
        return system->offloads ? GRAPH_USE_ALL
               : system->grow   ? GRAPH_USE_BUT_DEGREE
                                : GRAPH_USE_NONE;
}

/* The first combination that gives the same run. */
static int64_t first_alike(const struct scenario *scenario, int64_t combination)
{
        const struct scenario_body *body = scenario->body;
        enum scenario_graph_use use = graph_use(system_of(scenario, combination));
        int64_t first = 0, block = 1;
        for (int32_t a = body->naxis - 1; a >= 0; a--) {
                const struct scenario_axis *axis = &body->axis[a];
                first += block * axis->first[use][combination % axis->nvalue];
                combination /= axis->nvalue;
                block *= axis->nvalue;
        }
        return first;
}

bool scenario_column_matters(const struct scenario *scenario, int32_t column,
                             const struct system_type *system)
{
        int32_t place, a = axis_of(scenario, column, &place);
        return scenario_target_matters(&scenario->body->axis[a].target[place], graph_use(system));
}

int64_t scenario_point_of(const struct scenario *scenario, int64_t combination)
{
        int64_t low = 0, high = scenario->npoint, wanted = first_alike(scenario, combination);
        while (low < high) {
                int64_t middle = low + (high - low) / 2;
                if (scenario->combination[middle] < wanted)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low < scenario->npoint && scenario->combination[low] == wanted ? low : -1;
}

static int64_t count_combinations(const struct scenario_body *body)
{
        int64_t count = 1;
        for (int32_t a = 0; a < body->naxis && count <= NPOINT_MAX; a++)
                count *= body->axis[a].nvalue;
        return count;
}

/* Judge one combination and take it in if it can run. `impossible`: the first that cannot, or -1.
 */
static int judge(struct scenario *scenario, int64_t combination, int64_t *impossible,
                 struct lb_error *err)
{
        struct scenario_point point;
        if (scenario_point_build(scenario, combination, &point, err) < 0)
                return -1;
        enum scenario_verdict verdict = scenario_judge(scenario, combination, &point, false, err);
        bool repeated = first_alike(scenario, combination) != combination;
        scenario_point_finish(&point);
        if (verdict == VERDICT_ERROR)
                return -1;
        if (verdict == VERDICT_SKIP && *impossible < 0)
                *impossible = combination;
        if (verdict == VERDICT_SKIP || repeated)
                scenario->nskipped++;
        else
                scenario->combination[scenario->npoint++] = combination;
        return 0;
}

static int complain_impossible(const struct scenario *scenario, int64_t combination,
                               struct lb_error *err)
{
        struct scenario_point point;
        if (scenario_point_build(scenario, combination, &point, err) < 0)
                return -1;
        scenario_judge(scenario, combination, &point, true, err);
        scenario_point_finish(&point);
        return -1;
}

/* Loads that nothing asks for are a mistake: the model would be another one. */
static int check_loads(const struct scenario *scenario, struct lb_error *err)
{
        const bool *given = scenario->body->given[SECTION_WORKLOAD];
        if (given[TARGET_FILE] && !given[WORKLOAD_MODEL])
                return scenario_complain(
                    scenario, "workload.file", "/workload/file", err,
                    "a file is used with \"model\": \"trace\" or \"graph\", which is not "
                    "set");
        if (!given[TARGET_LOAD_MS] || given[WORKLOAD_MODEL])
                return 0;
        return scenario_complain(scenario, "workload.load_ms", "/workload/load_ms", err,
                                 "loads are used with \"model\": \"given\", which is not set");
}

int scenario_expand(struct scenario *scenario, bool for_others, struct lb_error *err)
{
        if (check_loads(scenario, err) < 0 || scenario_check_used(scenario, for_others, err) < 0)
                return -1;
        int64_t count = count_combinations(scenario->body), impossible = -1;
        if (count > NPOINT_MAX)
                return scenario_complain(scenario, "sweep", "/sweep", err,
                                         "its lists make more than %d points", NPOINT_MAX);
        scenario->combination = calloc((size_t)count, sizeof(*scenario->combination));
        if (!scenario->combination)
                return lb_error_fail(err, "out of memory for %lld points", (long long)count);
        for (int64_t c = 0; c < count; c++)
                if (judge(scenario, c, &impossible, err) < 0)
                        return -1;
        return scenario->npoint > 0 ? 0 : complain_impossible(scenario, impossible, err);
}
