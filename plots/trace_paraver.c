/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paraver: .prv (records), .pcf (what numbers mean) and .row (names of objects).
 *
 * The first line holds the length of the trace, which is known at the end: it is written again
 * then, its date padded with blanks so that it is as long as before. No real date: equal runs give
 * equal files.
 */
#include "plots/trace_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT_BASE = 91000000, TIME_DIGITS = 19 };

/* The state ids that users' configurations know, and their colours. */
static const struct {
        int id;
        const char *name, *colour;
} states[OBSERVED_NSTATE] = {
        [OBSERVED_IDLE] = { 0, "Idle", "{117,195,255}" },
        [OBSERVED_TASK] = { 1, "Running", "{0,0,255}" },
        [OBSERVED_ABSENT] = { 2, "Not created", "{255,255,255}" },
        [OBSERVED_MAIN] = { 7, "Scheduling and Fork/Join", "{255,255,0}" },
        [OBSERVED_LENT] = { 9, "Blocked", "{0,162,0}" },
};

/* ---- .prv ---- */

/* Appranks are contiguous in the numbering of workers: the first worker after those of `first`. */
static int32_t apprank_end(const struct trace *trace, int32_t first)
{
        int32_t w = first;
        while (w < trace->spec.nworker && trace->worker_apprank[w] == trace->worker_apprank[first])
                w++;
        return w;
}

static void write_header(struct trace *trace, int64_t end_ns)
{
        FILE *out = trace->file.stream;
        int32_t ncore = trace_ncore(trace);
        char number[TIME_DIGITS + 1];
        int digits = snprintf(number, sizeof(number), "%" PRId64, end_ns);
        fprintf(out, "#Paraver (01/01/1970 at 00:00%*s):%s_ns:%" PRId32 "(", TIME_DIGITS - digits,
                "", number, trace->spec.nnode);
        for (int32_t n = 0; n < trace->spec.nnode; n++)
                fprintf(out, "%s%" PRId32, n ? "," : "", ncore);
        fprintf(out, "):%" PRId32, trace->spec.napprank);
        for (int32_t first = 0, end; first < trace->spec.nworker; first = end) {
                end = apprank_end(trace, first);
                fprintf(out, ":%" PRId32 "(", end - first);
                for (int32_t w = first; w < end; w++)
                        fprintf(out, "%s%" PRId32 ":%" PRId32, w > first ? "," : "", ncore,
                                trace->worker_node[w] + 1);
                fputc(')', out);
        }
        fputc('\n', out);
}

/* Append a number and a colon. */
static char *put(char *at, int64_t number)
{
        char digit[24];
        int count = 0;
        if (number < 0)
                *at++ = '-';
        uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
        do
                digit[count++] = (char)('0' + rest % 10);
        while (rest /= 10);
        while (count)
                *at++ = digit[--count];
        *at++ = ':';
        return at;
}

static void write_record(struct trace *trace, const struct trace_record *record)
{
        char line[200], *at = line;
        bool is_value = record->core < 0;
        int32_t w = record->worker, thread = is_value ? 0 : record->core / trace->spec.core_step;
        at = put(at, is_value ? 2 : 1);
        at = put(at, (int64_t)trace->worker_node[w] * trace_ncore(trace) + thread + 1);
        at = put(at, trace->worker_apprank[w] + 1);
        at = put(at, trace->worker_place[w] + 1);
        at = put(at, thread + 1);
        at = put(at, record->begin_ns);
        at = put(at, is_value ? EVENT_BASE - 1 - record->core : record->end_ns);
        at = put(at, is_value ? record->number : states[record->state].id);
        at[-1] = '\n';
        fwrite(line, 1, (size_t)(at - line), trace->file.stream);
}

static int begin(struct trace *trace, struct lb_error *err)
{
        (void)err;
        write_header(trace, INT64_MAX);
        return 0;
}

/* ---- .pcf and .row ---- */

static void write_meaning(FILE *out)
{
        fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
              "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
              "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\n"
              "DEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\n\nSTATES\n",
              out);
        for (int id = 0; id <= 9; id++)
                for (int i = 0; i < OBSERVED_NSTATE; i++)
                        if (states[i].id == id)
                                fprintf(out, "%d    %s\n", id, states[i].name);
        fputs("\n\nSTATES_COLOR\n", out);
        for (int id = 0; id <= 9; id++)
                for (int i = 0; i < OBSERVED_NSTATE; i++)
                        if (states[i].id == id)
                                fprintf(out, "%d    %s\n", id, states[i].colour);
        fputs("\n\nEVENT_TYPE\n", out);
        for (int i = 0; i < OBSERVED_NFIGURE; i++)
                fprintf(out, "0    %d    %s\n", EVENT_BASE + i, observed_figure_names[i]);
}

static void write_core_names(const struct trace *trace, FILE *out)
{
        int32_t ncore = trace_ncore(trace);
        fprintf(out, "LEVEL CPU SIZE %" PRId32 "\n", trace->spec.nnode * ncore);
        for (int32_t n = 0; n < trace->spec.nnode; n++)
                for (int32_t c = 0; c < ncore; c++)
                        fprintf(out, "node %" PRId32 " core %" PRId32 "\n", n,
                                c * trace->spec.core_step);
        fprintf(out, "\nLEVEL NODE SIZE %" PRId32 "\n", trace->spec.nnode);
        for (int32_t n = 0; n < trace->spec.nnode; n++)
                fprintf(out, "node %" PRId32 "\n", n);
}

static void write_worker_names(const struct trace *trace, FILE *out)
{
        const struct trace_spec *spec = &trace->spec;
        int32_t ncore = trace_ncore(trace);
        fprintf(out, "\nLEVEL APPL SIZE %" PRId32 "\n", spec->napprank);
        for (int32_t a = 0; a < spec->napprank; a++)
                fprintf(out, "apprank %" PRId32 "\n", a);
        fprintf(out, "\nLEVEL TASK SIZE %" PRId32 "\n", spec->nworker);
        for (int32_t w = 0; w < spec->nworker; w++)
                fprintf(out, "apprank %" PRId32 " on node %" PRId32 "%s\n", spec->worker_apprank[w],
                        spec->worker_node[w], trace->worker_place[w] ? "" : " (home)");
        fprintf(out, "\nLEVEL THREAD SIZE %" PRId64 "\n", (int64_t)spec->nworker * ncore);
        for (int32_t w = 0; w < spec->nworker; w++)
                for (int32_t c = 0; c < ncore; c++)
                        fprintf(out, "apprank %" PRId32 " node %" PRId32 " core %" PRId32 "\n",
                                spec->worker_apprank[w], spec->worker_node[w], c * spec->core_step);
}

static void write_names(const struct trace *trace, FILE *out)
{
        write_core_names(trace, out);
        write_worker_names(trace, out);
}

enum { MEANING, NAMES }; /* of the files beside */

static int open_beside(const struct trace *trace, int which, struct lb_file *file,
                       struct lb_error *err)
{
        size_t size = strlen(trace->file.path) + 8;
        char *path = malloc(size);
        if (!path)
                return lb_error_fail(err, "out of memory for the trace");
        (void)trace_beside(trace->file.path, which, path, size);
        int status = lb_file_create(file, path, err);
        free(path);
        return status;
}

static int end(struct trace *trace, int64_t end_ns, struct lb_error *err)
{
        struct lb_file meaning = { 0 }, names = { 0 };
        /* Not rewind(), which forgets that a write has failed. */
        if (fseek(trace->file.stream, 0, SEEK_SET) == 0)
                write_header(trace, end_ns);
        int status = open_beside(trace, MEANING, &meaning, err);
        if (status == 0)
                status = open_beside(trace, NAMES, &names, err);
        if (status == 0) {
                write_meaning(meaning.stream);
                write_names(trace, names.stream);
                status = lb_file_flush(&trace->file, err);
        }
        if (status == 0)
                status = lb_file_flush(&meaning, err);
        if (status == 0)
                status = lb_file_flush(&names, err);
        if (status == 0)
                status = lb_file_commit(&meaning, err);
        if (status == 0)
                status = lb_file_commit(&names, err);
        lb_file_abandon(&meaning);
        lb_file_abandon(&names);
        return status;
}

const struct trace_format trace_paraver = {
        .ending = ".prv",
        .beside = { ".pcf", ".row" },
        .begin = begin,
        .write = write_record,
        .end = end,
};
