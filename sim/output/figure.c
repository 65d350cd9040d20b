/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/figure.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sim/output/figure_gnuplot.h"
#include "sim/output/figure_impl.h"

/* One figure: what it needs, and how its data file is written. */
struct figure_type {
        const char *name; /* choice of output.figure, script plots/NAME.gp */
        const char *axis; /* a path that must be swept, and then there is one figure for each system
                             that offloads; or NULL */
        bool names_model; /* in the title */
        bool needs_slow, needs_series, needs_graphs;
        bool (*same_place)(const struct figure_row *a, const struct figure_row *b);
        const char *place; /* what tells its points apart */
        bool (*refuse)(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                       size_t size); /* further conditions, or NULL */
        void (*write)(FILE *out, const struct figure_input *input);
        void (*remark)(FILE *notes, const struct figure_input *input); /* in words; or NULL */
};

/* ---- Which points fall on the same place ---- */

static bool same_on_line(const struct figure_row *a, const struct figure_row *b)
{
        return a->degree == b->degree && a->slow_least == b->slow_least &&
               strcmp(a->system, b->system) == 0;
}

static bool same_label(const struct figure_row *a, const struct figure_row *b)
{
        return a->lewi == b->lewi && a->drom == b->drom && strcmp(a->system, b->system) == 0;
}

/* How long the global policy's memory must be: time over its length, a line per kind. */
static void write_estimator(FILE *out, const struct figure_input *input)
{
        const struct figure_rows *rows = input->rows;
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

static bool same_scale(const struct figure_row *a, const struct figure_row *b)
{
        return a->degree == b->degree && a->appranks_per_node == b->appranks_per_node &&
               strcmp(a->system, b->system) == 0;
}

static bool never_same(const struct figure_row *a, const struct figure_row *b)
{
        (void)a;
        (void)b;
        return false;
}

static const struct figure_type figure_types[] = {
        { .name = "none" },
        { .name = "imbalance_sweep",
          .axis = "workload.imbalance",
          .same_place = same_on_line,
          .place = "node count, imbalance, degree and system",
          .write = figure_write_imbalance },
        { .name = "slow_node",
          .axis = "workload.imbalance",
          .needs_slow = true,
          .same_place = same_on_line,
          .place = "node count, imbalance, work of the slow node, degree and system",
          .write = figure_write_slow_node },
        { .name = "convergence",
          .needs_series = true,
          .same_place = same_label,
          .place = "node count, imbalance, system and its switches",
          .write = figure_write_convergence },
        { .name = "estimator",
          .same_place = same_average,
          .place = "node count, kind and length of the average",
          .write = write_estimator },
        { .name = "weak_scaling",
          .axis = "platform.nodes",
          .names_model = true,
          .same_place = same_scale,
          .place = "node count, appranks per node, degree and system",
          .write = figure_write_weak_scaling },
        { .name = "cores",
          .needs_series = true,
          .needs_graphs = true,
          .same_place = same_label,
          .place = "system and its switches",
          .refuse = figure_refuse_cores,
          .write = figure_write_cores },
        { .name = "tornado",
          .same_place = never_same,
          .place = "what differs from the first",
          .refuse = figure_refuse_tornado,
          .write = figure_write_tornado },
        { .name = "speedup",
          .same_place = never_same,
          .place = "the values of sweep",
          .refuse = figure_refuse_speedup,
          .write = figure_write_speedup },
        { .name = "migration",
          .names_model = true,
          .same_place = never_same,
          .place = "all that is swept",
          .refuse = figure_refuse_migration,
          .write = figure_write_migration },
        { .name = "systems",
          .same_place = never_same,
          .place = "workload and system",
          .refuse = figure_refuse_systems,
          .write = figure_write_systems,
          .remark = figure_remark_systems },
        { .name = "packing",
          .names_model = true,
          .same_place = never_same,
          .place = "node count and what else is swept",
          .write = figure_write_packing },
        { .name = "spreading",
          .same_place = never_same,
          .place = "the values of sweep",
          .refuse = figure_refuse_spreading,
          .write = figure_write_spreading },
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
        char why[512];
        snprintf(why, sizeof(why), "%s is not in sweep", type->axis ? type->axis : "");
        if (type->axis && !sweeps(scenario, type->axis))
                return cannot(scenario, type, why, err);
        struct figure_rows rows;
        if (figure_rows_init(&rows, scenario, NULL, err) < 0)
                return -1;
        int status = check_places(scenario, type, &rows, err);
        if (status == 0 && type->refuse && type->refuse(scenario, &rows, why, sizeof(why)))
                status = cannot(scenario, type, why, err);
        figure_rows_finish(&rows);
        return status;
}

/* ---- Drawing ---- */

/* DIR/FIGURE.dat or DIR/FIGURE_SYSTEM.dat. */
static int write_data(const struct figure_type *type, const struct figure_input *input,
                      const char *directory, const char *name, struct lb_error *err)
{
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
        type->write(file.stream, input);
        return lb_file_commit(&file, err);
}

static int draw_one(const struct figure_type *type, const struct figure_input *input,
                    const char *directory, FILE *notes, struct lb_error *err)
{
        char name[128], words[128];
        const char *model = type->names_model ? input->rows->row[0].model : "";
        snprintf(name, sizeof(name), "%s%s%s", type->name, input->system[0] ? "_" : "",
                 input->system);
        snprintf(words, sizeof(words), "%s%s%s", model, model[0] ? " " : "", input->system);
        if (write_data(type, input, directory, name, err) < 0)
                return -1;
        struct gnuplot_job job = {
                .script = type->name,
                .directory = directory,
                .file = name,
                .word = words,
        };
        gnuplot_draw(&job, notes);
        if (type->remark)
                type->remark(notes, input);
        return 0;
}

static int draw_systems(const struct figure_type *type, struct figure_input *input,
                        const char *directory, FILE *notes, struct lb_error *err)
{
        bool any = false;
        for (int i = 0; system_at(i); i++) {
                const struct system_type *s = system_at(i);
                if (!s->offloads || !figure_rows_have(input->rows, s->name))
                        continue;
                any = true;
                input->system = s->name;
                if (draw_one(type, input, directory, notes, err) < 0)
                        return -1;
        }
        if (!any)
                fprintf(notes, "note: no figure: no system of the sweep offloads\n");
        return 0;
}

static int draw(const struct figure_type *type, struct figure_input *input, const char *directory,
                FILE *notes, struct lb_error *err)
{
        struct point_graphs *graphs = NULL;
        if (type->needs_graphs) {
                graphs = point_graphs_create(input->sweep->scenario, err);
                if (!graphs)
                        return -1;
        }
        input->graphs = graphs;
        int status = type->axis ? draw_systems(type, input, directory, notes, err)
                                : draw_one(type, input, directory, notes, err);
        point_graphs_destroy(graphs);
        return status;
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
        struct figure_marks marks;
        struct lb_error unknown;
        if (figure_marks_init(&marks, sweep->scenario, &unknown) < 0)
                fprintf(notes, "note: nothing published in the figure: %s\n", unknown.text);
        struct figure_input input = {
                .sweep = sweep, .rows = &rows, .marks = &marks, .system = ""
        };
        int status = draw(type, &input, directory, notes, err);
        figure_marks_finish(&marks);
        figure_rows_finish(&rows);
        return status;
}
