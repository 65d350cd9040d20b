/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chrome's trace event JSON, which Perfetto reads: a node is a process, a core a thread, what a
 * core executes a slice, a worker's figures counters of its node. Times are in microseconds.
 */
#include "plots/trace_impl.h"

#include <inttypes.h>

static void next_item(struct trace *trace)
{
        fputs(trace->wrote ? ",\n" : "\n", trace->file.stream);
        trace->wrote = true;
}

static void name_node(struct trace *trace, int32_t node)
{
        FILE *out = trace->file.stream;
        next_item(trace);
        fprintf(out,
                "{\"ph\":\"M\",\"pid\":%" PRId32 ",\"name\":\"process_name\",\"args\":{\"name\":"
                "\"node %" PRId32 "\"}}",
                node, node);
        for (int32_t c = 0; c < trace->spec.cores_per_node; c += trace->spec.core_step) {
                next_item(trace);
                fprintf(out,
                        "{\"ph\":\"M\",\"pid\":%" PRId32 ",\"tid\":%" PRId32
                        ",\"name\":\"thread_name\",\"args\":{\"name\":\"core %" PRId32 "\"}}",
                        node, c, c);
        }
}

static int begin(struct trace *trace, struct lb_error *err)
{
        (void)err;
        fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", trace->file.stream);
        for (int32_t n = 0; n < trace->spec.nnode; n++)
                name_node(trace, n);
        return 0;
}

static void write_value(struct trace *trace, const struct trace_record *record)
{
        int32_t w = record->worker;
        next_item(trace);
        fprintf(trace->file.stream,
                "{\"ph\":\"C\",\"pid\":%" PRId32 ",\"ts\":%" PRId64
                ".%03d,\"name\":\"%s, apprank %" PRId32 "\",\"args\":{\"value\":%" PRId64 "}}",
                trace->worker_node[w], record->begin_ns / 1000, (int)(record->begin_ns % 1000),
                observed_figure_names[-1 - record->core], trace->worker_apprank[w], record->number);
}

static void write_slice(struct trace *trace, const struct trace_record *record)
{
        int64_t duration = record->end_ns - record->begin_ns;
        int32_t w = record->worker;
        next_item(trace);
        fprintf(trace->file.stream,
                "{\"ph\":\"X\",\"pid\":%" PRId32 ",\"tid\":%" PRId32 ",\"ts\":%" PRId64
                ".%03d,\"dur\":%" PRId64 ".%03d,\"name\":\"apprank %" PRId32 "%s\",\"cat\":\"%s\"}",
                trace->worker_node[w], record->core, record->begin_ns / 1000,
                (int)(record->begin_ns % 1000), duration / 1000, (int)(duration % 1000),
                trace->worker_apprank[w], record->state == OBSERVED_MAIN ? " main" : "",
                trace->worker_place[w] ? "offloaded" : "home");
}

static void write_record(struct trace *trace, const struct trace_record *record)
{
        if (record->core < 0)
                write_value(trace, record);
        else if (record->state == OBSERVED_TASK || record->state == OBSERVED_MAIN)
                write_slice(trace, record);
}

static int end(struct trace *trace, int64_t end_ns, struct lb_error *err)
{
        (void)err;
        fprintf(trace->file.stream,
                "\n],\"otherData\":{\"begin_ns\":%" PRId64 ",\"end_ns\":%" PRId64 "}}\n",
                trace->spec.from_ns, end_ns);
        return 0;
}

const struct trace_format trace_chrome = {
        .ending = ".json",
        .begin = begin,
        .write = write_record,
        .end = end,
};
