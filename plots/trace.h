/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_PLOTS_TRACE_H
#define LB_PLOTS_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/host/observe.h"

/*
 * Traces that people can open: Paraver (.prv with .pcf and .row beside it) or Chrome/Perfetto JSON
 * (.json). Used by both programs.
 *
 * - Written as the run goes on, in bounded memory; the files appear when the trace is closed, whole
 *   or not at all.
 * - Paraver's objects: an apprank is an application, its worker on a node a task, a core of that
 *   node a thread of every worker there (a core is with one of them at a time). In Chrome's JSON a
 *   node is a process and a core a thread.
 * - Hosts write to it through its observer (policies/host/observe.h) alone: states, figures and
 *   their names are those of there.
 * - Calls come in the order of time. What lies outside of the window is cut off, and only every
 *   core_step-th core of a node is shown; values are always complete.
 * - Paraver's configuration files for these figures are in plots/paraver.
 * - A write error is remembered and fails trace_close().
 */

struct trace_spec {
        const char *file; /* ends in .prv or .json */
        int32_t nnode, cores_per_node, napprank, nworker;
        const int32_t *worker_node, *worker_apprank; /* [nworker], apprank by apprank, home first */
        int64_t from_ns, until_ns;                   /* the window; until_ns <= 0: to the end */
        int32_t core_step;                           /* >= 1 */
};

/* Is it a name that trace_create() takes? To be asked before the work, where that comes after. */
int trace_check_name(const char *file, struct lb_error *err) LB_MUST_CHECK;

/* The name of another file that is written with such a trace, number 0 .., which differs in its
 * ending; false: there are no more. */
bool trace_beside(const char *file, int number, char *name, size_t size);

struct trace; /* opaque */

struct trace *trace_create(const struct trace_spec *spec, struct lb_error *err);

/* Whom to tell what happens; it goes with the trace. NULL for NULL. */
struct observer *trace_observer(const struct trace *trace);

/* End all states at end_ns and put the files in place. Destroys the trace also where it fails. */
int trace_close(struct trace *trace, int64_t end_ns, struct lb_error *err) LB_MUST_CHECK;

/* Give up: no file appears. Takes NULL. */
void trace_abandon(struct trace *trace);

#endif
