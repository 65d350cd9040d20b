/* SPDX-License-Identifier: BSD-3-Clause */
/* What systems tell of a run: to who started it, to the rank's leaf, and to the trial. */
#define _GNU_SOURCE
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "real/balance/host.h"
#include "real/balance/team.h"

void balance_say(const struct balance *b, const char *format, ...)
{
        char text[LEAF_TEXT_SIZE];
        va_list arguments;
        if (b->rank != 0 || setup_value(b->setup, "quiet", 0)[0])
                return;
        va_start(arguments, format);
        vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        fprintf(stderr, "lbrun: %s\n", text);
}

void balance_tell_freed(struct balance *b, const cpu_set_t *freed)
{
        struct leaf *leaf = b->leaf;
        leaf->version++;
        leaf->nfreed = CPU_COUNT(freed);
        cpus_format(freed, leaf->freed, sizeof(leaf->freed));
        leaf->version++;
}

static double mean_with(double mean, double value, int64_t count)
{
        return mean + (value - mean) / (double)count;
}

/* Of an iteration: what regions divide among their threads. */
static double divided_s(const struct balance *b, const struct balance_round *round,
                        const struct team *team)
{
        if (!team || !team_could_use_more(team))
                return 0;
        double each_s = b->ended.count > 0 ? b->even_s / b->ended.count : 0;
        return fmin(each_s * (double)b->regions / round->iterations, round->word[b->rank].load_s);
}

void balance_tell_work(struct balance *b, const struct balance_round *round,
                       const struct team *team, int64_t *rounds)
{
        struct leaf *leaf = b->leaf;
        double load_s = round->word[b->rank].load_s;
        double even_s = divided_s(b, round, team), serial_s = load_s - even_s;
        double regions = alike_number(&b->ended, (double)b->regions / round->iterations);
        int32_t cpus = team ? team_width(team) : 1;
        if (!round->measured)
                return;
        leaf->round_load_s[*rounds % LEAF_LOADS] = load_s;
        leaf->round_loads = ++*rounds;
        leaf->round_iterations =
            mean_with(*rounds > 1 ? leaf->round_iterations : 0, round->iterations, *rounds);
        leaf->load_s = mean_with(*rounds > 1 ? leaf->load_s : 0, load_s, *rounds);
        leaf->work_s = mean_with(*rounds > 1 ? leaf->work_s : 0, serial_s + even_s * cpus, *rounds);
        leaf->serial_s = mean_with(*rounds > 1 ? leaf->serial_s : 0, serial_s, *rounds);
        leaf->regions = mean_with(*rounds > 1 ? leaf->regions : 0, regions, *rounds);
}

/* Mean load of the ranks, each with as many CPUs as the others. */
static double least_of(const struct balance *b, const struct balance_round *round)
{
        double sum_s = 0;
        for (int32_t i = 0; i < b->size; i++)
                sum_s += round->word[i].load_s;
        return round->measured ? sum_s / b->size : 0;
}

void balance_without(struct balance *b, const struct balance_round *round)
{
        double least_s = least_of(b, round);
        trial_without(&b->trial, round->round_s, least_s, round->iterations);
        if (round->measured)
                trial_even(&b->trial, round->round_s - round->most_s + least_s, round->iterations);
}

bool balance_tell_trial(struct balance *b)
{
        const struct trial *trial = &b->trial;
        struct leaf *leaf = b->leaf;
        leaf->whole_s = trial->whole_s;
        leaf->undone = trial->undone;
        if (trial->without.count < 2 || (trial->fresh && leaf->with_s > 0))
                return false;
        leaf->unknown = !trial_compares(trial);
        leaf->without_s = trial_median_s(&trial->without);
        leaf->without_scatter_s = trial_scatter_s(&trial->without);
        leaf->without_error_s = trial_error_s(&trial->without);
        if (trial->with.count > 0) {
                leaf->with_s = trial_median_s(&trial->with);
                leaf->with_scatter_s = trial_scatter_s(&trial->with);
                leaf->with_error_s = trial_error_s(&trial->with);
        }
        return true;
}
