/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A head, then the metrics in the order that the journal's first block names, then the times of the
 * iterations; all as this machine has them in memory.
 */
#include "sim/sweep/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

struct head {
        int64_t point;
        uint64_t build, series;
        int32_t replicate, niteration;
};

unsigned char *record_write(const struct record *record, uint32_t *size)
{
        const struct sim_result *result = &record->result;
        struct head head = { .point = record->point,
                             .build = record->build,
                             .series = record->series,
                             .replicate = record->replicate,
                             .niteration = result->niteration };
        size_t times = (size_t)result->niteration * sizeof(double);
        *size = (uint32_t)(sizeof(head) + sizeof(result->metric) + times);
        unsigned char *content = malloc(*size);
        if (!content)
                return NULL;
        memcpy(content, &head, sizeof(head));
        memcpy(content + sizeof(head), result->metric, sizeof(result->metric));
        if (times > 0)
                memcpy(content + sizeof(head) + sizeof(result->metric), result->iteration_s, times);
        return content;
}

/* ---- Reading ---- */

static bool ends_with(const char *name, const char *ending)
{
        size_t length = strlen(name), most = strlen(ending);
        return length >= most && strcmp(name + length - most, ending) == 0;
}

/* Can a metric be so? All of them are quantities; one that has no meaning for some system may be
 * empty. What is computed as a share may miss its bounds by rounding. */
static bool possible(enum metric metric, double value)
{
        const double rounding = 1e-9;
        if (isnan(value))
                return !metric_always(&metric_table[metric]);
        if (ends_with(metric_table[metric].name, "_fraction"))
                return value >= -rounding && value <= 1 + rounding;
        return value >= 0 && isfinite(value);
}

static bool read_head(struct head *head, const unsigned char *content, size_t size)
{
        const size_t fixed = sizeof(*head) + sizeof(double) * METRIC_COUNT;
        if (size < fixed)
                return false;
        memcpy(head, content, sizeof(*head));
        return head->point >= 0 && head->replicate >= 0 && head->niteration >= 0 &&
               size == fixed + (size_t)head->niteration * sizeof(double);
}

int record_peek(struct record *record, const unsigned char *content, size_t size)
{
        struct head head;
        memset(record, 0, sizeof(*record));
        if (!read_head(&head, content, size))
                return -1;
        *record = (struct record){ .point = head.point,
                                   .replicate = head.replicate,
                                   .build = head.build,
                                   .series = head.series };
        return 0;
}

static int read_result(struct sim_result *result, int32_t niteration, const unsigned char *numbers)
{
        size_t times = (size_t)niteration * sizeof(double);
        result->niteration = niteration;
        result->iteration_s = malloc(times + 1);
        if (!result->iteration_s)
                return -1;
        memcpy(result->metric, numbers, sizeof(result->metric));
        memcpy(result->iteration_s, numbers + sizeof(result->metric), times);
        for (int m = 0; m < METRIC_COUNT; m++)
                if (!possible((enum metric)m, result->metric[m]))
                        return -1;
        for (int32_t i = 0; i < niteration; i++)
                if (!(result->iteration_s[i] >= 0) || !isfinite(result->iteration_s[i]))
                        return -1;
        return 0;
}

int record_read(struct record *record, const unsigned char *content, size_t size)
{
        struct head head;
        if (record_peek(record, content, size) < 0)
                return -1;
        memcpy(&head, content, sizeof(head));
        if (read_result(&record->result, head.niteration, content + sizeof(head)) == 0)
                return 0;
        sim_result_finish(&record->result);
        memset(record, 0, sizeof(*record));
        return -1;
}

/* ---- For people ---- */

static void put_numbers(FILE *out, const char *name, const double *number, int32_t count)
{
        char text[LB_NUMBER_SIZE];
        fprintf(out, ",\"%s\":[", name);
        for (int32_t i = 0; i < count; i++) {
                lb_number_text(number[i], text);
                fprintf(out, "%s%s", i > 0 ? "," : "", isfinite(number[i]) ? text : "null");
        }
        fputc(']', out);
}

void record_print(const struct record *record, FILE *out)
{
        fprintf(out, "{\"point\":%" PRId64 ",\"replicate\":%d,\"build\":\"%016" PRIx64 "\"",
                record->point, record->replicate, record->build);
        if (record->series)
                fprintf(out, ",\"series\":\"%016" PRIx64 "\"", record->series);
        put_numbers(out, "metric", record->result.metric, METRIC_COUNT);
        put_numbers(out, "iteration_s", record->result.iteration_s, record->result.niteration);
        fputc('}', out);
}
