/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every system on every workload (plots/systems.gp): time over the bound, cores used, data moved,
 * decisions taken; and for each workload, which system wins and why.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/output/figure_dots.h"
#include "sim/output/figure_impl.h"
#include "sim/output/figure_words.h"
#include "sim/scenario/scenario_impl.h"

/* A point: its workload in words, its system with its switches, and means over the replicates that
 * all systems have of the workload: with `precision` some have more, of other work. */
struct entry {
        char workload[FIGURE_WORDS_SIZE], variant[FIGURE_WORDS_SIZE];
        const char *system;
        int64_t point;
        int32_t runs; /* that the means are of */
        double metric[METRIC_COUNT];
};

/* ---- Entries ---- */

/* What is swept beside systems, graphs and iterations; and of these, the system first. */
static void put_words(const struct scenario *scenario, const struct figure_row *row, char *workload,
                      char *variant)
{
        figure_point_words(scenario, row->point, figure_not_of_system, workload);
        figure_point_words(scenario, row->point, figure_of_system, variant);
        if (!workload[0])
                figure_plain(scenario->name ? scenario->name : "workload", workload,
                             FIGURE_WORDS_SIZE);
        if (!variant[0])
                snprintf(variant, FIGURE_WORDS_SIZE, "%s", row->system);
}

static void fill(struct entry *entry, const struct figure_input *input, int64_t row)
{
        const struct sweep *sweep = input->sweep;
        const struct figure_row *r = &input->rows->row[row];
        put_words(sweep->scenario, r, entry->workload, entry->variant);
        entry->system = r->system;
        entry->point = r->point;
}

static bool same_workload(const struct entry *a, const struct entry *b)
{
        return strcmp(a->workload, b->workload) == 0;
}

static bool all_have(const struct entry *entry, int64_t count, const struct entry *of,
                     const struct sweep *sweep, int32_t replicate)
{
        for (int64_t i = 0; i < count; i++)
                if (same_workload(&entry[i], of) &&
                    !sweep->done[sweep_place(sweep, entry[i].point, replicate)])
                        return false;
        return true;
}

static void compare(struct entry *entry, int64_t count, const struct sweep *sweep)
{
        for (int64_t i = 0; i < count; i++) {
                struct entry *e = &entry[i];
                for (int32_t r = 0; r < sweep->scenario->replicates; r++) {
                        int64_t run = sweep_place(sweep, e->point, r);
                        if (!all_have(entry, count, e, sweep, r))
                                continue;
                        e->runs++;
                        for (int m = 0; m < METRIC_COUNT; m++)
                                e->metric[m] += sweep->result[run].metric[m];
                }
                for (int m = 0; m < METRIC_COUNT; m++)
                        e->metric[m] /= e->runs;
        }
}

/* In the order of the points; NULL out of memory. */
static struct entry *entries_of(const struct figure_input *input)
{
        int64_t count = input->rows->nrow;
        struct entry *entry = calloc((size_t)count + 1, sizeof(*entry));
        for (int64_t i = 0; entry && i < count; i++)
                fill(&entry[input->rows->row[i].point], input, i);
        return entry;
}

static int64_t first_like(const struct entry *entry, int64_t i, bool system)
{
        for (int64_t j = 0; j < i; j++)
                if (strcmp(system ? entry[j].variant : entry[j].workload,
                           system ? entry[i].variant : entry[i].workload) == 0)
                        return j;
        return i;
}

/* How many different ones come before the first one like i. */
static int64_t number_of(const struct entry *entry, int64_t i, bool system)
{
        int64_t first = first_like(entry, i, system), number = 0;
        for (int64_t j = 0; j < first; j++)
                number += first_like(entry, j, system) == j;
        return number;
}

static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        for (int64_t i = 0; i < rows->nrow; i++)
                for (int64_t j = 0; j < i; j++) {
                        char a[FIGURE_WORDS_SIZE], b[FIGURE_WORDS_SIZE];
                        char of_a[FIGURE_WORDS_SIZE], of_b[FIGURE_WORDS_SIZE];
                        put_words(scenario, &rows->row[i], a, of_a);
                        put_words(scenario, &rows->row[j], b, of_b);
                        if (strcmp(a, b) != 0 || strcmp(of_a, of_b) != 0)
                                continue;
                        snprintf(why, size, "%s is there twice for the workload %.60s", of_a, a);
                        return true;
                }
        return false;
}

static void write_entry(FILE *out, const struct sweep *sweep, const struct entry *entry, int64_t i)
{
        int64_t point = entry[i].point;
        struct figure_dot dot = { .group = number_of(entry, i, false),
                                  .variant = number_of(entry, i, true),
                                  .group_words = entry[i].workload,
                                  .variant_words = entry[i].variant,
                                  .system = entry[i].system,
                                  .published = NAN,
                                  .metric = {
                                      figure_interval(sweep, point, METRIC_RATIO_TO_OPTIMAL),
                                      figure_interval(sweep, point, METRIC_CORES_USED),
                                      figure_interval(sweep, point, METRIC_OFFLOADED_BYTES),
                                      figure_interval(sweep, point, METRIC_DECISIONS),
                                  } };
        dot.metric[2].mean *= 1e-9;
        dot.metric[2].low *= 1e-9;
        dot.metric[2].high *= 1e-9;
        figure_dots_put(out, &dot, DOT_METRICS);
}

static void write_data(FILE *out, const struct figure_input *input)
{
        static const char *const metrics[] = { "ratio_to_optimal", "cores_used", "moved_GB",
                                               "decisions" };
        struct entry *entry = entries_of(input);
        figure_dots_begin(out, metrics, DOT_METRICS);
        for (int64_t i = 0; entry && i < input->rows->nrow; i++)
                write_entry(out, input->sweep, entry, i);
        free(entry);
}

/* ---- Who wins, and why ---- */

/* The factors of parallel efficiency, in words: what a system is good or bad at. */
static const struct {
        enum metric metric;
        const char *words;
} factors[] = {
        { METRIC_LOAD_BALANCE, "load balance of nodes" },
        { METRIC_TRANSFER_EFFICIENCY, "waiting" },
        { METRIC_RUNTIME_EFFICIENCY, "runtime work" },
};
enum { NFACTOR = sizeof(factors) / sizeof(factors[0]) };

/* The factor in which `a` is furthest ahead of `b`. */
static int ahead_by(const struct entry *a, const struct entry *b)
{
        int best = 0;
        double most = -INFINITY;
        for (int f = 0; f < NFACTOR; f++) {
                double gain = a->metric[factors[f].metric] / b->metric[factors[f].metric];
                if (gain > most) {
                        most = gain;
                        best = f;
                }
        }
        return best;
}

static void say_why(FILE *notes, const struct entry *a, const struct entry *b)
{
        int f = ahead_by(a, b);
        fprintf(notes, "%s, %.2f against %.2f", factors[f].words, a->metric[factors[f].metric],
                b->metric[factors[f].metric]);
}

static double ratio_of(const struct entry *entry)
{
        return entry->metric[METRIC_RATIO_TO_OPTIMAL];
}

/* The best and the second best of a workload, and what is done without balancing. */
static void rank(const struct entry *entry, int64_t count, int64_t first,
                 const struct entry *place[static 3])
{
        place[0] = place[1] = place[2] = NULL;
        for (int64_t i = first; i < count; i++) {
                if (!same_workload(&entry[i], &entry[first]))
                        continue;
                if (strcmp(entry[i].system, "baseline") == 0)
                        place[2] = &entry[i];
                if (!place[0] || ratio_of(&entry[i]) < ratio_of(place[0])) {
                        place[1] = place[0];
                        place[0] = &entry[i];
                } else if (!place[1] || ratio_of(&entry[i]) < ratio_of(place[1])) {
                        place[1] = &entry[i];
                }
        }
}

/* What the winner does that the baseline does not. */
static void say_means(FILE *notes, const struct entry *winner)
{
        double moved = 100 * winner->metric[METRIC_OFFLOADED_FRACTION];
        double changes = winner->metric[METRIC_OWNERSHIP_CHANGES];
        if (moved > 0)
                fprintf(notes, ", %.0f %% of the tasks away from home", moved);
        if (changes > 0)
                fprintf(notes, ", %.0f core%s change%s owner", changes, lb_s(changes),
                        *lb_s(changes) ? "" : "s");
}

/* The one that needs fewest cores for what the baseline does, where any needs fewer. */
static const struct entry *saver(const struct entry *entry, int64_t count,
                                 const struct entry *baseline)
{
        const struct entry *best = NULL;
        double least = baseline ? baseline->metric[METRIC_CORES_USED] : 0;
        for (int64_t i = 0; i < count; i++) {
                if (strcmp(entry[i].workload, baseline ? baseline->workload : "") != 0 ||
                    ratio_of(&entry[i]) > 1.02 * ratio_of(baseline) ||
                    !(entry[i].metric[METRIC_CORES_USED] < least))
                        continue;
                best = &entry[i];
                least = entry[i].metric[METRIC_CORES_USED];
        }
        return best;
}

static void say_winner(FILE *notes, const struct entry *const place[static 3])
{
        const struct entry *winner = place[0], *second = place[1], *baseline = place[2];
        static const double worth = 0.98; /* less than 2 % is not */
        if (baseline && ratio_of(winner) > worth * ratio_of(baseline)) {
                fprintf(notes, "no system gains 2 %%; %.2f of the bound without balancing",
                        ratio_of(baseline));
                return;
        }
        fprintf(notes, "%s, %.2f of the bound", winner->system, ratio_of(winner));
        say_means(notes, winner);
        if (baseline) {
                fprintf(notes, "; against baseline (%.2f): ", ratio_of(baseline));
                say_why(notes, winner, baseline);
        }
        if (second && second != baseline && ratio_of(winner) > worth * ratio_of(second)) {
                fprintf(notes, "; %s is as good", second->system);
        } else if (second && second != baseline) {
                fprintf(notes, "; against %s (%.2f): ", second->system, ratio_of(second));
                say_why(notes, winner, second);
        }
}

/* Of how many runs figures are, where a system has more. */
static void say_runs(FILE *notes, const struct entry *entry, int64_t count, int64_t first,
                     const struct sweep *sweep)
{
        bool more = false;
        for (int64_t i = first; i < count; i++)
                more |= same_workload(&entry[i], &entry[first]) &&
                        sweep_estimate(sweep, entry[i].point, METRIC_TIME_PER_ITERATION_S).count >
                            entry[i].runs;
        if (more)
                fprintf(notes, " (of the %d run%s that all have)", entry[first].runs,
                        lb_s(entry[first].runs));
}

static void remark(FILE *notes, const struct figure_input *input)
{
        struct entry *entry = entries_of(input);
        int64_t count = input->rows->nrow;
        if (entry)
                compare(entry, count, input->sweep);
        for (int64_t i = 0; entry && i < count; i++) {
                const struct entry *place[3];
                if (first_like(entry, i, false) != i)
                        continue;
                rank(entry, count, i, place);
                fprintf(notes, "note: %s", entry[i].workload);
                say_runs(notes, entry, count, i, input->sweep);
                fputs(": ", notes);
                say_winner(notes, place);
                const struct entry *fewest = saver(entry, count, place[2]);
                if (fewest)
                        fprintf(notes, "; %s does as baseline with %.0f of its %.0f cores",
                                fewest->system, fewest->metric[METRIC_CORES_USED],
                                place[2]->metric[METRIC_CORES_USED]);
                fputc('\n', notes);
        }
        free(entry);
}

const struct figure_type figure_systems = {
        .name = "systems",
        .names_model = true,
        .place = "workload and system",
        .refuse = refuse,
        .write = write_data,
        .remark = remark,
};
