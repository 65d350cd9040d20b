/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic Processor Balancing live (DPB paper 3; policies/dpb.h, policies/profile.h): every rank
 * finds its iterations in its MPI calls and measures its computation and its time in MPI; when all
 * ranks of a node have measured a few, the first of them has the policy decide, and each follows at
 * the edges of its parallel regions, in MPI calls, or outside both (the paper's synchronous
 * version), or at once, by a thread of its own (the asynchronous one: a region under way has its
 * threads on the CPUs that are left, and none is stopped with work that it has):
 *
 *      rank:   measure .. told | measure ..                    target
 *      first:  ............... all told: decide, log --board--> drop, claim | counters to zero
 *
 * - Nodes decide alone; the paper has one.
 * - That allocation is given up which makes the rounds of the whole job slower than equal parts
 *   (real/balance/trial.h), beside the paper's own undo of the last move.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "policies/dpb.h"
#include "policies/host/ask.h"
#include "policies/plugged.h"
#include "policies/profile.h"
#include "real/balance/at_once.h"
#include "real/balance/host_impl.h"
#include "real/balance/lull.h"
#include "real/balance/params.h"
#include "real/balance/team.h"
#include "real/openmp/openmp.h"

/* What a rank tells with each round: its team is as it came; equal parts; other ones. */
enum { TELLS_NOTHING = 0, TELLS_EQUAL, TELLS_MOVED };

/* Calls repeat within iterations as well: of those that are shorter, threads make nothing better.
 */
static const double ITERATION_MIN_S = 1e-3;

/* The first decision waits until rounds of equal parts were timed, which all that comes is held
 * against; where they do not come to be, for so long. Where there was none at all in so many
 * iterations and times round_ms, ranks meet rarely or never: a decision waits for nothing then
 * (the paper's waits for what it needs alone), and when rounds come equal parts are timed first. */
static const double HELD_S = 3, HELD_ITERATIONS = 32;
static const double HELD_FIRST = 16, HELD_FIRST_ITERATIONS = 4;

/* In the node's shared memory, of each rank, written by it alone; the first word by the first. */
struct dpb_told {
        _Atomic int64_t decision; /* measured since this one; 0: not yet; of the first, see now() */
        _Atomic double compute_s, mpi_s;
        atomic_bool uses; /* its team could use more CPUs than equal parts have */
};
struct dpb_board {
        _Atomic int64_t decision; /* number of the last one, from 1 */
        struct futex news;        /* woken with each */
        struct dpb_told told[];   /* [nmate] */
};

struct dpb {
        struct team *team;
        struct at_once *at_once; /* NULL: synchronous */
        struct dpb_board *board;
        struct profile *profile;
        double param[DPB_LIVE_NPARAM];
        const struct dpb_type *type; /* the rest of the node's first rank alone */
        void *state;
        double policy_param[PLUGGED_PARAM_MAX];
        double *compute_s, *mpi_s; /* [nmate] */
        int32_t *cpus, *wanted;    /* [nmate] */
        int64_t seen;              /* the decision that was last followed */
        int64_t enter_ns, left_ns; /* the call now, and when the one before ended */
        double load_ns, owed_ns;   /* so far; and what of it there was no room for yet */
        int64_t held_ns;           /* since when decisions wait for the following */
        int64_t rounds;            /* there were then; -1: they have come, and will */
        int64_t unmoved;           /* rounds of equal parts that were measured */
        bool off;                  /* nothing is decided, as in a lull */
        bool timed;                /* rounds of equal parts are */
        bool opened, in_region;
};

/* ---- Start ---- */

static size_t board_bytes(int32_t nmate)
{
        return sizeof(struct dpb_board) + (size_t)nmate * sizeof(struct dpb_told);
}

static int make_profile(struct dpb *d, struct lb_error *err)
{
        struct profile_setup setup = {
                .window = (int32_t)d->param[DPB_LIVE_WINDOW],
                .confirm = (int32_t)d->param[DPB_LIVE_CONFIRM],
                .periods = (int32_t)d->param[DPB_LIVE_PERIODS],
                .discard = d->param[DPB_LIVE_DISCARD] != 0,
        };
        d->profile = calloc(1, profile_size(&setup));
        if (!d->profile)
                return lb_error_fail(err, "out of memory");
        profile_init(d->profile, &setup);
        return 0;
}

static int make_policy(struct balance *b, struct dpb *d, struct lb_error *err)
{
        size_t n = (size_t)b->nmate;
        d->type =
            b->plugged ? dpb_find(b->plugged->dpb) : dpb_types[(int)d->param[DPB_LIVE_POLICY]];
        if (setup_table(b->setup, d->type->name, d->type->params, d->policy_param, err) < 0)
                return -1;
        d->compute_s = calloc(n, sizeof(*d->compute_s));
        d->mpi_s = calloc(n, sizeof(*d->mpi_s));
        d->cpus = calloc(n, sizeof(*d->cpus));
        d->wanted = calloc(n, sizeof(*d->wanted));
        if (!d->compute_s || !d->mpi_s || !d->cpus || !d->wanted)
                return lb_error_fail(err, "out of memory for %d ranks", b->nmate);
        d->state = ask_dpb_make(d->type, b->nmate, d->policy_param, b->log, err);
        return d->state ? 0 : -1;
}

static int prepare(struct balance *b, struct dpb *d, struct lb_error *err)
{
        d->board = b->shared;
        if (setup_table(b->setup, "dpb", dpb_live_params, d->param, err) < 0 ||
            make_profile(d, err) < 0)
                return -1;
        return b->mate == 0 ? make_policy(b, d, err) : 0;
}

static int begin_at_once(struct balance *b, struct dpb *d, struct lb_error *err);

static int start(struct balance *b, struct lb_error *err)
{
        struct dpb *d = b->state = calloc(1, sizeof(*d));
        int code = d ? prepare(b, d, err) : lb_error_fail(err, "out of memory");
        if (balance_agree(b, code, err) < 0)
                return -1;
        d->team = team_take(b, false, err);
        if (!d->team)
                return -1;
        d->enter_ns = d->left_ns = clock_ns(); /* it may begin within a call */
        return balance_agree(b, begin_at_once(b, d, err), err);
}

static void stop(struct balance *b)
{
        struct dpb *d = b->state;
        at_once_stop(d->at_once);
        team_tell(d->team);
        team_destroy(d->team);
        free(d->profile);
        free(d->state);
        free(d->compute_s);
        free(d->mpi_s);
        free(d->cpus);
        free(d->wanted);
        free(d);
        b->state = NULL;
}

/* ---- Following ---- */

static struct board_worker *row_of(const struct dpb *d, int32_t mate)
{
        return board_worker(team_board(d->team), mate);
}

static int32_t owned_of(const struct dpb *d, int32_t mate)
{
        return atomic_load(&row_of(d, mate)->owned);
}

static int32_t target_of(const struct dpb *d, int32_t mate)
{
        return atomic_load(&row_of(d, mate)->target);
}

/* Returns whether the team is to settle. */
static bool exchange(struct balance *b, struct dpb *d)
{
        if (owned_of(d, b->mate) == target_of(d, b->mate))
                return false;
        bool changed = team_exchange(d->team);
        b->leaf->changes += changed;
        return changed;
}

/* CPUs are moved by one thread of the process at a time. */
static void lock(struct balance *b, struct dpb *d)
{
        lull_lock(b->lull);
        at_once_lock(d->at_once);
}

static void unlock(struct balance *b, struct dpb *d)
{
        at_once_unlock(d->at_once);
        lull_unlock(b->lull);
}

/* Outside of parallel regions: give, take, and begin to measure anew. */
static void follow(struct balance *b, struct dpb *d, bool in_mpi)
{
        int64_t decision = atomic_load(&d->board->decision);
        bool news = decision != d->seen;
        if (d->in_region)
                return;
        if (news)
                profile_reset(d->profile);
        d->seen = decision;
        if (news || owned_of(d, b->mate) != target_of(d, b->mate)) {
                lock(b, d);
                if (exchange(b, d) || news)
                        (void)team_settle(d->team);
                unlock(b, d);
        }
        if (in_mpi)
                team_in_mpi(d->team);
}

/* By the thread of its own, wherever the program is. Who gives wakes who takes. */
static int64_t follow_at_once(void *given)
{
        struct balance *b = given;
        struct dpb *d = b->state;
        if (exchange(b, d)) {
                (void)team_settle(d->team);
                futex_wake(&d->board->news);
        }
        return -1;
}

static int begin_at_once(struct balance *b, struct dpb *d, struct lb_error *err)
{
        if (d->param[DPB_LIVE_WHEN] != DPB_ASYNCHRONOUS)
                return 0;
        if (b->virtual_cpus)
                return lb_error_set(err, "dpb_when: found asynchronous, allowed is synchronous on "
                                         "virtual CPUs: threads enter their groups by themselves");
        d->at_once = at_once_start(&d->board->news, follow_at_once, b, err);
        return d->at_once ? 0 : -1;
}

/* ---- Deciding ---- */

/* The first iterations had the threads that the program came with; those that count have as many as
 * CPUs. */
static void open_team(struct balance *b, struct dpb *d, double iteration_s, int64_t now_ns)
{
        if (iteration_s < ITERATION_MIN_S)
                return;
        d->opened = true;
        d->held_ns = now_ns;
        d->rounds = b->leaf->rounds;
        b->tell = TELLS_EQUAL;
        team_open(d->team);
        at_once_lock(d->at_once);
        (void)team_settle(d->team);
        at_once_unlock(d->at_once);
}

static bool is_held(const struct balance *b, const struct dpb *d, double iteration_s,
                    int64_t now_ns)
{
        double first_s = HELD_FIRST * 1e-3 * b->param[BALANCE_ROUND_MS];
        double most_s = fmax(HELD_S, HELD_ITERATIONS * iteration_s);
        if (b->leaf->rounds == d->rounds)
                most_s = fmax(first_s, HELD_FIRST_ITERATIONS * iteration_s);
        return !d->timed && 1e-9 * (double)(now_ns - d->held_ns) < most_s;
}

static void tell(struct balance *b, struct dpb *d, int64_t now_ns)
{
        struct dpb_told *told = &d->board->told[b->mate];
        double compute_s, mpi_s;
        if (atomic_load(&told->decision) == d->seen + 1)
                return;
        profile_means(d->profile, &compute_s, &mpi_s);
        if (compute_s + mpi_s < ITERATION_MIN_S || !d->opened) {
                profile_reset(d->profile);
                open_team(b, d, compute_s + mpi_s, now_ns);
                return;
        }
        if (is_held(b, d, compute_s + mpi_s, now_ns))
                return;
        atomic_store(&told->compute_s, compute_s);
        atomic_store(&told->mpi_s, mpi_s);
        atomic_store(&told->uses, team_could_use_more(d->team));
        atomic_store(&told->decision, d->seen + 1);
}

/* Has the node decided on other than equal parts? */
static bool is_moved(const struct balance *b, const struct dpb *d)
{
        bool moved = false;
        for (int32_t i = 0; i < b->nmate; i++)
                moved = moved || target_of(d, i) != team_initial(d->team)[i];
        return moved;
}

static bool all_told(const struct balance *b, const struct dpb *d)
{
        for (int32_t i = 0; i < b->nmate; i++)
                if (atomic_load(&d->board->told[i].decision) != d->seen + 1)
                        return false;
        return true;
}

static void carry_out(struct balance *b, struct dpb *d, const int32_t *wanted)
{
        for (int32_t i = 0; i < b->nmate; i++)
                atomic_store(&row_of(d, i)->target, wanted[i]);
        b->tell = is_moved(b, d) ? TELLS_MOVED : TELLS_EQUAL;
        atomic_fetch_add(&d->board->decision, 1);
        futex_wake(&d->board->news);
}

/* An iteration of the node with the processors that are wanted, as lbsim has it: the slowest
 * computation, and what of MPI is no waiting. */
static double predict_s(const struct balance *b, const struct dpb *d)
{
        double compute_s = 0, mpi_s = INFINITY;
        for (int32_t i = 0; i < b->nmate; i++) {
                compute_s = fmax(compute_s, d->compute_s[i] * d->cpus[i] / d->wanted[i]);
                mpi_s = fmin(mpi_s, d->mpi_s[i]);
        }
        return compute_s + mpi_s;
}

static bool some_use(const struct balance *b, const struct dpb *d)
{
        for (int32_t i = 0; i < b->nmate; i++)
                if (atomic_load(&d->board->told[i].uses))
                        return true;
        return false;
}

/* What is decided on is the allocation aimed at; processors may still be on their way to it. */
static void ask(struct balance *b, struct dpb *d, int64_t now_ns)
{
        for (int32_t i = 0; i < b->nmate; i++) {
                d->compute_s[i] = atomic_load(&d->board->told[i].compute_s);
                d->mpi_s[i] = atomic_load(&d->board->told[i].mpi_s);
                d->cpus[i] = target_of(d, i);
        }
        struct dpb_view view = {
                .time_ns = now_ns, .compute_s = d->compute_s, .mpi_s = d->mpi_s, .cpus = d->cpus
        };
        struct lb_error err;
        int action = ask_dpb(d->type, d->state, b->nmate, &view, d->wanted, b->log, &err);
        if (action < 0)
                balance_say(b, "dpb: policy '%s': %s: nothing is moved", d->type->name, err.text);
        decision_log_flush(b->log);
        b->leaf->figure[LEAF_DECISIONS] += 1;
        if (action == DPB_MOVE)
                b->leaf->predicted_s = predict_s(b, d);
}

/* Where nobody could use what another gives, all stay as they are, and measure anew. */
static void decide(struct balance *b, struct dpb *d, int64_t now_ns)
{
        for (int32_t i = 0; i < b->nmate; i++)
                d->wanted[i] = target_of(d, i);
        if (some_use(b, d))
                ask(b, d, now_ns);
        lull_lock(b->lull);
        if (!lull_is_on(b->lull))
                carry_out(b, d, d->wanted);
        lull_unlock(b->lull);
}

/* ---- Calls, regions, rounds ---- */

static bool decides(const struct balance *b)
{
        return !((const struct dpb *)b->state)->off && !lull_is_on(b->lull);
}

static void enter(struct balance *b, const struct interpose_call *call, int64_t now_ns)
{
        struct dpb *d = b->state;
        (void)call;
        d->enter_ns = now_ns;
        follow(b, d, true);
}

/* When the call began, on CPUs that compute at their speed all the time: one that is a quota does
 * at first, and then not at all, which may be behind the call. */
static int64_t slowed_enter_ns(struct balance *b, struct dpb *d, int64_t now_ns)
{
        double load_ns = host_load_ns(b, true), room_ns = (double)(now_ns - d->left_ns);
        d->owed_ns += load_ns - d->load_ns;
        d->load_ns = load_ns;
        double passed_ns = fmin(d->owed_ns, room_ns);
        d->owed_ns -= passed_ns;
        return d->left_ns + (int64_t)passed_ns;
}

/* Is there a mean? */
static bool profile_it(struct balance *b, struct dpb *d, uint32_t value, int64_t now_ns)
{
        int64_t enter_ns = b->virtual_cpus ? slowed_enter_ns(b, d, now_ns) : d->enter_ns;
        d->left_ns = now_ns;
        return profile_call(d->profile, value, enter_ns, now_ns);
}

static void leave(struct balance *b, const struct interpose_call *call, int64_t now_ns)
{
        struct dpb *d = b->state;
        if (balance_repeats(call) && profile_it(b, d, balance_call_value(call), now_ns) &&
            decides(b))
                tell(b, d, now_ns);
        if (b->mate == 0 && decides(b) && all_told(b, d))
                decide(b, d, now_ns);
        follow(b, d, true);
}

static void resume(struct balance *b)
{
        profile_reset(((struct dpb *)b->state)->profile);
}

static int32_t region_begin(struct balance *b, int32_t threads)
{
        struct dpb *d = b->state;
        follow(b, d, false);
        d->in_region = true;
        return team_threads(d->team, threads);
}

static void region_end(struct balance *b)
{
        struct dpb *d = b->state;
        d->in_region = false;
        follow(b, d, false);
}

static void region_thread(struct balance *b, int32_t thread)
{
        team_thread(((struct dpb *)b->state)->team, thread);
}

static void give_up(struct balance *b)
{
        struct dpb *d = b->state;
        d->off = true;
        if (b->mate == 0)
                carry_out(b, d, team_initial(d->team));
}

/* A CPU of a region that is under way goes, too, as when it is decided at once. */
static bool go_back(struct balance *b)
{
        struct dpb *d = b->state;
        if (!is_moved(b, d) && owned_of(d, b->mate) == target_of(d, b->mate))
                return false;
        if (b->mate == 0 && is_moved(b, d))
                carry_out(b, d, team_initial(d->team));
        at_once_lock(d->at_once);
        if (!b->virtual_cpus)
                follow_at_once(b);
        at_once_unlock(d->at_once);
        return true;
}

static void undo(struct balance *b, const struct balance_round *round)
{
        balance_say(b,
                    "dpb undone: iterations took %.4g s, longer than with equal parts; lost %.3g s",
                    round->round_s, b->trial.lost_s);
        give_up(b);
}

/* Back to equal parts. */
static void time_again(struct balance *b, struct dpb *d)
{
        d->timed = false;
        d->rounds = -1;
        d->held_ns = clock_ns();
        if (b->mate == 0)
                carry_out(b, d, team_initial(d->team));
}

/* Some rank has gone back already. */
static void resume_rounds(struct balance *b, struct dpb *d)
{
        time_again(b, d);
        trial_forget(&b->trial);
}

static void judge(struct balance *b, struct dpb *d, const struct balance_round *round, bool moved)
{
        if (!moved) {
                balance_without(b, round);
                balance_tell_work(b, round, d->team, &d->unmoved);
                d->timed = d->timed || b->trial.without.count > 1;
                if (d->timed)
                        lull_watch(b->lull);
                d->off = d->off && !trial_may_begin(&b->trial);
                return;
        }
        switch (trial_with(&b->trial, round->round_s, round->iterations)) {
        case TRIAL_UNDONE:
                undo(b, round);
                break;
        case TRIAL_UNTIMED:
                balance_say(b, "dpb: %sback to equal parts, to time them",
                            d->rounds < 0 || d->unmoved > 0
                                ? "iterations are others than before: "
                                : "iterations can be compared from now on: ");
                time_again(b, d);
                break;
        case TRIAL_GOES_ON:
        case TRIAL_OTHER:
                break;
        }
}

/* All ranks have the words of all, so all come to the same. */
static void end_round(struct balance *b, const struct balance_round *round)
{
        struct dpb *d = b->state;
        double least = TELLS_MOVED, most = TELLS_NOTHING;
        for (int32_t i = 0; i < b->size; i++) {
                least = fmin(least, round->word[i].told);
                most = fmax(most, round->word[i].told);
        }
        b->leaf->balanced = most == TELLS_MOVED;
        if (round->resumes)
                resume_rounds(b, d);
        else if (round->other || round->number < 2)
                trial_forget(&b->trial);
        else if (least > TELLS_NOTHING)
                judge(b, d, round, most == TELLS_MOVED);
        team_tell(d->team); /* there may be no end */
        balance_tell_trial(b);
}

const struct balance_system balance_dpb = {
        .name = "dpb",
        .board_bytes = board_bytes,
        .start = start,
        .give_up = give_up,
        .go_back = go_back,
        .stop = stop,
        .round = end_round,
        .enter = enter,
        .leave = leave,
        .resume = resume,
        .region_begin = region_begin,
        .region_end = region_end,
        .region_thread = region_thread,
};
