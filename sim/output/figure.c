/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/figure.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sim/output/figure_gnuplot.h"
#include "sim/output/figure_impl.h"
#include "sim/scenario/figures.h"
#include "sim/scenario/shared.h"

const char *const figure_sizes[] = { "two", "one", NULL };

static const struct figure_type no_figure = { .name = "none" };
static const struct figure_type *const figure_types[] = { &no_figure,
#define ENTRY(name) &figure_##name,
                                                          FIGURES(ENTRY) NULL };

/* ---- Which points fall on the same place ---- */

bool figure_same_label(const struct figure_row *a, const struct figure_row *b)
{
        return a->lewi == b->lewi && a->drom == b->drom && strcmp(a->system, b->system) == 0;
}

bool figure_same_imbalance(const struct figure_row *a, const struct figure_row *b)
{
        return !(a->imbalance < b->imbalance) && !(a->imbalance > b->imbalance);
}

/* ---- Checking ---- */

static const struct figure_type *figure_named(const char *name, struct lb_error *err)
{
        size_t count = 0;
        const char *names[64];
        for (; figure_types[count]; count++) {
                if (strcmp(figure_types[count]->name, name) == 0)
                        return figure_types[count];
                names[count] = figure_types[count]->name;
        }
        const char *near = lb_nearest_name(name, names, count);
        if (near) {
                (void)lb_error_set(err, "there is no figure '%.60s'; did you mean '%s'?", name,
                                   near);
                return NULL;
        }
        char text[512];
        lb_list_names(names, count, text, sizeof(text));
        (void)lb_error_set(err, "there is no figure '%.60s', allowed is one of %s", name, text);
        return NULL;
}

/* The figure that is asked for, and whether there will be time series. */
static const struct figure_type *figure_of(const struct scenario *scenario, const char *name,
                                           bool *series, struct lb_error *err)
{
        struct scenario_point config;
        if (scenario_point_get(scenario, 0, &config, err) < 0)
                return NULL;
        const double *output = config.value[SECTION_OUTPUT];
        int choice = (int)output[OUTPUT_FIGURE];
        *series = output[OUTPUT_SERIES_S] > 0;
        scenario_point_finish(&config);
        return name ? figure_named(name, err) : figure_types[choice];
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

/* No two rows on the same place. They are sorted by nodes. */
static int check_places(const struct scenario *scenario, const struct figure_type *type,
                        const struct figure_rows *rows, struct lb_error *err)
{
        for (int64_t i = 0; i < rows->nrow; i++) {
                const struct figure_row *a = &rows->row[i];
                for (int64_t j = i + 1; j < rows->nrow; j++) {
                        const struct figure_row *b = &rows->row[j];
                        if (a->nodes != b->nodes)
                                break;
                        if (type->same_place && type->same_place(a, b))
                                return refuse_same(scenario, type, a->point, b->point, err);
                }
                if (type->needs_slow && !a->slow)
                        return cannot(scenario, type,
                                      "workload.slow is none, must be most or least", err);
        }
        return 0;
}

int figure_check(const struct scenario *scenario, const char *name, struct lb_error *err)
{
        bool series;
        const struct figure_type *type = figure_of(scenario, name, &series, err);
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

/* What all rows have; "" where it is swept. */
static const char *model_of(const struct figure_rows *rows)
{
        for (int64_t i = 1; i < rows->nrow; i++)
                if (strcmp(rows->row[i].model, rows->row[0].model) != 0)
                        return "";
        return rows->row[0].model;
}

static int draw_one(const struct figure_type *type, const struct figure_input *input,
                    const char *directory, FILE *notes, struct lb_error *err)
{
        char name[128], words[FIGURE_ABOUT_SIZE];
        const char *model = type->names_model ? model_of(input->rows) : "";
        snprintf(name, sizeof(name), "%s%s%s", type->name, input->system[0] ? "_" : "",
                 input->system);
        snprintf(words, sizeof(words), "%s%s%s", model, model[0] ? " " : "", input->system);
        if (type->about)
                type->about(input, words);
        if (write_data(type, input, directory, name, err) < 0)
                return -1;
        struct gnuplot_job job = {
                .script = type->script ? type->script : type->name,
                .directory = directory,
                .file = name,
                .word = words,
                .size = figure_sizes[input->size],
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
        struct point_shared *graphs = NULL;
        if (type->needs_graphs) {
                graphs = point_shared_create(input->sweep->scenario, err);
                if (!graphs || shared_graphs_all(graphs, err) < 0) {
                        point_shared_destroy(graphs);
                        return -1;
                }
        }
        input->graphs = graphs;
        int status = type->axis ? draw_systems(type, input, directory, notes, err)
                                : draw_one(type, input, directory, notes, err);
        point_shared_destroy(graphs);
        return status;
}

/* Has every run that is drawn, a point's first, a sample? */
static bool has_samples(const struct sweep *sweep)
{
        for (int64_t p = 0; p < sweep->scenario->npoint; p++)
                if (sweep->result[sweep_place(sweep, p, 0)].series.nsample == 0)
                        return false;
        return true;
}

int figure_draw(const struct sweep *sweep, const struct figure_order *order, const char *directory,
                FILE *notes, struct lb_error *err)
{
        bool series;
        const struct figure_type *type = figure_of(sweep->scenario, order->name, &series, err);
        if (!type)
                return -1;
        if (!type->write)
                return 0;
        if (type->needs_series && !has_samples(sweep)) {
                fprintf(notes, "note: no figure: a run ended before output.series_s\n");
                return 0;
        }
        struct figure_rows rows;
        if (figure_rows_init(&rows, sweep->scenario, sweep, err) < 0)
                return -1;
        struct figure_marks marks;
        struct lb_error unknown;
        if (figure_marks_init(&marks, sweep->scenario, &unknown) < 0)
                fprintf(notes, "note: nothing published in the figure: %s\n", unknown.text);
        struct figure_input input = {
                .sweep = sweep, .rows = &rows, .marks = &marks, .system = "", .size = order->size
        };
        int status = draw(type, &input, directory, notes, err);
        figure_marks_finish(&marks);
        figure_rows_finish(&rows);
        return status;
}

void figure_verdict(const struct scenario *scenario, const char *directory,
                    char text[static FIGURE_VERDICT_SIZE])
{
        char path[4096];
        bool series;
        struct lb_error none;
        const struct figure_type *type = figure_of(scenario, NULL, &series, &none);
        text[0] = '\0';
        if (!type || !type->verdict ||
            snprintf(path, sizeof(path), "%s/%s.dat", directory, type->name) >= (int)sizeof(path))
                return;
        FILE *data = fopen(path, "re");
        if (!data)
                return;
        type->verdict(data, text);
        fclose(data);
}
