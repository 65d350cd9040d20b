/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures for some rounds, and becomes what lbrun chooses by that (real/launch/balance_auto.c),
 * or nothing:
 *
 *      ranks:  as they came | equal parts: measured --leaf-->        <--choice-- | another system
 *      lbrun:                                         lbsim gain ...
 *
 * - The first rank reads the choice and tells it with its next word; when that round ends all ranks
 *   begin the system together, as it would begin in MPI_Init. What fails then leaves the program as
 *   it is.
 * - Programs with OpenMP are measured with CPUs in equal parts and as many threads, which is where
 *   dpb and dlb begin (team.h), and stay so where nothing is chosen.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "real/balance/choice.h"
#include "real/balance/host.h"
#include "real/balance/params.h"
#include "real/balance/team.h"
#include "real/openmp/openmp.h"

/* Its own words, of the first rank: which system is to begin, from 1. */
enum { TELLS_NOTHING = 0, TELLS_NONE = -1 };

static const int64_t LOOK_EACH_NS = 20000000;

struct automatic {
        struct team *team; /* NULL: no OpenMP is seen */
        double param[AUTO_LIVE_NPARAM];
        int64_t rounds; /* measured */
        int64_t looked_ns;
        bool opened, chosen;
};

static size_t board_bytes(int32_t nmate)
{
        size_t most = 0;
        for (int i = 0; balance_systems[i]; i++)
                if (balance_systems[i] != &balance_auto && balance_systems[i]->board_bytes &&
                    balance_systems[i]->board_bytes(nmate) > most)
                        most = balance_systems[i]->board_bytes(nmate);
        return most;
}

static int start(struct balance *b, struct lb_error *err)
{
        struct automatic *a = b->state = calloc(1, sizeof(*a));
        int code = a ? setup_table(b->setup, "auto", auto_live_params, a->param, err)
                     : lb_error_fail(err, "out of memory");
        if (balance_agree(b, code, err) < 0)
                return -1;
        a->team = b->openmp ? team_create(b, true, err) : NULL; /* it may become dlb */
        return b->openmp && !a->team ? -1 : 0;
}

static void stop(struct balance *b)
{
        struct automatic *a = b->state;
        if (a->team)
                team_tell(a->team);
        team_destroy(a->team);
        free(a);
        b->state = NULL;
}

/* ---- Measuring ---- */

static void measure(struct balance *b, struct automatic *a, const struct balance_round *round)
{
        enum malleable malleable = a->team ? team_malleable(a->team) : MALLEABLE_NONE;
        balance_without(b, round);
        balance_tell_work(b, round, a->team, &a->rounds);
        if (malleable != MALLEABLE_THREADS && malleable != MALLEABLE_ASKED)
                b->leaf->regions = 0;
        if (a->rounds >= (int64_t)a->param[AUTO_LIVE_ROUNDS])
                b->leaf->measured = 1;
}

static void open_team(struct automatic *a)
{
        a->opened = true;
        if (!a->team)
                return;
        team_open(a->team);
        (void)team_settle(a->team);
}

/* ---- What is chosen ---- */

static int32_t number_of(const char *name)
{
        for (int32_t i = 0; balance_systems[i]; i++)
                if (strcmp(balance_systems[i]->name, name) == 0)
                        return i + 1;
        return TELLS_NONE;
}

/* By the first rank. */
static void look(struct balance *b, struct automatic *a)
{
        char path[PATH_MAX], name[CHOICE_SIZE] = "";
        int64_t now_ns = clock_ns();
        if (b->leaf->measured == 0 || now_ns - a->looked_ns < LOOK_EACH_NS)
                return;
        a->looked_ns = now_ns;
        snprintf(path, sizeof(path), "%s/" CHOICE_FILE, b->directory);
        FILE *in = fopen(path, "re");
        if (!in)
                return;
        if (fscanf(in, "%63s", name) == 1)
                b->tell = number_of(name);
        fclose(in);
}

/* Regions of a program that is packed have as many threads as it was at home on, if they may. */
static void leave_team(struct balance *b, struct automatic *a, const struct balance_system *next)
{
        if (!a->team)
                return;
        if (next->region_begin) {
                team_leave(a->team);
                return;
        }
        if (!getenv("OMP_NUM_THREADS") && team_may_change(a->team))
                openmp_set_most(team_width(a->team));
        team_destroy(a->team);
        memset(b->leaf->figure, 0, sizeof(b->leaf->figure));
}

static void stay(struct balance *b, const char *name, const char *why)
{
        struct automatic *a = b->state;
        balance_say(b, "auto: %s cannot begin: %s; the program stays as it is", name, why);
        a->chosen = true;
        b->tell = 0;
}

/* A team's ranks begin together; where they are apart there must be one. */
static void become(struct balance *b, int32_t number)
{
        struct automatic *a = b->state;
        struct lb_error err;
        const struct balance_system *next = balance_systems[number - 1];
        if (b->apart && next->region_begin && !a->team) {
                stay(b, next->name, "the ranks do not meet");
                return;
        }
        leave_team(b, a, next);
        free(a);
        b->state = NULL;
        b->tell = 0;
        trial_forget(&b->trial);
        if (next->start(b, &err) == 0) {
                b->system = next;
                if (!next->region_begin) /* as it would begin in MPI_Init */
                        balance_wait_politely(b, false);
                return;
        }
        b->state = calloc(1, sizeof(*a));
        if (b->state)
                stay(b, next->name, err.text);
}

static void end_round(struct balance *b, const struct balance_round *round)
{
        struct automatic *a = b->state;
        int32_t told = (int32_t)round->word[0].told;
        if (told > 0 && !a->chosen) {
                become(b, told);
                return;
        }
        a->chosen = a->chosen || told == TELLS_NONE;
        if (a->chosen)
                b->tell = 0;
        else if (!a->opened && round->shown)
                open_team(a);
        else if (a->opened && !round->other && round->measured)
                measure(b, a, round);
        if (b->rank == 0 && !a->chosen && b->tell == TELLS_NOTHING)
                look(b, a);
        balance_tell_trial(b);
}

/* ---- Calls and regions ---- */

static void leave(struct balance *b, const struct interpose_call *call, int64_t now_ns)
{
        struct automatic *a = b->state;
        (void)now_ns;
        if (a->team && interpose_may_wait(call->kind))
                team_in_mpi(a->team);
}

static int32_t region_begin(struct balance *b, int32_t threads)
{
        struct automatic *a = b->state;
        return a->team ? team_threads(a->team, threads) : 0;
}

static void region_thread(struct balance *b, int32_t thread)
{
        struct automatic *a = b->state;
        if (a->team)
                team_thread(a->team, thread);
}

const struct balance_system balance_auto = {
        .name = "auto",
        .board_bytes = board_bytes,
        .start = start,
        .stop = stop,
        .round = end_round,
        .leave = leave,
        .region_begin = region_begin,
        .region_thread = region_thread,
};
