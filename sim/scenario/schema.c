/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/json.h"
#include "sim/scenario/scenario_impl.h"

/*
 * The JSON Schema (draft-07) of scenarios, from the tables: what an editor needs to complete, check
 * and explain a scenario while it is written. lbsim itself reads scenarios by the same tables, and
 * checks what no schema can say (sim/scenario/check.c).
 */

static cJSON *add_object(cJSON *to, const char *key)
{
        return cJSON_AddObjectToObject(to, key);
}

static void describe(cJSON *schema, const char *text)
{
        cJSON_AddStringToObject(schema, "description", text);
}

/* One line: what it is, its unit, its default. */
static void describe_param(cJSON *schema, const struct lb_param *param, bool systems_own)
{
        char text[512], fallback[128];
        bool has_unit = param->unit && param->unit[0];
        lb_param_format(param, param->fallback, fallback, sizeof(fallback));
        snprintf(text, sizeof(text), "%s%s%s%s; default %s", param->help, has_unit ? " [" : "",
                 has_unit ? param->unit : "", has_unit ? "]" : "",
                 systems_own ? "the system's own" : fallback);
        describe(schema, text);
}

/* What values a parameter takes. */
static void constrain(cJSON *schema, const struct lb_param *param)
{
        static const char *const types[] = {
                [LB_PARAM_NONE] = "null",       [LB_PARAM_NUMBER] = "number",
                [LB_PARAM_INTEGER] = "integer", [LB_PARAM_SWITCH] = "boolean",
                [LB_PARAM_CHOICE] = "string",
        };
        cJSON_AddStringToObject(schema, "type", types[param->type]);
        if (param->type == LB_PARAM_NUMBER || param->type == LB_PARAM_INTEGER) {
                cJSON_AddNumberToObject(schema, "minimum", param->min);
                cJSON_AddNumberToObject(schema, "maximum", param->max);
        }
        if (param->type != LB_PARAM_CHOICE)
                return;
        cJSON *words = cJSON_AddArrayToObject(schema, "enum");
        for (int i = 0; param->choices[i]; i++)
                cJSON_AddItemToArray(words, cJSON_CreateString(param->choices[i]));
}

static void add_default(cJSON *schema, const struct lb_param *param)
{
        if (param->type == LB_PARAM_SWITCH)
                cJSON_AddBoolToObject(schema, "default", param->fallback != 0);
        else if (param->type == LB_PARAM_CHOICE)
                cJSON_AddStringToObject(schema, "default", param->choices[(int)param->fallback]);
        else
                cJSON_AddNumberToObject(schema, "default", param->fallback);
}

static void add_param(cJSON *properties, const struct lb_param *param, bool systems_own)
{
        cJSON *schema = add_object(properties, param->name);
        describe_param(schema, param, systems_own);
        constrain(schema, param);
        if (!systems_own)
                add_default(schema, param);
}

static void close_object(cJSON *schema)
{
        cJSON_AddFalseToObject(schema, "additionalProperties");
}

/* ---- Lists ---- */

static void constrain_speed(cJSON *schema)
{
        cJSON_AddStringToObject(schema, "type", "array");
        cJSON *entry = add_object(schema, "items");
        cJSON_AddStringToObject(entry, "type", "object");
        cJSON *properties = add_object(entry, "properties");
        cJSON *required = cJSON_AddArrayToObject(entry, "required");
        for (int i = 0; i < SPEED_NPARAM; i++) {
                const struct lb_param *param = &scenario_speed_params[i];
                cJSON *schema_of = add_object(properties, param->name);
                describe(schema_of, param->help);
                constrain(schema_of, param);
                if (i < SPEED_NEEDED)
                        cJSON_AddItemToArray(required, cJSON_CreateString(param->name));
        }
        close_object(entry);
}

static void constrain_list(cJSON *schema, struct scenario_target target)
{
        if (scenario_target_is_file(target)) {
                describe(schema, "with model trace: the measured work, as lbrun --loads writes it; "
                                 "with model graph: tasks and what they wait for, "
                                 "apprank,seconds,bytes,after, and iteration where these "
                                 "differ; relative to the scenario's file");
                cJSON_AddStringToObject(schema, "type", "string");
                return;
        }
        if (target.section == SECTION_PLATFORM) {
                describe(schema, "nodes whose speed is not 1");
                constrain_speed(schema);
                return;
        }
        describe(schema, "with model given: mean task duration of each apprank [ms]");
        cJSON_AddStringToObject(schema, "type", "array");
        constrain(add_object(schema, "items"), &scenario_load_param);
}

/* ---- Sections ---- */

static void add_section(cJSON *properties, enum scenario_section section)
{
        static const char *const what[SECTION_COUNT] = {
                [SECTION_PLATFORM] = "the machine",
                [SECTION_NETWORK] = "the network between nodes",
                [SECTION_POWER] = "power that a core draws",
                [SECTION_GRAPH] = "which nodes each apprank may use",
                [SECTION_WORKLOAD] = "what work arises where; only what the model uses, or one of "
                                     "those that are swept",
                [SECTION_SYSTEM] = "who balances the load, and how; only what the system uses, or "
                                   "one of those that are swept",
                [SECTION_RUNTIME] = "what the runtime system costs; only what the system uses, or "
                                    "one of those that are swept",
                [SECTION_OUTPUT] = "what is put out",
        };
        const struct lb_param *table = scenario_section_table(section);
        const char *path = scenario_section_path(section);
        const char *dot = strrchr(path, '.');
        cJSON *schema = add_object(properties, dot ? dot + 1 : path);
        describe(schema, what[section]);
        cJSON_AddStringToObject(schema, "type", "object");
        cJSON *inner = add_object(schema, "properties");
        for (int i = 0; table[i].name; i++)
                add_param(inner, &table[i],
                          section == SECTION_SYSTEM && (i == SYSTEM_LEWI || i == SYSTEM_DROM));
        struct scenario_target target = { section, (int)lb_param_count(table) };
        for (int i = 0; scenario_list_name(section, i); i++, target.index++)
                constrain_list(add_object(inner, scenario_list_name(section, i)), target);
        if (section == SECTION_PLATFORM) {
                add_section(inner, SECTION_NETWORK);
                add_section(inner, SECTION_POWER);
        }
        close_object(schema);
}

/* ---- Sweep ---- */

static void add_axis(cJSON *properties, struct scenario_target target)
{
        char path[128];
        scenario_target_path(target, path, sizeof(path));
        const struct lb_param *param = scenario_target_param(target);
        cJSON *schema = add_object(properties, path);
        if (param)
                describe(schema, param->help);
        cJSON_AddStringToObject(schema, "type", "array");
        cJSON_AddNumberToObject(schema, "minItems", 1);
        cJSON *items = add_object(schema, "items");
        if (param)
                constrain(items, param);
        else
                constrain_list(items, target);
}

static void add_tied(cJSON *sweep)
{
        cJSON *schema = add_object(add_object(sweep, "patternProperties"), "^[^,]+(,[^,]+)+$");
        describe(schema, "paths that are set together, from arrays with one value for each");
        cJSON_AddStringToObject(schema, "type", "array");
        cJSON_AddNumberToObject(schema, "minItems", 1);
        cJSON *items = add_object(schema, "items");
        cJSON_AddStringToObject(items, "type", "array");
        cJSON_AddNumberToObject(items, "minItems", 2);
}

static void add_sweep(cJSON *properties)
{
        cJSON *sweep = add_object(properties, "sweep");
        describe(sweep, "lists of values at dotted paths; the points are their cross product");
        cJSON_AddStringToObject(sweep, "type", "object");
        cJSON *inner = add_object(sweep, "properties");
        for (int s = 0; s < SECTION_COUNT; s++) {
                if (s == SECTION_OUTPUT)
                        continue;
                enum scenario_section section = (enum scenario_section)s;
                const struct lb_param *table = scenario_section_table(section);
                struct scenario_target target = { section, 0 };
                for (; table[target.index].name; target.index++)
                        add_axis(inner, target);
                for (int i = 0; scenario_list_name(section, i); i++, target.index++)
                        add_axis(inner, target);
        }
        add_tied(sweep);
        close_object(sweep);
}

/* ---- The whole ---- */

static void add_word(cJSON *properties, const char *key, const char *help)
{
        cJSON *schema = add_object(properties, key);
        describe(schema, help);
        cJSON_AddStringToObject(schema, "type", "string");
}

static void build(cJSON *schema)
{
        cJSON_AddStringToObject(schema, "$schema", "http://json-schema.org/draft-07/schema#");
        cJSON_AddStringToObject(schema, "title", "lbsim scenario");
        describe(schema, "written by lbsim schema from the programs' parameter tables");
        cJSON_AddStringToObject(schema, "type", "object");
        cJSON *properties = add_object(schema, "properties");
        add_word(properties, "$schema", "where this schema is, for editors");
        add_word(properties, "name", "of the scenario; default its file's");
        add_word(properties, "description", "for readers");
        add_word(properties, "include",
                 "a machine, as lbsim calibrate writes it: its platform and runtime are the "
                 "defaults; relative to the scenario's file");
        for (int s = 0; s < SECTION_COUNT; s++)
                if (s != SECTION_NETWORK && s != SECTION_POWER)
                        add_section(properties, (enum scenario_section)s);
        add_sweep(properties);
        for (int i = 0; i < ROOT_NPARAM; i++)
                add_param(properties, &scenario_root_params[i], false);
        close_object(schema);
}

int scenario_print_schema(FILE *out)
{
        cJSON *schema = cJSON_CreateObject();
        build(schema);
        struct lb_error err;
        return lb_json_print(schema, true, out, &err) < 0 || ferror(out) ? -1 : 0;
}
