/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "models/taskgraph.h"
#include "models/trace.h"
#include "sim/scenario/scenario_impl.h"

/* From the tree to values: sections, lists, and what stands beside the sections. */

static int complain_key(const struct scenario *scenario, enum scenario_section section,
                        const char *pointer, const char *key, struct lb_error *err)
{
        const char *near = scenario_nearest_key(section, key);
        if (near)
                return lb_json_complain(&scenario->json, pointer, err,
                                        "unknown key \"%.60s\", did you mean \"%s\"?", key, near);
        return lb_json_complain(&scenario->json, pointer, err,
                                "unknown key \"%.60s\" (lbsim params lists them all)", key);
}

/* ---- Values ---- */

/* What a JSON value should be handed to complaints with. */
struct place {
        const struct scenario *scenario;
        const char *path;
        const char *pointer;
};

static int complain_found(const struct place *place, const cJSON *item, const char *allowed,
                          struct lb_error *err)
{
        char found[128];
        lb_json_show(item, found, sizeof(found));
        return scenario_complain(place->scenario, place->path, place->pointer, err,
                                 "found %s, allowed is %s", found, allowed);
}

static int complain_choice(const struct place *place, const struct lb_param *param,
                           const cJSON *item, struct lb_error *err)
{
        char allowed[512];
        size_t count = 0;
        lb_param_allowed(param, allowed, sizeof(allowed));
        while (param->choices[count])
                count++;
        const char *near = NULL;
        if (cJSON_IsString(item))
                near = lb_nearest_name(item->valuestring, param->choices, count);
        if (!near)
                return complain_found(place, item, allowed, err);
        return scenario_complain(place->scenario, place->path, place->pointer, err,
                                 "found \"%.60s\", allowed is %s; did you mean \"%s\"?",
                                 item->valuestring, allowed, near);
}

static int read_number(const struct place *place, const struct lb_param *param, const cJSON *item,
                       double *value, struct lb_error *err)
{
        char allowed[256];
        struct lb_error why;
        lb_param_allowed(param, allowed, sizeof(allowed));
        if (!cJSON_IsNumber(item))
                return complain_found(place, item, allowed, err);
        *value = item->valuedouble + 0.0; /* no negative zero */
        if (lb_param_check(param, *value, &why) < 0)
                return scenario_complain(place->scenario, place->path, place->pointer, err, "%s",
                                         why.text);
        return 0;
}

static int read_param(const struct place *place, const struct lb_param *param, const cJSON *item,
                      double *value, struct lb_error *err)
{
        int choice = -1;
        switch (param->type) {
        case LB_PARAM_SWITCH:
                *value = cJSON_IsTrue(item) ? 1 : 0;
                return cJSON_IsBool(item) ? 0 : complain_found(place, item, "true or false", err);
        case LB_PARAM_CHOICE:
                if (cJSON_IsString(item))
                        choice = lb_param_choice(param, item->valuestring);
                *value = choice;
                return choice < 0 ? complain_choice(place, param, item, err) : 0;
        default:
                return read_number(place, param, item, value, err);
        }
}

/* ---- Lists ---- */

static int read_speed_entry(const struct place *list, int64_t index, const cJSON *item,
                            struct platform_speed *speed, struct lb_error *err)
{
        char pointer[SCENARIO_POINTER_SIZE];
        snprintf(pointer, sizeof(pointer), "%s", list->pointer);
        scenario_pointer_add_index(pointer, index);
        struct place place = { list->scenario, list->path, pointer };
        double value[SPEED_NPARAM];
        int needed = 0;
        lb_param_defaults(scenario_speed_params, value);
        if (!cJSON_IsObject(item))
                return complain_found(&place, item, "an object {\"node\": ..., \"factor\": ...}",
                                      err);
        for (const cJSON *child = item->child; child; child = child->next) {
                int index_of = lb_param_find(scenario_speed_params, child->string);
                char inner[SCENARIO_POINTER_SIZE];
                snprintf(inner, sizeof(inner), "%s", pointer);
                scenario_pointer_add(inner, child->string);
                struct place at = { list->scenario, list->path, inner };
                if (index_of < 0)
                        return scenario_complain(at.scenario, at.path, inner, err,
                                                 "unknown key \"%.60s\", allowed are \"node\", "
                                                 "\"factor\", \"every\", \"link\" and \"joined\"",
                                                 child->string);
                if (read_param(&at, &scenario_speed_params[index_of], child, &value[index_of],
                               err) < 0)
                        return -1;
                needed += index_of < SPEED_NEEDED;
        }
        if (needed < SPEED_NEEDED)
                return scenario_complain(place.scenario, place.path, pointer, err,
                                         "both \"node\" and \"factor\" are needed");
        *speed = (struct platform_speed){ (int32_t)value[SPEED_NODE], value[SPEED_FACTOR],
                                          (int32_t)value[SPEED_EVERY], value[SPEED_LINK],
                                          value[SPEED_JOINED] != 0 };
        return 0;
}

static int complain_repeated_node(const struct place *list, int32_t index, int32_t node,
                                  struct lb_error *err)
{
        char pointer[SCENARIO_POINTER_SIZE];
        snprintf(pointer, sizeof(pointer), "%s", list->pointer);
        scenario_pointer_add_index(pointer, index);
        return scenario_complain(list->scenario, list->path, pointer, err,
                                 "node %d stands twice in the list", node);
}

static int read_speed(const struct place *place, const cJSON *item, struct scenario_cell *cell,
                      struct lb_error *err)
{
        const int32_t nnode = (int32_t)scenario_speed_params[SPEED_NODE].max + 1;
        bool *seen = calloc((size_t)nnode, sizeof(*seen));
        cell->speed = calloc((size_t)nnode, sizeof(*cell->speed));
        int status = 0;
        if (!seen || !cell->speed)
                status = lb_error_fail(err, "out of memory");
        for (const cJSON *child = item->child; child && status == 0; child = child->next) {
                struct platform_speed speed;
                status = read_speed_entry(place, cell->count, child, &speed, err);
                if (status == 0 && seen[speed.node])
                        status = complain_repeated_node(place, cell->count, speed.node, err);
                if (status < 0)
                        break;
                seen[speed.node] = true;
                cell->speed[cell->count++] = speed;
        }
        free(seen);
        return status;
}

static int read_loads(const struct place *place, const cJSON *item, struct scenario_cell *cell,
                      struct lb_error *err)
{
        char pointer[SCENARIO_POINTER_SIZE];
        cell->load_ms = calloc((size_t)cJSON_GetArraySize(item) + 1, sizeof(*cell->load_ms));
        if (!cell->load_ms)
                return lb_error_fail(err, "out of memory");
        for (const cJSON *child = item->child; child; child = child->next) {
                snprintf(pointer, sizeof(pointer), "%s", place->pointer);
                scenario_pointer_add_index(pointer, cell->count);
                struct place at = { place->scenario, place->path, pointer };
                if (read_param(&at, &scenario_load_param, child, &cell->load_ms[cell->count], err) <
                    0)
                        return -1;
                cell->count++;
        }
        return 0;
}

char *scenario_file_beside(const struct scenario *scenario, const char *path_of,
                           const char *pointer, const char *name)
{
        const char *beside = scenario->json.file;
        const char *slash = strrchr(beside, '/');
        size_t length = slash ? (size_t)(slash - beside) + 1 : 0;
        if (name[0] == '/' || scenario_set_of(scenario, path_of, pointer))
                length = 0;
        char *path = malloc(length + strlen(name) + 1);
        if (!path)
                return NULL;
        memcpy(path, beside, length);
        strcpy(path + length, name);
        return path;
}

static int read_file(const struct place *place, const cJSON *item, struct scenario_cell *cell,
                     struct lb_error *err)
{
        struct lb_error why = { .kind = LB_ERROR_NONE };
        if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
                return complain_found(place, item, "the name of a file", err);
        char *path =
            scenario_file_beside(place->scenario, place->path, place->pointer, item->valuestring);
        if (!path)
                return lb_error_fail(err, "out of memory");
        if (taskgraph_is_file(path))
                cell->graph = taskgraph_read(path, &why);
        else
                cell->trace = trace_read(path, &why);
        free(path);
        if (cell->graph || cell->trace)
                return 0;
        scenario_complain(place->scenario, place->path, place->pointer, err, "%s", why.text);
        err->kind = why.kind;
        return -1;
}

void scenario_cell_finish(struct scenario_cell *cell)
{
        trace_destroy(cell->trace);
        taskgraph_destroy(cell->graph);
        free(cell->speed);
        free(cell->load_ms);
        *cell = (struct scenario_cell){ 0 };
}

int scenario_cell_read(const struct scenario *scenario, struct scenario_target target,
                       const char *pointer, const cJSON *item, struct scenario_cell *cell,
                       struct lb_error *err)
{
        char path[128];
        scenario_target_path(target, path, sizeof(path));
        struct place place = { scenario, path, pointer };
        const struct lb_param *param = scenario_target_param(target);
        *cell = (struct scenario_cell){ 0 };
        if (param)
                return read_param(&place, param, item, &cell->number, err);
        bool speed = target.section == SECTION_PLATFORM;
        if (scenario_target_is_file(target))
                return read_file(&place, item, cell, err);
        if (!cJSON_IsArray(item))
                return complain_found(&place, item,
                                      speed ? "an array of objects with node and factor"
                                            : "an array of numbers",
                                      err);
        int status = (speed ? read_speed : read_loads)(&place, item, cell, err);
        if (status < 0)
                scenario_cell_finish(cell);
        return status;
}

/* ---- Sections ---- */

static int read_target(struct scenario *scenario, struct scenario_target target,
                       const char *pointer, const cJSON *item, struct lb_error *err)
{
        struct scenario_body *body = scenario->body;
        struct scenario_cell cell;
        if (scenario_cell_read(scenario, target, pointer, item, &cell, err) < 0)
                return -1;
        body->given[target.section][target.index] = true;
        if (cell.speed)
                body->speed = cell;
        else if (cell.load_ms)
                body->load = cell;
        else if (cell.trace || cell.graph)
                body->file = cell;
        else
                body->value[target.section][target.index] = cell.number;
        return 0;
}

int scenario_section_read(struct scenario *scenario, enum scenario_section section,
                          const char *pointer, const cJSON *object, struct lb_error *err)
{
        const struct lb_param *table = scenario_section_table(section);
        if (!cJSON_IsObject(object))
                return lb_json_complain(&scenario->json, pointer, err,
                                        "found %s, allowed is an object", lb_json_kind(object));
        for (const cJSON *child = object->child; child; child = child->next) {
                char inner[SCENARIO_POINTER_SIZE];
                snprintf(inner, sizeof(inner), "%s", pointer);
                scenario_pointer_add(inner, child->string);
                struct scenario_target target = { section, lb_param_find(table, child->string) };
                int below = scenario_section_find(section, child->string);
                int status;
                if (target.index < 0)
                        target.index = scenario_list_find(section, child->string);
                if (target.index >= 0)
                        status = read_target(scenario, target, inner, child, err);
                else if (below >= 0)
                        status = scenario_section_read(scenario, (enum scenario_section)below,
                                                       inner, child, err);
                else
                        status = complain_key(scenario, section, inner, child->string, err);
                if (status < 0)
                        return -1;
        }
        return 0;
}

/* ---- Beside the sections ---- */

static int read_word(struct scenario *scenario, const char *pointer, const cJSON *item,
                     struct lb_error *err)
{
        const char *key = item->string;
        struct place place = { scenario, key, pointer };
        bool name = strcmp(key, "name") == 0;
        if (strcmp(key, "sweep") == 0)
                return cJSON_IsObject(item) ? 0
                                            : complain_found(&place, item,
                                                             "an object of paths and lists of "
                                                             "values",
                                                             err);
        if (!cJSON_IsString(item))
                return complain_found(&place, item, "a string", err);
        if (name && item->valuestring[0] == '\0')
                return complain_found(&place, item, "a name", err);
        if (!name && strcmp(key, "description") != 0)
                return 0;
        char **to = name ? &scenario->name : &scenario->description;
        *to = strdup(item->valuestring);
        return *to ? 0 : lb_error_fail(err, "out of memory");
}

static int read_root_param(struct scenario *scenario, int index, const char *pointer,
                           const cJSON *item, struct lb_error *err)
{
        const struct lb_param *param = &scenario_root_params[index];
        struct place place = { scenario, param->name, pointer };
        double value;
        if (read_param(&place, param, item, &value, err) < 0)
                return -1;
        switch ((enum scenario_root_param)index) {
        case ROOT_REPLICATES:
                scenario->replicates_least = (int32_t)value;
                break;
        case ROOT_PRECISION:
                scenario->precision = value;
                break;
        case ROOT_REPLICATES_MOST:
                scenario->replicates = (int32_t)value;
                break;
        case ROOT_SEED:
                scenario->seed = (uint64_t)value;
                break;
        case ROOT_NPARAM:
                break;
        }
        return 0;
}

static bool is_word(const char *key)
{
        for (int i = 0; scenario_root_words[i]; i++)
                if (strcmp(scenario_root_words[i], key) == 0)
                        return true;
        return false;
}

static int read_root(struct scenario *scenario, struct lb_error *err)
{
        for (const cJSON *child = scenario->tree->child; child; child = child->next) {
                char pointer[SCENARIO_POINTER_SIZE] = "";
                scenario_pointer_add(pointer, child->string);
                int index = lb_param_find(scenario_root_params, child->string);
                int section = scenario_section_find(SECTION_COUNT, child->string);
                int status;
                if (index >= 0)
                        status = read_root_param(scenario, index, pointer, child, err);
                else if (section >= 0)
                        status = scenario_section_read(scenario, (enum scenario_section)section,
                                                       pointer, child, err);
                else if (is_word(child->string))
                        status = read_word(scenario, pointer, child, err);
                else
                        status = complain_key(scenario, SECTION_COUNT, pointer, child->string, err);
                if (status < 0)
                        return -1;
        }
        return 0;
}

/* ---- Defaults ---- */

int scenario_make_values(struct scenario_body *body)
{
        size_t count = scenario_value_count();
        body->value[0] = calloc(count, sizeof(double));
        body->given[0] = calloc(count + SECTION_COUNT * SECTION_LISTS_MAX, sizeof(bool));
        if (!body->value[0] || !body->given[0])
                return -1;
        scenario_value_split(body->value[0], body->value);
        for (int s = 0; s < SECTION_COUNT; s++) {
                const struct lb_param *table = scenario_section_table((enum scenario_section)s);
                lb_param_defaults(table, body->value[s]);
                if (s + 1 < SECTION_COUNT)
                        body->given[s + 1] =
                            body->given[s] + lb_param_count(table) + SECTION_LISTS_MAX;
        }
        return 0;
}

/* A scenario without a name has its file's. */
static char *name_of_file(const char *file)
{
        char *name = strdup(basename(file));
        char *dot = name ? strrchr(name, '.') : NULL;
        if (dot && dot > name)
                *dot = '\0';
        return name;
}

/* Without a precision all replicates are run; with one, two at least, for an interval. */
static int settle_replicates(struct scenario *scenario, struct lb_error *err)
{
        if (scenario->precision <= 0) {
                scenario->replicates = scenario->replicates_least;
                return 0;
        }
        if (scenario->replicates_least < 2)
                scenario->replicates_least = 2;
        if (scenario->replicates >= scenario->replicates_least)
                return 0;
        return lb_error_set(err, "%s: /replicates_most: found %d, must be at least replicates, %d",
                            scenario->json.file, scenario->replicates, scenario->replicates_least);
}

int scenario_read(struct scenario *scenario, struct lb_error *err)
{
        scenario->replicates_least = (int32_t)scenario_root_params[ROOT_REPLICATES].fallback;
        scenario->replicates = (int32_t)scenario_root_params[ROOT_REPLICATES_MOST].fallback;
        scenario->seed = (uint64_t)scenario_root_params[ROOT_SEED].fallback;
        if (scenario_make_values(scenario->body) < 0)
                return lb_error_fail(err, "out of memory");
        if (scenario_include(scenario, err) < 0 || read_root(scenario, err) < 0 ||
            settle_replicates(scenario, err) < 0)
                return -1;
        if (!scenario->name)
                scenario->name = name_of_file(scenario->json.file);
        if (!scenario->description)
                scenario->description = strdup("");
        return scenario->name && scenario->description ? 0 : lb_error_fail(err, "out of memory");
}
