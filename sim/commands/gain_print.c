/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/gain_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "policies/plugged.h"

struct line {
        const struct system_type *system;
        int32_t degree, tasks; /* tasks: 0 where they are as measured */
        const struct gain_runs *runs;
        int64_t point; /* of each of them */
        double time_s; /* of an iteration, mean over replicates */
};

/* Over replicates, with the machine's constants as they are. */
static double mean_of(const struct line *line, enum metric metric)
{
        return sweep_estimate(&line->runs->sweep[GAIN_COSTS_USUAL], line->point, metric).mean;
}

static const struct sim_result *result_of(const struct line *line, int32_t costs, int32_t replicate)
{
        const struct sweep *sweep = &line->runs->sweep[costs];
        return &sweep->result[sweep_place(sweep, line->point, replicate)];
}

static int by_time(const void *a, const void *b)
{
        const struct line *x = a, *y = b;
        if (x->time_s < y->time_s || x->time_s > y->time_s)
                return x->time_s < y->time_s ? -1 : 1;
        return x->degree < y->degree ? -1 : x->degree > y->degree;
}

/* Where the tasks are unknown, numbers of them apart, few first. */
static int by_tasks(const void *a, const void *b)
{
        const struct line *x = a, *y = b;
        return x->tasks != y->tasks ? (x->tasks < y->tasks ? -1 : 1) : by_time(a, b);
}

static int fill_lines(const struct gain_runs *runs, struct line *line, struct lb_error *err)
{
        const struct scenario *scenario = &runs->scenario[GAIN_COSTS_USUAL];
        for (int64_t p = 0; p < scenario->npoint; p++) {
                struct scenario_point config;
                if (scenario_point_get(scenario, p, &config, err) < 0)
                        return -1;
                int32_t tasks = (int32_t)config.value[SECTION_WORKLOAD][WORKLOAD_TRACE_TASKS];
                line[p] = (struct line){ config.system, config.degree, tasks, runs, p, 0 };
                line[p].time_s = mean_of(&line[p], METRIC_TIME_PER_ITERATION_S);
                scenario_point_finish(&config);
        }
        qsort(line, (size_t)scenario->npoint, sizeof(*line), by_tasks);
        return 0;
}

/* The baseline on the same tasks, or NULL. */
static const struct line *baseline_of(const struct line *line, int64_t count, int32_t tasks)
{
        for (int64_t i = 0; i < count; i++)
                if (strcmp(line[i].system->name, "baseline") == 0 && line[i].tasks == tasks)
                        return &line[i];
        return NULL;
}

static double less_percent(const struct line *line, const struct line *baseline)
{
        return baseline ? 100 * (1 - line->time_s / baseline->time_s) : NAN;
}

/* Over all ways in which the machine's constants may be, and all replicates. */
struct range {
        double least, most;
};
static struct range less_range(const struct line *line, const struct line *baseline)
{
        struct range range = { INFINITY, -INFINITY };
        for (int32_t c = 0; c < line->runs->count; c++)
                for (int32_t r = 0; r < line->runs->scenario[c].replicates; r++) {
                        enum metric time = METRIC_TIME_PER_ITERATION_S;
                        double its_s = result_of(line, c, r)->metric[time];
                        double less = 100 * (1 - its_s / result_of(baseline, c, r)->metric[time]);
                        range.least = fmin(range.least, less);
                        range.most = fmax(range.most, less);
                }
        return range;
}

static bool are_ranges(const struct gain_runs *runs)
{
        return runs->count > 1 || runs->scenario[GAIN_COSTS_USUAL].replicates > 1;
}

static void print_line(struct table *table, const struct line *line, const struct line *baseline)
{
        struct range range = { NAN, NAN };
        table_text(table, line->system->name);
        table_number(table, line->degree, 4);
        table_number(table, line->time_s, 4);
        table_number(table, less_percent(line, baseline), 3);
        table_number(table, mean_of(line, METRIC_RATIO_TO_OPTIMAL), 4);
        table_number(table, 100 * mean_of(line, METRIC_STEADY_OFFLOADED_FRACTION), 3);
        table_number(table, mean_of(line, METRIC_CORES_USED), 4);
        table_number(table, mean_of(line, METRIC_HELPER_RANKS), 4);
        if (!are_ranges(line->runs))
                return;
        if (baseline)
                range = less_range(line, baseline);
        table_number(table, range.least, 3);
        table_number(table, range.most, 3);
}

static int print_table(const struct line *line, int64_t count, bool with_tasks,
                       enum table_format format)
{
        static const char *const columns[] = { "tasks",
                                               "system",
                                               "degree",
                                               "time_per_iteration_s",
                                               "less_time_percent",
                                               "ratio_to_optimal",
                                               "offloaded_tasks_percent",
                                               "cores_used",
                                               "helper_ranks",
                                               "less_percent_least",
                                               "less_percent_most" };
        int32_t ncolumn = 8 + with_tasks + (count > 0 && are_ranges(line->runs) ? 2 : 0);
        struct table *table = table_create(ncolumn, columns + !with_tasks);
        for (int64_t i = 0; table && i < count; i++) {
                table_row(table);
                if (with_tasks)
                        table_number(table, line[i].tasks, 7);
                print_line(table, &line[i], baseline_of(line, count, line[i].tasks));
        }
        int status = table ? table_write(table, stdout, format) : -1;
        table_destroy(table);
        return status;
}

/* Of one number of tasks: a line that is as good, within a percent, and needs less: a smaller
 * degree. */
static const struct line *simplest(const struct line *line, int64_t count, int32_t tasks)
{
        const struct line *best = NULL;
        for (int64_t i = 0; i < count; i++) {
                if (!system_is_live(line[i].system) || line[i].tasks != tasks)
                        continue;
                if (!best ||
                    (line[i].time_s <= 1.01 * best->time_s && line[i].degree < best->degree))
                        best = &line[i];
        }
        return best;
}

/* ---- What to make of it ---- */

/* "global at degree 3", or the name of one whose degree follows from the load. */
enum { NAME_SIZE = 96 };
static const char *describe(const struct line *line, char text[static NAME_SIZE])
{
        const char *name = line->system->name;
        if (system_finds_degree(line->system))
                snprintf(text, NAME_SIZE, "%s", name);
        else
                snprintf(text, NAME_SIZE, "%s at degree %" PRId32, name, line->degree);
        return text;
}

static void print_range(const struct line *line, int64_t count, const struct gain_program *program)
{
        printf(
            "\nNo verdict: %s does not say into how many tasks an apprank's work of an iteration "
            "is\ndivided, and only a task can go elsewhere. What would be gained depends on it:\n",
            program->file);
        int32_t last = -1;
        char name[NAME_SIZE];
        for (int64_t i = 0; i < count; i++) {
                const struct line *best = simplest(line, count, line[i].tasks);
                const struct line *baseline = baseline_of(line, count, line[i].tasks);
                if (line[i].tasks == last || !best || !baseline)
                        continue;
                last = line[i].tasks;
                double less = less_percent(best, baseline);
                printf("  %7" PRId32 " task%s  ", last, last > 1 ? "s" : " ");
                if (less < 1)
                        printf("nothing%s\n", last > 1 ? "" : " (a rank that is serial)");
                else
                        printf("%.0f %% less time, %s\n", less, describe(best, name));
        }
        printf(
            "Say what it is: --serial (a rank computes on one core), --threads T (on T of them, in "
            "equal\nparts), or --tasks N; or count them: column \"tasks\", which lbrun --loads "
            "writes of a\nprogram that creates its work as tasks (lbrun.h).\n");
}

static void print_command(const struct line *best, const struct gain_program *program)
{
        if (program->division != GAIN_MEASURED) {
                printf(
                    "lbrun moves work of programs that create it as tasks (lbrun.h): this one is "
                    "to be ported first.\n");
                return;
        }
        printf("To run it, where these are tasks of lbrun.h:\n  lbrun --nodes %" PRId32
               " --cores %" PRId32,
               program->nnode, program->cores);
        if (program->appranks_per_node > 1)
                printf(" --appranks-per-node %" PRId32, program->appranks_per_node);
        for (int i = 0; plugged_at(i); i++)
                if (plugged_at(i)->plugin->system == best->system)
                        printf(" --policy %s", plugged_at(i)->path);
        printf(" --system %s", best->system->name);
        if (!system_finds_degree(best->system))
                printf(" --degree %" PRId32, best->degree);
        printf(" -- PROGRAM\n");
}

static void print_advice(const struct line *line, int64_t count, const struct gain_program *program)
{
        int32_t tasks = line[0].tasks;
        const struct line *best = simplest(line, count, tasks);
        const struct line *baseline = baseline_of(line, count, tasks);
        if (!best || !baseline)
                return;
        double less = less_percent(best, baseline);
        if (less >= 1) {
                char name[NAME_SIZE];
                struct range range = less_range(best, baseline);
                printf("\n%s: %.0f %% less time than without balancing", describe(best, name),
                       less);
                if (range.most - range.least >= 1)
                        printf(" (%.0f to %.0f)", range.least, range.most);
                printf(".\n");
                print_command(best, program);
                return;
        }
        printf("\nNone of these that run live gains a percent. Without balancing the time is %.3g "
               "times the\nbound.%s\n",
               mean_of(baseline, METRIC_RATIO_TO_OPTIMAL),
               program->division == GAIN_SERIAL
                   ? " A serial rank's work cannot be divided: it would have to become tasks."
                   : "");
}

/* Loads that vary from iteration to iteration are told apart from those that persist by some of
 * each: of three, live jobs took up to a ninth longer than said. */
const char *gain_few(int64_t niteration)
{
        enum { ENOUGH = 10 };
        return niteration >= ENOUGH ? ""
                                    : "Few iterations were measured: how loads change from one to "
                                      "the next is hardly in them, and all\npredictions are on the "
                                      "side of more gain. Measure 10 or more.";
}

static void print_head(const struct gain_program *program, const char *costs, int32_t replicates)
{
        printf(
            "%" PRId32 " apprank%s on %" PRId32 " node%s x %" PRId32 " core%s, %" PRId32
            " measured iteration%s\nimbalance (max/mean): %.3g of iterations, on average; %.3g of "
            "the totals\nan apprank's work of an iteration: ",
            program->napprank, lb_s(program->napprank), program->nnode, lb_s(program->nnode),
            program->cores, lb_s(program->cores), program->niteration, lb_s(program->niteration),
            program->imbalance_iteration, program->imbalance_total);
        switch (program->division) {
        case GAIN_MEASURED:
                printf("%.4g task%s on average, %s", program->tasks, lb_s(program->tasks),
                       program->ordered ? "which wait for each other" : "as measured");
                break;
        case GAIN_SERIAL:
                printf("serial, on one core");
                break;
        case GAIN_THREADS:
                printf("%" PRId32 " equal part%s, one for each thread", program->parts,
                       lb_s(program->parts));
                break;
        case GAIN_TASKS:
                printf("%" PRId32 " task%s, as said", program->parts, lb_s(program->parts));
                break;
        case GAIN_UNKNOWN:
                printf("an unknown number of tasks");
        }
        printf("\n%s%s%s\n", program->left_out, program->left_out[0] ? "\n" : "", costs);
        if (replicates > 1)
                printf("each is simulated %" PRId32 " times, at other moments\n", replicates);
        printf("\n");
}

/* Iterations of a file of tasks that has one are alike. */
static bool are_few(const struct gain_program *program)
{
        return gain_few(program->niteration)[0] && !(program->ordered && program->niteration == 1);
}

/* NULL where that fails; to be freed. */
static struct line *make_lines(const struct gain_runs *runs, struct lb_error *err)
{
        struct line *line =
            calloc((size_t)runs->scenario[GAIN_COSTS_USUAL].npoint + 1, sizeof(*line));
        if (!line)
                lb_error_fail(err, "out of memory");
        if (line && fill_lines(runs, line, err) == 0)
                return line;
        free(line);
        return NULL;
}

static void print_verdict(const struct line *line, int64_t count,
                          const struct gain_program *program)
{
        if (program->division == GAIN_UNKNOWN)
                print_range(line, count, program);
        else
                print_advice(line, count, program);
        if (are_few(program))
                printf("\n%s\n", gain_few(program->niteration));
}

int gain_print(const struct gain_runs *runs, const struct gain_program *program, const char *costs,
               enum table_format format, struct lb_error *err)
{
        int64_t count = runs->scenario[GAIN_COSTS_USUAL].npoint;
        bool unknown = program->division == GAIN_UNKNOWN;
        struct line *line = make_lines(runs, err);
        int status = line ? 0 : -1;
        if (status == 0 && format == TABLE_TEXT)
                print_head(program, costs, runs->scenario[GAIN_COSTS_USUAL].replicates);
        if (status == 0 && print_table(line, count, unknown, format) < 0 && !ferror(stdout))
                status = lb_error_fail(err, "out of memory for the results");
        if (status == 0 && format == TABLE_TEXT)
                print_verdict(line, count, program);
        free(line);
        return status;
}

static struct table *tabulate_iterations(const struct line *line, int64_t count, bool with_tasks)
{
        static const char *const columns[] = { "tasks", "system", "degree", "iteration", "time_s" };
        struct table *table = table_create(with_tasks ? 5 : 4, columns + !with_tasks);
        for (int64_t i = 0; table && i < count; i++) {
                const struct sim_result *first = result_of(&line[i], GAIN_COSTS_USUAL, 0);
                for (int32_t k = 0; k < first->niteration; k++) {
                        table_row(table);
                        if (with_tasks)
                                table_number(table, line[i].tasks, 7);
                        table_text(table, line[i].system->name);
                        table_number(table, line[i].degree, 4);
                        table_number(table, k, 7);
                        table_number(table, first->iteration_s[k], 4);
                }
        }
        return table;
}

int gain_write_iterations(const struct gain_runs *runs, const struct gain_program *program,
                          const char *file, struct lb_error *err)
{
        struct lb_file out;
        struct line *line = make_lines(runs, err);
        if (!line)
                return -1;
        struct table *table = tabulate_iterations(line, runs->scenario[GAIN_COSTS_USUAL].npoint,
                                                  program->division == GAIN_UNKNOWN);
        int status = lb_file_create(&out, file, err);
        if (status == 0) {
                if ((!table || table_write(table, out.stream, TABLE_CSV) < 0) &&
                    !ferror(out.stream))
                        status = lb_error_fail(err, "out of memory for the iterations");
                else
                        status = lb_file_commit(&out, err);
                lb_file_abandon(&out);
        }
        table_destroy(table);
        free(line);
        return status;
}
