/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/live_trace.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/host/observe.h"

/* An event of the trace is a line. */
struct event {
        bool slice; /* a task or main program, for dur_s; else a figure */
        int32_t node, apprank;
        double time_s, dur_s, value;
        char name[32]; /* of the figure */
};

/* What is behind a key of a line, or NULL. */
static const char *behind(const char *line, const char *key)
{
        const char *at = strstr(line, key);
        return at ? at + strlen(key) : NULL;
}

static double number_behind(const char *line, const char *key)
{
        const char *at = behind(line, key);
        return at ? strtod(at, NULL) : 0;
}

static bool read_event(const char *line, struct event *event)
{
        const char *name = behind(line, "\"name\":\""), *apprank = behind(line, "apprank ");
        bool slice = strstr(line, "\"ph\":\"X\"") != NULL;
        if (!name || !apprank || (!slice && !strstr(line, "\"ph\":\"C\"")))
                return false;
        *event = (struct event){ .slice = slice,
                                 .node = (int32_t)number_behind(line, "\"pid\":"),
                                 .apprank = (int32_t)strtol(apprank, NULL, 10),
                                 .time_s = number_behind(line, "\"ts\":") * 1e-6,
                                 .dur_s = number_behind(line, "\"dur\":") * 1e-6,
                                 .value = number_behind(line, "\"value\":") };
        snprintf(event->name, sizeof(event->name), "%.*s", (int)strcspn(name, ",\""), name);
        return event->node >= 0 && event->apprank >= 0;
}

/* Call `take` for every event. */
static int each(const char *file, struct live_trace *trace,
                void (*take)(struct live_trace *trace, const struct event *event),
                struct lb_error *err)
{
        char *line = NULL;
        size_t size = 0;
        struct event event;
        FILE *in = fopen(file, "re");
        if (!in)
                return lb_error_fail(err, "cannot read '%s', the trace", file);
        while (getline(&line, &size, in) > 0) {
                if (read_event(line, &event))
                        take(trace, &event);
                const char *end = behind(line, "\"end_ns\":");
                if (end)
                        trace->end_s = strtod(end, NULL) * 1e-9;
        }
        int status = ferror(in) ? lb_error_fail(err, "cannot read '%s', the trace", file) : 0;
        free(line);
        fclose(in);
        return status;
}

static bool is_figure(const struct event *event, enum observed_figure figure)
{
        return !event->slice && strcmp(event->name, observed_figure_names[figure]) == 0;
}

static void measure(struct live_trace *trace, const struct event *event)
{
        trace->nnode = event->node >= trace->nnode ? event->node + 1 : trace->nnode;
        trace->napprank = event->apprank >= trace->napprank ? event->apprank + 1 : trace->napprank;
        trace->nmove += is_figure(event, OBSERVED_OWNED_CORES);
}

static int64_t place_of(const struct live_trace *trace, const struct event *event)
{
        return ((int64_t)event->node * trace->napprank + event->apprank) * LIVE_BINS;
}

static int32_t bin_of(const struct live_trace *trace, double time_s)
{
        double bin = time_s / trace->end_s * LIVE_BINS;
        return bin < 0 ? 0 : bin >= LIVE_BINS ? LIVE_BINS - 1 : (int32_t)bin;
}

/* A figure holds from its time on. */
static void hold(const struct live_trace *trace, double *value, const struct event *event)
{
        for (int32_t b = bin_of(trace, event->time_s); b < LIVE_BINS; b++)
                value[place_of(trace, event) + b] = event->value;
}

static void note_move(struct live_trace *trace, const struct event *event)
{
        double before = trace->owned[place_of(trace, event) + LIVE_BINS - 1];
        bool *known = &trace->known[place_of(trace, event) / LIVE_BINS];
        bool first = !*known; /* what the job starts with is no move */
        *known = true;
        if (!first && fabs(before - event->value) > 0.5) {
                trace->move_s[trace->nmove] = event->time_s;
                trace->move[trace->nmove++] =
                    (struct live_move){ event->time_s, event->node, event->apprank, (int32_t)before,
                                        (int32_t)event->value };
        }
}

/* A slice makes a core busy for its part of each bin. */
static void occupy(struct live_trace *trace, const struct event *event)
{
        double bin_s = trace->end_s / LIVE_BINS, until_s = event->time_s + event->dur_s;
        int32_t last = bin_of(trace, until_s);
        for (int32_t b = bin_of(trace, event->time_s); b <= last; b++) {
                double from = fmax(event->time_s, b * bin_s), to = fmin(until_s, (b + 1) * bin_s);
                trace->busy[place_of(trace, event) + b] += fmax(0, to - from) / bin_s;
        }
}

static void fill(struct live_trace *trace, const struct event *event)
{
        if (event->slice) {
                occupy(trace, event);
        } else if (is_figure(event, OBSERVED_OWNED_CORES)) {
                note_move(trace, event);
                hold(trace, trace->owned, event);
        }
}

/* Cores in use beyond those owned. (The figure of borrowed cores is taken with each poll, between
 * which a core goes to and fro many times.) */
static void lend(struct live_trace *trace)
{
        int64_t count = (int64_t)trace->nnode * trace->napprank * LIVE_BINS;
        for (int64_t i = 0; i < count; i++)
                trace->borrowed[i] = fmax(0, trace->busy[i] - trace->owned[i]);
}

int live_trace_read(struct live_trace *trace, const char *file, struct lb_error *err)
{
        *trace = (struct live_trace){ 0 };
        if (each(file, trace, measure, err) < 0)
                return -1;
        if (trace->nnode == 0 || !(trace->end_s > 0))
                return lb_error_fail(err, "'%s' is no whole trace", file);
        size_t count = (size_t)trace->nnode * (size_t)trace->napprank * LIVE_BINS;
        trace->owned = calloc(count, sizeof(double));
        trace->busy = calloc(count, sizeof(double));
        trace->borrowed = calloc(count, sizeof(double));
        trace->move = calloc((size_t)trace->nmove + 1, sizeof(*trace->move));
        trace->move_s = calloc((size_t)trace->nmove + 1, sizeof(double));
        trace->known = calloc(count / LIVE_BINS, sizeof(bool));
        trace->nmove = 0;
        int status = trace->owned && trace->busy && trace->borrowed && trace->move &&
                             trace->move_s && trace->known
                         ? each(file, trace, fill, err)
                         : lb_error_fail(err, "out of memory for the page");
        if (status == 0)
                lend(trace);
        else
                live_trace_finish(trace);
        return status;
}

void live_trace_finish(struct live_trace *trace)
{
        free(trace->owned);
        free(trace->busy);
        free(trace->borrowed);
        free(trace->move);
        free(trace->move_s);
        free(trace->known);
        *trace = (struct live_trace){ 0 };
}
