/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all trace formats share: the states of cores, the window, and the order.
 *
 * Readers want records in the order of their beginning, but a state is known when it ends. So ended
 * states wait in a buffer; when it is full, all states that still last are cut in two at that time,
 * after which nothing can begin earlier, and the buffer is sorted and written.
 */
#include "plots/trace_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_MIN = 1 << 16 }; /* records */
static const int64_t UNSET = INT64_MIN;

static const struct trace_format *const formats[] = { &trace_paraver, &trace_chrome, NULL };

static const struct trace_format *find_format(const char *file, struct lb_error *err)
{
        const char *ending = strrchr(file, '.');
        for (int i = 0; ending && formats[i]; i++)
                if (strcmp(formats[i]->ending, ending) == 0)
                        return formats[i];
        lb_error_set(err,
                     "trace '%.200s': allowed are names that end in .prv (Paraver) or .json "
                     "(Chrome, Perfetto)",
                     file);
        return NULL;
}

int trace_check_name(const char *file, struct lb_error *err)
{
        return find_format(file, err) ? 0 : -1;
}

bool trace_beside(const char *file, int number, char *name, size_t size)
{
        struct lb_error err;
        const struct trace_format *format = find_format(file, &err);
        if (!format || !format->beside[number])
                return false;
        snprintf(name, size, "%.*s%s", (int)(strrchr(file, '.') - file), file,
                 format->beside[number]);
        return true;
}

static int32_t *copy_of(const int32_t *from, int32_t count)
{
        int32_t *copy = malloc((size_t)count * sizeof(*copy));
        if (copy)
                memcpy(copy, from, (size_t)count * sizeof(*copy));
        return copy;
}

static void free_parts(struct trace *trace)
{
        free(trace->worker_node);
        free(trace->worker_apprank);
        free(trace->worker_place);
        free(trace->value);
        free(trace->cell);
        free(trace->record);
}

static int allocate(struct trace *trace, struct lb_error *err)
{
        struct trace_spec *spec = &trace->spec;
        size_t nworker = (size_t)spec->nworker;
        trace->worker_node = copy_of(spec->worker_node, spec->nworker);
        trace->worker_apprank = copy_of(spec->worker_apprank, spec->nworker);
        trace->worker_place = calloc(nworker, sizeof(*trace->worker_place));
        trace->cell = calloc(nworker * (size_t)spec->cores_per_node, sizeof(*trace->cell));
        trace->value = malloc(nworker * OBSERVED_NFIGURE * sizeof(*trace->value));
        uint32_t cells = (uint32_t)spec->nworker * (uint32_t)trace_ncore(trace);
        trace->buffer = cells < BUFFER_MIN / 4 ? BUFFER_MIN : 4 * cells;
        trace->record = malloc(trace->buffer * sizeof(*trace->record));
        if (!trace->worker_node || !trace->worker_apprank || !trace->worker_place || !trace->cell ||
            !trace->value || !trace->record)
                return lb_error_fail(err, "out of memory for the trace");
        spec->worker_node = trace->worker_node;
        spec->worker_apprank = trace->worker_apprank;
        for (int32_t w = 1; w < spec->nworker; w++)
                if (spec->worker_apprank[w] == spec->worker_apprank[w - 1])
                        trace->worker_place[w] = trace->worker_place[w - 1] + 1;
        for (size_t i = 0; i < nworker * (size_t)spec->cores_per_node; i++)
                trace->cell[i].since_ns = spec->from_ns;
        for (size_t i = 0; i < nworker * OBSERVED_NFIGURE; i++)
                trace->value[i] = UNSET;
        return 0;
}

static int by_begin(const void *a, const void *b)
{
        const struct trace_record *x = a, *y = b;
        if (x->begin_ns != y->begin_ns)
                return x->begin_ns < y->begin_ns ? -1 : 1;
        if (x->worker != y->worker)
                return x->worker < y->worker ? -1 : 1;
        if (x->core != y->core)
                return x->core < y->core ? -1 : 1;
        return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

static void write_out(struct trace *trace)
{
        qsort(trace->record, trace->nrecord, sizeof(*trace->record), by_begin);
        for (uint32_t i = 0; i < trace->nrecord; i++)
                trace->format->write(trace, &trace->record[i]);
        trace->nrecord = 0;
}

static void add(struct trace *trace, const struct trace_record *record)
{
        trace->record[trace->nrecord++] = *record;
}

/* End the state of a cell; what comes next begins at time_ns. */
static void end_state(struct trace *trace, int64_t time_ns, int32_t worker, int32_t core)
{
        struct trace_cell *cell =
            &trace->cell[(size_t)worker * (size_t)trace->spec.cores_per_node + (size_t)core];
        if (time_ns <= cell->since_ns)
                return;
        add(trace, &(struct trace_record){ .begin_ns = cell->since_ns,
                                           .end_ns = time_ns,
                                           .worker = worker,
                                           .core = core,
                                           .state = cell->state });
        cell->since_ns = time_ns;
}

static void end_all(struct trace *trace, int64_t time_ns)
{
        for (int32_t w = 0; w < trace->spec.nworker; w++)
                for (int32_t c = 0; c < trace->spec.cores_per_node; c += trace->spec.core_step)
                        end_state(trace, time_ns, w, c);
}

/* Room for what comes at time_ns: where the buffer is nearly full, nothing may begin earlier any
 * more. */
static void make_room(struct trace *trace, int64_t time_ns)
{
        uint32_t cells = (uint32_t)trace->spec.nworker * (uint32_t)trace_ncore(trace);
        if (trace->nrecord + cells + 2 < trace->buffer)
                return;
        end_all(trace, time_ns);
        write_out(trace);
}

/* The time within the window. */
static int64_t in_window(const struct trace *trace, int64_t time_ns)
{
        const struct trace_spec *spec = &trace->spec;
        if (time_ns < spec->from_ns)
                return spec->from_ns;
        return spec->until_ns > 0 && time_ns > spec->until_ns ? spec->until_ns : time_ns;
}

static void add_value(struct trace *trace, int64_t time_ns, size_t place)
{
        add(trace, &(struct trace_record){
                       .begin_ns = time_ns,
                       .end_ns = time_ns,
                       .worker = (int32_t)(place / OBSERVED_NFIGURE),
                       .core = -1 - (int32_t)(place % OBSERVED_NFIGURE),
                       .number = trace->value[place],
                   });
}

/* What was set before the window holds at its beginning. */
static void open_window(struct trace *trace)
{
        trace->opened = true;
        for (size_t i = 0; i < (size_t)trace->spec.nworker * OBSERVED_NFIGURE; i++) {
                if (trace->value[i] == UNSET)
                        continue;
                make_room(trace, trace->spec.from_ns);
                add_value(trace, trace->spec.from_ns, i);
        }
}

static bool is_open(struct trace *trace, int64_t time_ns)
{
        if (!trace->opened && time_ns >= trace->spec.from_ns)
                open_window(trace);
        return trace->opened;
}

static void sink_core(void *sink, int64_t time_ns, int32_t worker, int32_t core,
                      enum observed_state state)
{
        struct trace *trace = sink;
        struct trace_cell *cell =
            &trace->cell[(size_t)worker * (size_t)trace->spec.cores_per_node + (size_t)core];
        if (cell->state == state || !trace_shows_core(trace, core))
                return;
        if (is_open(trace, time_ns)) {
                int64_t now = in_window(trace, time_ns);
                make_room(trace, now);
                end_state(trace, now, worker, core);
        }
        cell->state = state;
}

static void sink_figure(void *sink, int64_t time_ns, int32_t worker, enum observed_figure value,
                        int64_t number)
{
        struct trace *trace = sink;
        size_t place = (size_t)worker * OBSERVED_NFIGURE + (size_t)value;
        bool open = is_open(trace, time_ns);
        if (trace->value[place] == number ||
            (trace->spec.until_ns > 0 && time_ns > trace->spec.until_ns))
                return;
        trace->value[place] = number;
        if (!open)
                return;
        make_room(trace, time_ns);
        add_value(trace, time_ns, place);
}

/* ---- Life cycle ---- */

static int observe(struct trace *trace, struct lb_error *err)
{
        const struct trace_spec *spec = &trace->spec;
        const struct observer_sink sink = { trace, sink_core, sink_figure };
        trace->observer = observer_create(&sink, spec->nnode, spec->cores_per_node, spec->nworker,
                                          spec->worker_node, err);
        return trace->observer ? 0 : -1;
}

struct trace *trace_create(const struct trace_spec *spec, struct lb_error *err)
{
        const struct trace_format *format = find_format(spec->file, err);
        struct trace *trace = format ? calloc(1, sizeof(*trace)) : NULL;
        if (!trace) {
                if (format)
                        lb_error_fail(err, "out of memory for the trace");
                return NULL;
        }
        trace->format = format;
        trace->spec = *spec;
        if (allocate(trace, err) == 0 && observe(trace, err) == 0 &&
            lb_file_create(&trace->file, spec->file, err) == 0 && format->begin(trace, err) == 0)
                return trace;
        trace_abandon(trace);
        return NULL;
}

struct observer *trace_observer(const struct trace *trace)
{
        return trace ? trace->observer : NULL;
}

int trace_close(struct trace *trace, int64_t end_ns, struct lb_error *err)
{
        int64_t end = in_window(trace, end_ns);
        make_room(trace, end);
        end_all(trace, end);
        write_out(trace);
        int status = trace->format->end(trace, end, err);
        if (status == 0)
                status = lb_file_commit(&trace->file, err);
        trace_abandon(trace);
        return status;
}

void trace_abandon(struct trace *trace)
{
        if (!trace)
                return;
        lb_file_abandon(&trace->file);
        observer_destroy(trace->observer);
        free_parts(trace);
        free(trace);
}
