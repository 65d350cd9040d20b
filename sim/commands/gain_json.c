/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/commands/gain_measured.h"
#include "sim/commands/gain_print.h"

/*
 * The answer for programs: one object with all that the text says, and the page draws. What is not
 * known is null. docs/manual.md has the members.
 */

enum { LINE_SIZE = 512 + MEASURED_LAUNCH_SIZE };

/* ---- The program and its time ---- */

static bool put_program(cJSON *root, const struct gain_advice *a)
{
        return cJSON_AddStringToObject(root, "schema", "lbsim-gain-1") &&
               cJSON_AddStringToObject(root, "measurement", a->path) &&
               cJSON_AddStringToObject(root, "format", a->m->format) &&
               cJSON_AddStringToObject(root, "program", a->m->program) &&
               cJSON_AddStringToObject(root, "platform", a->platform ? a->platform : "") &&
               cJSON_AddBoolToObject(root, "costs_measured", a->machine.measured) &&
               cJSON_AddBoolToObject(root, "costs_in_ranges", a->extent.costs) &&
               lb_json_add_number(root, "ranks", a->loads.nrank) &&
               lb_json_add_number(root, "threads_per_rank", a->loads.threads) &&
               lb_json_add_number(root, "nodes", a->loads.nnode) &&
               lb_json_add_number(root, "cores_per_node",
                                  a->cores > 0 ? (double)a->cores : (double)NAN) &&
               cJSON_AddBoolToObject(root, "complete", !a->m->killed && a->m->unended == 0);
}

static bool put_parts(cJSON *root, const struct gain_advice *a)
{
        const struct gain_parts *p = &a->parts;
        cJSON *time = cJSON_AddObjectToObject(root, "time");
        cJSON *imbalance = cJSON_AddObjectToObject(root, "imbalance");
        return time && imbalance &&
               lb_json_add_number(time, "measured_s", p->wall_known ? p->wall_s : NAN) &&
               lb_json_add_number(time, "bound_s", p->bound_s) &&
               lb_json_add_number(time, "bound_of_all_cores_s",
                                  a->cores > 0 ? gain_all_cores_s(a) : (double)NAN) &&
               lb_json_add_number(time, "imbalance_between_nodes_s", p->between_s) &&
               lb_json_add_number(time, "imbalance_within_nodes_s", p->within_s) &&
               lb_json_add_number(time, "communication_s", p->transfer_s) &&
               cJSON_AddBoolToObject(time, "communication_is_at_most", !p->transfer_known) &&
               lb_json_add_number(time, "in_files_at_most_s", p->files_s) &&
               lb_json_add_number(time, "load_that_may_be_waiting_s", p->unseen_s) &&
               lb_json_add_number(time, "other_waiting_s", p->wall_known ? p->rest_s : NAN) &&
               lb_json_add_number(imbalance, "ranks", gain_imbalance(a)) &&
               lb_json_add_number(imbalance, "nodes", 1 + p->between_s / p->bound_s) &&
               lb_json_add_number(imbalance, "within_nodes",
                                  (p->bound_s + p->between_s + p->within_s) /
                                      (p->bound_s + p->between_s));
}

static bool put_trust(cJSON *root, const struct gain_advice *a)
{
        bool simulated = a->baseline_s > 0;
        double percent[2] = { NAN, NAN };
        if (a->m->by_iteration && !gain_saving_range(&a->loads, percent))
                percent[0] = percent[1] = NAN;
        return lb_json_add_number(root, "alike_regions",
                                  a->regions > 0 ? a->regions : (double)NAN) &&
               lb_json_add_number(root, "simulated_as_it_is_s", simulated ? a->baseline_s : NAN) &&
               lb_json_add_number(root, "simulated_off_percent",
                                  simulated && a->parts.wall_known ? 100 * a->error : NAN) &&
               cJSON_AddBoolToObject(root, "predicted", a->predicted) &&
               cJSON_AddStringToObject(root, "why_not", a->predicted ? "" : a->why_not) &&
               cJSON_AddStringToObject(root, "left_out", a->left_out) &&
               cJSON_AddBoolToObject(root, "few_iterations",
                                     a->m->by_iteration && gain_few(a->loads.nwindow)[0]) &&
               lb_json_add_number(root, "imbalance_costs_least_percent", percent[0]) &&
               lb_json_add_number(root, "imbalance_costs_most_percent", percent[1]);
}

/* ---- What would change it ---- */

static bool put_outcome(cJSON *list, const struct gain_advice *a, const struct gain_outcome *o)
{
        cJSON *item = cJSON_CreateObject();
        const char *live = gain_live(o);
        return item && cJSON_AddItemToArray(list, item) &&
               cJSON_AddStringToObject(item, "for", gain_kind_name(o->kind)) &&
               cJSON_AddStringToObject(item, o->system ? "system" : "remedy", o->name) &&
               cJSON_AddBoolToObject(item, "heavy_beside_light", o->placed) &&
               lb_json_add_number(item, "ranks_joined", o->joined > 1 ? o->joined : 1) &&
               lb_json_add_number(item, "nodes", o->nodes) &&
               lb_json_add_number(item, "degree", o->degree) &&
               lb_json_add_number(item, "time_s", (o->coarse_s + o->fine_s) / 2) &&
               lb_json_add_number(item, "least_s", o->least_s) &&
               lb_json_add_number(item, "most_s", o->most_s) &&
               lb_json_add_number(item, "less_percent_least", gain_less_percent(a, o->most_s)) &&
               lb_json_add_number(item, "less_percent_most", gain_less_percent(a, o->least_s)) &&
               lb_json_add_number(item, "cores", o->cores) &&
               lb_json_add_number(item, "cores_freed", gain_freed(a, o)) &&
               cJSON_AddBoolToObject(item, "runs_as_it_is",
                                     o->system && system_for_any(o->system)) &&
               cJSON_AddStringToObject(item, "live", live) &&
               cJSON_AddStringToObject(item, "asks", o->asks);
}

static bool put_outcomes(cJSON *root, const char *key, const struct gain_advice *a,
                         const struct gain_outcome *list, int32_t count)
{
        cJSON *array = cJSON_AddArrayToObject(root, key);
        bool fine = array != NULL;
        for (int32_t i = 0; fine && i < count; i++)
                fine = put_outcome(array, a, &list[i]);
        return fine;
}

/* Of each rank: its load, its share of the partition that would even it out, its node where heavy
 * ranks sit beside light ones. */
static bool put_ranks(cJSON *root, const struct gain_advice *a)
{
        cJSON *loads = cJSON_AddArrayToObject(root, "load_s");
        cJSON *weights = cJSON_AddArrayToObject(root, "weights");
        cJSON *places = cJSON_AddArrayToObject(root, "node_placed");
        bool fine = loads && weights && places, weighed = gain_has_weights(&a->loads);
        for (int32_t r = 0; fine && r < a->loads.nrank; r++)
                fine = cJSON_AddItemToArray(loads, cJSON_CreateNumber(a->loads.total_s[r])) &&
                       (!weighed ||
                        cJSON_AddItemToArray(weights, cJSON_CreateNumber(gain_weight(a, r)))) &&
                       (a->per_node == 0 ||
                        cJSON_AddItemToArray(places, cJSON_CreateNumber(a->node_placed[r])));
        return fine;
}

/* As one line. */
static bool put_text(cJSON *root, const char *key, const char *text)
{
        char line[LINE_SIZE];
        snprintf(line, sizeof(line), "%s", text);
        for (char *at = line; *at; at++)
                *at = *at == '\n' ? ' ' : *at;
        return cJSON_AddStringToObject(root, key, line) != NULL;
}

static bool put_words(cJSON *root, const struct gain_advice *a, const struct gain_next *next)
{
        char verdict[LINE_SIZE], assumption[LINE_SIZE] = "", ported[LINE_SIZE], nodes[LINE_SIZE];
        char turns[LINE_SIZE], outside[LINE_SIZE], unused[LINE_SIZE], as_it_is[LINE_SIZE];
        gain_verdict_line(a, verdict, sizeof(verdict));
        if (a->predicted)
                gain_assumption(a, assumption, sizeof(assumption));
        gain_turns_line(a, turns, sizeof(turns));
        gain_outside_line(a, outside, sizeof(outside));
        gain_unused_line(a, unused, sizeof(unused));
        gain_nodes_line(a, nodes, sizeof(nodes));
        gain_as_it_is(a, as_it_is, sizeof(as_it_is));
        gain_ported(a, ported, sizeof(ported));
        return put_text(root, "verdict", verdict) && put_text(root, "in_turns", turns) &&
               put_text(root, "outside_iterations", outside) &&
               put_text(root, "unused_cores", unused) &&
               (gain_is_clear(a) ? cJSON_AddBoolToObject(root, "worth_it", a->worth)
                                 : cJSON_AddNullToObject(root, "worth_it")) &&
               put_text(root, "assumption", assumption) && put_text(root, "nodes_assumed", nodes) &&
               cJSON_AddStringToObject(root, "next", next->command ? next->command : "") &&
               put_text(root, "next_remark", next->remark) &&
               put_text(root, "as_it_is", as_it_is) && put_text(root, "ported", ported);
}

int gain_json_print(const struct gain_advice *a, struct lb_error *err)
{
        struct gain_next next;
        if (gain_next(a, &next, err) < 0)
                return -1;
        cJSON *root = cJSON_CreateObject();
        bool fine = root && put_program(root, a) && put_words(root, a, &next) &&
                    put_parts(root, a) && put_trust(root, a) &&
                    put_outcomes(root, "remedies", a, a->remedy, a->nremedy) &&
                    put_outcomes(root, "systems", a, a->outcome, a->noutcome) && put_ranks(root, a);
        free(next.command);
        return lb_json_print(root, fine, stdout, err);
}
