/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/trial.h"

#include <math.h>

void trial_init(struct trial *trial, double loss_part, double loss_whole)
{
        *trial = (struct trial){ .loss_part = loss_part, .loss_whole = loss_whole };
}

double trial_mean_s(const struct trial_sums *sums)
{
        return sums->count > 0 ? sums->sum_s / (double)sums->count : 0;
}

double trial_scatter_s(const struct trial *trial, const struct trial_sums *sums)
{
        if (sums->count < 2)
                return 0;
        double n = (double)sums->count, from_first = sums->sum_s / n - trial->first_s;
        double variance = (sums->squares - n * from_first * from_first) / (n - 1);
        return variance > 0 ? sqrt(variance) : 0;
}

/* The last TRIAL_ROUNDS count, about: older ones fade. */
static void add(const struct trial *trial, struct trial_sums *sums, double time_s,
                double iterations)
{
        double apart = time_s - trial->first_s;
        if (sums->count == TRIAL_ROUNDS) {
                sums->sum_s -= sums->sum_s / TRIAL_ROUNDS;
                sums->squares -= sums->squares / TRIAL_ROUNDS;
                sums->count--;
        }
        sums->count++;
        sums->iterations += (iterations - sums->iterations) / (double)sums->count;
        sums->sum_s += time_s;
        sums->squares += apart * apart;
}

void trial_without(struct trial *trial, double time_s, double least_s, double iterations)
{
        if (trial->without.count == 0)
                trial->first_s = time_s;
        trial->whole_s += time_s * iterations;
        trial->since++;
        add(trial, &trial->without, time_s, iterations);
        if (least_s > 0)
                add(trial, &trial->least, least_s, iterations);
}

static void forget_times(struct trial *trial)
{
        trial->without = trial->with = trial->least = (struct trial_sums){ 0 };
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
               (trial->since >= trial->wait && trial->lost_s <= trial->loss_whole * trial->whole_s);
}

/* Are rounds with balancing off by so much, beyond what the scatter of both explains? */
static bool is_plain(const struct trial *trial, double more_s)
{
        const struct trial_sums *a = &trial->without, *b = &trial->with;
        double scatter_s = trial_scatter_s(trial, a), also_s = trial_scatter_s(trial, b);
        if (b->count == 1) /* of fewer iterations, it scatters more */
                return more_s > 4 * scatter_s * sqrt(fmax(a->iterations / b->iterations, 1));
        return more_s > 2 * sqrt(scatter_s * scatter_s / (double)a->count +
                                 fmax(scatter_s * scatter_s, also_s * also_s) / (double)b->count);
}

static bool is_slower(const struct trial *trial)
{
        double allowed_s = trial_mean_s(&trial->without) * (1 + trial->loss_part);
        return is_plain(trial, trial_mean_s(&trial->with) - allowed_s);
}

static bool is_other(const struct trial *trial)
{
        double possible_s = trial_mean_s(&trial->least) * (1 - trial->loss_part);
        return is_plain(trial, possible_s - trial_mean_s(&trial->with));
}

static enum trial_verdict untimed(struct trial *trial)
{
        if (++trial->untimed <= trial->patience)
                return TRIAL_GOES_ON;
        trial->untimed = 0;
        trial->patience = trial->patience > 0 ? 2 * trial->patience : TRIAL_ROUNDS;
        return TRIAL_UNTIMED;
}

enum trial_verdict trial_with(struct trial *trial, double time_s, double iterations)
{
        if (trial->without.count < 2)
                return untimed(trial);
        trial->fresh = false;
        double more_s = time_s - trial_mean_s(&trial->without);
        trial->whole_s += time_s * iterations;
        add(trial, &trial->with, time_s, iterations);
        if (is_other(trial)) {
                trial_forget(trial);
                return TRIAL_OTHER;
        }
        trial->lost_s = fmax(trial->lost_s + more_s * iterations, 0);
        if (!is_slower(trial))
                return TRIAL_GOES_ON;
        trial->wait = trial->wait > 0 ? 2 * trial->wait : TRIAL_ROUNDS;
        trial->since = 0;
        trial->undone++;
        forget_times(trial);
        return TRIAL_UNDONE;
}

void trial_end(struct trial *trial)
{
        trial_forget(trial);
}
