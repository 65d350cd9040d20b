/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One finished run as a line of JSON: {"point":3,"replicate":0,"series":false,"metric":[...],
 * "iteration_s":[...]}. Numbers read back as the same numbers; null is "not a number", and
 * infinities are the strings "inf" and "-inf".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "plots/table.h"
#include "sim/sweep/journal.h"

static void put_number(FILE *out, double number)
{
        char text[TABLE_NUMBER_SIZE];
        table_number_text(number, text);
        if (isnan(number))
                fputs("null", out);
        else
                fprintf(out, isinf(number) ? "\"%s\"" : "%s", text);
}

static void put_numbers(FILE *out, const char *name, const double *number, int32_t count)
{
        fprintf(out, ",\"%s\":[", name);
        for (int32_t i = 0; i < count; i++) {
                if (i > 0)
                        fputc(',', out);
                put_number(out, number[i]);
        }
        fputc(']', out);
}

char *record_write(const struct record *record)
{
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        if (!out)
                return NULL;
        fprintf(out, "{\"point\":%lld,\"replicate\":%d,\"series\":%s", (long long)record->point,
                record->replicate, record->series ? "true" : "false");
        put_numbers(out, "metric", record->result.metric, METRIC_COUNT);
        put_numbers(out, "iteration_s", record->result.iteration_s, record->result.niteration);
        fputc('}', out);
        bool failed = ferror(out) != 0;
        failed = fclose(out) != 0 || failed;
        if (!failed)
                return text;
        free(text);
        return NULL;
}

/* A whole number 0 .. 2^53; -1 where it is not one. */
static int64_t get_count(const cJSON *object, const char *name)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= 0x1p53) ||
            floor(item->valuedouble) != item->valuedouble)
                return -1;
        return (int64_t)item->valuedouble;
}

static int get_number(const cJSON *item, double *number)
{
        if (cJSON_IsNumber(item))
                *number = item->valuedouble;
        else if (cJSON_IsNull(item))
                *number = NAN;
        else if (cJSON_IsString(item) && strcmp(item->valuestring, "inf") == 0)
                *number = INFINITY;
        else if (cJSON_IsString(item) && strcmp(item->valuestring, "-inf") == 0)
                *number = -INFINITY;
        else
                return -1;
        return 0;
}

static int get_numbers(const cJSON *array, double *number)
{
        int32_t i = 0;
        const cJSON *item;
        cJSON_ArrayForEach(item, array)
        {
                if (get_number(item, &number[i++]) < 0)
                        return -1;
        }
        return 0;
}

static int get_result(const cJSON *object, struct sim_result *result)
{
        const cJSON *metric = cJSON_GetObjectItemCaseSensitive(object, "metric");
        const cJSON *iteration = cJSON_GetObjectItemCaseSensitive(object, "iteration_s");
        if (!cJSON_IsArray(metric) || cJSON_GetArraySize(metric) != METRIC_COUNT ||
            !cJSON_IsArray(iteration))
                return -1;
        result->niteration = cJSON_GetArraySize(iteration);
        result->iteration_s = calloc((size_t)result->niteration + 1, sizeof(double));
        if (!result->iteration_s || get_numbers(metric, result->metric) < 0)
                return -1;
        return get_numbers(iteration, result->iteration_s);
}

static int get_record(const cJSON *object, struct record *record)
{
        int64_t point = get_count(object, "point");
        int64_t replicate = get_count(object, "replicate");
        const cJSON *series = cJSON_GetObjectItemCaseSensitive(object, "series");
        if (point < 0 || replicate < 0 || replicate > INT32_MAX || !cJSON_IsBool(series))
                return -1;
        record->point = point;
        record->replicate = (int32_t)replicate;
        record->series = cJSON_IsTrue(series);
        return get_result(object, &record->result);
}

int record_read(struct record *record, const char *text, size_t size)
{
        struct lb_json doc;
        struct lb_error err;
        memset(record, 0, sizeof(*record));
        if (lb_json_parse(&doc, "", text, size, &err) < 0)
                return -1;
        int status = get_record(doc.root, record);
        lb_json_close(&doc);
        if (status < 0)
                sim_result_finish(&record->result);
        return status;
}
