/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/gain_program.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "models/taskgraph.h"
#include "models/trace.h"

/* What is in the file: one of both. */
struct source {
        struct trace *trace;
        struct taskgraph *graph;
};

static double work_s(const struct source *s, int32_t iteration, int32_t apprank)
{
        if (s->trace)
                return trace_work_s(s->trace, iteration, apprank);
        return (double)taskgraph_part(s->graph, iteration, apprank)->work_ns * 1e-9;
}

/* Adds what each apprank does in iteration i to total_s[]; its max / mean, or 0 without work. */
static double add_iteration(const struct source *s, int32_t i, double *total_s, int32_t n)
{
        double most_s = 0, sum_s = 0;
        for (int32_t a = 0; a < n; a++) {
                double its_s = work_s(s, i, a);
                total_s[a] += its_s;
                sum_s += its_s;
                most_s = fmax(most_s, its_s);
        }
        return sum_s > 0 ? most_s * n / sum_s : 0;
}

static void measure(const struct source *s, struct gain_program *program, double *total_s)
{
        double sum = 0, all_s = 0, most_s = 0;
        int32_t working = 0;
        for (int32_t i = 0; i < program->niteration; i++) {
                double imbalance = add_iteration(s, i, total_s, program->napprank);
                sum += imbalance;
                working += imbalance > 0;
        }
        for (int32_t a = 0; a < program->napprank; a++) {
                all_s += total_s[a];
                most_s = fmax(most_s, total_s[a]);
        }
        double tasks =
            s->trace ? trace_all_tasks(s->trace, program->niteration) : taskgraph_ntask(s->graph);
        program->imbalance_iteration = sum / working;
        program->imbalance_total = most_s * program->napprank / all_s;
        program->iteration_s = all_s / program->niteration / program->nnode / program->cores;
        program->tasks = tasks / program->niteration / program->napprank;
}

/* Of each iteration the work over all cores or the longest chain, mean. */
static double bound_of_tasks(const struct source *s, const struct gain_program *program)
{
        double sum_s = 0;
        for (int32_t i = 0; i < program->niteration; i++) {
                double all_s = 0, path_s = (double)taskgraph_path_ns(s->graph, i) * 1e-9;
                for (int32_t a = 0; a < program->napprank; a++)
                        all_s += work_s(s, i, a);
                sum_s += fmax(all_s / program->nnode / program->cores, path_s);
        }
        return sum_s / program->niteration;
}

/* One task for everything is what programs without tasks are given. */
static bool has_tasks(const struct trace *trace)
{
        bool several = false;
        for (int32_t i = 0; i < trace_niteration(trace) && !several; i++)
                for (int32_t a = 0; a < trace_napprank(trace) && !several; a++)
                        several = trace_tasks(trace, i, a) > 1;
        return several && trace_has_tasks(trace);
}

static int fill(struct gain_program *program, const struct source *s, struct lb_error *err)
{
        double *total_s = calloc((size_t)program->napprank, sizeof(*total_s));
        if (!total_s)
                return lb_error_fail(err, "out of memory");
        program->nnode = program->napprank / program->appranks_per_node;
        measure(s, program, total_s);
        free(total_s);
        return 0;
}

static int fill_loads(struct gain_program *program, const struct source *s, struct lb_error *err)
{
        int32_t per_node = program->appranks_per_node;
        program->napprank = trace_napprank(s->trace);
        program->niteration = trace_niteration(s->trace);
        if (program->napprank % per_node != 0)
                return lb_error_set(err,
                                    "--appranks-per-node %" PRId32 ": %s has %" PRId32
                                    " appranks, which is no multiple of it",
                                    per_node, program->file, program->napprank);
        if (!program->division && has_tasks(s->trace))
                program->division = GAIN_MEASURED;
        return fill(program, s, err);
}

/* An apprank without tasks has no lines: what is missing to a whole node are such. */
static int fill_tasks(struct gain_program *program, const struct source *s, struct lb_error *err)
{
        int32_t per_node = program->appranks_per_node;
        int32_t nnode = (taskgraph_napprank(s->graph) + per_node - 1) / per_node;
        if (program->division)
                return lb_error_set(err,
                                    "--serial, --threads and --tasks: '%.300s' says what tasks "
                                    "there are, allowed are loads",
                                    program->file);
        program->napprank = nnode * per_node;
        program->niteration = taskgraph_niteration(s->graph);
        program->division = GAIN_MEASURED;
        if (fill(program, s, err) < 0)
                return -1;
        program->iteration_s = bound_of_tasks(s, program);
        return 0;
}

int gain_program_read(struct gain_program *program, struct lb_error *err)
{
        struct source s = { NULL, NULL };
        program->ordered = taskgraph_is_file(program->file);
        if (program->ordered)
                s.graph = taskgraph_read(program->file, err);
        else
                s.trace = trace_read(program->file, err);
        if (!s.graph && !s.trace)
                return -1;
        int status = (program->ordered ? fill_tasks : fill_loads)(program, &s, err);
        taskgraph_destroy(s.graph);
        trace_destroy(s.trace);
        return status;
}
