/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/figure.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "models/workload.h"

extern char **environ;

/* What a figure needs to know of a point. */
struct figure_row {
        int64_t point;
        int32_t nodes, degree;
        double imbalance;
        const char *system;
        bool lewi, drom, slow_least;
        double time_s, optimal_s; /* means over replicates */
};

struct figure_rows {
        int64_t nrow;
        struct figure_row *row; /* [nrow], sorted by nodes, degree, imbalance */
};

/* One figure: which rows it takes, and how its data file is written. */
struct figure_type {
        const char *name; /* choice of output.figure, script plots/NAME.gp */
        bool by_system;   /* one figure for each system that offloads */
        bool needs_series;
        void (*write)(FILE *out, const struct sweep *sweep, const struct figure_rows *rows,
                      const char *system);
};

static bool has_system(const struct figure_rows *rows, const char *system)
{
        for (int64_t i = 0; i < rows->nrow; i++)
                if (strcmp(rows->row[i].system, system) == 0)
                        return true;
        return false;
}

/* Is the row not of this system's figure? The line of degree 1 is the baseline's where it was run.
 */
static bool off(const struct figure_rows *rows, const struct figure_row *row, const char *system)
{
        if (!system_find(row->system)->offloads)
                return strcmp(row->system, "baseline") != 0;
        return strcmp(row->system, system) != 0 ||
               (row->degree == 1 && has_system(rows, "baseline"));
}

static void write_imbalance(FILE *out, const struct sweep *sweep, const struct figure_rows *rows,
                            const char *system)
{
        (void)sweep;
        fprintf(out, "# nodes degree imbalance time_s optimal_s\n");
        for (int64_t i = 0; i < rows->nrow; i++) {
                const struct figure_row *r = &rows->row[i];
                if (!off(rows, r, system))
                        fprintf(out, "%d %d %.6g %.6g %.6g\n", r->nodes, r->degree, r->imbalance,
                                r->time_s, r->optimal_s);
        }
}

/* Imbalance grows to the left where the slow node has least work, to the right where it has most.
 */
static void write_slow_node(FILE *out, const struct sweep *sweep, const struct figure_rows *rows,
                            const char *system)
{
        (void)sweep;
        fprintf(out, "# nodes degree x time_s optimal_s (x: imbalance - 1, negative where the slow "
                     "node has least work)\n");
        for (int pass = 0; pass < 2; pass++) {
                for (int64_t i = 0; i < rows->nrow; i++) {
                        const struct figure_row *r = &rows->row[pass == 0 ? rows->nrow - 1 - i : i];
                        double x = (r->imbalance - 1) * (r->slow_least ? -1 : 1);
                        if (!off(rows, r, system) && r->slow_least == (pass == 0))
                                fprintf(out, "%d %d %.6g %.6g %.6g\n", r->nodes, r->degree, x,
                                        r->time_s, r->optimal_s);
                }
        }
}

static const char *switches(const struct figure_row *r)
{
        static const char *const words[] = { "neither", "LeWI", "DROM", "LeWI + DROM" };
        return words[(r->drom ? 2 : 0) + (r->lewi ? 1 : 0)];
}

/* One block per point, titled: "NODES IMBALANCE SYSTEM, SWITCHES". */
static void write_convergence(FILE *out, const struct sweep *sweep, const struct figure_rows *rows,
                              const char *system)
{
        (void)system;
        for (int64_t i = 0; i < rows->nrow; i++) {
                const struct figure_row *r = &rows->row[i];
                const struct sim_result *result =
                    &sweep->result[r->point * sweep->scenario->replicates];
                const struct sim_series *series = &result->series;
                fprintf(out, "%s\"%d %.3g|%s, %s\"\n", i ? "\n\n" : "", r->nodes, r->imbalance,
                        r->system, switches(r));
                for (int32_t s = 0; s < series->nsample; s++)
                        fprintf(out, "%.6g %.6g\n", (s + 1) * series->interval_s,
                                series->node_imbalance[s]);
        }
}

static const struct figure_type figure_types[] = {
        { "none", false, false, NULL },
        { "imbalance_sweep", true, false, write_imbalance },
        { "slow_node", true, false, write_slow_node },
        { "convergence", false, true, write_convergence },
};

static int fill_row(const struct scenario *scenario, int64_t point, struct figure_row *row,
                    struct lb_error *err)
{
        struct scenario_point config;
        if (scenario_point_get(scenario, point, &config, err) < 0)
                return -1;
        const double *workload = config.value[SECTION_WORKLOAD];
        const struct lb_param *slow = &scenario_section_table(SECTION_WORKLOAD)[WORKLOAD_SLOW];
        *row = (struct figure_row){
                .point = point,
                .nodes = (int32_t)config.value[SECTION_PLATFORM][PLATFORM_NODES],
                .degree = config.degree,
                .imbalance = workload[WORKLOAD_IMBALANCE],
                .system = config.system->name,
                .lewi = config.lewi,
                .drom = config.drom,
                .slow_least = lb_param_choice(slow, "least") == (int)workload[WORKLOAD_SLOW],
        };
        scenario_point_finish(&config);
        return 0;
}

static double mean(const struct sweep *sweep, int64_t point, enum sim_metric metric)
{
        int32_t n = sweep->scenario->replicates;
        double sum = 0;
        for (int32_t r = 0; r < n; r++)
                sum += sweep->result[point * n + r].metric[metric];
        return sum / n;
}

static int by_place(const void *a, const void *b)
{
        const struct figure_row *x = a, *y = b;
        if (x->nodes != y->nodes)
                return x->nodes < y->nodes ? -1 : 1;
        if (x->degree != y->degree)
                return x->degree < y->degree ? -1 : 1;
        if (x->imbalance < y->imbalance || x->imbalance > y->imbalance)
                return x->imbalance < y->imbalance ? -1 : 1;
        return x->point < y->point ? -1 : x->point > y->point;
}

/* Rows of all points, without results where sweep is NULL. */
static int rows_init(struct figure_rows *rows, const struct scenario *scenario,
                     const struct sweep *sweep, struct lb_error *err)
{
        rows->nrow = scenario->npoint;
        rows->row = calloc((size_t)rows->nrow + 1, sizeof(*rows->row));
        if (!rows->row)
                return lb_error_fail(err, "out of memory for the figure");
        for (int64_t p = 0; p < rows->nrow; p++) {
                if (fill_row(scenario, p, &rows->row[p], err) < 0) {
                        free(rows->row);
                        return -1;
                }
                if (sweep) {
                        rows->row[p].time_s = mean(sweep, p, METRIC_TIME_PER_ITERATION_S);
                        rows->row[p].optimal_s = mean(sweep, p, METRIC_OPTIMAL_S);
                }
        }
        qsort(rows->row, (size_t)rows->nrow, sizeof(*rows->row), by_place);
        return 0;
}

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
        lb_error_set(err, "/output/figure: '%s' is not drawn by this program", name);
        return NULL;
}

/* Two points that a figure of lines over imbalance could not tell apart. */
static bool same_place(const struct figure_row *a, const struct figure_row *b)
{
        return a->nodes == b->nodes && a->degree == b->degree && a->slow_least == b->slow_least &&
               !(a->imbalance < b->imbalance) && !(a->imbalance > b->imbalance) &&
               strcmp(a->system, b->system) == 0;
}

int figure_check(const struct scenario *scenario, struct lb_error *err)
{
        bool series;
        const struct figure_type *type = figure_of(scenario, &series, err);
        if (!type)
                return -1;
        if (type->needs_series && !series)
                return lb_error_set(err,
                                    "%s: figure '%s' draws time series: output.series_s must "
                                    "be above 0",
                                    scenario->json.file, type->name);
        if (!type->by_system)
                return 0;
        struct figure_rows rows;
        if (rows_init(&rows, scenario, NULL, err) < 0)
                return -1;
        int status = 0;
        for (int64_t i = 0; i < rows.nrow && status == 0; i++)
                for (int64_t j = i + 1; j < rows.nrow && rows.row[j].nodes == rows.row[i].nodes &&
                                        rows.row[j].degree == rows.row[i].degree;
                     j++)
                        if (same_place(&rows.row[i], &rows.row[j]))
                                status = -1;
        free(rows.row);
        return status == 0 ? 0
                           : lb_error_set(err,
                                          "%s: figure '%s' has one line per node count, degree "
                                          "and system: nothing else may be swept (set "
                                          "output.figure to none)",
                                          scenario->json.file, type->name);
}

/* The script: $LBSIM_DATA/plots, where it was installed, where it was built from. NULL: nowhere. */
static const char *find_script(const char *name, char *path, size_t size)
{
        const char *const places[] = { getenv("LBSIM_DATA"), LB_DATA_DIR, LB_SOURCE_DIR };
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
                if (!places[i])
                        continue;
                snprintf(path, size, "%s/plots/%s.gp", places[i], name);
                if (access(path, R_OK) == 0)
                        return path;
        }
        return NULL;
}

/* What a failed gnuplot had to say. */
static void show_messages(FILE *messages, FILE *notes)
{
        char line[512];
        rewind(messages);
        while (fgets(line, sizeof(line), messages))
                fputs(line, notes);
}

static int wait_for(pid_t child)
{
        int status;
        while (waitpid(child, &status, 0) < 0)
                if (errno != EINTR)
                        return -1;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
                return 1;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* Run gnuplot; 0 done, 1 there is none, -1 it failed, and said why. */
static int gnuplot(const char *script, const char *settings, FILE *notes)
{
        char *const argv[] = { (char[]){ "gnuplot" }, (char[]){ "-e" }, (char *)(uintptr_t)settings,
                               (char *)(uintptr_t)script, NULL };
        FILE *messages = tmpfile();
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        if (messages)
                posix_spawn_file_actions_adddup2(&actions, fileno(messages), STDERR_FILENO);
        pid_t child;
        int status = posix_spawnp(&child, "gnuplot", &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
        status = status == 0 ? wait_for(child) : 1;
        if (messages && status < 0)
                show_messages(messages, notes);
        if (messages)
                fclose(messages);
        return status;
}

static void draw(const char *name, const char *base, const char *title, const char *directory,
                 FILE *notes)
{
        static const char *const terminals[] = { "svg", "png" };
        char script[4096], settings[9000], output[4096];
        if (!find_script(name, script, sizeof(script))) {
                fprintf(notes, "note: %s.gp was not found: no figure ($LBSIM_DATA/plots)\n", name);
                return;
        }
        for (int i = 0; i < 2; i++) {
                snprintf(output, sizeof(output), "%s/%s.%s", directory, base, terminals[i]);
                snprintf(settings, sizeof(settings),
                         "data='%s/%s.dat'; output='%s'; kind='%s'; what='%s'", directory, base,
                         output, terminals[i], title);
                int status = gnuplot(script, settings, notes);
                if (status == 1) {
                        fprintf(notes, "note: gnuplot is not installed: no figure\n");
                        return;
                }
                if (status < 0)
                        fprintf(notes, "warning: gnuplot could not draw %s\n", output);
                else
                        fprintf(notes, "%s\n", output);
        }
}

static int one_figure(const struct figure_type *type, const struct sweep *sweep,
                      const struct figure_rows *rows, const char *system, const char *directory,
                      FILE *notes, struct lb_error *err)
{
        char base[128], path[4096];
        snprintf(base, sizeof(base), "%s%s%s", type->name, system[0] ? "_" : "", system);
        snprintf(path, sizeof(path), "%s/%s.dat", directory, base);
        struct lb_file file;
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        type->write(file.stream, sweep, rows, system);
        if (lb_file_commit(&file, err) < 0)
                return -1;
        draw(type->name, base, system[0] ? system : sweep->scenario->name, directory, notes);
        return 0;
}

static int draw_systems(const struct figure_type *type, const struct sweep *sweep,
                        const struct figure_rows *rows, const char *directory, FILE *notes,
                        struct lb_error *err)
{
        for (const struct system_type *s = system_types; s->name; s++)
                if (s->offloads && has_system(rows, s->name) &&
                    one_figure(type, sweep, rows, s->name, directory, notes, err) < 0)
                        return -1;
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
        if (strpbrk(directory, "'\\\n")) {
                fprintf(notes, "note: no figure: the directory's name has a quote in it\n");
                return 0;
        }
        struct figure_rows rows;
        if (rows_init(&rows, sweep->scenario, sweep, err) < 0)
                return -1;
        int status = type->by_system ? draw_systems(type, sweep, &rows, directory, notes, err)
                                     : one_figure(type, sweep, &rows, "", directory, notes, err);
        free(rows.row);
        return status;
}
