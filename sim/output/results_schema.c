/* SPDX-License-Identifier: BSD-3-Clause */
/* What results hold, from the table of metrics: for people, and as a JSON Schema. */
#include <cjson/cJSON.h>

#include "base/json.h"
#include "sim/output/results.h"

void results_print_metrics(FILE *out)
{
        char hosts[64];
        fputs("# Metrics\n\nWhat is measured of a run: columns of `results.csv`, and figures of "
              "`lbrun --report` (those for live runs).\nWhere a metric has no meaning for a system "
              "it is empty, `null` in JSON, never 0. Written by `lbsim metrics`.\n\n",
              out);
        fputs("| metric | unit | definition | source | for |\n|---|---|---|---|---|\n", out);
        for (int m = 0; m < METRIC_ALL; m++) {
                const struct metric_info *info = &metric_table[m];
                fprintf(out, "| `%s` | %s | %s | %s | %s |\n", info->name,
                        info->unit ? info->unit : "", info->help, info->source ? info->source : "",
                        metric_hosts(info, hosts));
        }
}

/* ---- The schema ---- */

static void add_type(cJSON *schema, const char *type, const char *other)
{
        const char *const both[] = { type, other };
        if (other)
                cJSON_AddItemToObject(schema, "type", cJSON_CreateStringArray(both, 2));
        else
                cJSON_AddStringToObject(schema, "type", type);
}

static cJSON *add_member(cJSON *properties, const char *name, const char *type, const char *other)
{
        cJSON *schema = cJSON_AddObjectToObject(properties, name);
        add_type(schema, type, other);
        return schema;
}

/* A metric is null where it has no meaning for the system, or is not known of a run. */
static void add_metric(cJSON *properties, const struct metric_info *info)
{
        cJSON *schema =
            add_member(properties, info->name, "number", metric_always(info) ? NULL : "null");
        cJSON_AddStringToObject(schema, "description", info->help);
        if (info->unit)
                cJSON_AddStringToObject(schema, "x-unit", info->unit);
        if (info->source)
                cJSON_AddStringToObject(schema, "x-source", info->source);
}

/* Rows: swept values of any kind, then what every run has. */
static void add_rows(cJSON *properties, const char *name, bool runs)
{
        const char *needed[METRIC_COUNT + 1];
        cJSON *row = cJSON_AddObjectToObject(add_member(properties, name, "array", NULL), "items");
        cJSON *members = cJSON_AddObjectToObject(row, "properties");
        needed[0] = runs ? "seed" : "replicates";
        add_member(members, needed[0], "number", NULL);
        for (int m = 0; m < METRIC_COUNT; m++) {
                add_metric(members, &metric_table[m]);
                needed[m + 1] = metric_table[m].name;
        }
        add_type(row, "object", NULL);
        cJSON_AddItemToObject(row, "required", cJSON_CreateStringArray(needed, METRIC_COUNT + 1));
}

/* Rows and summary, or the files where they are: lines of JSON, each a row, compressed, and CSV. */
static void add_either(cJSON *schema)
{
        static const char *const here[] = { "rows", "summary" };
        static const char *const elsewhere[] = { "rows_in", "summary_in" };
        cJSON *either = cJSON_AddArrayToObject(schema, "oneOf");
        const char *const *names[] = { here, elsewhere };
        for (int i = 0; i < 2; i++) {
                cJSON *one = cJSON_CreateObject();
                cJSON_AddItemToObject(one, "required", cJSON_CreateStringArray(names[i], 2));
                cJSON_AddItemToArray(either, one);
        }
}

static void build(cJSON *schema)
{
        static const char *const needed[] = { "schema",   "version", "command",
                                              "scenario", "seed",    "complete" };
        cJSON_AddStringToObject(schema, "$schema", "http://json-schema.org/draft-07/schema#");
        cJSON_AddStringToObject(schema, "title", "lbsim results");
        cJSON_AddStringToObject(schema, "description",
                                "written by lbsim schema results from the table of metrics");
        add_type(schema, "object", NULL);
        cJSON *properties = cJSON_AddObjectToObject(schema, "properties");
        cJSON_AddStringToObject(add_member(properties, "schema", "string", NULL), "const",
                                "lbsim-results-1");
        add_member(properties, "version", "string", NULL);
        add_member(properties, "command", "array", NULL);
        add_member(properties, "scenario", "object", NULL);
        add_member(properties, "seed", "number", NULL);
        add_member(properties, "complete", "boolean", NULL);
        add_member(properties, "other_build_runs", "number", NULL);
        add_rows(properties, "rows", true);
        add_rows(properties, "summary", false);
        add_member(properties, "rows_in", "string", NULL);
        add_member(properties, "summary_in", "string", NULL);
        add_either(schema);
        cJSON_AddItemToObject(schema, "required",
                              cJSON_CreateStringArray(needed, sizeof(needed) / sizeof(needed[0])));
}

int results_print_schema(FILE *out)
{
        cJSON *schema = cJSON_CreateObject();
        build(schema);
        struct lb_error err;
        return lb_json_print(schema, true, out, &err) < 0 || ferror(out) ? -1 : 0;
}
