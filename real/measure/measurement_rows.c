/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads of all ranks by interval: windows, intervals between synchronisations, iterations.
 * Imbalance is of them as they were measured; what is written is at most ROW_CELLS numbers, so that
 * an hour of thousands of ranks is some megabytes: further rows become one, by twos.
 */
#include <math.h>
#include <stdlib.h>

#include "real/measure/measurement.h"
#include "real/measure/rank_file.h"

enum { ROW_CELLS = 1000000, ITERATIONS_MIN = 4 };
static const double ALIKE = 0.9; /* so many of the iterations of any rank must be those of all */
static const double NEARLY_ALL = 0.8;

/* A series of a rank. */
struct values {
        const struct meter_series *series;
        const double *value; /* of interval 0; `width` further that of interval 1 */
        int64_t width;
};

enum { INTERVAL_WIDTH = sizeof(struct meter_interval) / sizeof(double) };

static struct values windows_of(const struct rank_file *file)
{
        return (struct values){ &file->meter.windows, file->meter.window_load_ns, 1 };
}

static struct values intervals_of(const struct rank_file *file)
{
        return (struct values){ &file->meter.intervals, &file->meter.interval[0].load_ns,
                                INTERVAL_WIDTH };
}

static struct values transfers_of(const struct rank_file *file)
{
        return (struct values){ &file->meter.intervals, &file->meter.interval[0].mpi_ns,
                                INTERVAL_WIDTH };
}

static struct values iterations_of(const struct loop_record *loop)
{
        return (struct values){ &loop->series, loop->load_ns, 1 };
}

/* Series of all ranks, and those of their rows, folded `shift` times, that are meant. */
struct table {
        int32_t nrank, shift;
        int64_t first, end;
        struct values *rank; /* [nrank] */
};

static int64_t first_row(const struct table *table, int32_t i)
{
        return table->rank[i].series->first >> (table->shift - table->rank[i].series->shift);
}

static int64_t last_row(const struct table *table, int32_t i)
{
        const struct meter_series *series = table->rank[i].series;
        return (series->first + series->count - 1) >> (table->shift - series->shift);
}

/* All rows that any rank has, or that all have. */
static void span(struct table *table, bool all_have)
{
        table->shift = 0;
        table->first = all_have ? INT64_MIN : INT64_MAX;
        table->end = all_have ? INT64_MAX : INT64_MIN;
        for (int32_t i = 0; i < table->nrank; i++)
                if (table->rank[i].series->shift > table->shift)
                        table->shift = table->rank[i].series->shift;
        for (int32_t i = 0; i < table->nrank; i++) {
                if (table->rank[i].series->count == 0)
                        continue;
                int64_t first = first_row(table, i), end = last_row(table, i) + 1;
                if (all_have ? first > table->first : first < table->first)
                        table->first = first;
                if (all_have ? end < table->end : end > table->end)
                        table->end = end;
        }
        if (table->first > table->end || table->end - table->first > INT64_MAX / 2)
                table->first = table->end = 0;
}

/* Add rows [from, end) to rows[(row - from) >> fold][nrank]. */
static void add(const struct table *table, int64_t from, int64_t end, int fold, double *rows)
{
        for (int32_t i = 0; i < table->nrank; i++) {
                const struct meter_series *series = table->rank[i].series;
                int32_t shift = table->shift - series->shift;
                int64_t begin = (from << shift) - series->first;
                for (int64_t k = begin > 0 ? begin : 0; k < series->count; k++) {
                        int64_t row = (series->first + k) >> shift;
                        if (row >= end)
                                break;
                        rows[((row - from) >> fold) * table->nrank + i] +=
                            1e-9 * table->rank[i].value[k * table->rank[i].width];
                }
        }
}

/* The sum of the largest, of the averages, and of the least. */
struct extent {
        double largest, average, least;
};

static void extend(struct extent *extent, const double *row, int32_t nrank)
{
        double most = 0, sum = 0, least = row[0];
        for (int32_t i = 0; i < nrank; i++) {
                most = fmax(most, row[i]);
                least = fmin(least, row[i]);
                sum += row[i];
        }
        extent->largest += most;
        extent->average += sum / nrank;
        extent->least += least;
}

/* Some rows at a time. */
static int measure_extent(const struct table *table, struct extent *extent, struct lb_error *err)
{
        *extent = (struct extent){ 0 };
        int64_t chunk = ROW_CELLS / table->nrank + 1;
        for (int64_t from = table->first; from < table->end; from += chunk) {
                int64_t end = from + chunk < table->end ? from + chunk : table->end;
                double *rows = calloc((size_t)((end - from) * table->nrank), sizeof(*rows));
                if (!rows)
                        return lb_error_fail(err, "out of memory");
                add(table, from, end, 0, rows);
                for (int64_t row = 0; row < end - from; row++)
                        extend(extent, rows + row * table->nrank, table->nrank);
                free(rows);
        }
        return 0;
}

static double imbalance_of(const struct extent *extent)
{
        return extent->average > 0 ? extent->largest / extent->average : NAN;
}

static int imbalance(const struct table *table, double *result, struct lb_error *err)
{
        struct extent extent;
        if (measure_extent(table, &extent, err) < 0)
                return -1;
        *result = imbalance_of(&extent);
        return 0;
}

/* Rows to write, with so many empty ones before and after; NULL: no memory. */
static double *fold_rows(const struct table *table, int margin, int64_t *count, int *fold)
{
        int64_t rows = table->end - table->first;
        *fold = 0;
        while ((((rows - 1) >> *fold) + 1) * table->nrank > ROW_CELLS && (rows >> *fold) > 1)
                ++*fold;
        *count = ((rows - 1) >> *fold) + 1 + 2 * margin;
        double *values = calloc((size_t)(*count * table->nrank), sizeof(*values));
        if (values)
                add(table, table->first, table->end, *fold,
                    values + (int64_t)margin * table->nrank);
        return values;
}

/* ---- Windows and intervals ---- */

static int make_windows(struct measurement *m, struct table *table, struct lb_error *err)
{
        int fold;
        for (int32_t i = 0; i < m->nrank; i++)
                table->rank[i] = windows_of(m->rank[i]);
        span(table, false);
        if (table->first == table->end)
                return 0;
        if (imbalance(table, &m->windows, err) < 0)
                return -1;
        m->window_load_s = fold_rows(table, 0, &m->nwindow, &fold);
        m->window_s = 1e-9 * (double)(m->rank[0]->meter.window_ns << (table->shift + fold));
        return m->window_load_s ? 0 : lb_error_fail(err, "out of memory");
}

/* Where all ranks have counted the same. */
static int make_intervals(struct measurement *m, struct table *table, struct lb_error *err)
{
        const struct meter *first = &m->rank[0]->meter;
        for (int32_t i = 0; i < m->nrank; i++) {
                if (m->rank[i]->meter.synchronisations != first->synchronisations)
                        return 0;
                table->rank[i] = intervals_of(m->rank[i]);
        }
        m->synchronisations = first->synchronisations - (m->killed == 0); /* the end is none */
        if (m->synchronisations <= 0)
                return 0;
        span(table, false);
        m->synchronisations_per_interval = (int64_t)1 << table->shift;
        return imbalance(table, &m->intervals, err);
}

/* Of the same intervals: where they were counted alike. */
static int make_transfer(struct measurement *m, struct table *table, struct lb_error *err)
{
        struct extent extent;
        if (isnan(m->intervals))
                return 0;
        for (int32_t i = 0; i < m->nrank; i++)
                table->rank[i] = transfers_of(m->rank[i]);
        span(table, false);
        if (measure_extent(table, &extent, err) < 0)
                return -1;
        m->transfer_s = extent.least;
        return 0;
}

/* ---- Iterations ---- */

static const struct loop_record *find_loop(const struct rank_file *file,
                                           const struct loop_record *like)
{
        for (int i = 0; i < LOOP_RECORDS; i++)
                if (file->loop[i].mark == like->mark && file->loop[i].every == like->every &&
                    file->loop[i].marks > 1)
                        return &file->loop[i];
        return NULL;
}

/* Is the loop in all ranks? */
static bool same_loops(const struct measurement *m, const struct loop_record *like,
                       const struct loop_record **loop)
{
        for (int32_t i = 0; i < m->nrank; i++)
                if (!(loop[i] = find_loop(m->rank[i], like)))
                        return false;
        return true;
}

/* The best one of each. */
static bool own_loops(const struct measurement *m, const struct loop_record **loop)
{
        const struct loop_record *best[LOOP_RECORDS];
        for (int32_t i = 0; i < m->nrank; i++) {
                if (loop_order(m->rank[i]->loop, best) == 0)
                        return false;
                loop[i] = best[0];
        }
        return true;
}

static const char *title_of(const struct rank_file *file, uint32_t mark)
{
        for (int i = 0; i < SITE_ROOM; i++)
                if (file->sites.site[i].name != 0 && file->sites.site[i].value == mark)
                        return file->sites.site[i].title;
        return "";
}

/* Are the iterations that all ranks have nearly all that any has? */
static bool alike(struct table *table)
{
        span(table, false);
        int64_t any = table->end - table->first;
        span(table, true);
        if (table->shift > 0) { /* the first and the last are no whole ones */
                table->first++;
                table->end--;
        }
        int64_t all = table->end - table->first;
        return all >= ITERATIONS_MIN && (double)(all + 2) >= ALIKE * (double)any;
}

/*
 * Ranks that wait for each other in every iteration take at least the sum of the largest loads, but
 * for one iteration, in which they may be apart.
 * Where there was not so much time they do not: each fetches work when it is ready, or all wait for
 * one that hands it out, and the k-th iteration of one rank has nothing to do with the k-th of
 * another.
 */
static bool together(const struct measurement *m, const struct loop_record *const *loop,
                     int64_t rows, double largest_s)
{
        double longest_ns = 0;
        int32_t threads = 1;
        for (int32_t i = 0; i < m->nrank; i++) {
                longest_ns = fmax(longest_ns, (double)(loop[i]->end_ns - loop[i]->start_ns));
                if (m->rank[i]->threads > threads)
                        threads = m->rank[i]->threads;
        }
        return largest_s / threads <= 1e-9 * longest_ns * (1 + 1 / (double)rows);
}

/* Load before the first of them is the first row; after the last one, the last. */
static void add_margins(struct measurement *m, const struct table *table,
                        const struct loop_record **loop)
{
        double inside = 0, all = 0;
        for (int32_t i = 0; i < m->nrank; i++) {
                double before = 1e-9 * loop[i]->start_load_ns, own = 0;
                for (int64_t k = 0; k < loop[i]->series.count; k++)
                        if ((loop[i]->series.first + k) >> (table->shift - loop[i]->series.shift) <
                            table->first)
                                before += 1e-9 * loop[i]->load_ns[k];
                for (int64_t row = 1; row < m->niteration_row - 1; row++)
                        own += m->iteration_load_s[row * m->nrank + i];
                m->iteration_load_s[i] = before;
                m->iteration_load_s[(m->niteration_row - 1) * m->nrank + i] =
                    fmax(0, m->load_s[i] - before - own);
                inside += own;
                all += m->load_s[i];
        }
        m->iterations_part = all > 0 ? inside / all : 0;
}

/* *why: what speaks against these loops; NULL: nothing, and *extent is that of their iterations. */
static int judge(const struct measurement *m, struct table *table, const struct loop_record **loop,
                 struct extent *extent, const char **why, struct lb_error *err)
{
        bool in_step;
        for (int32_t i = 0; i < m->nrank; i++)
                table->rank[i] = iterations_of(loop[i]);
        *why = "its ranks do not repeat alike";
        if (!alike(table))
                return 0;
        if (measure_extent(table, extent, err) < 0 ||
            measurement_in_step(m, loop, &in_step, err) < 0)
                return -1;
        *why = NULL;
        if (!in_step)
                *why = "ranks come to the calls that repeat at other times, as in parts of an "
                       "iteration";
        else if (!together(m, loop, table->end - table->first, extent->largest))
                *why = "its ranks had no time to wait for each other in each";
        return 0;
}

static void regions_of_iterations(struct measurement *m, const struct loop_record *const *loop)
{
        for (int32_t i = 0; i < m->nrank; i++)
                m->regions[i] = loop[i]->regions / (double)(loop[i]->marks - 1);
}

static int take_iterations(struct measurement *m, const struct table *table,
                           const struct loop_record **loop, const struct extent *extent,
                           struct lb_error *err)
{
        int fold;
        m->iterations = imbalance_of(extent);
        m->niteration = (table->end - table->first) << table->shift;
        m->mark = title_of(m->rank[0], loop[0]->mark);
        m->iteration_load_s = fold_rows(table, 1, &m->niteration_row, &fold);
        m->iterations_of_row = (int64_t)1 << (table->shift + fold);
        if (!m->iteration_load_s)
                return lb_error_fail(err, "out of memory");
        add_margins(m, table, loop);
        regions_of_iterations(m, loop);
        return 0;
}

/* The best loop of rank 0, else that of each rank, else a further one of rank 0: the first that all
 * go through together. Of several reasons the first is told. */
static int fill_iterations(struct measurement *m, struct table *table,
                           const struct loop_record **loop, struct lb_error *err)
{
        struct extent extent;
        const struct loop_record *best[LOOP_RECORDS];
        int n = loop_order(m->rank[0]->loop, best);
        for (int i = 0; i <= n; i++) {
                const char *why;
                bool own = i == 1 || n == 0;
                if (!(own ? own_loops(m, loop) : same_loops(m, best[i - (i > 1)], loop)))
                        continue;
                if (judge(m, table, loop, &extent, &why, err) < 0)
                        return -1;
                if (!why)
                        return take_iterations(m, table, loop, &extent, err);
                if (!m->why_none)
                        m->why_none = why;
        }
        if (!m->why_none)
                m->why_none = "its MPI calls do not repeat, or too seldom";
        return 0;
}

static int make_iterations(struct measurement *m, struct table *table, struct lb_error *err)
{
        const struct loop_record **loop = calloc((size_t)m->nrank, sizeof(*loop));
        if (!loop)
                return lb_error_fail(err, "out of memory");
        int failed = fill_iterations(m, table, loop, err);
        free(loop);
        return failed;
}

/* Of rows that are windows. */
static void regions_of_windows(struct measurement *m)
{
        double rows = (double)(m->nwindow > m->synchronisations ? m->nwindow : m->synchronisations);
        for (int32_t i = 0; rows > 0 && i < m->nrank; i++) {
                const struct rank_file *file = m->rank[i];
                double last = alike_since(&file->before_window, &file->parallel);
                m->regions[i] = (file->window_regions + last) / rows;
        }
}

int measurement_make_rows(struct measurement *m, struct lb_error *err)
{
        struct table table = { .nrank = m->nrank };
        table.rank = calloc((size_t)m->nrank, sizeof(*table.rank));
        if (!table.rank)
                return lb_error_fail(err, "out of memory");
        int failed = make_windows(m, &table, err) < 0 || make_intervals(m, &table, err) < 0 ||
                     make_transfer(m, &table, err) < 0 || make_iterations(m, &table, err) < 0;
        free(table.rank);
        if (!failed && !measurement_by_iteration(m))
                regions_of_windows(m);
        return failed ? -1 : 0;
}

bool measurement_by_iteration(const struct measurement *m)
{
        return m->niteration > 0 && m->iterations_part >= NEARLY_ALL;
}
