/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/results.h"
#include "sim/scenario/shared.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { DIGITS = 4, NAMES_MAX = 256 };

const char *results_version(void)
{
        return LB_VERSION;
}

/* ---- Columns ---- */

/* Names of columns: the swept paths, then what is added. */
struct names {
        const char *name[NAMES_MAX];
        int32_t count;
};

static void add_name(struct names *names, const char *name)
{
        if (names->count < NAMES_MAX)
                names->name[names->count++] = name;
}

static struct names swept_names(const struct scenario *scenario)
{
        struct names names = { .count = 0 };
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++)
                add_name(&names, scenario_column(scenario, c));
        return names;
}

static struct table *make_table(const struct names *names)
{
        return table_create(names->count, names->name);
}

static void put_count(struct table *table, uint64_t count)
{
        char text[24];
        snprintf(text, sizeof(text), "%" PRIu64, count);
        table_text(table, text);
}

/* Start a row of a point: its swept values. */
static void put_point(struct table *table, const struct scenario *scenario, int64_t point)
{
        table_row(table);
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++)
                table_text(table, scenario_point_text(scenario, point, c));
}

static void put_run(struct table *table, const struct scenario *scenario, int64_t point,
                    int32_t replicate)
{
        put_point(table, scenario, point);
        put_count(table, point_seed(scenario, replicate));
}

/* ---- Runs ---- */

struct table *results_runs(const struct sweep *sweep, int64_t first, int64_t end)
{
        struct names names = swept_names(sweep->scenario);
        add_name(&names, "seed");
        for (int m = 0; m < METRIC_COUNT; m++)
                add_name(&names, metric_table[m].name);
        struct table *table = make_table(&names);
        for (int64_t run = first; table && run < end; run++) {
                int32_t replicates = sweep->scenario->replicates;
                sweep_pace(sweep, run);
                if (!sweep->done[run])
                        continue;
                put_run(table, sweep->scenario, run / replicates, (int32_t)(run % replicates));
                for (int m = 0; m < METRIC_COUNT; m++)
                        table_number(table, sweep->result[run].metric[m], DIGITS);
        }
        return table;
}

/* ---- Means over replicates ---- */

/* What a summary shows: how many of the metrics, and of which ones the interval as well. */
struct summary {
        int nmetric;
        const char *interval[METRIC_COUNT]; /* its column's name, or NULL */
        bool replicates;                    /* a column for their number */
};

static struct names summary_names(const struct sweep *sweep, const struct summary *summary)
{
        struct names names = swept_names(sweep->scenario);
        if (summary->replicates)
                add_name(&names, "replicates");
        for (int m = 0; m < summary->nmetric; m++) {
                add_name(&names, metric_table[m].name);
                if (summary->interval[m])
                        add_name(&names, summary->interval[m]);
        }
        return names;
}

static void put_summary(struct table *table, const struct sweep *sweep, int64_t point,
                        const struct summary *summary)
{
        struct sweep_estimate first = sweep_estimate(sweep, point, 0);
        if (first.count == 0)
                return;
        put_point(table, sweep->scenario, point);
        if (summary->replicates)
                table_number(table, first.count, DIGITS);
        for (int m = 0; m < summary->nmetric; m++) {
                struct sweep_estimate e = sweep_estimate(sweep, point, (enum metric)m);
                table_number(table, e.mean, DIGITS);
                if (summary->interval[m])
                        table_number(table, e.half_width, 2);
        }
}

static struct table *summarise(const struct sweep *sweep, const struct summary *summary,
                               int64_t first, int64_t end)
{
        struct names names = summary_names(sweep, summary);
        struct table *table = make_table(&names);
        for (int64_t p = first; table && p < end; p++) {
                put_summary(table, sweep, p, summary);
                sweep_pace_point(sweep, p);
        }
        return table;
}

struct table *results_summary(const struct sweep *sweep, int64_t first, int64_t end)
{
        static const struct summary summary = {
                .nmetric = METRIC_COUNT,
                .replicates = true,
                .interval = { [METRIC_TIME_PER_ITERATION_S] = "time_ci95_s",
                              [METRIC_RATIO_TO_OPTIMAL] = "ratio_ci95" },
        };
        return summarise(sweep, &summary, first, end);
}

struct table *results_overview(const struct sweep *sweep, int64_t first, int64_t end)
{
        struct summary summary = { .nmetric = METRIC_TASKS + 1 };
        if (sweep->scenario->replicates > 1)
                summary.interval[METRIC_TIME_PER_ITERATION_S] = "time_ci95_s";
        return summarise(sweep, &summary, first, end);
}

/* ---- Time series ---- */

static const struct sim_series *series_of(const struct sweep *sweep, int64_t point,
                                          int32_t replicate)
{
        return &sweep->result[sweep_place(sweep, point, replicate)].series;
}

struct table *results_series(const struct sweep *sweep, int64_t point, int32_t replicate)
{
        struct names names = swept_names(sweep->scenario);
        add_name(&names, "seed");
        add_name(&names, "time_s");
        add_name(&names, "node_imbalance");
        struct table *table = make_table(&names);
        const struct sim_series *series = series_of(sweep, point, replicate);
        for (int32_t s = 0; table && s < series->nsample; s++) {
                put_run(table, sweep->scenario, point, replicate);
                table_number(table, (s + 1) * series->interval_s, DIGITS);
                table_number(table, series->node_imbalance[s], DIGITS);
        }
        return table;
}

/* Rows go node by node, the series' arrays by edge of the graph. */
static void put_worker(struct table *table, const struct sim_series *series,
                       const struct graph *graph, int32_t sample, int32_t worker)
{
        int32_t edge = graph->node_edge[worker];
        size_t place = (size_t)sample * (size_t)series->nworker + (size_t)edge;
        table_number(table, (sample + 1) * series->interval_s, DIGITS);
        table_number(table, graph->edge_node[edge], DIGITS);
        table_number(table, graph->edge_apprank[edge], DIGITS);
        table_number(table, worker, DIGITS);
        table_number(table, (double)series->busy_cores[place], DIGITS);
        table_number(table, series->owned_cores[place], DIGITS);
}

struct table *results_workers(const struct sweep *sweep, struct point_shared *graphs, int64_t point,
                              int32_t replicate)
{
        static const char *const added[] = { "seed",   "time_s",     "node",       "apprank",
                                             "worker", "busy_cores", "owned_cores" };
        struct names names = swept_names(sweep->scenario);
        for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++)
                add_name(&names, added[i]);
        struct table *table = make_table(&names);
        const struct sim_series *series = series_of(sweep, point, replicate);
        const struct graph *graph =
            series->graph ? series->graph : shared_graph_made(graphs, point);
        if (!series->busy_cores || !series->owned_cores)
                return table;
        for (int32_t s = 0; table && s < series->nsample; s++)
                for (int32_t w = 0; w < series->nworker; w++) {
                        put_run(table, sweep->scenario, point, replicate);
                        put_worker(table, series, graph, s, w);
                }
        return table;
}
