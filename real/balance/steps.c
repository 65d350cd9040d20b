/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/steps.h"

#include <math.h>
#include <stdlib.h>

#include "policies/dpd.h"
#include "real/balance/gather.h"
#include "real/balance/host_impl.h"
#include "real/balance/lull.h"
#include "real/interpose/interpose.h"

/* A step of many exchanges; a call costs 0.05 us, and nothing where ranks meet. */
enum { STEP_WINDOW = 512, STEP_CONFIRM = 2 };

/* Ranks that pass messages on do not keep step from one to the next: so many make a round, unless
 * they last so long. */
enum { STEPS_LEAST = 4 };
static const double STEPS_LEAST_S = 0.25;

/* Where calls come in bursts that all look alike, what repeats is a single call. A round begins and
 * ends with one that has such a part of the time outside MPI which they have in the mean, of about
 * so many; without one, after PATIENCE times what is wanted. */
static const double LONG_PART = 0.75;
enum { MEAN_OF = 32, PATIENCE = 4 };

struct steps {
        struct balance *b;
        struct gather *gather;
        struct dpd *dpd;
        bool runs;     /* a boundary has begun what is measured */
        int32_t skips; /* boundaries until then: others may not know yet of the last round */
        int64_t count, long_count;  /* iterations since then; those of much time outside MPI */
        int64_t left_ns;            /* when MPI was left last */
        double outside_ns, mean_ns; /* longest time outside MPI of this iteration; of late */
        int64_t began_ns, began_regions;
        double began_load_ns, began_regions_s;
        double regions; /* of what was told last */
        /* [size] own iterations in one of the rank whose are longest, from all since these
         * are what ranks repeat */
        double *scale, *wall_s, *iterations;
        uint32_t *kind;
        struct balance_word *words; /* [size] */
};

struct steps *steps_create(struct balance *b, void *board)
{
        size_t n = (size_t)b->size;
        struct gather *gather = gather_create(b->world, b->rank, b->size, board);
        struct steps *steps = calloc(1, sizeof(*steps));
        if (!steps) {
                gather_destroy(gather);
                return NULL;
        }
        *steps = (struct steps){ .b = b, .gather = gather };
        steps->dpd = malloc(dpd_size(STEP_WINDOW));
        steps->scale = calloc(n, sizeof(*steps->scale));
        steps->wall_s = calloc(n, sizeof(*steps->wall_s));
        steps->iterations = calloc(n, sizeof(*steps->iterations));
        steps->kind = calloc(n, sizeof(*steps->kind));
        steps->words = calloc(n, sizeof(*steps->words));
        if (!gather || !steps->dpd || !steps->scale || !steps->wall_s || !steps->iterations ||
            !steps->kind || !steps->words) {
                steps_destroy(steps);
                return NULL;
        }
        dpd_init(steps->dpd, STEP_WINDOW, STEP_CONFIRM);
        return steps;
}

void steps_destroy(struct steps *steps)
{
        if (!steps)
                return;
        gather_destroy(steps->gather);
        free(steps->dpd);
        free(steps->scale);
        free(steps->wall_s);
        free(steps->iterations);
        free(steps->kind);
        free(steps->words);
        free(steps);
}

void steps_end(struct steps *steps)
{
        gather_end(steps->gather, steps->b->world);
}

/* ---- This rank's ---- */

int64_t steps_told(const struct steps *steps)
{
        return gather_posted(steps->gather);
}

int64_t steps_complete(const struct steps *steps)
{
        return gather_completed(steps->gather);
}

static void begin(struct steps *steps, int64_t now_ns)
{
        steps->runs = true;
        steps->count = steps->long_count = 0;
        steps->began_ns = now_ns;
        steps->began_load_ns = host_load_ns(steps->b, true);
        steps->began_regions = steps->b->regions;
        steps->began_regions_s = steps->b->regions_s;
}

static void tell(struct steps *steps, int64_t now_ns, int32_t epoch)
{
        struct balance *b = steps->b;
        struct gather_word word = { .wall_s = 1e-9 * (double)(now_ns - steps->began_ns),
                                    .count = (double)steps->count,
                                    .told = b->tell,
                                    .period = dpd_period(steps->dpd),
                                    .kind = dpd_kind(steps->dpd),
                                    .epoch = epoch,
                                    .lull = lull_is_on(b->lull) };
        word.load_s = 1e-9 * fmax(host_load_ns(b, true) - steps->began_load_ns, 0);
        word.alone_s = fmax(word.load_s - (b->regions_s - steps->began_regions_s), 0);
        steps->regions = (double)(b->regions - steps->began_regions) / word.count;
        steps->skips = word.wall_s < STEPS_LEAST_S * word.count ? 1 : 0;
        steps->runs = false;
        gather_post(steps->gather, &word);
}

static bool is_enough(const struct steps *steps, double passed_s, double wanted_s)
{
        return passed_s >= wanted_s &&
               (steps->long_count >= STEPS_LEAST || passed_s >= STEPS_LEAST_S);
}

/* An iteration has ended. `is_long`: here a round may begin, and end. */
static void pass(struct steps *steps, int64_t now_ns, double wanted_s, int32_t epoch, bool is_long)
{
        double passed_s = 1e-9 * (double)(now_ns - steps->began_ns);
        steps->count++;
        steps->long_count += is_long;
        if (steps->runs) {
                bool late = passed_s > PATIENCE * fmax(wanted_s, STEPS_LEAST_S);
                if ((is_long && is_enough(steps, passed_s, wanted_s)) || late)
                        tell(steps, now_ns, epoch);
        } else if (is_long && steps->skips-- <= 0) {
                begin(steps, now_ns);
        }
}

/* Of an iteration that has ended. */
static bool was_long(struct steps *steps)
{
        double outside_ns = steps->outside_ns;
        steps->outside_ns = 0;
        steps->mean_ns += (outside_ns - steps->mean_ns) / MEAN_OF;
        return outside_ns >= LONG_PART * steps->mean_ns;
}

void steps_call(struct steps *steps, const struct interpose_call *call, int64_t now_ns,
                double wanted_s, int32_t epoch)
{
        if (!balance_repeats(call))
                return;
        steps->outside_ns = fmax(steps->outside_ns, (double)(now_ns - steps->left_ns));
        enum dpd_event event = dpd_feed(steps->dpd, balance_call_value(call));
        if (event == DPD_LOST || event == DPD_STARTED)
                steps->runs = false;
        if (event == DPD_LOST || event == DPD_NONE)
                return;
        bool is_long = was_long(steps);
        if (steps_told(steps) == steps_complete(steps))
                pass(steps, now_ns, wanted_s, epoch, is_long);
}

void steps_left(struct steps *steps, int64_t now_ns)
{
        steps->left_ns = now_ns;
}

void steps_break(struct steps *steps)
{
        steps->runs = false;
}

/* ---- Of all ---- */

static bool are_of(const struct gather_word *word, int32_t size, int32_t epoch)
{
        for (int32_t i = 0; i < size; i++)
                if (word[i].epoch != epoch)
                        return false;
        return true;
}

/* Returns whether all ranks repeat what they did. */
static bool add_up(struct steps *steps, const struct gather_word *word)
{
        int32_t n = steps->b->size;
        bool same = true;
        for (int32_t i = 0; i < n; i++)
                same = same && word[i].kind == steps->kind[i];
        for (int32_t i = 0; i < n; i++) {
                steps->wall_s[i] = (same ? steps->wall_s[i] : 0) + word[i].wall_s;
                steps->iterations[i] = (same ? steps->iterations[i] : 0) + word[i].count;
                steps->kind[i] = word[i].kind;
        }
        return same;
}

/* Returns whether they are what they were. */
static bool find_scales(struct steps *steps)
{
        int32_t n = steps->b->size;
        double longest_s = 0;
        bool same = true;
        for (int32_t i = 0; i < n; i++)
                longest_s = fmax(longest_s, steps->wall_s[i] / steps->iterations[i]);
        for (int32_t i = 0; i < n; i++) {
                double scale = fmax(round(longest_s * steps->iterations[i] / steps->wall_s[i]), 1);
                same = same && scale == steps->scale[i];
                steps->scale[i] = scale;
        }
        return same;
}

/* Of an iteration. A rank comes to its waits when its work is done, as far as is known. */
static void sum_up(struct steps *steps, const struct gather_word *word, struct balance_round *round)
{
        struct balance *b = steps->b;
        double n = (double)b->size;
        bool repeats = add_up(steps, word), same = find_scales(steps);
        *round = (struct balance_round){
                .other = !repeats || !same, .known = true, .measured = true, .word = steps->words
        };
        for (int32_t i = 0; i < b->size; i++) {
                double part = steps->scale[i] / word[i].count;
                double load_s = word[i].load_s * part, alone_s = word[i].alone_s * part;
                steps->words[i] = (struct balance_word){ .load_s = load_s,
                                                         .alone_s = alone_s,
                                                         .arrival_s = load_s,
                                                         .told = word[i].told,
                                                         .period = word[i].period,
                                                         .lull = word[i].lull };
                round->resumes = round->resumes || word[i].lull;
                round->most_s = fmax(round->most_s, load_s);
                round->alone_s = fmax(round->alone_s, alone_s);
                round->round_s += word[i].wall_s * part / n;
                round->iterations += 1 / (part * n);
        }
        round->slowest_s = fmin(round->most_s, round->round_s);
        round->other = round->other || round->resumes;
        b->regions = (int64_t)(steps->regions * steps->scale[b->rank] * round->iterations + 0.5);
}

bool steps_round(struct steps *steps, int32_t epoch, struct balance_round *round)
{
        const struct gather_word *word = gather_look(steps->gather);
        if (!word || !are_of(word, steps->b->size, epoch))
                return false;
        sum_up(steps, word, round);
        return true;
}
