/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/figure.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sim/figure_gnuplot.h"
#include "sim/figure_rows.h"

/* One figure: what it needs, and how its data file is written. */
struct figure_type {
        const char *name; /* choice of output.figure, script plots/NAME.gp */
        bool by_system;   /* lines over imbalance, one figure for each system that offloads */
        bool needs_slow, needs_series;
        bool (*same_place)(const struct figure_row *a, const struct figure_row *b);
        const char *place; /* what tells its points apart */
        void (*write)(FILE *out, const struct sweep *sweep, const struct figure_rows *rows,
                      const char *system);
};

/* ---- Lines over imbalance ---- */

/* Is the row of this system's figure? The line of degree 1 is the baseline's where that was run. */
static bool belongs(const struct figure_rows *rows, const struct figure_row *row,
                    const char *system)
{
        bool baseline = figure_rows_have(rows, "baseline");
        if (strcmp(row->system, system) == 0)
                return row->degree > 1 || !baseline;
        return strcmp(row->system, "baseline") == 0;
}

static void write_imbalance(FILE *out, const struct sweep *sweep, const struct figure_rows *rows,
                            const char *system)
{
        (void)sweep;
        fprintf(out, "# nodes degree imbalance time_s optimal_s\n");
        for (int64_t i = 0; i < rows->nrow; i++) {
                const struct figure_row *r = &rows->row[i];
                if (belongs(rows, r, system))
                        fprintf(out, "%d %d %.10g %.10g %.10g\n", r->nodes, r->degree, r->imbalance,
                                r->time_s, r->optimal_s);
        }
}

/* To the left where the slow node has least work, to the right where it has most. */
static void write_slow_row(FILE *out, const struct figure_row *r)
{
        double x = (r->imbalance - 1) * (r->slow_least ? -1 : 1);
        fprintf(out, "%d %d %.10g %.10g %.10g\n", r->nodes, r->degree, x, r->time_s, r->optimal_s);
}

static void write_slow_node(FILE *out, const struct sweep *sweep, const struct figure_rows *rows,
                            const char *system)
{
        (void)sweep;
        fprintf(out, "# nodes degree x time_s optimal_s; x is imbalance - 1, negative where the "
                     "slow node has least work\n");
        for (int64_t i = rows->nrow - 1; i >= 0; i--)
                if (rows->row[i].slow_least && belongs(rows, &rows->row[i], system))
                        write_slow_row(out, &rows->row[i]);
        for (int64_t i = 0; i < rows->nrow; i++)
                if (!rows->row[i].slow_least && belongs(rows, &rows->row[i], system))
                        write_slow_row(out, &rows->row[i]);
}

static bool same_on_line(const struct figure_row *a, const struct figure_row *b)
{
        return a->degree == b->degree && a->slow_least == b->slow_least &&
               strcmp(a->system, b->system) == 0;
}

/* ---- Lines over time ---- */

static const char *switches(const struct figure_row *r)
{
        static const char *const words[] = { "neither", "LeWI only", "DROM only", "LeWI and DROM" };
        return words[(r->drom ? 2 : 0) + (r->lewi ? 1 : 0)];
}

/* One block per point, of its first replicate, headed "NODES IMBALANCE|SYSTEM, SWITCHES". */
static void write_convergence(FILE *out, const struct sweep *sweep, const struct figure_rows *rows,
                              const char *system)
{
        (void)system;
        for (int64_t i = 0; i < rows->nrow; i++) {
                const struct figure_row *r = &rows->row[i];
                const struct sim_series *series =
                    &sweep->result[sweep_place(sweep, r->point, 0)].series;
                fprintf(out, "%s\"%d %.4g|%s, %s\"\n", i ? "\n\n" : "", r->nodes, r->imbalance,
                        r->system, switches(r));
                for (int32_t s = 0; s < series->nsample; s++)
                        fprintf(out, "%.10g %.10g\n", (s + 1) * series->interval_s,
                                series->node_imbalance[s]);
        }
}

static bool same_label(const struct figure_row *a, const struct figure_row *b)
{
        return a->lewi == b->lewi && a->drom == b->drom && strcmp(a->system, b->system) == 0;
}

/* How long the global policy's memory must be: time over its length, a line per kind. */
static void write_estimator(FILE *out, const struct sweep *sweep, const struct figure_rows *rows,
                            const char *system)
{
        (void)sweep;
        (void)system;
        fprintf(out, "# nodes kind average_s time_s optimal_s (kind 0: window, 1: exponential)\n");
        for (int64_t i = 0; i < rows->nrow; i++) {
                const struct figure_row *r = &rows->row[i];
                fprintf(out, "%d %d %.6g %.6g %.6g\n", r->nodes, r->average_kind, r->average_s,
                        r->time_s, r->optimal_s);
        }
}

static bool same_average(const struct figure_row *a, const struct figure_row *b)
{
        return a->nodes == b->nodes && a->average_kind == b->average_kind &&
               !(a->average_s < b->average_s) && !(a->average_s > b->average_s);
}

static const struct figure_type figure_types[] = {
        { .name = "none" },
        { .name = "imbalance_sweep",
          .by_system = true,
          .same_place = same_on_line,
          .place = "node count, imbalance, degree and system",
          .write = write_imbalance },
        { .name = "slow_node",
          .by_system = true,
          .needs_slow = true,
          .same_place = same_on_line,
          .place = "node count, imbalance, work of the slow node, degree and system",
          .write = write_slow_node },
        { .name = "convergence",
          .needs_series = true,
          .same_place = same_label,
          .place = "node count, imbalance, system and its switches",
          .write = write_convergence },
        { .name = "estimator",
          .same_place = same_average,
          .place = "node count, kind and length of the average",
          .write = write_estimator },
};

/* ---- Checking ---- */

/* The figure that is asked for, and whether there will be time series. */
static const struct figure_type *figure_of(const struct scenario *scenario, bool *series,
                                           struct lb_error *err)
{
        struct scenario_point config;
        if (scenario_point_get(scenario, 0, &config, err) < 0)
                return NULL;
        const double *output = config.value[SECTION_OUTPUT];
        const char *name = output_params[OUTPUT_FIGURE].choices[(int)output[OUTPUT_FIGURE]];
        *series = output[OUTPUT_SERIES_S] > 0;
        scenario_point_finish(&config);
        for (size_t i = 0; i < sizeof(figure_types) / sizeof(figure_types[0]); i++)
                if (strcmp(figure_types[i].name, name) == 0)
                        return &figure_types[i];
        lb_json_complain(&scenario->json, "/output/figure", err,
                         "'%s' is not drawn by this program", name);
        return NULL;
}

static bool sweeps(const struct scenario *scenario, const char *path)
{
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++)
                if (strcmp(scenario_column(scenario, c), path) == 0)
                        return true;
        return false;
}

static int cannot(const struct scenario *scenario, const struct figure_type *type, const char *why,
                  struct lb_error *err)
{
        return lb_json_complain(&scenario->json, "/output/figure", err,
                                "cannot draw '%s': %s; must be none or another figure (or give "
                                "--no-figure)",
                                type->name, why);
}

/* Name the first swept path that two points on the same place differ in. */
static int refuse_same(const struct scenario *scenario, const struct figure_type *type, int64_t a,
                       int64_t b, struct lb_error *err)
{
        int32_t c = 0;
        while (c + 1 < scenario_ncolumn(scenario) &&
               strcmp(scenario_point_text(scenario, a, c), scenario_point_text(scenario, b, c)) ==
                   0)
                c++;
        char why[512];
        snprintf(why, sizeof(why), "it tells points apart by %s, not by %s", type->place,
                 scenario_ncolumn(scenario) > 0 ? scenario_column(scenario, c) : "anything else");
        return cannot(scenario, type, why, err);
}

/* No two rows on the same place. They are sorted by nodes and imbalance. */
static int check_places(const struct scenario *scenario, const struct figure_type *type,
                        const struct figure_rows *rows, struct lb_error *err)
{
        for (int64_t i = 0; i < rows->nrow; i++) {
                const struct figure_row *a = &rows->row[i];
                for (int64_t j = i + 1; j < rows->nrow; j++) {
                        const struct figure_row *b = &rows->row[j];
                        if (a->nodes != b->nodes || a->imbalance < b->imbalance)
                                break;
                        if (type->same_place(a, b))
                                return refuse_same(scenario, type, a->point, b->point, err);
                }
                if (type->needs_slow && !a->slow)
                        return cannot(scenario, type,
                                      "workload.slow is none, must be most or least", err);
        }
        return 0;
}

int figure_check(const struct scenario *scenario, struct lb_error *err)
{
        bool series;
        const struct figure_type *type = figure_of(scenario, &series, err);
        if (!type)
                return -1;
        if (!type->write)
                return 0;
        if (type->needs_series && !series)
                return cannot(scenario, type, "output.series_s is 0, must be above", err);
        if (type->by_system && !sweeps(scenario, "workload.imbalance"))
                return cannot(scenario, type, "workload.imbalance is not in sweep", err);
        struct figure_rows rows;
        if (figure_rows_init(&rows, scenario, NULL, err) < 0)
                return -1;
        int status = check_places(scenario, type, &rows, err);
        figure_rows_finish(&rows);
        return status;
}

/* ---- Drawing ---- */

static int draw_one(const struct figure_type *type, const struct sweep *sweep,
                    const struct figure_rows *rows, const char *system, const char *directory,
                    FILE *notes, struct lb_error *err)
{
        char name[128];
        snprintf(name, sizeof(name), "%s%s%s", type->name, system[0] ? "_" : "", system);
        size_t size = strlen(directory) + strlen(name) + sizeof("/.dat");
        char *path = malloc(size);
        struct lb_file file;
        if (!path)
                return lb_error_fail(err, "out of memory for the figure");
        snprintf(path, size, "%s/%s.dat", directory, name);
        int status = lb_file_create(&file, path, err);
        free(path);
        if (status < 0)
                return -1;
        type->write(file.stream, sweep, rows, system);
        if (lb_file_commit(&file, err) < 0)
                return -1;
        struct gnuplot_job job = {
                .script = type->name,
                .directory = directory,
                .file = name,
                .word = system,
        };
        gnuplot_draw(&job, notes);
        return 0;
}

static int draw_systems(const struct figure_type *type, const struct sweep *sweep,
                        const struct figure_rows *rows, const char *directory, FILE *notes,
                        struct lb_error *err)
{
        bool any = false;
        for (const struct system_type *s = system_types; s->name; s++) {
                if (!s->offloads || !figure_rows_have(rows, s->name))
                        continue;
                any = true;
                if (draw_one(type, sweep, rows, s->name, directory, notes, err) < 0)
                        return -1;
        }
        if (!any)
                fprintf(notes, "note: no figure: no system of the sweep offloads\n");
        return 0;
}

int figure_draw(const struct sweep *sweep, const char *directory, FILE *notes, struct lb_error *err)
{
        bool series;
        const struct figure_type *type = figure_of(sweep->scenario, &series, err);
        if (!type)
                return -1;
        if (!type->write)
                return 0;
        struct figure_rows rows;
        if (figure_rows_init(&rows, sweep->scenario, sweep, err) < 0)
                return -1;
        int status = type->by_system ? draw_systems(type, sweep, &rows, directory, notes, err)
                                     : draw_one(type, sweep, &rows, "", directory, notes, err);
        figure_rows_finish(&rows);
        return status;
}
