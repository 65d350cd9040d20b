/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who uses and who owns the cores of every node over time, as Figures 5 and 9 of
 * ICPP'22: a block of data per point, of its first replicate.
 */
#include <stdlib.h>

#include "sim/output/figure_impl.h"
#include "sim/scenario/shared.h"

enum { NODE_MAX = 8, APPRANK_MAX = 16 };

static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        (void)scenario;
        for (int64_t i = 0; i < rows->nrow; i++) {
                const struct figure_row *r = &rows->row[i];
                int32_t napprank = r->nodes * r->appranks_per_node;
                if (r->nodes <= NODE_MAX && napprank <= APPRANK_MAX)
                        continue;
                snprintf(why, size, "it has room for %d nodes and %d appranks, not for %d and %d",
                         NODE_MAX, APPRANK_MAX, r->nodes, napprank);
                return true;
        }
        return false;
}

/* Cores of every apprank on every node in one sample, each with those of the appranks before it. */
static void write_stacked(FILE *out, const struct graph *graph, const double *of_edge)
{
        for (int32_t n = 0; n < graph->nnode; n++) {
                double of_apprank[APPRANK_MAX] = { 0 }, sum = 0;
                for (int32_t k = graph->node_first[n]; k < graph->node_first[n + 1]; k++) {
                        int32_t edge = graph->node_edge[k];
                        of_apprank[graph->edge_apprank[edge]] += of_edge[edge];
                }
                for (int32_t a = 0; a < graph->napprank; a++) {
                        sum += of_apprank[a];
                        fprintf(out, " %.4g", sum);
                }
        }
}

static void write_sample(FILE *out, const struct graph *graph, const struct sim_series *series,
                         int32_t sample)
{
        double cores[NODE_MAX * APPRANK_MAX * NODE_MAX];
        size_t row = (size_t)sample * (size_t)series->nworker;
        fprintf(out, "%.6g", (sample + 1) * series->interval_s);
        for (int32_t e = 0; e < series->nworker; e++)
                cores[e] = series->busy_cores[row + (size_t)e];
        write_stacked(out, graph, cores);
        for (int32_t e = 0; e < series->nworker; e++)
                cores[e] = series->owned_cores[row + (size_t)e];
        write_stacked(out, graph, cores);
        fputc('\n', out);
}

/* What was published of a run's length relative to another's of the figure, into *end_s. */
static bool published_end(const struct figure_input *input, const struct figure_row *row,
                          double *end_s)
{
        for (int32_t i = 0; i < input->marks->nmark; i++) {
                const struct figure_mark *mark = &input->marks->mark[i];
                const struct figure_row *reference =
                    mark->against.nrow == 1 ? figure_rows_find(input->rows, &mark->against.row[0])
                                            : NULL;
                if (!reference || mark->row->metric != METRIC_TOTAL_S ||
                    mark->row->as != AS_RATIO || mark->row->claim != CLAIM_ABOUT ||
                    !figure_rows_find(&mark->at, row))
                        continue;
                int64_t run = sweep_place(input->sweep, reference->point, 0);
                *end_s = mark->row->value * input->sweep->result[run].metric[METRIC_TOTAL_S];
                return true;
        }
        return false;
}

/* "NODES APPRANKS CORES|SYSTEM[, SWITCHES]|PUBLISHED_END_S", the last where it is known. */
static void write_head(FILE *out, const struct figure_input *input, const struct figure_row *r,
                       int32_t napprank)
{
        double end_s;
        const struct system_type *system = system_find(r->system);
        bool switched = !system || system->lewi || system->drom; /* a plugin's may be */
        fprintf(out, "\"%d %d %d|%s%s%s", r->nodes, napprank, r->cores, r->system,
                switched ? ", " : "", switched ? figure_switches(r) : "");
        if (published_end(input, r, &end_s))
                fprintf(out, "|%.6g", end_s);
        fputs("\"\n", out);
}

/* Rows: time, busy[node][apprank], owned[node][apprank], both summed over the appranks so far. */
static void write_data(FILE *out, const struct figure_input *input)
{
        for (int64_t i = 0; i < input->rows->nrow; i++) {
                const struct figure_row *r = &input->rows->row[i];
                const struct sim_series *series =
                    &input->sweep->result[sweep_place(input->sweep, r->point, 0)].series;
                const struct graph *graph =
                    series->graph ? series->graph : shared_graph_made(input->graphs, r->point);
                fputs(i ? "\n\n" : "", out);
                write_head(out, input, r, graph->napprank);
                for (int32_t s = 0; s < series->nsample; s++)
                        write_sample(out, graph, series, s);
        }
}

const struct figure_type figure_cores = {
        .name = "cores",
        .needs_series = true,
        .needs_graphs = true,
        .same_place = figure_same_label,
        .place = "node count, system and its switches",
        .refuse = refuse,
        .write = write_data,
};
