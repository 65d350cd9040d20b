/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "policies/plugged.h"
#include "real/control/job.h"

/*
 * A job as one line of JSON. One table says what its plain members are; both directions follow it.
 * A version of its own, since a program may be linked with another version than its lbrun.
 */
enum { JOB_VERSION = 1 };

enum kind { KIND_NONE = 0, KIND_TEXT, KIND_SWITCH, KIND_WHOLE };

static const struct member {
        const char *name;
        enum kind kind;
        size_t offset;
        size_t size;      /* KIND_TEXT */
        int32_t min, max; /* KIND_WHOLE */
} members[] = {
        { "id", KIND_TEXT, offsetof(struct job, id), JOB_ID_SIZE, 0, 0 },
        { "system", KIND_TEXT, offsetof(struct job, system), 32, 0, 0 },
        { "lewi", KIND_SWITCH, offsetof(struct job, lewi), 0, 0, 0 },
        { "drom", KIND_SWITCH, offsetof(struct job, drom), 0, 0, 0 },
        { "virtual", KIND_SWITCH, offsetof(struct job, virtual_nodes), 0, 0, 0 },
        { "nodes", KIND_WHOLE, offsetof(struct job, nnode), 0, 1, JOB_NODE_MAX },
        { "cores", KIND_WHOLE, offsetof(struct job, cores_per_node), 0, 1, JOB_CORE_MAX },
        { "appranks", KIND_WHOLE, offsetof(struct job, napprank), 0, 1, JOB_APPRANK_MAX },
        { "degree", KIND_WHOLE, offsetof(struct job, degree), 0, 1, JOB_NODE_MAX },
        { "policy", KIND_TEXT, offsetof(struct job, policy), JOB_PATH_SIZE, 0, 0 },
        { "report", KIND_TEXT, offsetof(struct job, report), JOB_PATH_SIZE, 0, 0 },
        { "decisions", KIND_TEXT, offsetof(struct job, decisions), JOB_PATH_SIZE, 0, 0 },
        { "loads", KIND_TEXT, offsetof(struct job, loads), JOB_PATH_SIZE, 0, 0 },
        { "trace", KIND_TEXT, offsetof(struct job, trace), JOB_PATH_SIZE, 0, 0 },
};
enum { NMEMBER = sizeof(members) / sizeof(members[0]) };
enum { NOTHER = 7 }; /* version, runtime, alloc, lend, place, speed, graph */

static const char *const policy_names[JOB_NPOLICY] = {
        [JOB_ALLOC] = "alloc", [JOB_LEND] = "lend", [JOB_PLACE] = "place"
};

static const struct lb_param speed_param = {
        .name = "speed", .type = LB_PARAM_NUMBER, .fallback = 1, .min = 0.001, .max = 1000
};

/* ---- To text; cJSON's own numbers are not exact. ---- */

static cJSON *value_item(const struct lb_param *param, double value)
{
        char text[128];
        lb_param_format(param, value, text, sizeof(text));
        return cJSON_CreateRaw(text);
}

static bool add(cJSON *object, const char *name, cJSON *item)
{
        if (item && cJSON_AddItemToObject(object, name, item))
                return true;
        cJSON_Delete(item);
        return false;
}

static bool append(cJSON *array, cJSON *item)
{
        if (item && cJSON_AddItemToArray(array, item))
                return true;
        cJSON_Delete(item);
        return false;
}

static cJSON *member_item(const struct member *member, const struct job *job)
{
        const char *at = (const char *)job + member->offset;
        if (member->kind == KIND_TEXT)
                return cJSON_CreateString(at);
        if (member->kind == KIND_SWITCH)
                return cJSON_CreateBool(*(const bool *)at);
        return cJSON_CreateNumber(*(const int32_t *)at);
}

static bool add_values(cJSON *root, const char *name, const struct lb_param *table,
                       const double *values)
{
        cJSON *object = cJSON_CreateObject();
        for (size_t i = 0; object && table && table[i].name; i++) {
                if (add(object, table[i].name, value_item(&table[i], values[i])))
                        continue;
                cJSON_Delete(object);
                return false;
        }
        return add(root, name, object);
}

static bool add_speeds(cJSON *root, const struct job *job)
{
        cJSON *array = cJSON_CreateArray();
        for (int32_t n = 0; array && n < job->nnode; n++) {
                if (append(array, value_item(&speed_param, job->speed[n])))
                        continue;
                cJSON_Delete(array);
                return false;
        }
        return add(root, "speed", array);
}

static bool add_graph(cJSON *root, const struct lb_shape *shape)
{
        cJSON *array = cJSON_CreateArray();
        for (int32_t a = 0; array && a < shape->napprank; a++) {
                int32_t first = shape->apprank_first[a];
                cJSON *nodes = cJSON_CreateIntArray(shape->worker_node + first,
                                                    shape->apprank_first[a + 1] - first);
                if (append(array, nodes))
                        continue;
                cJSON_Delete(array);
                return false;
        }
        return add(root, "graph", array);
}

static bool add_all(cJSON *root, const struct job *job)
{
        if (!add(root, "version", cJSON_CreateNumber(JOB_VERSION)))
                return false;
        for (int i = 0; i < NMEMBER; i++)
                if (!add(root, members[i].name, member_item(&members[i], job)))
                        return false;
        if (!add_values(root, "runtime", job_params, job->param))
                return false;
        for (enum job_policy p = 0; p < JOB_NPOLICY; p++)
                if (!add_values(root, policy_names[p], job_policy_params(job, p),
                                job_policy_values(job, p)))
                        return false;
        return add_speeds(root, job) && add_graph(root, &job->shape);
}

char *job_format(const struct job *job)
{
        cJSON *root = cJSON_CreateObject();
        char *text = root && add_all(root, job) ? cJSON_PrintUnformatted(root) : NULL;
        cJSON_Delete(root);
        return text;
}

/* ---- From text ---- */

static const cJSON *find(const struct lb_json *doc, const char *name)
{
        return cJSON_GetObjectItemCaseSensitive(doc->root, name);
}

static int complain(const struct lb_json *doc, const char *pointer, const cJSON *item,
                    const char *allowed, struct lb_error *err)
{
        char found[128];
        lb_json_show(item, found, sizeof(found));
        return lb_json_complain(doc, pointer, err, "found %s, allowed is %s", found, allowed);
}

static bool is_whole(const cJSON *item, double min, double max)
{
        return cJSON_IsNumber(item) && item->valuedouble >= min && item->valuedouble <= max &&
               floor(item->valuedouble) == item->valuedouble;
}

static int read_member(const struct lb_json *doc, const struct member *member, struct job *job,
                       struct lb_error *err)
{
        const cJSON *item = find(doc, member->name);
        char *at = (char *)job + member->offset, pointer[32], allowed[64];
        snprintf(pointer, sizeof(pointer), "/%s", member->name);
        if (member->kind == KIND_TEXT && cJSON_IsString(item) &&
            strlen(item->valuestring) < member->size) {
                memcpy(at, item->valuestring, strlen(item->valuestring) + 1);
        } else if (member->kind == KIND_SWITCH && cJSON_IsBool(item)) {
                *(bool *)at = cJSON_IsTrue(item);
        } else if (member->kind == KIND_WHOLE && is_whole(item, member->min, member->max)) {
                *(int32_t *)at = (int32_t)item->valuedouble;
        } else {
                if (member->kind == KIND_TEXT)
                        snprintf(allowed, sizeof(allowed), "text of less than %zu bytes",
                                 member->size);
                else if (member->kind == KIND_SWITCH)
                        snprintf(allowed, sizeof(allowed), "true or false");
                else
                        snprintf(allowed, sizeof(allowed), "a whole number from %d to %d",
                                 (int)member->min, (int)member->max);
                return complain(doc, pointer, item, allowed, err);
        }
        return 0;
}

static bool fits_type(const struct lb_param *param, const cJSON *item)
{
        if (param->type == LB_PARAM_SWITCH)
                return cJSON_IsBool(item);
        if (param->type == LB_PARAM_CHOICE)
                return cJSON_IsString(item) && lb_param_choice(param, item->valuestring) >= 0;
        return cJSON_IsNumber(item);
}

static int read_value(const struct lb_json *doc, const char *pointer, const struct lb_param *param,
                      const cJSON *item, double *value, struct lb_error *err)
{
        char allowed[256];
        lb_param_allowed(param, allowed, sizeof(allowed));
        if (!fits_type(param, item))
                return complain(doc, pointer, item, allowed, err);
        if (param->type == LB_PARAM_SWITCH)
                *value = cJSON_IsTrue(item);
        else if (param->type == LB_PARAM_CHOICE)
                *value = lb_param_choice(param, item->valuestring);
        else
                *value = item->valuedouble;
        struct lb_error why;
        if (lb_param_check(param, *value, &why) < 0)
                return complain(doc, pointer, item, allowed, err);
        return 0;
}

/* Logs of decisions that were written before they came do not have them. */
static bool may_be_missing(const struct lb_param *param)
{
        return param >= &job_params[JOB_CORES_BY] && param < &job_params[JOB_NPARAM];
}

static int read_values(const struct lb_json *doc, const char *name, const struct lb_param *table,
                       double *values, struct lb_error *err)
{
        const cJSON *object = find(doc, name);
        char pointer[128];
        snprintf(pointer, sizeof(pointer), "/%s", name);
        if (!cJSON_IsObject(object))
                return complain(doc, pointer, object, "an object", err);
        size_t count = lb_param_count(table), missing = 0;
        for (size_t i = 0; i < count; i++) {
                snprintf(pointer, sizeof(pointer), "/%s/%s", name, table[i].name);
                const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, table[i].name);
                if (!item && may_be_missing(&table[i])) {
                        missing++;
                        continue;
                }
                if (read_value(doc, pointer, &table[i], item, &values[i], err) < 0)
                        return -1;
        }
        snprintf(pointer, sizeof(pointer), "/%s", name);
        if ((size_t)cJSON_GetArraySize(object) != count - missing)
                return lb_json_complain(doc, pointer, err, "found %d members, allowed are %zu",
                                        cJSON_GetArraySize(object), count);
        return 0;
}

static int read_speeds(const struct lb_json *doc, struct job *job, struct lb_error *err)
{
        const cJSON *array = find(doc, "speed"), *item;
        if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) != job->nnode)
                return complain(doc, "/speed", array, "an array of a number per node", err);
        job->speed = calloc((size_t)job->nnode + 1, sizeof(double));
        if (!job->speed)
                return lb_error_fail(err, "out of memory");
        int32_t n = 0;
        cJSON_ArrayForEach(item, array)
        {
                char pointer[32];
                snprintf(pointer, sizeof(pointer), "/speed/%d", (int)n);
                if (read_value(doc, pointer, &speed_param, item, &job->speed[n++], err) < 0)
                        return -1;
        }
        return 0;
}

/* One apprank's nodes, to node[*nworker ...]. Which nodes make a graph is not checked here. */
static int read_nodes(const struct lb_json *doc, int32_t apprank, const cJSON *array, int32_t nnode,
                      int32_t *node, int32_t *nworker, struct lb_error *err)
{
        char pointer[48];
        const cJSON *item;
        snprintf(pointer, sizeof(pointer), "/graph/%d", (int)apprank);
        if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) < 1 ||
            cJSON_GetArraySize(array) > nnode)
                return complain(doc, pointer, array, "an array of nodes, home first", err);
        cJSON_ArrayForEach(item, array)
        {
                if (!is_whole(item, 0, nnode - 1))
                        return complain(doc, pointer, item, "the number of a node", err);
                node[(*nworker)++] = (int32_t)item->valuedouble;
        }
        return 0;
}

static int read_edges(const struct lb_json *doc, const cJSON *graph, struct job *job,
                      int32_t *first, int32_t *node, struct lb_error *err)
{
        const cJSON *nodes;
        int32_t a = 0, nworker = 0;
        cJSON_ArrayForEach(nodes, graph)
        {
                if (read_nodes(doc, a, nodes, job->nnode, node, &nworker, err) < 0)
                        return -1;
                first[++a] = nworker;
        }
        if (job_set_edges(job, first, node, err) < 0)
                return lb_error_prefix(err, "/graph: ");
        return 0;
}

static int read_graph(const struct lb_json *doc, struct job *job, struct lb_error *err)
{
        const cJSON *graph = find(doc, "graph"), *nodes;
        if (!cJSON_IsArray(graph) || cJSON_GetArraySize(graph) != job->napprank)
                return complain(doc, "/graph", graph, "an array of nodes per apprank", err);
        size_t nedge = 0;
        cJSON_ArrayForEach(nodes, graph) nedge += (size_t)cJSON_GetArraySize(nodes);
        int32_t *first = calloc((size_t)job->napprank + 1, sizeof(*first));
        int32_t *node = calloc(nedge + 1, sizeof(*node));
        int status = first && node ? read_edges(doc, graph, job, first, node, err)
                                   : lb_error_fail(err, "out of memory");
        free(first);
        free(node);
        return status;
}

static int check_id(const struct lb_json *doc, const struct job *job, struct lb_error *err)
{
        static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789-";
        if (job->id[0] && job->id[strspn(job->id, allowed)] == '\0')
                return 0;
        return complain(doc, "/id", find(doc, "id"), "letters, digits and '-'", err);
}

static int check_members(const struct lb_json *doc, struct lb_error *err)
{
        if (!cJSON_IsObject(doc->root))
                return complain(doc, "", doc->root, "an object", err);
        const cJSON *version = find(doc, "version");
        if (!is_whole(version, JOB_VERSION, JOB_VERSION)) {
                char found[64];
                lb_json_show(version, found, sizeof(found));
                return lb_error_set(err,
                                    "%s: found version %s, allowed is %d: link the program with "
                                    "the library of the lbrun that starts it",
                                    doc->file, found, JOB_VERSION);
        }
        if (cJSON_GetArraySize(doc->root) > NMEMBER + NOTHER)
                return lb_error_set(err, "%s: found %d members, allowed are %d", doc->file,
                                    cJSON_GetArraySize(doc->root), NMEMBER + NOTHER);
        return 0;
}

static int read_policies(const struct lb_json *doc, struct job *job, struct lb_error *err)
{
        bool lewi = job->lewi, drom = job->drom;
        if (job->policy[0] && plugged_load(job->policy, err) < 0)
                return -1;
        char system[sizeof(job->system)];
        memcpy(system, job->system, sizeof(system));
        if (job_set_system(job, system, err) < 0)
                return lb_error_prefix(err, "%s: /system: ", doc->file);
        job->lewi = lewi;
        job->drom = drom;
        for (enum job_policy p = 0; p < JOB_NPOLICY; p++)
                if (read_values(doc, policy_names[p], job_policy_params(job, p),
                                job_policy_values(job, p), err) < 0)
                        return -1;
        return 0;
}

static int read_job(const struct lb_json *doc, struct job *job, struct lb_error *err)
{
        if (check_members(doc, err) < 0)
                return -1;
        for (int i = 0; i < NMEMBER; i++)
                if (read_member(doc, &members[i], job, err) < 0)
                        return -1;
        if (check_id(doc, job, err) < 0 ||
            read_values(doc, "runtime", job_params, job->param, err) < 0 ||
            read_policies(doc, job, err) < 0 || read_speeds(doc, job, err) < 0)
                return -1;
        return read_graph(doc, job, err);
}

struct job *job_parse(const char *text, struct lb_error *err)
{
        struct lb_json doc;
        struct job *job = job_create(err);
        if (!job)
                return NULL;
        if (lb_json_parse(&doc, "LBRUN_JOB", text, strlen(text), err) < 0) {
                job_destroy(job);
                return NULL;
        }
        int status = read_job(&doc, job, err);
        lb_json_close(&doc);
        if (status == 0)
                return job;
        job_destroy(job);
        return NULL;
}
