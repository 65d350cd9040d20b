/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_impl.h"

/* --set and --seed: changes to the tree before it is read. */

struct setting {
        char *path;
        const char *value; /* text after the '=' */
        const char *option;
        struct scenario_target target; /* if it has one */
        bool has_target;
};

static int out_of_memory(struct lb_error *err)
{
        return lb_error_fail(err, "out of memory");
}

/* ---- From text to a JSON value ---- */

static int parse_json(const struct setting *setting, cJSON **item, struct lb_error *err)
{
        struct lb_json doc;
        struct lb_error why;
        if (lb_json_parse(&doc, "", setting->value, strlen(setting->value), &why) < 0) {
                const char *at = strstr(why.text, "not JSON");
                return lb_error_set(err, "%.300s: %s", setting->option, at ? at : why.text);
        }
        *item = doc.root;
        doc.root = NULL;
        lb_json_close(&doc);
        return 0;
}

/* A string: in quotes, else taken as it is. Either must be good JSON when it is written again. */
static int parse_string(const struct setting *setting, cJSON **item, struct lb_error *err)
{
        if (setting->value[0] == '"')
                return parse_json(setting, item, err);
        cJSON *plain = cJSON_CreateString(setting->value);
        char *text = plain ? cJSON_PrintUnformatted(plain) : NULL;
        cJSON_Delete(plain);
        if (!text)
                return out_of_memory(err);
        struct setting quoted = *setting;
        quoted.value = text;
        int status = parse_json(&quoted, item, err);
        cJSON_free(text);
        return status;
}

static cJSON *item_of(const struct lb_param *param, double value)
{
        if (param->type == LB_PARAM_SWITCH)
                return cJSON_CreateBool(value != 0);
        if (param->type == LB_PARAM_CHOICE)
                return cJSON_CreateString(param->choices[(int)value]);
        return cJSON_CreateNumber(value);
}

static int parse_param(const struct setting *setting, const struct lb_param *param, cJSON **item,
                       struct lb_error *err)
{
        cJSON *quoted = NULL;
        double value;
        if (setting->value[0] == '"' && parse_json(setting, &quoted, err) < 0)
                return -1;
        const char *text = quoted ? quoted->valuestring : setting->value;
        int status = lb_param_parse(param, text, &value, err);
        cJSON_Delete(quoted);
        if (status < 0)
                return lb_error_prefix(err, "%.300s: ", setting->option);
        *item = item_of(param, value);
        return *item ? 0 : out_of_memory(err);
}

static int parse_value(const struct setting *setting, cJSON **item, struct lb_error *err)
{
        const struct lb_param *param =
            setting->has_target ? scenario_target_param(setting->target) : NULL;
        int root = lb_param_find(scenario_root_params, setting->path);
        if (root >= 0)
                param = &scenario_root_params[root];
        if (param)
                return parse_param(setting, param, item, err);
        if (strcmp(setting->path, "name") == 0 || strcmp(setting->path, "description") == 0 ||
            strcmp(setting->path, "include") == 0 ||
            (setting->has_target && scenario_target_is_file(setting->target)))
                return parse_string(setting, item, err);
        return parse_json(setting, item, err);
}

/* ---- Into the tree ---- */

/* Put an item, which it takes, at a key of an object. cJSON's replacement loses its key where
 * memory is out, and says that all is well. */
static int put(cJSON *object, const char *key, cJSON *item, struct lb_error *err)
{
        bool known = cJSON_GetObjectItemCaseSensitive(object, key) != NULL;
        if (known && cJSON_ReplaceItemInObjectCaseSensitive(object, key, item))
                return item->string ? 0 : out_of_memory(err);
        if (!known && cJSON_AddItemToObject(object, key, item))
                return 0;
        cJSON_Delete(item);
        return out_of_memory(err);
}

/* The object at a key, made where there is none. NULL: err is filled. */
static cJSON *enter(const struct scenario *scenario, cJSON *object, char *pointer, const char *key,
                    struct lb_error *err)
{
        cJSON *inner = cJSON_GetObjectItemCaseSensitive(object, key);
        scenario_pointer_add(pointer, key);
        if (!inner) {
                inner = cJSON_CreateObject();
                if (!inner || !cJSON_AddItemToObject(object, key, inner)) {
                        cJSON_Delete(inner);
                        out_of_memory(err);
                        return NULL;
                }
        }
        if (cJSON_IsObject(inner))
                return inner;
        lb_json_complain(&scenario->json, pointer, err, "found %s, allowed is an object",
                         lb_json_kind(inner));
        return NULL;
}

/* Put an item at a section's path. Takes the item. */
static int put_in_section(struct scenario *scenario, const struct setting *setting, cJSON *item,
                          struct lb_error *err)
{
        char path[128], pointer[SCENARIO_POINTER_SIZE] = "";
        cJSON *object = scenario->tree;
        snprintf(path, sizeof(path), "%s", setting->path);
        char *key = path;
        for (char *dot = strchr(key, '.'); dot && object; dot = strchr(key, '.')) {
                *dot = '\0';
                object = enter(scenario, object, pointer, key, err);
                key = dot + 1;
        }
        if (object)
                return put(object, key, item, err);
        cJSON_Delete(item);
        return -1;
}

/* ---- Into the sweep ---- */

/* The place of a path in an axis' key, which may tie several ("a,b"); -1 where it is none of them.
 */
static int place_in_key(const char *key, const char *path)
{
        size_t length = strlen(path);
        for (int place = 0; key; place++) {
                size_t size = strcspn(key, ",");
                if (size == length && strncmp(key, path, size) == 0)
                        return place;
                key = key[size] ? key + size + 1 : NULL;
        }
        return -1;
}

struct printed {
        char *text;
        cJSON *value;
        int32_t place;
};

static int by_text(const void *a, const void *b)
{
        const struct printed *x = a, *y = b;
        int order = strcmp(x->text, y->text);
        return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* Values that the same value of a path has made alike are one, the first. */
static int drop_repeated(cJSON *axis, struct lb_error *err)
{
        int32_t count = cJSON_GetArraySize(axis), nprinted = 0;
        struct printed *printed = calloc((size_t)count + 1, sizeof(*printed));
        for (cJSON *value = axis->child; printed && value; value = value->next) {
                struct printed *p = &printed[nprinted];
                *p = (struct printed){ cJSON_PrintUnformatted(value), value, nprinted };
                if (!p->text)
                        break;
                nprinted++;
        }
        if (printed && nprinted == count)
                qsort(printed, (size_t)count, sizeof(*printed), by_text);
        for (int32_t i = 1; nprinted == count && i < count; i++)
                if (strcmp(printed[i].text, printed[i - 1].text) == 0)
                        cJSON_Delete(cJSON_DetachItemViaPointer(axis, printed[i].value));
        for (int32_t i = 0; i < nprinted; i++)
                cJSON_free(printed[i].text);
        free(printed);
        return nprinted == count ? 0 : out_of_memory(err);
}

/* Put copies of the item in place of the path's values; malformed ones are left to the reader. */
static int replace_tied(cJSON *axis, int place, const cJSON *item, struct lb_error *err)
{
        for (cJSON *value = axis->child; value; value = value->next) {
                if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) <= place)
                        continue;
                cJSON *copy = cJSON_Duplicate(item, true);
                if (!copy || !cJSON_ReplaceItemInArray(value, place, copy)) {
                        cJSON_Delete(copy);
                        return out_of_memory(err);
                }
        }
        return drop_repeated(axis, err);
}

/* Let an axis have one value only. */
static int replace_axis(cJSON *sweep, const cJSON *axis, const cJSON *item, struct lb_error *err)
{
        cJSON *copy = cJSON_Duplicate(item, true);
        cJSON *values = cJSON_CreateArray();
        if (copy && values && cJSON_AddItemToArray(values, copy))
                return put(sweep, axis->string, values, err);
        cJSON_Delete(values);
        cJSON_Delete(copy);
        return out_of_memory(err);
}

/* Returns 1 where the path is swept and was set, 0 where it is not swept. */
static int set_swept(struct scenario *scenario, const char *path, const cJSON *item,
                     struct lb_error *err)
{
        cJSON *sweep = cJSON_GetObjectItemCaseSensitive(scenario->tree, "sweep");
        cJSON *axis = cJSON_IsObject(sweep) ? sweep->child : NULL;
        while (axis && place_in_key(axis->string, path) < 0)
                axis = axis->next;
        if (!axis)
                return 0;
        int status = strchr(axis->string, ',')
                         ? replace_tied(axis, place_in_key(axis->string, path), item, err)
                         : replace_axis(sweep, axis, item, err);
        return status < 0 ? -1 : 1;
}

/* ---- Options ---- */

static bool is_known(const struct setting *setting)
{
        if (setting->has_target || lb_param_find(scenario_root_params, setting->path) >= 0 ||
            strncmp(setting->path, "sweep.", 6) == 0)
                return true;
        for (int i = 0; scenario_root_words[i]; i++)
                if (strcmp(scenario_root_words[i], setting->path) == 0)
                        return true;
        return false;
}

static int complain_unknown(const struct setting *setting, struct lb_error *err)
{
        char near[128];
        if (scenario_nearest_path(setting->path, near, sizeof(near)))
                return lb_error_set(err, "%.300s: unknown path '%.60s', did you mean '%s'?",
                                    setting->option, setting->path, near);
        return lb_error_set(err, "%.300s: unknown path '%.60s' (lbsim params lists them all)",
                            setting->option, setting->path);
}

/* Put a parsed item, which it takes, where it belongs. */
static int place_item(struct scenario *scenario, const struct setting *setting, cJSON *item,
                      struct lb_error *err)
{
        if (strncmp(setting->path, "sweep.", 6) == 0) {
                char pointer[SCENARIO_POINTER_SIZE] = "";
                cJSON *sweep = enter(scenario, scenario->tree, pointer, "sweep", err);
                if (sweep)
                        return put(sweep, setting->path + 6, item, err);
                cJSON_Delete(item);
                return -1;
        }
        int swept = setting->has_target ? set_swept(scenario, setting->path, item, err) : 0;
        if (swept == 0 && setting->has_target)
                return put_in_section(scenario, setting, item, err);
        if (swept == 0)
                return put(scenario->tree, setting->path, item, err);
        cJSON_Delete(item);
        return swept < 0 ? -1 : 0;
}

static int apply(struct scenario *scenario, struct setting *setting, struct lb_error *err)
{
        cJSON *item;
        setting->has_target = scenario_target_find(setting->path, &setting->target) == 0;
        if (!is_known(setting))
                return complain_unknown(setting, err);
        if (parse_value(setting, &item, err) < 0)
                return -1;
        return place_item(scenario, setting, item, err);
}

/* Remember an option, for messages; its strings belong to the scenario. */
static struct scenario_set *remember(struct scenario_body *body, const char *path, size_t length,
                                     const char *word, const char *text)
{
        size_t size = strlen(word) + strlen(text) + 2;
        struct scenario_set *set = &body->set[body->nset];
        set->path = strndup(path, length);
        set->option = malloc(size);
        if (!set->path || !set->option) {
                free(set->path);
                free(set->option);
                return NULL;
        }
        snprintf(set->option, size, "%s %s", word, text);
        body->nset++;
        return set;
}

static int apply_set(struct scenario *scenario, const char *text, struct lb_error *err)
{
        const char *equals = strchr(text, '=');
        if (!equals || equals == text)
                return lb_error_set(
                    err, "--set %.60s: found no path and '=', allowed is PATH=VALUE", text);
        struct scenario_set *set =
            remember(scenario->body, text, (size_t)(equals - text), "--set", text);
        if (!set)
                return out_of_memory(err);
        struct setting setting = { .path = set->path, .value = equals + 1, .option = set->option };
        return apply(scenario, &setting, err);
}

int scenario_set_apply(struct scenario *scenario, const struct scenario_options *options,
                       struct lb_error *err)
{
        struct scenario_body *body = scenario->body;
        body->set = calloc((size_t)options->nset + 1, sizeof(*body->set));
        if (!body->set)
                return out_of_memory(err);
        for (int32_t i = 0; i < options->nset; i++)
                if (apply_set(scenario, options->set[i], err) < 0)
                        return -1;
        if (!options->seed)
                return 0;
        struct scenario_set *set = remember(body, "seed", strlen("seed"), "--seed", options->seed);
        if (!set)
                return out_of_memory(err);
        struct setting setting = { .path = set->path,
                                   .value = options->seed,
                                   .option = set->option };
        return apply(scenario, &setting, err);
}
