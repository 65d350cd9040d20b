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

/* A point: its workload in words, its system with its switches, and means over the replicates that
 * all systems have of the workload: with `precision` some have more, of other work. */
struct entry {
        char workload[FIGURE_WORDS_SIZE], variant[FIGURE_WORDS_SIZE];
        const char *system;
        int64_t point;
        int64_t group, kind; /* numbers of different workloads and variants, as they come up */
        int32_t runs;        /* that the means are of */
        double metric[METRIC_COUNT];
};

static bool same_workload(const struct entry *a, const struct entry *b)
{
        return a->group == b->group;
}

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

/* The number of entry i's words among those of the entries before, by one that has them: *next
 * where they are new. */
static int64_t number_of(const struct entry *entry, int64_t i, bool kind, int64_t *next)
{
        for (int64_t j = i - 1; j >= 0; j--)
                if (strcmp(kind ? entry[j].variant : entry[j].workload,
                           kind ? entry[i].variant : entry[i].workload) == 0)
                        return kind ? entry[j].kind : entry[j].group;
        return (*next)++;
}

/* In the order of the points; NULL out of memory. */
static struct entry *entries_of(const struct scenario *scenario, const struct figure_rows *rows)
{
        int64_t ngroup = 0, nkind = 0;
        struct entry *entry = calloc((size_t)rows->nrow + 1, sizeof(*entry));
        for (int64_t i = 0; entry && i < rows->nrow; i++) {
                struct entry *e = &entry[rows->row[i].point];
                put_words(scenario, &rows->row[i], e->workload, e->variant);
                e->system = rows->row[i].system;
                e->point = rows->row[i].point;
        }
        for (int64_t i = 0; entry && i < rows->nrow; i++) {
                entry[i].group = number_of(entry, i, false, &ngroup);
                entry[i].kind = number_of(entry, i, true, &nkind);
        }
        return entry;
}

static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        bool twice = false;
        struct entry *entry = entries_of(scenario, rows);
        for (int64_t i = 0; entry && !twice && i < rows->nrow; i++)
                for (int64_t j = 0; !twice && j < i; j++) {
                        twice = entry[i].group == entry[j].group && entry[i].kind == entry[j].kind;
                        if (twice)
                                snprintf(why, size, "%s is there twice for the workload %.60s",
                                         entry[i].variant, entry[i].workload);
                }
        free(entry);
        return twice;
}

static void write_entry(FILE *out, const struct sweep *sweep, const struct entry *entry, int64_t i)
{
        int64_t point = entry[i].point;
        struct figure_dot dot = { .group = entry[i].group,
                                  .variant = entry[i].kind,
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
        struct entry *entry = entries_of(input->sweep->scenario, input->rows);
        figure_dots_begin(out, metrics, DOT_METRICS);
        for (int64_t i = 0; entry && i < input->rows->nrow; i++)
                write_entry(out, input->sweep, entry, i);
        free(entry);
}

/* ---- Who wins, and why ---- */

/* Means over the replicates that all of a workload have, the first of which is `first`; returns
 * whether any has more. */
static bool compare(struct entry *entry, int64_t count, int64_t first, const struct sweep *sweep)
{
        int32_t fewest = INT32_MAX, most = 0;
        for (int64_t i = first; i < count; i++) {
                int32_t runs = figure_runs(sweep, entry[i].point);
                if (!same_workload(&entry[i], &entry[first]))
                        continue;
                fewest = runs < fewest ? runs : fewest;
                most = runs > most ? runs : most;
        }
        for (int64_t i = first; i < count; i++) {
                struct entry *e = &entry[i];
                if (!same_workload(e, &entry[first]))
                        continue;
                e->runs = fewest;
                for (int m = 0; m < METRIC_COUNT; m++) {
                        for (int32_t r = 0; r < fewest; r++)
                                e->metric[m] +=
                                    sweep->result[sweep_place(sweep, e->point, r)].metric[m];
                        e->metric[m] /= fewest;
                }
        }
        return fewest < most;
}

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
                if (!baseline || !same_workload(&entry[i], baseline) ||
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

static void say_workload(FILE *notes, struct entry *entry, int64_t count, int64_t first,
                         const struct sweep *sweep)
{
        const struct entry *place[3];
        bool more = compare(entry, count, first, sweep);
        rank(entry, count, first, place);
        fprintf(notes, "note: %s", entry[first].workload);
        if (more)
                fprintf(notes, " (of the %d run%s that all have)", entry[first].runs,
                        lb_s(entry[first].runs));
        fputs(": ", notes);
        say_winner(notes, place);
        const struct entry *fewest = saver(entry, count, place[2]);
        if (fewest)
                fprintf(notes, "; %s does as baseline with %.0f of its %.0f cores", fewest->system,
                        fewest->metric[METRIC_CORES_USED], place[2]->metric[METRIC_CORES_USED]);
        fputc('\n', notes);
}

static void remark(FILE *notes, const struct figure_input *input)
{
        struct entry *entry = entries_of(input->sweep->scenario, input->rows);
        int64_t ngroup = 0;
        for (int64_t i = 0; entry && i < input->rows->nrow; i++)
                if (entry[i].group == ngroup) {
                        say_workload(notes, entry, input->rows->nrow, i, input->sweep);
                        ngroup++;
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
