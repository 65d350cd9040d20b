/* SPDX-License-Identifier: BSD-3-Clause */
#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/commands/gain_measured.h"

/*
 * Where the time of a measured program goes, and remedies that need no system.
 *
 *      |---- bound ----|-- between --|-- within --|-- transfer --|-- rest --|  wall time
 *      work / cores    heaviest node - average
 *                                    heaviest rank - heaviest node
 *
 * each summed over windows, so that imbalance which moves counts.
 */
enum { WINDOW_MOST = 600, WINDOW_GUESS = 120, LONGEST_S = 3600, COUNT_MOST = 20000 };

static const double window_s = 0.5;

/* ---- Loads ---- */

static int64_t windows_of(const struct measured *m, const double longest_s, int64_t *fold)
{
        *fold = 1;
        if (m->nwindow > 0) {
                *fold = (m->nwindow + WINDOW_MOST - 1) / WINDOW_MOST;
                return (m->nwindow + *fold - 1) / *fold;
        }
        double count = fmin(ceil(longest_s / window_s), WINDOW_GUESS);
        return (int64_t)fmax(1, fmax(count, ceil(longest_s / LONGEST_S)));
}

static void spread(struct gain_loads *loads, const struct measured *m, int64_t fold)
{
        for (int64_t w = 0; w < m->nwindow; w++)
                for (int32_t r = 0; r < m->nrank; r++)
                        loads->load_s[w / fold * m->nrank + r] +=
                            m->window_load_s[w * m->nrank + r];
        for (int64_t w = 0; m->nwindow == 0 && w < loads->nwindow; w++)
                for (int32_t r = 0; r < m->nrank; r++)
                        loads->load_s[w * m->nrank + r] =
                            m->rank[r].load_s / (double)loads->nwindow;
        for (int64_t w = 0; w < loads->nwindow; w++)
                for (int32_t r = 0; r < m->nrank; r++)
                        loads->total_s[r] += loads->load_s[w * m->nrank + r];
}

int gain_loads_fill(struct gain_loads *loads, const struct measured *m, int32_t threads,
                    struct lb_error *err)
{
        int32_t longest = 0;
        int64_t fold;
        for (int32_t r = 1; r < m->nrank; r++)
                if (m->rank[r].load_s > m->rank[longest].load_s)
                        longest = r;
        double longest_s = m->rank[longest].load_s / threads;
        *loads = (struct gain_loads){ .nrank = m->nrank, .nnode = m->nnode, .threads = threads };
        if (longest_s > (double)LONGEST_S * COUNT_MOST)
                return lb_error_set(
                    err, "rank %d computes %.4g s on each of its cores, allowed are %.4g s",
                    longest, longest_s, (double)LONGEST_S * COUNT_MOST);
        loads->nwindow = windows_of(m, longest_s, &fold);
        size_t nrank = (size_t)m->nrank;
        int32_t *node = calloc(nrank, sizeof(*node));
        loads->node = node;
        loads->load_s = calloc((size_t)loads->nwindow * nrank, sizeof(double));
        loads->total_s = calloc(nrank, sizeof(double));
        if (!node || !loads->load_s || !loads->total_s) {
                gain_loads_finish(loads);
                return lb_error_fail(err, "out of memory for %d ranks", m->nrank);
        }
        for (int32_t r = 0; r < m->nrank; r++)
                node[r] = m->rank[r].node;
        spread(loads, m, fold);
        return 0;
}

void gain_loads_finish(struct gain_loads *loads)
{
        free((void *)loads->node);
        free(loads->load_s);
        free(loads->total_s);
        *loads = (struct gain_loads){ 0 };
}

/* ---- Parts ---- */

double gain_longest_s(const struct gain_loads *loads)
{
        double sum_s = 0;
        for (int64_t w = 0; w < loads->nwindow; w++) {
                double most_s = 0;
                for (int32_t r = 0; r < loads->nrank; r++)
                        most_s = fmax(most_s, loads->load_s[w * loads->nrank + r]);
                sum_s += most_s / loads->threads;
        }
        return sum_s;
}

bool gain_saving_range(const struct gain_loads *loads, double percent[static 2])
{
        enum { MOST = 9 };
        double mean_s[MOST] = { 0 }, most_s[MOST] = { 0 }, all_mean_s = 0, all_most_s = 0;
        double sum = 0, squares = 0, n = (double)loads->nwindow;
        if (loads->nwindow < 2 || loads->nwindow > MOST)
                return false;
        for (int64_t w = 0; w < loads->nwindow; w++) {
                for (int32_t r = 0; r < loads->nrank; r++) {
                        double load_s = loads->load_s[w * loads->nrank + r];
                        mean_s[w] += load_s / loads->nrank;
                        most_s[w] = fmax(most_s[w], load_s);
                }
                all_mean_s += mean_s[w];
                all_most_s += most_s[w];
        }
        for (int64_t w = 0; w < loads->nwindow; w++) {
                double most = all_most_s - most_s[w];
                if (!(most > 0))
                        return false;
                double value = n * (1 - all_mean_s / all_most_s) -
                               (n - 1) * (1 - (all_mean_s - mean_s[w]) / most);
                sum += value;
                squares += value * value;
        }
        double mean = sum / n, variance = fmax(0, squares - sum * mean) / (n - 1);
        double half = gsl_cdf_tdist_Pinv(0.975, n - 1) * sqrt(variance / n);
        percent[0] = 100 * fmax(0, mean - half);
        percent[1] = 100 * fmin(1 - 1.0 / loads->nrank, mean + half);
        return true;
}

/* The sum over windows of the largest average of a node, per thread; NAN: out of memory. */
static double heaviest_node_s(const struct gain_loads *loads)
{
        double sum_s = 0;
        double *node_s = calloc((size_t)loads->nnode, sizeof(*node_s));
        int32_t *ranks = calloc((size_t)loads->nnode, sizeof(*ranks));
        for (int32_t r = 0; ranks && r < loads->nrank; r++)
                ranks[loads->node[r]]++;
        for (int64_t w = 0; node_s && ranks && w < loads->nwindow; w++) {
                double most_s = 0;
                memset(node_s, 0, (size_t)loads->nnode * sizeof(*node_s));
                for (int32_t r = 0; r < loads->nrank; r++)
                        node_s[loads->node[r]] += loads->load_s[w * loads->nrank + r];
                for (int32_t n = 0; n < loads->nnode; n++)
                        most_s = fmax(most_s, node_s[n] / ranks[n]);
                sum_s += most_s / loads->threads;
        }
        bool fine = node_s && ranks;
        free(node_s);
        free(ranks);
        return fine ? sum_s : NAN;
}

/* The least MPI time of a rank is at least the time to transfer; what waiting is in it, is not. */
static double transfer_at_most(const struct measured *m, double longest_s)
{
        double least_s = INFINITY, sum_s = 0;
        for (int32_t r = 0; r < m->nrank; r++) {
                if (!(m->rank[r].mpi_s >= 0))
                        return NAN;
                least_s = fmin(least_s, m->rank[r].mpi_s);
                sum_s += m->rank[r].load_s;
        }
        if (isnan(m->wall_s))
                return least_s;
        double finer_s = isnan(m->synchronisations) ? 0 : m->synchronisations * sum_s / m->nrank;
        return fmax(0, fmin(least_s, m->wall_s - fmax(finer_s, longest_s)));
}

bool gain_is_shared(const struct measured *m)
{
        return m->runnable_part > 0.1;
}

/* There was no time for what every rank was in MPI between two synchronisations beside the largest
 * loads: they waited for each other in turns. */
static bool is_waiting(const struct measured *m, double longest_s)
{
        return m->transfer_s > m->wall_s - longest_s;
}

/* On shared CPUs the time in MPI that every rank has is waiting for a CPU as well. */
static double transfer_of(const struct measured *m, double longest_s)
{
        if (gain_is_shared(m))
                return 0;
        return isnan(m->transfer_s) || is_waiting(m, longest_s) ? transfer_at_most(m, longest_s)
                                                                : m->transfer_s;
}

/* What is unknown of a rank counts as nothing. */
static void files_and_unseen(struct gain_parts *parts, const struct measured *m)
{
        double least_s = INFINITY;
        for (int32_t r = 0; r < m->nrank; r++) {
                least_s = fmin(least_s, isnan(m->rank[r].files_s) ? 0 : m->rank[r].files_s);
                parts->unseen_s = fmax(parts->unseen_s, m->rank[r].unseen_s);
        }
        parts->files_s = fmin(least_s, parts->transfer_s);
}

int gain_parts_fill(struct gain_parts *parts, const struct gain_loads *loads,
                    const struct measured *m, struct lb_error *err)
{
        double all_s = 0, longest_s = gain_longest_s(loads), node_s = heaviest_node_s(loads);
        for (int32_t r = 0; r < loads->nrank; r++)
                all_s += loads->total_s[r];
        if (isnan(node_s))
                return lb_error_fail(err, "out of memory for %" PRId32 " nodes", loads->nnode);
        *parts =
            (struct gain_parts){ .transfer_known = !isnan(m->transfer_s) && !gain_is_shared(m) &&
                                                   !is_waiting(m, longest_s),
                                 .wall_known = !isnan(m->wall_s) };
        double transfer_s = transfer_of(m, longest_s);
        parts->bound_s = all_s / loads->nrank / loads->threads;
        parts->between_s = fmax(0, node_s - parts->bound_s);
        parts->within_s = fmax(0, longest_s - node_s);
        parts->transfer_s = isnan(transfer_s) ? 0 : transfer_s;
        parts->wall_s = parts->wall_known ? m->wall_s : longest_s + parts->transfer_s;
        parts->rest_s = parts->wall_s - longest_s - parts->transfer_s;
        files_and_unseen(parts, m);
        return 0;
}

/* ---- Remedies ---- */

struct heavy {
        double load_s;
        int32_t rank;
};

static int by_load(const void *a, const void *b)
{
        const struct heavy *x = a, *y = b;
        if (x->load_s < y->load_s || x->load_s > y->load_s)
                return x->load_s < y->load_s ? 1 : -1;
        return x->rank - y->rank;
}

/* Longest first, each to the node with the least load that has room. */
static void place_sorted(const struct gain_loads *loads, const struct heavy *heavy, int32_t *place,
                         double *load_s, int32_t *count)
{
        int32_t room = loads->nrank / loads->nnode;
        for (int32_t i = 0; i < loads->nrank; i++) {
                int32_t best = -1;
                for (int32_t n = 0; n < loads->nnode; n++)
                        if (count[n] < room && (best < 0 || load_s[n] < load_s[best]))
                                best = n;
                if (best < 0)
                        return;
                place[best * room + count[best]++] = heavy[i].rank;
                load_s[best] += heavy[i].load_s;
        }
}

int gain_place(const struct gain_loads *loads, int32_t *place, struct lb_error *err)
{
        struct heavy *heavy = calloc((size_t)loads->nrank, sizeof(*heavy));
        double *load_s = calloc((size_t)loads->nnode, sizeof(*load_s));
        int32_t *count = calloc((size_t)loads->nnode, sizeof(*count));
        for (int32_t r = 0; r < loads->nrank; r++) {
                place[r] = r;
                if (heavy)
                        heavy[r] = (struct heavy){ loads->total_s[r], r };
        }
        bool fine = heavy && load_s && count;
        if (fine) {
                qsort(heavy, (size_t)loads->nrank, sizeof(*heavy), by_load);
                place_sorted(loads, heavy, place, load_s, count);
        }
        free(heavy);
        free(load_s);
        free(count);
        return fine ? 0 : lb_error_fail(err, "out of memory for %" PRId32 " ranks", loads->nrank);
}

double gain_joined_s(const struct gain_loads *loads, const int32_t *place, int32_t size)
{
        double sum_s = 0;
        for (int64_t w = 0; w < loads->nwindow; w++) {
                double most_s = 0;
                for (int32_t first = 0; first < loads->nrank; first += size) {
                        double joined_s = 0;
                        for (int32_t i = first; i < first + size && i < loads->nrank; i++)
                                joined_s += loads->load_s[w * loads->nrank + place[i]];
                        most_s = fmax(most_s, joined_s / size);
                }
                sum_s += most_s / loads->threads;
        }
        return sum_s;
}

bool gain_has_weights(const struct gain_loads *loads)
{
        static const double WORKS = 0.1; /* so much of the average */
        double least_s = INFINITY, sum_s = 0;
        for (int32_t r = 0; r < loads->nrank; r++) {
                least_s = fmin(least_s, loads->total_s[r]);
                sum_s += loads->total_s[r];
        }
        return least_s >= WORKS * sum_s / loads->nrank;
}

double gain_weighted_s(const struct gain_loads *loads)
{
        double sum_s = 0, all_s = 0;
        for (int32_t r = 0; r < loads->nrank; r++)
                all_s += loads->total_s[r];
        for (int64_t w = 0; w < loads->nwindow; w++) {
                double most_s = 0;
                for (int32_t r = 0; r < loads->nrank; r++)
                        if (loads->total_s[r] > 0)
                                most_s =
                                    fmax(most_s, loads->load_s[w * loads->nrank + r] *
                                                     (all_s / loads->nrank) / loads->total_s[r]);
                sum_s += most_s / loads->threads;
        }
        return sum_s;
}
