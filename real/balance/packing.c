/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Task Packing live: ranks that wait share CPUs, so that others are free (policies/pack.h,
 * policies/pack_when.h).
 *
 *   measure --settled--> decide --some node frees CPUs--> packed --no longer fits--> measure ...
 *                          |                                 '--slower than before--> measure,
 * later
 *                          '--none does--> nothing to do --loads change--> measure ...
 *
 * - All ranks have the words of all, so each decides for its node what the others decide; the first
 *   of a node writes the log.
 * - Moves are made when the next round ends, where all know whether any node frees CPUs: from then
 *   on waits are polite, in all ranks or in none.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "policies/host/ask.h"
#include "policies/pack.h"
#include "policies/pack_when.h"
#include "policies/plugged.h"
#include "real/balance/host.h"
#include "real/balance/lull.h"
#include "real/balance/params.h"

/* To the settling of times, one that is less than this part of the slowest's is as good as none:
 * the clocks of a machine with other work do not show it to 5 %. */
static const double least_part = 0.125;
enum phase { MEASURES = 0, DECIDED, PACKED, IDLE };

struct packing {
        enum phase phase;
        const struct pack_type *type;
        void *when, *state;
        double when_param[PACK_WHEN_NPARAM], param[PLUGGED_PARAM_MAX], tolerance;
        double *sum_s, *time_s; /* [size] loads so far, and what the settling of times is told */
        double *mate_s;         /* [nmate] */
        int64_t rounds;         /* in sum_s */
        bool discards;          /* the next round is not measured */
        int32_t *cpu, used;     /* [nmate] as decided */
        double bound_s;         /* of them */
        int64_t freed_ns;       /* CPUs are counted as free until then */
};

/* ---- Start ---- */

static void measure_anew(struct balance *b)
{
        struct packing *p = b->state;
        p->phase = MEASURES;
        p->rounds = 0;
        p->discards = true;
        b->tell = 0;
        memset(p->sum_s, 0, (size_t)b->size * sizeof(*p->sum_s));
        trial_forget(&b->trial);
        pack_when_init(p->when, b->size, p->when_param, p->tolerance);
}

static int make_policy(struct balance *b, struct packing *p, struct lb_error *err)
{
        double which;
        if (setup_table(b->setup, "packing", packing_live_params, &which, err) < 0 ||
            setup_table(b->setup, "packing", pack_when_params, p->when_param, err) < 0)
                return -1;
        p->type = b->plugged ? pack_find(b->plugged->pack) : pack_types[(int)which];
        if (setup_table(b->setup, p->type->name, p->type->params, p->param, err) < 0)
                return -1;
        p->tolerance = p->type->tolerance(p->param);
        p->state = ask_pack_make(p->type, b->nmate, p->param, b->log, err);
        return p->state ? 0 : -1;
}

static int make(struct balance *b, struct packing *p, struct lb_error *err)
{
        size_t all = (size_t)b->size, here = (size_t)b->nmate;
        p->when = calloc(1, pack_when_size(b->size));
        p->sum_s = calloc(all, sizeof(*p->sum_s));
        p->time_s = calloc(all, sizeof(*p->time_s));
        p->mate_s = calloc(here, sizeof(*p->mate_s));
        p->cpu = calloc(here, sizeof(*p->cpu));
        if (!p->when || !p->sum_s || !p->time_s || !p->mate_s || !p->cpu)
                return lb_error_fail(err, "out of memory for %d ranks", b->size);
        return make_policy(b, p, err);
}

/* A node with one rank has nothing to free, but the job may have others. */
static int check_nodes(struct balance *b, struct lb_error *err)
{
        if (b->nnode < b->size)
                return 0;
        return lb_error_set(err,
                            "found one rank on each of %d nodes, allowed are nodes of two or "
                            "more: there is nothing to pack",
                            b->nnode);
}

static int start(struct balance *b, struct lb_error *err)
{
        struct packing *p = b->state = calloc(1, sizeof(*p));
        int code = p ? make(b, p, err) : lb_error_fail(err, "out of memory");
        if (code == 0)
                code = check_nodes(b, err);
        if (balance_agree(b, code, err) < 0)
                return -1;
        measure_anew(b);
        return 0;
}

/* CPUs that are free have been so until now. */
static void count_freed(struct balance *b)
{
        struct packing *p = b->state;
        int64_t now_ns = clock_ns();
        if (b->leaf->balanced)
                b->leaf->freed_cpu_s += b->leaf->nfreed * 1e-9 * (double)(now_ns - p->freed_ns);
        p->freed_ns = now_ns;
}

static void stop(struct balance *b)
{
        struct packing *p = b->state;
        count_freed(b);
        balance_wait_politely(b, false);
        free(p->when);
        free(p->sum_s);
        free(p->time_s);
        free(p->mate_s);
        free(p->cpu);
        free(p->state);
        free(p);
        b->state = NULL;
}

/* ---- Deciding ---- */

/* The node's CPUs that no rank is on any more. */
static void tell_freed(struct balance *b, const struct packing *p, bool packed)
{
        cpu_set_t freed, used;
        CPU_ZERO(&freed);
        CPU_ZERO(&used);
        for (int32_t i = 0; packed && i < b->nmate; i++) {
                if (b->virtual_cpus) {
                        CPU_SET((size_t)i, &freed);
                        CPU_SET((size_t)p->cpu[i], &used);
                } else {
                        CPU_OR(&freed, &freed, &b->home[i]);
                        CPU_OR(&used, &used, &b->home[p->cpu[i]]);
                }
        }
        CPU_AND(&used, &used, &freed);
        CPU_XOR(&freed, &freed, &used);
        balance_tell_freed(b, &freed);
}

static void decide(struct balance *b, const struct balance_round *round)
{
        struct packing *p = b->state;
        p->bound_s = 0;
        for (int32_t i = 0; i < b->size; i++)
                p->bound_s = fmax(p->bound_s, p->sum_s[i] / (double)p->rounds);
        for (int32_t i = 0; i < b->nmate; i++)
                p->mate_s[i] = p->sum_s[b->mate_rank[i]] / (double)p->rounds;
        struct pack_view view = { .time_ns = (int64_t)(1e9 * round->now_s),
                                  .bound_s = p->bound_s,
                                  .time_s = p->mate_s };
        struct lb_error err;
        p->used = ask_pack(p->type, p->state, b->nmate, &view, p->cpu, b->log, &err);
        if (p->used < 0) {
                balance_say(b, "packing: policy '%s': %s: nothing is packed", p->type->name,
                            err.text);
                p->used = b->nmate;
        }
        decision_log_flush(b->log);
        b->leaf->load_s = p->mate_s[b->mate];
        b->tell = b->mate == 0 ? b->nmate - p->used : 0;
        p->phase = DECIDED;
}

/* What the policy's sums say of the slowest CPU of this node, s. */
static double fullest_s(const struct balance *b, const struct packing *p)
{
        double fullest = 0;
        for (int32_t c = 0; c < b->nmate; c++) {
                double sum = 0;
                for (int32_t i = 0; i < b->nmate; i++)
                        sum += p->cpu[i] == c ? p->mate_s[i] : 0;
                fullest = fmax(fullest, sum);
        }
        return fullest;
}

/* ---- Doing ---- */

static void pack(struct balance *b, const struct balance_round *round)
{
        struct packing *p = b->state;
        double freed = 0;
        for (int32_t i = 0; i < b->size; i++)
                freed += round->word[i].told;
        p->phase = freed > 0 ? PACKED : IDLE;
        b->tell = 0;
        if (p->phase == IDLE)
                return;
        balance_wait_politely(b, true);
        lull_watch(b->lull);
        balance_move(b, p->cpu[b->mate]);
        double beyond_s = fmax(trial_median_s(&b->trial.without) - p->bound_s, 0);
        b->leaf->predicted_s = beyond_s + fmax(p->bound_s, fullest_s(b, p));
        b->leaf->changes++;
        b->leaf->balanced = 1;
        tell_freed(b, p, true);
}

/* Waits stay as they are. */
static bool go_home(struct balance *b)
{
        if (!b->leaf->balanced)
                return false;
        count_freed(b);
        balance_move_back(b);
        b->leaf->changes++;
        b->leaf->balanced = 0;
        tell_freed(b, b->state, false);
        return true;
}

static void move_back(struct balance *b)
{
        (void)go_home(b);
        balance_wait_politely(b, false);
}

static void unpack(struct balance *b)
{
        move_back(b);
        measure_anew(b);
}

/* ---- Rounds ---- */

/*
 * By processor time alone, which other work on the machine does not change: when packed, what the
 * fullest CPU of any node had, as its first rank tells with its next word.
 */
static enum pack_step step(struct balance *b, const struct balance_round *round)
{
        struct packing *p = b->state;
        double least_s = p->phase == MEASURES ? least_part * round->most_s : 0;
        struct pack_when_view view = { .time_s = p->time_s, .slowest_s = round->most_s };
        for (int32_t i = 0; i < b->size; i++) {
                p->time_s[i] = fmax(round->word[i].load_s, least_s);
                view.slowest_s = fmax(view.slowest_s, round->word[i].told);
        }
        return pack_when_step(p->when, &view);
}

static void tell_fullest(struct balance *b, const struct balance_round *round)
{
        struct packing *p = b->state;
        for (int32_t i = 0; i < b->nmate; i++)
                p->mate_s[i] = round->word[b->mate_rank[i]].load_s;
        b->tell = b->mate == 0 ? fullest_s(b, p) : 0;
}

static void measure(struct balance *b, const struct balance_round *round)
{
        struct packing *p = b->state;
        if (p->discards || round->other) {
                measure_anew(b);
                p->discards = false;
                return;
        }
        if (!round->measured)
                return;
        balance_without(b, round);
        for (int32_t i = 0; i < b->size; i++)
                p->sum_s[i] += round->word[i].load_s;
        p->rounds++;
        if (step(b, round) != PACK_STEP_PACK)
                return;
        if (trial_may_begin(&b->trial))
                decide(b, round);
        else
                measure_anew(b);
}

static void wait_for_word(struct balance *b, const struct balance_round *round)
{
        if (round->other) {
                measure_anew(b);
                return;
        }
        balance_without(b, round);
        pack(b, round);
}

/* with_s is 0 where it does not compare. */
static void say_undone(const struct balance *b, double with_s, double without_s, double lost_s)
{
        char text[64] = "it took longer than before";
        if (with_s > 0)
                snprintf(text, sizeof(text), "iterations took %.4g s in place of %.4g s", with_s,
                         without_s);
        balance_say(b, "packing undone: %s; lost %.3g s so far", text,
                    fmax(b->trial.lost_s, lost_s));
}

static void watch(struct balance *b, const struct balance_round *round)
{
        double without_s = trial_median_s(&b->trial.without), lost_s = b->trial.lost_s;
        bool compares = trial_compares(&b->trial);
        if (round->other || step(b, round) == PACK_STEP_EXPAND) {
                trial_end(&b->trial);
                unpack(b);
                return;
        }
        tell_fullest(b, round);
        switch (trial_with(&b->trial, round->round_s, round->iterations)) {
        case TRIAL_GOES_ON:
                return;
        case TRIAL_UNDONE:
                say_undone(b, compares ? round->round_s : 0, without_s, lost_s);
                break;
        case TRIAL_OTHER:
        case TRIAL_UNTIMED:
                break;
        }
        unpack(b);
}

static void idle(struct balance *b, const struct balance_round *round)
{
        balance_without(b, round);
        if (round->other || (round->measured && step(b, round) == PACK_STEP_EXPAND))
                measure_anew(b);
}

static void end_round(struct balance *b, const struct balance_round *round)
{
        static void (*const phases[])(struct balance *, const struct balance_round *) = {
                [MEASURES] = measure, [DECIDED] = wait_for_word, [PACKED] = watch, [IDLE] = idle
        };
        struct packing *p = b->state;
        count_freed(b);
        phases[p->phase](b, round);
        if (p->phase != MEASURES || b->leaf->changes == 0)
                balance_tell_trial(b);
        b->leaf->undone = b->trial.undone; /* also by the last round before the end */
}

const struct balance_system balance_packing = {
        .name = "packing",
        .start = start,
        .give_up = move_back,
        .go_back = go_home,
        .stop = stop,
        .round = end_round,
};
