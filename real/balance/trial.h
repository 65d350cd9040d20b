/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_TRIAL_H
#define LB_REAL_BALANCE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Is balancing worth it? Rounds (one or several iterations) are timed without balancing, then with
 * it; where the latter are slower, balancing is to be undone. No clock, no MPI: all ranks that tell
 * it the same times come to the same answer.
 *
 * - What is told is the time of one iteration, mean of the `iterations` of a round, and without
 *   balancing the least that it could have come to: its work on all CPUs at any time.
 * - Slower: the median with balancing is above the median without by more than `loss_part` of
 *   it and two standard errors of the difference. After a single round: by twice `loss_part` and
 *   four standard deviations, so that one round alone is no judge unless it is plain: it is the one
 *   after the change, and rounds without may have scattered less. Deviations are told from
 *   the median one: a single round that other work on the machine held up would else excuse all
 *   that follow.
 * - Slower as well: after TRIAL_ENOUGH rounds, what trials have cost in all is more than
 *   `loss_whole` of the time of the run, and the mean is above by more than `loss_part` and two
 *   standard errors of the mean without: two rounds may have been the shortest of an uneven run.
 * - What a rank does by itself for longer than in most rounds, as when it writes a file every
 *   hundred iterations, is no loss by balancing: as much of a round is left out where rounds are
 *   judged slower, down to the median without.
 * - Faster than balancing can have made them, by as much: the program has come to other iterations,
 *   with which those before do not compare.
 * - Rounds with balancing that nothing is known to compare with: to be timed without, and later
 *   each time.
 * - What trials have cost that were undone is added up; another may begin where that and as much
 *   as the last one cost is at most `loss_whole` of the time of the run, and after twice as many
 *   rounds as before the last one.
 */
enum { TRIAL_ROUNDS = 32, TRIAL_ENOUGH = 8 };

/* The last rounds. */
struct trial_times {
        int64_t count; /* in time_s */
        int64_t told;
        double time_s[TRIAL_ROUNDS];
        double iterations; /* of a round, mean */
        int64_t unknown;   /* of those told: it was not known what repeats */
};

struct trial {
        double loss_part, loss_whole;
        struct trial_times without, with, least, even; /* these: of the rounds without */
        struct trial_times judged;                     /* with, without what is no loss by it */
        struct trial_times alone_without, alone_with;  /* what a rank did by itself */
        double whole_s;                                /* of all rounds */
        double lost_s, before_s;                       /* by trials that were undone; by others */
        double cost_s;                                 /* of the last that was undone */
        int64_t undone;                                /* how many */
        int64_t since, wait;       /* rounds since the last was undone; and as many must pass */
        int64_t untimed, patience; /* rounds with nothing to compare with; so many are stood */
        bool fresh;                /* none with balancing since the rounds became others */
        bool unknown;              /* the next round */
        double alone_s;            /* of the next round */
};

enum trial_verdict { TRIAL_GOES_ON = 0, TRIAL_UNDONE, TRIAL_OTHER, TRIAL_UNTIMED };

void trial_init(struct trial *trial, double loss_part, double loss_whole);

/* A round without balancing; least_s is 0 where it is not known. What is forgotten: where rounds
 * become others. */
void trial_without(struct trial *trial, double time_s, double least_s, double iterations);

/* What that round would have taken, were the loads of all ranks their mean, and all else as it was;
 * not told where it is not known. */
void trial_even(struct trial *trial, double even_s, double iterations);

/* Of the round that is told next: is it known what repeats in it? And the most that a rank did of
 * an iteration by itself, outside of parallel regions; below 0: not known. */
void trial_next(struct trial *trial, bool known, double alone_s);

/* What repeats was not known of so many rounds before the next one, and is known to be the same. */
void trial_known(struct trial *trial, int64_t rounds);

/* Rounds with and without were of the same, but for a quarter: their times are those of one
 * iteration, and compare. They are judged in any case, since what is slower is to be undone. */
bool trial_compares(const struct trial *trial);
void trial_forget(struct trial *trial);

/* May balancing begin? */
bool trial_may_begin(const struct trial *trial);

/* A round in which it begins: threads are made, memory moves. What it takes longer is lost, and
 * tells nothing of those that follow. */
void trial_begins(struct trial *trial, double time_s, double iterations);

/* A round with it. TRIAL_UNDONE: it is to be undone, and all is forgotten. TRIAL_OTHER: all is
 * forgotten. TRIAL_UNTIMED: go back, to time rounds without. */
enum trial_verdict trial_with(struct trial *trial, double time_s, double iterations);

/* It has ended, and was no loss. */
void trial_end(struct trial *trial);

/* Can balancing gain two per cent or more, which timing can tell? Also where the least is not
 * known. Where even loads would not, what could be gained may be communication, or finer imbalance:
 * then only once the run has lasted so long that two rounds for nothing are within `loss_whole`. */
bool trial_may_gain(const struct trial *trial);

/* Median, standard deviation as the median deviation tells it, and the median's standard error, s;
 * 0 where there were none. */
double trial_median_s(const struct trial_times *times);
double trial_scatter_s(const struct trial_times *times);
double trial_error_s(const struct trial_times *times);

#endif
