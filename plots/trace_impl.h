/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_PLOTS_TRACE_IMPL_H
#define LB_PLOTS_TRACE_IMPL_H

#include <stdio.h>

#include "base/file.h"
#include "plots/trace.h"

/* A state that has ended, or a value that was set: what a format writes, in the order of
 * `begin_ns`. */
struct trace_record {
        int64_t begin_ns, end_ns; /* value: both the same */
        int64_t number;           /* value: its number */
        int32_t worker, core;     /* value: core is -1 - enum observed_figure */
        enum observed_state state;
};

struct trace_format {
        const char *ending;
        const char *beside[3]; /* endings of what is written with it; ended by NULL */
        int (*begin)(struct trace *trace, struct lb_error *err);
        void (*write)(struct trace *trace, const struct trace_record *record);
        int (*end)(struct trace *trace, int64_t end_ns, struct lb_error *err);
};
extern const struct trace_format trace_paraver, trace_chrome;

struct trace_cell { /* of a worker and core */
        int64_t since_ns;
        enum observed_state state;
};

struct trace {
        const struct trace_format *format;
        struct observer *observer;
        struct lb_file file;
        struct trace_spec spec; /* with copies of its arrays */
        int32_t *worker_node, *worker_apprank, *worker_place;
        int64_t *value;              /* [nworker][OBSERVED_NFIGURE] as last set; UNSET: never */
        struct trace_cell *cell;     /* [nworker][cores_per_node] */
        struct trace_record *record; /* [buffer] */
        uint32_t nrecord, buffer;
        bool wrote;  /* anything yet; for commas */
        bool opened; /* the window has begun */
};

static inline bool trace_shows_core(const struct trace *trace, int32_t core)
{
        return core % trace->spec.core_step == 0;
}

/* How many cores of a node are shown, and the place of a shown core among them. */
static inline int32_t trace_ncore(const struct trace *trace)
{
        return (trace->spec.cores_per_node + trace->spec.core_step - 1) / trace->spec.core_step;
}

#endif
