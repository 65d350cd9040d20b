/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/meet.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "policies/dpd.h"
#include "real/balance/host_impl.h"
#include "real/balance/lull.h"
#include "real/balance/params.h"
#include "real/balance/steps.h"
#include "real/balance/waits.h"
#include "real/interpose/interpose.h"
#include "real/mpi/polite_impl.h"
#include "real/mpi/transport.h"

enum { PERIOD_WINDOW = 64, PERIOD_CONFIRM = 2 };

/* So many rounds before one may turn out to have had what repeats in it. */
enum { UNKNOWN_MAX = 32 };

/* A round that lasts this much longer than was expected is ended early, where ranks can agree on
 * that; where they cannot, rounds have so few meetings that they need not. One of less than twice
 * and more than a quarter of what is wanted stays. */
enum { LATE = 4, GROWTH = 8, MOST = 10, TOO_LONG = 4 };
enum { MEETINGS_MAX = 4096, MEETINGS_MAX_APART = 64 };
/* The first round is how the program begins; the first gathering finds no connections yet. */
enum { ROUNDS_COLD = 2 };
/* Rounds of frequent meetings in a row with which steps yield at first. */
enum { SHORT_ROUNDS = 2 };
static const double gather_part = 0.005; /* of a round that telling each other may take */

/* Meetings are rare where a round of them lasts so long, and LATE times what was expected. */
static const double RARE_S = 1;

/* The first rounds are how a program begins. Where they are long, fewer will do: with more threads
 * than CPUs, which spin, they may be thirty times as long as they are to be. */
enum { FIRST_ROUNDS = 4, FIRST_LONG_ROUNDS = 2 };
static const double FIRST_LONG_S = 0.5;

/* A program without a round in so long is told of. */
static const double UNTIMED_S = 10;

struct meet {
        struct balance *b;
        struct steps *steps;
        _Atomic int64_t *end_at; /* the number of the meeting that ends this round early */
        struct dpd *dpd;
        int64_t count, first;                 /* meetings so far; when the round began */
        int32_t size, period;                 /* meetings of this round; those that repeated */
        double expected_s, meet_s, load_ns;   /* meet_s: what a meeting costs, undisturbed */
        double regions_s;                     /* as the round began */
        int64_t start_ns, began_ns, enter_ns; /* of all, the round, the meeting that ends it */
        int64_t rounds, told;                 /* of meetings; those that systems were told of */
        double told_s;                        /* how long these were, the same in all ranks */
        atomic_bool elsewhere; /* with it, the thread that is balanced leaves rounds alone */
        bool gathers, given_up;
        bool untimed;                /* it was said that there are no rounds */
        bool stepping;               /* rounds are those of steps */
        int32_t epoch, short_rounds; /* times that it turned; rounds of frequent meetings since, */
        int32_t short_wanted;        /* and as many turn it */
        double step_s;               /* what the last round of steps took, the longest */
        int64_t stepped_ns;          /* when it was told */
        struct balance_word word, *words; /* [size of the world] */
        uint32_t *kind;                   /* [size] the last ones that were known */
        int32_t unknown;                  /* rounds since; the meetings of each */
        int32_t meetings[UNKNOWN_MAX];
};

struct meet *meet_create(struct balance *b, _Atomic int64_t *end_at, void *board)
{
        struct steps *steps = steps_create(b, board);
        struct meet *meet = calloc(1, sizeof(*meet));
        if (!meet) {
                steps_destroy(steps);
                return NULL;
        }
        meet->steps = steps;
        meet->dpd = malloc(dpd_size(PERIOD_WINDOW));
        meet->words = calloc((size_t)b->size, sizeof(*meet->words));
        meet->kind = calloc((size_t)b->size, sizeof(*meet->kind));
        if (!steps || !meet->dpd || !meet->words || !meet->kind) {
                meet_destroy(meet);
                return NULL;
        }
        dpd_init(meet->dpd, PERIOD_WINDOW, PERIOD_CONFIRM);
        meet->b = b;
        meet->end_at = end_at;
        meet->size = meet->period = 1;
        meet->short_wanted = SHORT_ROUNDS;
        meet->start_ns = meet->began_ns = clock_ns();
        return meet;
}

void meet_destroy(struct meet *meet)
{
        if (!meet)
                return;
        steps_destroy(meet->steps);
        free(meet->dpd);
        free(meet->words);
        free(meet->kind);
        free(meet);
}

void meet_end(struct meet *meet)
{
        steps_end(meet->steps);
}

/* ---- A round ends ---- */

/* Known to all before they come to the next meeting, for they cannot leave this one before. */
static void ask_early_end(struct meet *meet, int64_t now_ns)
{
        double passed_s = 1e-9 * (double)(now_ns - meet->began_ns);
        int64_t next = meet->count + 1;
        if (meet->end_at && meet->size > 1 && meet->expected_s > 0 &&
            passed_s > LATE * meet->expected_s && atomic_load(meet->end_at) < next)
                atomic_store(meet->end_at, next);
}

static bool ends_round(const struct meet *meet)
{
        return meet->count - meet->first >= meet->size ||
               (meet->end_at && atomic_load(meet->end_at) == meet->count);
}

static void gather(struct meet *meet, int64_t now_ns)
{
        struct balance *b = meet->b;
        double load_ns = host_load_ns(b, !meet->elsewhere && !b->heed.rests);
        meet->word.elsewhere = meet->elsewhere;
        meet->word.load_s = 1e-9 * fmax(load_ns - meet->load_ns, 0);
        meet->word.alone_s = fmax(meet->word.load_s - (b->regions_s - meet->regions_s), 0);
        meet->word.arrival_s = 1e-9 * (double)(now_ns - meet->began_ns);
        meet->word.told = b->tell;
        meet->word.period = dpd_period(meet->dpd);
        meet->word.kind = dpd_kind(meet->dpd);
        meet->word.saved_ns = heed_account(&b->heed, now_ns, polite_is_on());
        meet->word.unmeasured = b->heed.unmeasured;
        meet->word.lull = lull_is_on(b->lull);
        meet->word.failed = waits_have_failed();
        meet->word.steps_told = steps_told(meet->steps);
        meet->word.steps_complete = steps_complete(meet->steps);
        meet->word.stepped_s = 1e-9 * (double)(now_ns - meet->stepped_ns);
        meet->load_ns = load_ns;
        meet->regions_s = b->regions_s;
        meet->enter_ns = now_ns;
        meet->gathers = true;
}

void meet_enter(struct meet *meet, const struct interpose_call *call, int64_t now_ns, bool first)
{
        if (meet->given_up)
                return;
        meet->elsewhere = meet->elsewhere || !first;
        meet->b->leaf->meetings = ++meet->count;
        (void)dpd_feed(meet->dpd, balance_call_value(call));
        if (ends_round(meet))
                gather(meet, now_ns > 0 ? now_ns : clock_ns());
        else /* lateness is no matter of some ms */
                ask_early_end(meet, now_ns > 0 ? now_ns : clock_of_ns(CLOCK_MONOTONIC_COARSE));
}

/* ---- The next one ---- */

/* Meetings that repeat, where all ranks say the same. */
static int32_t common_period(const struct meet *meet)
{
        for (int32_t i = 1; i < meet->b->size; i++)
                if (meet->words[i].period != meet->words[0].period)
                        return 1;
        return meet->words[0].period > 0 ? meet->words[0].period : 1;
}

/* Calls of the same number may be others. Where for a while nothing repeats, as at the end of a
 * solver's steps, what repeats then is held against what did before. */
static bool find_kinds(struct meet *meet, bool *known)
{
        bool same = true;
        *known = true;
        for (int32_t i = 0; i < meet->b->size; i++) {
                uint32_t kind = meet->words[i].kind;
                *known = *known && kind != 0;
                same = same && (kind == 0 || meet->kind[i] == 0 || kind == meet->kind[i]);
                meet->kind[i] = kind ? kind : meet->kind[i];
        }
        return same;
}

/* A period is known when it has been there for a while, in which it is that of rounds before. */
static void know(struct meet *meet, const struct balance_round *round)
{
        int64_t repeated = dpd_length(meet->dpd) - round->meetings;
        int32_t rounds = 0;
        if (!round->known) {
                meet->meetings[meet->unknown++ % UNKNOWN_MAX] = round->meetings;
                return;
        }
        while (rounds < meet->unknown && rounds < UNKNOWN_MAX &&
               (repeated -= meet->meetings[(meet->unknown - 1 - rounds) % UNKNOWN_MAX]) >= 0)
                rounds++;
        trial_known(&meet->b->trial, rounds);
        meet->unknown = 0;
}

static struct balance_round sum_up(struct meet *meet)
{
        struct balance_round round = { .meetings = (int32_t)(meet->count - meet->first),
                                       .measured = true,
                                       .word = meet->words };
        double meet_s = INFINITY;
        int32_t period = common_period(meet);
        for (int32_t i = 0; i < meet->b->size; i++) {
                round.slowest_s = fmax(round.slowest_s, meet->words[i].arrival_s);
                round.most_s = fmax(round.most_s, meet->words[i].load_s);
                round.alone_s = fmax(round.alone_s, meet->words[i].alone_s);
                round.measured = round.measured && !meet->words[i].unmeasured;
                round.resumes = round.resumes || meet->words[i].lull;
                meet_s = fmin(meet_s, meet->words[i].meet_s);
        }
        round.alone_s = round.measured ? round.alone_s : -1;
        round.iterations = (double)round.meetings / period;
        bool same = find_kinds(meet, &round.known) && period == meet->period;
        round.other = round.resumes || !same || round.meetings % period != 0;
        round.round_s = round.slowest_s + meet_s;
        return round;
}

/* Of an iteration, so that rounds of any number of them compare. */
static void divide(struct meet *meet, struct balance_round *round)
{
        round->round_s /= round->iterations;
        round->slowest_s /= round->iterations;
        round->most_s /= round->iterations;
        round->alone_s /= round->iterations;
        for (int32_t i = 0; i < meet->b->size; i++) {
                meet->words[i].load_s /= round->iterations;
                meet->words[i].alone_s /= round->iterations;
                meet->words[i].arrival_s /= round->iterations;
        }
}

/*
 * As long as is wanted, in whole periods; what is about right stays. On a machine with other work a
 * meeting may last long, which says little of what it costs: the shortest of late counts, and
 * within limits.
 */
static int32_t next_size(const struct meet *meet, const struct balance_round *round)
{
        int32_t period = common_period(meet),
                most = meet->end_at ? MEETINGS_MAX : MEETINGS_MAX_APART;
        if (meet->rounds == 0)
                return meet->size;
        double least_s = 1e-3 * meet->b->param[BALANCE_ROUND_MS];
        double wanted_s = fmax(least_s, fmin(meet->meet_s / gather_part, MOST * least_s));
        double parts = wanted_s * round->meetings / (fmax(round->round_s, 1e-9) * period);
        double now = (double)meet->size / period;
        if (meet->size % period == 0 && parts <= 2 * now && (parts >= now / TOO_LONG || now <= 1))
                return meet->size;
        double size = period * ceil(fmin(parts, GROWTH * fmax(now, 1)));
        return size > most ? (most / period > 0 ? most / period * period : most) : (int32_t)size;
}

/*
 * All have come, so this is short, and a rank that has its CPU to itself does not give it away for
 * that. Open MPI polls more slowly for good once there was a nonblocking collective call.
 */
static int get_words(struct meet *meet)
{
        MPI_Request request;
        const int size = sizeof(meet->word);
        if (!waits_together())
                return PMPI_Allgather(&meet->word, size, MPI_BYTE, meet->words, size, MPI_BYTE,
                                      meet->b->world);
        int code = PMPI_Iallgather(&meet->word, size, MPI_BYTE, meet->words, size, MPI_BYTE,
                                   meet->b->world, &request);
        return polite_end(code, &request, MPI_STATUS_IGNORE);
}

/* All ranks have the words of all, so all do. */
static bool give_up(struct meet *meet)
{
        struct balance *b = meet->b;
        for (int32_t i = 0; i < b->size && !meet->given_up; i++)
                meet->given_up = meet->words[i].elsewhere != 0;
        if (!meet->given_up)
                return false;
        meet->elsewhere = true;
        lull_lock(b->lull);
        if (b->system->give_up)
                b->system->give_up(b);
        lull_unlock(b->lull);
        balance_say(b, "%s: collective calls are made by several threads: left as it is",
                    b->system->name);
        return true;
}

/* Who fails waits for nobody, and with polite waits it would, before it comes to that. */
static void heed_failures(const struct meet *meet)
{
        bool failed = false;
        for (int32_t i = 0; i < meet->b->size; i++)
                failed = failed || meet->words[i].failed;
        if (failed)
                waits_forgo_together();
}

/* All ranks are to look at their calls in the next round, or to rest. */
static void heed_next(struct meet *meet)
{
        double least_ns = INFINITY;
        for (int32_t i = 0; i < meet->b->size; i++)
                least_ns = fmin(least_ns, meet->words[i].saved_ns);
        heed_together(&meet->b->heed, least_ns, polite_is_on());
}

/* ---- Rounds of steps ---- */

static void tell_round(struct meet *meet, struct balance_round *round)
{
        struct balance *b = meet->b;
        int64_t now_ns = clock_ns();
        round->now_s = 1e-9 * (double)(now_ns - meet->start_ns);
        round->number = meet->told;
        meet->told_s += round->round_s * round->iterations;
        round->shown = round->number >= FIRST_ROUNDS ||
                       (round->number >= FIRST_LONG_ROUNDS && meet->told_s >= FIRST_LONG_S);
        trial_next(&b->trial, round->known, round->alone_s);
        b->leaf->rounds = ++meet->told;
        lull_round(b->lull, round);
        b->regions = 0;
        b->ended = (struct alike){ 0 };
        b->even_s = 0;
}

/* All ranks have told, and each comes to this by itself. */
static void end_steps(struct meet *meet)
{
        struct balance_round round;
        if (!steps_round(meet->steps, meet->epoch, &round))
                return;
        if (!meet->stepping) {
                round.other = true;
                meet->short_rounds = 0;
                meet->stepping = true;
        }
        meet->step_s = round.round_s * round.iterations;
        meet->b->apart = true;
        tell_round(meet, &round);
        meet->b->apart = false;
        meet->stepped_ns = clock_ns();
}

/* A round of steps in which all had told before they came to this meeting, and which some have not
 * seen yet: that comes before it in some ranks, after it in others. */
static bool are_behind(const struct meet *meet)
{
        int64_t told = INT64_MAX, complete = INT64_MAX;
        for (int32_t i = 0; i < meet->b->size; i++) {
                const struct balance_word *word = &meet->words[i];
                told = word->steps_told < told ? word->steps_told : told;
                complete = word->steps_complete < complete ? word->steps_complete : complete;
        }
        return told > complete;
}

static bool is_late(const struct meet *meet, int64_t now_ns)
{
        double passed_s = 1e-9 * (double)(now_ns - meet->began_ns);
        return passed_s > fmax(RARE_S, LATE * meet->expected_s);
}

/* No system does anything before the first round, and it may never come. */
static void say_untimed(struct meet *meet, int64_t now_ns)
{
        if (meet->untimed || meet->told > 0 || 1e-9 * (double)(now_ns - meet->start_ns) < UNTIMED_S)
                return;
        meet->untimed = true;
        balance_say(meet->b,
                    "%s: no iterations in %g s: the ranks neither all met nor repeat their waits; "
                    "left as it is until they do",
                    meet->b->system->name, UNTIMED_S);
}

void meet_step(struct meet *meet, const struct interpose_call *call, int64_t now_ns)
{
        double wanted_s = 1e-3 * meet->b->param[BALANCE_ROUND_MS];
        say_untimed(meet, now_ns);
        if (!meet->elsewhere && (meet->stepping || is_late(meet, now_ns)))
                steps_call(meet->steps, call, now_ns, wanted_s, meet->epoch);
}

void meet_look(struct meet *meet)
{
        if (!meet->elsewhere)
                end_steps(meet);
}

void meet_left(struct meet *meet, int64_t now_ns)
{
        steps_left(meet->steps, now_ns);
}

void meet_break(struct meet *meet)
{
        steps_break(meet->steps);
}

/*
 * Steps yield where meetings are frequent again, each time after more of them, so that a program
 * that has both in turn comes to rest; and where some rank finds none any more.
 */
static bool yields(struct meet *meet, const struct balance_round *round)
{
        double since_s = INFINITY;
        for (int32_t i = 0; i < meet->b->size; i++)
                since_s = fmin(since_s, meet->words[i].stepped_s);
        meet->short_rounds = round->round_s < RARE_S ? meet->short_rounds + 1 : 0;
        bool frequent = meet->short_rounds >= meet->short_wanted;
        if (frequent)
                meet->short_wanted *= 2;
        return frequent || since_s > 2 * fmax(RARE_S, LATE * meet->step_s);
}

/* ---- Rounds of meetings ---- */

/* Are systems told of it? Collective calls wait as all ranks have come to wait in rounds of steps.
 */
static bool counts(struct meet *meet, struct balance_round *round)
{
        if (are_behind(meet))
                return false;
        if (!meet->stepping)
                return true;
        waits_together_as_alone();
        if (!yields(meet, round))
                return false;
        meet->stepping = false;
        meet->epoch++;
        round->other = true;
        return true;
}

/* What failed was no meeting: some have left it before others came. */
static void take_back(struct meet *meet)
{
        if (!meet->given_up)
                meet->b->leaf->meetings = --meet->count;
        meet->gathers = false;
}

void meet_leave(struct meet *meet, bool failed)
{
        if (failed)
                take_back(meet);
        if (!meet->gathers)
                return;
        meet->gathers = false;
        if (get_words(meet) != MPI_SUCCESS || give_up(meet))
                return;
        heed_failures(meet);
        struct balance_round round = sum_up(meet);
        know(meet, &round);
        if (meet->rounds >= ROUNDS_COLD)
                meet->meet_s = fmin(round.round_s - round.slowest_s,
                                    meet->rounds > ROUNDS_COLD ? 1.05 * meet->meet_s : INFINITY);
        bool told = counts(meet, &round);
        if (told)
                steps_break(meet->steps);
        meet->size = next_size(meet, &round);
        meet->expected_s = round.round_s * meet->size / round.meetings;
        meet->period = common_period(meet);
        meet->first = meet->count;
        meet->rounds++;
        divide(meet, &round);
        if (told)
                tell_round(meet, &round);
        heed_next(meet);
        meet->began_ns = clock_ns();
        meet->word.meet_s = 1e-9 * (double)(meet->began_ns - meet->enter_ns);
}
