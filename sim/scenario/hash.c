/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/build.h"
#include "base/hash.h"
#include "graphs/catalogue.h"
#include "models/taskgraph.h"
#include "models/trace.h"
#include "policies/plugged.h"
#include "sim/scenario/scenario_impl.h"

/*
 * What decides the result of a run, as three hashes (FNV-1a, 64 bits):
 *
 *   fingerprint  what the user wrote: the tree as it is after --set and --seed in a canonical form,
 *                and what is in the files that it names
 *   defaults     what stands for all that is not written: parameters, systems
 *   build        which program and plugins decide, with which catalogue of graphs: of equal sources
 *                compiled alike it is equal. Plugins decide in points of their own systems alone:
 *                those of others have the build without them (built_in)
 *
 * - Left out: name, description, $schema, the figure and what it claims, how many replicates there
 * are and when they are enough (replicate r is the same run however many there are).
 * - Keys are sorted, except those of the sweep, whose order numbers the points.
 */

/* With its terminator, so that "ab", "c" is not "a", "bc". */
static void hash_text(uint64_t *hash, const char *text)
{
        lb_hash_add(hash, text, strlen(text) + 1);
}

static void hash_number(uint64_t *hash, double value)
{
        char text[40];
        snprintf(text, sizeof(text), "%.17g", value + 0.0);
        hash_text(hash, text);
}

static bool is_left_out(const char *pointer)
{
        static const char *const left_out[] = {
                "/name",          "/description",          "/$schema",
                "/replicates",    "/replicates_most",      "/precision",
                "/output/figure", "/output/claim_at_most", "/output/claim_freed",
        };
        for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
                if (strcmp(left_out[i], pointer) == 0)
                        return true;
        return false;
}

/* The child with the least key above `after`; NULL: none. Objects of scenarios are small. */
static const cJSON *next_key(const cJSON *object, const char *after)
{
        const cJSON *next = NULL;
        for (const cJSON *child = object->child; child; child = child->next)
                if ((!after || strcmp(child->string, after) > 0) &&
                    (!next || strcmp(child->string, next->string) < 0))
                        next = child;
        return next;
}

static void hash_item(uint64_t *hash, const cJSON *item, const char *pointer);

static void hash_member(uint64_t *hash, const cJSON *child, const char *pointer)
{
        char inner[SCENARIO_POINTER_SIZE];
        snprintf(inner, sizeof(inner), "%s", pointer);
        scenario_pointer_add(inner, child->string);
        if (is_left_out(inner))
                return;
        hash_text(hash, child->string);
        hash_item(hash, child, inner);
}

static void hash_object(uint64_t *hash, const cJSON *object, const char *pointer)
{
        const cJSON *child = object->child;
        if (strcmp(pointer, "/sweep") == 0) {
                for (; child; child = child->next)
                        hash_member(hash, child, pointer);
                return;
        }
        for (child = next_key(object, NULL); child; child = next_key(object, child->string))
                hash_member(hash, child, pointer);
}

static void hash_item(uint64_t *hash, const cJSON *item, const char *pointer)
{
        hash_text(hash, lb_json_kind(item));
        if (cJSON_IsObject(item)) {
                hash_object(hash, item, pointer);
        } else if (cJSON_IsArray(item)) {
                for (const cJSON *child = item->child; child; child = child->next)
                        hash_item(hash, child, "");
        } else if (cJSON_IsString(item)) {
                hash_text(hash, item->valuestring);
        } else {
                hash_number(hash, cJSON_IsBool(item) ? cJSON_IsTrue(item) : item->valuedouble);
        }
        hash_text(hash, "end");
}

static void hash_param(uint64_t *hash, const struct lb_param *param)
{
        char text[128];
        hash_text(hash, param->name);
        lb_param_format(param, param->fallback, text, sizeof(text));
        hash_text(hash, text);
        lb_param_format(param, param->differs ? param->original : param->fallback, text,
                        sizeof(text));
        hash_text(hash, text);
}

/* What is said of results once they are there. */
static bool output_only_judges(int param)
{
        return param == OUTPUT_FIGURE || param == OUTPUT_CLAIM_AT_MOST ||
               param == OUTPUT_CLAIM_FREED;
}

void scenario_hash_defaults(scenario_tables *tables, uint64_t *hash)
{
        for (int s = 0; s < SECTION_COUNT; s++) {
                const struct lb_param *table = tables((enum scenario_section)s);
                hash_text(hash, scenario_section_path((enum scenario_section)s));
                for (int i = 0; table[i].name; i++)
                        if (s != SECTION_OUTPUT || !output_only_judges(i))
                                hash_param(hash, &table[i]);
        }
        hash_param(hash, &scenario_root_params[ROOT_SEED]);
        for (int i = 0; system_at(i); i++) {
                const struct system_type *type = system_at(i);
                hash_text(hash, type->name);
                hash_text(hash, type->host ? type->host : "");
                const struct lb_param *params;
                const char *own = system_own_policy(type, &params);
                hash_text(hash, own ? own : "");
                hash_text(hash, type->host ? "" : type->alloc);
                hash_text(hash, type->host ? "" : type->lend);
                hash_text(hash, type->host ? "" : type->place);
                hash_text(hash, type->grow ? type->grow : "");
                for (const struct system_setting *set = type->settings; set && set->path; set++) {
                        hash_text(hash, set->path);
                        hash_text(hash, set->value);
                }
                hash_number(hash, type->offloads * 4 + type->lewi * 2 + type->drom);
        }
}

static void hash_file(uint64_t *hash, const struct scenario_cell *cell)
{
        if (!cell->trace && !cell->graph)
                return;
        uint64_t content = cell->trace ? trace_hash(cell->trace) : taskgraph_hash(cell->graph);
        lb_hash_add(hash, &content, sizeof(content));
}

/* What is in the files that the scenario names. */
static void hash_files(uint64_t *hash, const struct scenario_body *body)
{
        hash_file(hash, &body->file);
        if (body->include_hash)
                lb_hash_add(hash, &body->include_hash, sizeof(body->include_hash));
        for (int32_t a = 0; a < body->naxis; a++)
                for (int64_t i = 0; i < (int64_t)body->axis[a].nvalue * body->axis[a].npath; i++)
                        hash_file(hash, &body->axis[a].cell[i]);
}

/* Graphs of the catalogue are what its files say today. */
static void hash_catalogue(uint64_t *hash, const cJSON *tree)
{
        static bool (*const find[])(char *path, size_t size) = { catalogue_user_file,
                                                                 catalogue_shipped_file };
        char path[4096];
        struct lb_content content;
        struct lb_error ignored;
        char *text = cJSON_PrintUnformatted(tree);
        bool used = text && strstr(text, "\"catalogue\"");
        cJSON_free(text);
        for (int i = 0; used && i < 2; i++)
                if (find[i](path, sizeof(path)) && lb_hash_file(path, &content, &ignored) == 0)
                        lb_hash_add(hash, &content.hash, sizeof(content.hash));
}

/* Another place for the same plugin is no change. */
static uint64_t hash_build(const cJSON *tree, bool plugins)
{
        uint64_t hash = lb_hash_of_none;
        char build[LB_BUILD_SIZE];
        lb_build_program(build);
        hash_text(&hash, build);
        for (int i = 0; plugins && plugged_at(i); i++) {
                lb_build_object(plugged_at(i)->plugin, plugged_at(i)->path, build);
                hash_text(&hash, build);
        }
        hash_catalogue(&hash, tree);
        return hash;
}

void scenario_identify(struct scenario *scenario)
{
        scenario->fingerprint = scenario->defaults = lb_hash_of_none;
        hash_item(&scenario->fingerprint, scenario->tree, "");
        hash_files(&scenario->fingerprint, scenario->body);
        scenario_hash_defaults(scenario_section_table, &scenario->defaults);
        scenario->build = hash_build(scenario->tree, true);
        scenario->built_in = hash_build(scenario->tree, false);
}
