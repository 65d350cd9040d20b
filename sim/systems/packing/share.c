/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Round robin. Whole rounds in which nothing happens but calculation are taken at once, so that the
 * time this takes does not depend on the length of the slices.
 */
#include "sim/systems/packing/share.h"

#include <stdbool.h>

/* What a round from now on looks like. */
struct round {
        int32_t active; /* jobs that calculate */
        int32_t waiting;
        int64_t turn_ns;    /* to switch to one that calculates */
        int64_t waiting_ns; /* what all those take that wait */
        int64_t next_ns;    /* when another job becomes ready; INT64_MAX: none does */
        int64_t least_ns;   /* shortest time left */
};

static bool is_active(const struct share_job *job, int64_t now_ns)
{
        return job->left_ns > 0 && job->ready_ns <= now_ns;
}

static int64_t waiting_ns(const struct share_cost *cost)
{
        switch (cost->waiting) {
        case SHARE_YIELD:
                return cost->switch_ns + cost->poll_ns;
        case SHARE_POLL:
                return cost->switch_ns + cost->slice_ns;
        case SHARE_BLOCK:
                break;
        }
        return 0;
}

static struct round look(const struct share_job *job, int32_t njob, const struct share_cost *cost,
                         int64_t now_ns)
{
        struct round round = { .next_ns = INT64_MAX, .least_ns = INT64_MAX };
        for (int32_t i = 0; i < njob; i++) {
                if (is_active(&job[i], now_ns)) {
                        round.active++;
                        if (job[i].left_ns < round.least_ns)
                                round.least_ns = job[i].left_ns;
                } else if (job[i].left_ns > 0 && job[i].ready_ns < round.next_ns) {
                        round.next_ns = job[i].ready_ns;
                }
        }
        round.waiting = njob - round.active;
        round.waiting_ns = round.waiting * waiting_ns(cost);
        if (round.active > 1)
                round.turn_ns = cost->switch_ns + cost->refill_ns;
        else if (round.waiting_ns > 0)
                round.turn_ns = cost->switch_ns;
        return round;
}

static int64_t switches_of(const struct round *round)
{
        int64_t waiting = round->waiting_ns > 0 ? round->waiting : 0;
        return round->turn_ns > 0 ? round->active + waiting : 0;
}

/* Rounds until a job ends or becomes ready, those excluded. */
static int64_t whole_rounds(const struct round *round, const struct share_cost *cost,
                            int64_t now_ns)
{
        int64_t length = round->active * (cost->slice_ns + round->turn_ns) + round->waiting_ns;
        int64_t rounds = (round->least_ns - 1) / cost->slice_ns;
        if (round->next_ns == INT64_MAX)
                return rounds;
        int64_t before = (round->next_ns - now_ns) / length;
        return before < rounds ? before : rounds;
}

/* The rounds that are about to be skipped, slice by slice. */
static void tell_rounds(const struct share_job *job, int32_t njob, const struct share_cost *cost,
                        const struct round *round, int64_t rounds, int64_t now_ns,
                        const struct share_watch *watch)
{
        int64_t at_ns = now_ns;
        for (int64_t r = 0; r < rounds; r++) {
                for (int32_t i = 0; i < njob; i++) {
                        if (!is_active(&job[i], now_ns))
                                continue;
                        at_ns += round->turn_ns;
                        watch->ran(watch->watch, i, at_ns, at_ns + cost->slice_ns);
                        at_ns += cost->slice_ns;
                }
                at_ns += round->waiting_ns;
        }
}

static int64_t skip_rounds(struct share_job *job, int32_t njob, const struct share_cost *cost,
                           const struct round *round, int64_t rounds, int64_t now_ns)
{
        for (int32_t i = 0; i < njob; i++)
                if (is_active(&job[i], now_ns))
                        job[i].left_ns -= rounds * cost->slice_ns;
        int64_t length = round->active * (cost->slice_ns + round->turn_ns) + round->waiting_ns;
        return now_ns + rounds * length;
}

static int64_t one_round(struct share_job *job, int32_t njob, const struct share_cost *cost,
                         const struct round *round, int64_t now_ns, const struct share_watch *watch)
{
        int64_t begin_ns = now_ns;
        for (int32_t i = 0; i < njob; i++) {
                if (!is_active(&job[i], begin_ns))
                        continue;
                int64_t slice = job[i].left_ns < cost->slice_ns ? job[i].left_ns : cost->slice_ns;
                now_ns += slice + round->turn_ns;
                job[i].left_ns -= slice;
                job[i].end_ns = now_ns;
                if (watch)
                        watch->ran(watch->watch, i, now_ns - slice, now_ns);
        }
        return now_ns + round->waiting_ns;
}

int64_t share_run(struct share_job *job, int32_t njob, const struct share_cost *cost,
                  const struct share_watch *watch)
{
        int64_t now_ns = 0, switches = 0;
        for (int32_t i = 0; i < njob; i++)
                job[i].end_ns = job[i].ready_ns;
        for (;;) {
                struct round round = look(job, njob, cost, now_ns);
                if (round.active == 0 && round.next_ns == INT64_MAX)
                        return switches;
                if (round.active == 0) {
                        now_ns = round.next_ns;
                        continue;
                }
                int64_t rounds = whole_rounds(&round, cost, now_ns);
                switches += (rounds > 0 ? rounds : 1) * switches_of(&round);
                if (rounds > 0 && watch)
                        tell_rounds(job, njob, cost, &round, rounds, now_ns, watch);
                if (rounds > 0)
                        now_ns = skip_rounds(job, njob, cost, &round, rounds, now_ns);
                else
                        now_ns = one_round(job, njob, cost, &round, now_ns, watch);
        }
}

int64_t share_response_ns(const struct share_cost *cost, int32_t mates)
{
        if (mates == 0)
                return 0;
        if (cost->waiting == SHARE_BLOCK)
                return cost->wake_ns + cost->switch_ns;
        return mates * waiting_ns(cost) + cost->switch_ns;
}
