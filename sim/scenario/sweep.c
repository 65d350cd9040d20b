/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "graphs/graph.h"
#include "sim/scenario/scenario_impl.h"

/* The axes of a sweep: "graph.degree": [1, 2], or tied paths "a,b": [[1, 2], [3, 4]]. */

static int out_of_memory(struct lb_error *err)
{
        return lb_error_fail(err, "out of memory for the sweep");
}

void scenario_axis_finish(struct scenario_axis *axis)
{
        int64_t ncell = (int64_t)axis->npath * axis->nvalue;
        for (int64_t i = 0; axis->cell && i < ncell; i++)
                scenario_cell_finish(&axis->cell[i]);
        for (int64_t i = 0; axis->text && i < ncell; i++)
                free(axis->text[i]);
        for (int32_t i = 0; axis->path && i < axis->npath; i++)
                free(axis->path[i]);
        free(axis->cell);
        free(axis->text);
        free(axis->path);
        free(axis->target);
        for (int use = 0; use < GRAPH_NUSE; use++)
                free(axis->first[use]);
        free(axis->key);
        *axis = (struct scenario_axis){ 0 };
}

/* ---- Paths ---- */

/* Complain about an axis, or about one of its values where value >= 0. */
static int complain(const struct scenario *scenario, const struct scenario_axis *axis,
                    int64_t value, struct lb_error *err, const char *text)
{
        char pointer[SCENARIO_POINTER_SIZE] = "/sweep";
        scenario_pointer_add(pointer, axis->key);
        if (value >= 0)
                scenario_pointer_add_index(pointer, value);
        return scenario_complain(scenario, axis->key, pointer, err, "%s", text);
}

static int complain_path(const struct scenario *scenario, const struct scenario_axis *axis,
                         const char *path, struct lb_error *err)
{
        char text[256], near[128];
        if (scenario_nearest_path(path, near, sizeof(near)) && strcmp(near, path) == 0)
                snprintf(text, sizeof(text), "\"%.60s\" is the same for a whole sweep", path);
        else if (scenario_nearest_path(path, near, sizeof(near)))
                snprintf(text, sizeof(text), "unknown path \"%.60s\", did you mean \"%s\"?", path,
                         near);
        else
                snprintf(text, sizeof(text),
                         "unknown path \"%.60s\", allowed are SECTION.PARAMETER (lbsim params "
                         "lists them all), or several with commas",
                         path);
        return complain(scenario, axis, -1, err, text);
}

static bool is_swept(const struct scenario *scenario, const struct scenario_axis *axis,
                     struct scenario_target target)
{
        const struct scenario_body *body = scenario->body;
        for (int32_t a = 0; a <= body->naxis; a++) {
                const struct scenario_axis *other = a < body->naxis ? &body->axis[a] : axis;
                for (int32_t p = 0; p < other->npath; p++)
                        if (other->target[p].section == target.section &&
                            other->target[p].index == target.index)
                                return true;
        }
        return false;
}

static int add_path(const struct scenario *scenario, struct scenario_axis *axis, const char *path,
                    struct lb_error *err)
{
        struct scenario_target target;
        if (scenario_target_find(path, &target) < 0)
                return complain_path(scenario, axis, path, err);
        if (target.section == SECTION_OUTPUT)
                return complain(scenario, axis, -1, err,
                                "what is put out is the same for all points: it cannot be swept");
        if (is_swept(scenario, axis, target)) {
                char text[128];
                snprintf(text, sizeof(text), "path \"%.60s\" is swept already", path);
                return complain(scenario, axis, -1, err, text);
        }
        axis->target[axis->npath] = target;
        axis->path[axis->npath] = strdup(path);
        if (!axis->path[axis->npath])
                return out_of_memory(err);
        axis->npath++;
        scenario->body->given[target.section][target.index] = true;
        return 0;
}

static int read_key(const struct scenario *scenario, struct scenario_axis *axis, const char *key,
                    struct lb_error *err)
{
        size_t npath = 1;
        for (const char *at = key; *at; at++)
                npath += *at == ',';
        axis->tied = npath > 1;
        axis->key = strdup(key);
        axis->path = calloc(npath, sizeof(char *));
        axis->target = calloc(npath, sizeof(*axis->target));
        if (!axis->key || !axis->path || !axis->target)
                return out_of_memory(err);
        for (const char *at = key; at; at = at[strcspn(at, ",")] ? strchr(at, ',') + 1 : NULL) {
                char *path = strndup(at, strcspn(at, ","));
                int status = path ? add_path(scenario, axis, path, err) : out_of_memory(err);
                free(path);
                if (status < 0)
                        return -1;
        }
        return 0;
}

/* ---- Values ---- */

/* As it stands in results: words without quotes, lists as JSON. */
static char *text_of(struct scenario_target target, const struct scenario_cell *cell,
                     const cJSON *item)
{
        char text[64];
        const struct lb_param *param = scenario_target_param(target);
        if (scenario_target_is_file(target))
                return strdup(item->valuestring);
        if (!param) {
                char *json = cJSON_PrintUnformatted(item);
                char *copy = json ? strdup(json) : NULL;
                cJSON_free(json);
                return copy;
        }
        if (param->type == LB_PARAM_CHOICE)
                return strdup(param->choices[(int)cell->number]);
        lb_param_format(param, cell->number, text, sizeof(text));
        return strdup(text);
}

static int read_cell(const struct scenario *scenario, struct scenario_axis *axis, int32_t value,
                     int32_t path, const cJSON *item, struct lb_error *err)
{
        char pointer[SCENARIO_POINTER_SIZE] = "/sweep";
        scenario_pointer_add(pointer, axis->key);
        scenario_pointer_add_index(pointer, value);
        if (axis->tied)
                scenario_pointer_add_index(pointer, path);
        int64_t at = (int64_t)value * axis->npath + path;
        if (scenario_cell_read(scenario, axis->target[path], pointer, item, &axis->cell[at], err) <
            0)
                return -1;
        axis->text[at] = text_of(axis->target[path], &axis->cell[at], item);
        return axis->text[at] ? 0 : out_of_memory(err);
}

static int read_value(const struct scenario *scenario, struct scenario_axis *axis, int32_t value,
                      const cJSON *item, struct lb_error *err)
{
        if (!axis->tied)
                return read_cell(scenario, axis, value, 0, item, err);
        if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != axis->npath) {
                char text[128], found[64];
                lb_json_show(item, found, sizeof(found));
                if (cJSON_IsArray(item))
                        snprintf(found, sizeof(found), "%d values", cJSON_GetArraySize(item));
                snprintf(text, sizeof(text),
                         "found %s, allowed is an array of %d values, one for each path", found,
                         axis->npath);
                return complain(scenario, axis, value, err, text);
        }
        int32_t path = 0;
        for (const cJSON *child = item->child; child; child = child->next)
                if (read_cell(scenario, axis, value, path++, child, err) < 0)
                        return -1;
        return 0;
}

/* ---- Values that repeat others ---- */

struct joined {
        char *text;
        int32_t value;
};

bool scenario_target_matters(const struct scenario_target *target, enum scenario_graph_use use)
{
        return target->section != SECTION_GRAPH || use == GRAPH_USE_ALL ||
               (use == GRAPH_USE_BUT_DEGREE && target->index != GRAPH_DEGREE);
}

/* The texts of one value's paths that matter. */
static char *join(const struct scenario_axis *axis, int32_t value, enum scenario_graph_use use)
{
        char *const *text = &axis->text[(int64_t)value * axis->npath];
        size_t size = 1, at = 0;
        for (int32_t p = 0; p < axis->npath; p++)
                size += strlen(text[p]) + 1;
        char *joined = malloc(size);
        for (int32_t p = 0; joined && p < axis->npath; p++)
                if (scenario_target_matters(&axis->target[p], use))
                        at += (size_t)snprintf(joined + at, size - at, "%s\n", text[p]);
        if (joined)
                joined[at] = '\0';
        return joined;
}

static int by_text(const void *a, const void *b)
{
        const struct joined *x = a, *y = b;
        int order = strcmp(x->text, y->text);
        return order ? order : (x->value > y->value) - (x->value < y->value);
}

/* For each value the first one equal to it in what matters. NULL: no memory. */
static int32_t *find_first(const struct scenario_axis *axis, enum scenario_graph_use use)
{
        size_t nvalue = (size_t)axis->nvalue;
        int32_t *first = calloc(nvalue, sizeof(*first));
        struct joined *joined = calloc(nvalue, sizeof(*joined));
        bool complete = first && joined;
        for (int32_t v = 0; complete && v < axis->nvalue; v++) {
                joined[v] = (struct joined){ join(axis, v, use), v };
                complete = joined[v].text != NULL;
        }
        if (complete)
                qsort(joined, nvalue, sizeof(*joined), by_text);
        for (size_t v = 0; complete && v < nvalue; v++) {
                bool repeats = v > 0 && strcmp(joined[v - 1].text, joined[v].text) == 0;
                first[joined[v].value] = repeats ? first[joined[v - 1].value] : joined[v].value;
        }
        for (size_t v = 0; joined && v < nvalue; v++)
                free(joined[v].text);
        free(joined);
        if (complete)
                return first;
        free(first);
        return NULL;
}

/* ---- Axes ---- */

/* A value that is there twice is a slip: of equal points one runs, but figures have a place for
 * each. */
static int check_twice(const struct scenario *scenario, const struct scenario_axis *axis,
                       struct lb_error *err)
{
        for (int32_t v = 0; v < axis->nvalue; v++) {
                if (axis->first[GRAPH_USE_ALL][v] == v)
                        continue;
                char text[256];
                snprintf(text, sizeof(text), "found %.120s%s twice, allowed is each value once",
                         axis->text[(int64_t)v * axis->npath],
                         axis->npath > 1 ? " and what is tied to it" : "");
                return complain(scenario, axis, v, err, text);
        }
        return 0;
}

static int read_values(const struct scenario *scenario, struct scenario_axis *axis,
                       const cJSON *list, struct lb_error *err)
{
        if (!cJSON_IsArray(list) || !list->child)
                return complain(scenario, axis, -1, err,
                                cJSON_IsArray(list)
                                    ? "found an empty list, allowed is at least one value"
                                    : "found no list, allowed is an array of values");
        int32_t nvalue = cJSON_GetArraySize(list), value = 0;
        size_t ncell = (size_t)nvalue * (size_t)axis->npath;
        axis->cell = calloc(ncell, sizeof(*axis->cell));
        axis->text = calloc(ncell, sizeof(char *));
        axis->nvalue = nvalue;
        if (!axis->cell || !axis->text)
                return out_of_memory(err);
        for (const cJSON *item = list->child; item; item = item->next)
                if (read_value(scenario, axis, value++, item, err) < 0)
                        return -1;
        for (int use = 0; use < GRAPH_NUSE; use++)
                if (!(axis->first[use] = find_first(axis, (enum scenario_graph_use)use)))
                        return out_of_memory(err);
        return check_twice(scenario, axis, err);
}

int scenario_sweep_read(struct scenario *scenario, struct lb_error *err)
{
        struct scenario_body *body = scenario->body;
        const cJSON *sweep = cJSON_GetObjectItemCaseSensitive(scenario->tree, "sweep");
        size_t naxis = sweep ? (size_t)cJSON_GetArraySize(sweep) : 0;
        body->axis = calloc(naxis + 1, sizeof(*body->axis));
        if (!body->axis)
                return out_of_memory(err);
        for (const cJSON *list = sweep ? sweep->child : NULL; list; list = list->next) {
                struct scenario_axis *axis = &body->axis[body->naxis];
                if (read_key(scenario, axis, list->string, err) < 0 ||
                    read_values(scenario, axis, list, err) < 0) {
                        scenario_axis_finish(axis);
                        return -1;
                }
                body->naxis++;
                body->ncolumn += axis->npath;
        }
        return 0;
}
