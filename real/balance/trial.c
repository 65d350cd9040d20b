/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double worth = 0.02; /* what balancing may gain at most, to begin it */

/* Of a gaussian's median absolute deviation; that of few samples is too small by about
 * count / (count - 0.8) (Croux and Rousseeuw, COMPSTAT 1992). And what the error of a median of
 * many has above that of a mean, squared. */
static const double deviations = 1.4826, lacking = 0.8, of_median = 1.5708;

enum { UNKNOWN_PART = 4, TRY_ROUNDS = 2 };

void trial_init(struct trial *trial, double loss_part, double loss_whole)
{
        *trial = (struct trial){ .loss_part = loss_part, .loss_whole = loss_whole };
}

static int ascending(const void *a, const void *b)
{
        double x = *(const double *)a, y = *(const double *)b;
        return (x > y) - (x < y);
}

static double median(double *value, int64_t count)
{
        if (count == 0)
                return 0;
        qsort(value, (size_t)count, sizeof(*value), ascending);
        return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

double trial_median_s(const struct trial_times *times)
{
        double time_s[TRIAL_ROUNDS];
        memcpy(time_s, times->time_s, sizeof(time_s));
        return median(time_s, times->count);
}

double trial_scatter_s(const struct trial_times *times)
{
        double middle_s = trial_median_s(times), apart_s[TRIAL_ROUNDS], n = (double)times->count;
        if (times->count < 2)
                return 0;
        for (int64_t i = 0; i < times->count; i++)
                apart_s[i] = fabs(times->time_s[i] - middle_s);
        return deviations * n / (n - lacking) * median(apart_s, times->count);
}

/* Standard error of a median of so many, squared. */
static double error2(double scatter_s, int64_t count)
{
        return count > 0 ? of_median * scatter_s * scatter_s / (double)count : 0;
}

double trial_error_s(const struct trial_times *times)
{
        return sqrt(error2(trial_scatter_s(times), times->count));
}

static double mean_s(const struct trial_times *times)
{
        double sum_s = 0;
        for (int64_t i = 0; i < times->count; i++)
                sum_s += times->time_s[i];
        return times->count > 0 ? sum_s / (double)times->count : 0;
}

static double mean_error_s(const struct trial_times *times)
{
        double middle_s = mean_s(times), sum = 0, n = (double)times->count;
        for (int64_t i = 0; i < times->count; i++)
                sum += (times->time_s[i] - middle_s) * (times->time_s[i] - middle_s);
        return n > 1 ? sqrt(sum / (n - 1) / n) : 0;
}

void trial_next(struct trial *trial, bool known, double alone_s)
{
        trial->unknown = !known;
        trial->alone_s = alone_s;
}

static int64_t know(struct trial_times *times, int64_t rounds)
{
        int64_t less = rounds < times->unknown ? rounds : times->unknown;
        times->unknown -= less;
        return rounds - less;
}

void trial_known(struct trial *trial, int64_t rounds)
{
        (void)know(&trial->without, know(&trial->with, rounds));
}

static bool is_known(const struct trial_times *times)
{
        return times->unknown * UNKNOWN_PART <= times->told;
}

bool trial_compares(const struct trial *trial)
{
        return is_known(&trial->without) && is_known(&trial->with);
}

static void add(struct trial_times *times, double time_s, double iterations)
{
        times->time_s[times->told++ % TRIAL_ROUNDS] = time_s;
        times->count = times->told < TRIAL_ROUNDS ? times->told : TRIAL_ROUNDS;
        times->iterations += (iterations - times->iterations) / (double)times->count;
}

void trial_without(struct trial *trial, double time_s, double least_s, double iterations)
{
        trial->whole_s += time_s * iterations;
        trial->before_s = trial->lost_s;
        trial->since++;
        trial->without.unknown += trial->unknown;
        add(&trial->without, time_s, iterations);
        if (trial->alone_s >= 0)
                add(&trial->alone_without, trial->alone_s, iterations);
        if (least_s > 0)
                add(&trial->least, least_s, iterations);
}

void trial_even(struct trial *trial, double even_s, double iterations)
{
        add(&trial->even, even_s, iterations);
}

static void forget_times(struct trial *trial)
{
        trial->without = trial->with = trial->least = trial->even = (struct trial_times){ 0 };
        trial->judged = trial->alone_without = trial->alone_with = trial->without;
}

void trial_forget(struct trial *trial)
{
        forget_times(trial);
        trial->fresh = true;
}

bool trial_may_begin(const struct trial *trial)
{
        if (trial->without.count < 2)
                return false;
        return trial->undone == 0 ||
               (trial->since >= trial->wait &&
                trial->lost_s + trial->cost_s <= trial->loss_whole * trial->whole_s);
}

/* Of nothing but waiting. */
static bool can_try(const struct trial *trial)
{
        const struct trial_times *times = &trial->without;
        double cost_s = TRY_ROUNDS * trial_median_s(times) * times->iterations;
        return trial->lost_s + cost_s <= trial->loss_whole * trial->whole_s;
}

bool trial_may_gain(const struct trial *trial)
{
        double least_s = trial_median_s(&trial->without) * (1 - worth);
        if (trial_median_s(&trial->least) >= least_s)
                return false;
        return trial_median_s(&trial->even) < least_s || can_try(trial);
}

/* Are rounds with balancing off by so much, beyond what the scatter of both explains? */
static bool is_plain(const struct trial *trial, double more_s)
{
        const struct trial_times *a = &trial->without, *b = &trial->judged;
        double scatter_s = trial_scatter_s(a), also_s = trial_scatter_s(b);
        if (b->count == 1) /* of fewer iterations, it scatters more */
                return more_s > 4 * scatter_s * sqrt(fmax(a->iterations / b->iterations, 1));
        return more_s >
               2 * sqrt(error2(scatter_s, a->count) + error2(fmax(scatter_s, also_s), b->count));
}

static bool costs_too_much(const struct trial *trial)
{
        const struct trial_times *without = &trial->without;
        double allowed_s = mean_s(without) * (1 + trial->loss_part) + 2 * mean_error_s(without);
        return trial->judged.count >= TRIAL_ENOUGH &&
               trial->lost_s > trial->loss_whole * trial->whole_s &&
               mean_s(&trial->judged) > allowed_s;
}

static bool is_slower(const struct trial *trial)
{
        double part = trial->loss_part * (trial->judged.count == 1 ? 2 : 1);
        double allowed_s = trial_median_s(&trial->without) * (1 + part);
        return is_plain(trial, trial_median_s(&trial->judged) - allowed_s) || costs_too_much(trial);
}

static double possible_s(const struct trial *trial)
{
        return trial_median_s(&trial->least) * (1 - trial->loss_part);
}

static bool is_other(const struct trial *trial)
{
        return is_plain(trial, possible_s(trial) - trial_median_s(&trial->with));
}

static enum trial_verdict untimed(struct trial *trial)
{
        if (++trial->untimed <= trial->patience)
                return TRIAL_GOES_ON;
        trial->untimed = 0;
        trial->patience = trial->patience > 0 ? 2 * trial->patience : TRIAL_ROUNDS;
        return TRIAL_UNTIMED;
}

static void lose(struct trial *trial, double time_s, double iterations)
{
        double more_s = (time_s - mean_s(&trial->without)) * iterations;
        trial->lost_s = fmax(trial->lost_s + more_s, 0);
}

void trial_begins(struct trial *trial, double time_s, double iterations)
{
        trial->whole_s += time_s * iterations;
        if (trial->without.count >= 2 && time_s > mean_s(&trial->without))
                lose(trial, time_s, iterations);
}

/* What a rank does by itself in most rounds: of those with balancing the lower median, as two may
 * be one that is longer and one that is not. */
static double usually_alone_s(const struct trial *trial)
{
        double with_s[TRIAL_ROUNDS];
        int64_t count = trial->alone_with.count;
        memcpy(with_s, trial->alone_with.time_s, sizeof(with_s));
        qsort(with_s, (size_t)count, sizeof(*with_s), ascending);
        return fmax(trial_median_s(&trial->alone_without), with_s[(count - 1) / 2]);
}

/* How long a round lasted, as far as balancing may be the cause. */
static double judged_s(struct trial *trial, double time_s, double iterations)
{
        if (trial->alone_s < 0)
                return time_s;
        add(&trial->alone_with, trial->alone_s, iterations);
        double more_s = fmax(trial->alone_s - usually_alone_s(trial), 0);
        return fmax(time_s - more_s, fmin(time_s, trial_median_s(&trial->without)));
}

enum trial_verdict trial_with(struct trial *trial, double time_s, double iterations)
{
        if (trial->without.count < 2)
                return untimed(trial);
        trial->fresh = false;
        trial->whole_s += time_s * iterations;
        trial->with.unknown += trial->unknown;
        add(&trial->with, time_s, iterations);
        double counted_s = judged_s(trial, time_s, iterations);
        add(&trial->judged, counted_s, iterations);
        if (is_other(trial)) {
                trial_forget(trial);
                return TRIAL_OTHER;
        }
        lose(trial, counted_s, iterations);
        if (!is_slower(trial))
                return TRIAL_GOES_ON;
        trial->wait = trial->wait > 0 ? 2 * trial->wait : TRIAL_ROUNDS;
        trial->since = 0;
        trial->undone++;
        trial->cost_s = fmax(trial->lost_s - trial->before_s, 0);
        forget_times(trial);
        return TRIAL_UNDONE;
}

void trial_end(struct trial *trial)
{
        trial_forget(trial);
}
