/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_HOST_NODE_H
#define LB_POLICIES_HOST_NODE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The rules of a node's core protocol, as lbsim's machine and the controls of a live job both take
 * them; what each does besides is its own, and tests/real/protocol holds the two together.
 *
 *        idle, of its owner --lend--> pool --borrow--> in use by another
 *          |   ^                        |                    |
 *          |   +------- asked back -----+--------------------+ at a task's end
 *          v
 *        kept free --offered at a poll--> given up at the next --> who is most under its target
 *
 * - Figures are of one node's workers, in its order: cores owned, and to be owned (targets).
 * - A core is offered at one poll and given up at the next, unless its owner has used it in
 *   between: so a core that is always busy never moves. With ownership by task boundaries it is
 *   given up at once, and a busy one when its task ends.
 */

/* The worker that lacks most cores, the first of equals; -1: none lacks any. */
static inline int32_t node_most_under(int32_t nworker, const int32_t *owned, const int32_t *target)
{
        int32_t best = -1, most = 0;
        for (int32_t w = 0; w < nworker; w++) {
                if (target[w] - owned[w] > most) {
                        most = target[w] - owned[w];
                        best = w;
                }
        }
        return best;
}

/* Has a worker cores to give up, beside `giving` that it keeps free for a new owner already? */
static inline bool node_has_to_give(int32_t owned, int32_t giving, int32_t target)
{
        return owned - giving > target;
}

/* May a core be offered? Not while its owner uses it, nor twice. */
static inline bool node_is_movable(bool in_use_by_owner, bool offered)
{
        return !in_use_by_owner && !offered;
}

/* Is an offer over at this poll, so that the core is given up? Polls may come out of turn. */
static inline bool node_offer_is_over(bool at_boundary, int64_t since_ns, int64_t poll_ns)
{
        return at_boundary || since_ns >= poll_ns / 2;
}

/* What a worker can use. A live one's figures may be of different instants. */
static inline int32_t node_usable(int32_t owned, int32_t lent, int32_t borrowed)
{
        int32_t cores = owned - lent + borrowed;
        return cores > 0 ? cores : 0;
}

/* A count of held tasks as views have it. */
static inline int32_t node_held(int64_t held)
{
        return held > INT32_MAX ? INT32_MAX : (int32_t)held;
}

/* What a worker's tasks took lately, us: a further one has. 0: none has yet. */
static inline int32_t node_task_us(int32_t before_us, int64_t took_ns)
{
        enum { OVER = 16 };
        int64_t took_us = took_ns / 1000 < INT32_MAX ? took_ns / 1000 : INT32_MAX;
        return before_us == 0 ? (int32_t)took_us
                              : (int32_t)(before_us + (took_us - before_us) / OVER);
}

/* Mean busy cores over an interval; a live worker's clock may make it more than there are. */
static inline double node_busy_cores(int64_t busy_ns, int64_t interval_ns)
{
        return (double)busy_ns / (double)interval_ns;
}

/* What an iteration takes, in the mean of the last few, when one more is over; 0: none was. */
static inline int64_t node_iteration_ns(int64_t mean_ns, int64_t last_ns)
{
        return mean_ns > 0 ? mean_ns + (last_ns - mean_ns) / 4 : last_ns;
}

/* Until the next poll: poll_ns, halved until it is no more than such a part of an iteration, so
 * that workers who know it slightly differently still meet; but never so short that polls would be
 * most of what a node does. */
static inline int64_t node_poll_ns(int64_t poll_ns, double iterations, int64_t iteration_ns)
{
        const int64_t least_ns = 5000000;
        double wanted_ns = iterations * (double)iteration_ns;
        if (wanted_ns <= 0)
                return poll_ns;
        while ((double)poll_ns > wanted_ns && poll_ns / 2 >= least_ns)
                poll_ns /= 2;
        return poll_ns;
}

/* Who is asked once in a period, at the first look from then on. */
struct node_solves {
        int64_t solved_ns, next_ns;
};

static inline void node_solved(struct node_solves *s, int64_t solved_ns, int64_t period_ns)
{
        *s = (struct node_solves){ solved_ns, solved_ns + period_ns };
}

/* Looks may be early by so much, and the period may have become shorter since. */
static inline bool node_solve_is_due(const struct node_solves *s, int64_t now_ns, int64_t period_ns,
                                     int64_t early_ns)
{
        int64_t sooner = s->solved_ns + period_ns;
        return now_ns + early_ns >= (sooner < s->next_ns ? sooner : s->next_ns);
}

#endif
