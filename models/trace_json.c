/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/trace_impl.h"

/* Measured work as JSON: an array of objects with the columns of the CSV as members. */

static int complain_value(const struct trace_file *file, int32_t place, enum trace_param column,
                          const cJSON *item, struct lb_error *err)
{
        char found[128], allowed[256];
        lb_json_show(item, found, sizeof(found));
        lb_param_allowed(&trace_params[column], allowed, sizeof(allowed));
        return trace_complain(file, place, column, err, "found %s, allowed is %s", found, allowed);
}

static int read_member(const struct trace_file *file, int32_t place, const cJSON *item,
                       double *value, bool *seen, struct lb_error *err)
{
        struct lb_error why;
        int column = lb_param_find(trace_params, item->string);
        if (column < 0)
                return trace_complain(
                    file, place, TRACE_NPARAM, err,
                    "unknown key \"%.60s\", allowed are \"iteration\", "
                    "\"apprank\", \"work_s\", \"tasks\", \"cost\" and \"serial_s\"",
                    item->string);
        if (!cJSON_IsNumber(item))
                return complain_value(file, place, (enum trace_param)column, item, err);
        value[column] = item->valuedouble + 0.0; /* no negative zero */
        seen[column] = true;
        if (lb_param_check(&trace_params[column], value[column], &why) == 0)
                return 0;
        return trace_complain(file, place, (enum trace_param)column, err, "%s", why.text);
}

static int read_row(struct trace *trace, const struct trace_file *file, int32_t place,
                    const cJSON *object, struct lb_error *err)
{
        double value[TRACE_NPARAM] = { 0 };
        bool seen[TRACE_NPARAM] = { false };
        if (!cJSON_IsObject(object))
                return trace_complain(file, place, TRACE_NPARAM, err,
                                      "found %s, allowed is an object", lb_json_kind(object));
        for (const cJSON *item = object->child; item; item = item->next)
                if (read_member(file, place, item, value, seen, err) < 0)
                        return -1;
        if (!seen[TRACE_TASKS] && seen[TRACE_WORK_S])
                trace_guess_tasks(trace, value);
        for (int i = 0; i < TRACE_TASKS; i++)
                if (!seen[i])
                        return trace_complain(file, place, TRACE_NPARAM, err, "\"%s\" is needed",
                                              trace_params[i].name);
        return trace_add(trace, file, place, value, err);
}

int trace_read_json(struct trace *trace, struct trace_file *file, struct lb_error *err)
{
        if (lb_json_open(&file->json, file->name, err) < 0)
                return -1;
        const cJSON *root = file->json.root;
        if (!cJSON_IsArray(root))
                return lb_json_complain(&file->json, "", err,
                                        "found %s, allowed is an array of objects",
                                        lb_json_kind(root));
        int32_t place = 0;
        for (const cJSON *object = root->child; object; object = object->next)
                if (read_row(trace, file, place++, object, err) < 0)
                        return -1;
        return 0;
}
