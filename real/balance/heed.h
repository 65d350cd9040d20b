/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_HEED_H
#define LB_REAL_BALANCE_HEED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * When the program's calls are looked at, and when they pass. To look at one costs a third of what
 * a short message does, so what that may cost is bounded: by a part of the time, beside some that
 * is there from the start and saved up again. No clock, no MPI, no thread.
 *
 *      looks --all is spent: at a round's end, all ranks together--> rests
 *        |  '--more than that, within a long round: alone----------^   |
 *        '<--saved up: at a round's end, all ranks together; alone-----'
 *
 * - Waits that are polite are looked at whatever it costs: that is how they are made so.
 * - A round of which a rank has not seen all calls has times, and no loads: it is unmeasured.
 */
struct heed {
        double part;          /* of the time that looking may take */
        int64_t call_ns;      /* that looking at a call takes */
        double saved_ns;      /* what it may take now; negative: it has taken too much */
        int64_t at_ns, ncall; /* the last account, and calls since */
        bool rests, unmeasured;
};

void heed_init(struct heed *heed, double part, int64_t call_ns, int64_t now_ns);

/* A call was looked at. True where heed_account() is due. */
static inline bool heed_call(struct heed *heed)
{
        enum { EACH = 1024 };
        return ++heed->ncall >= EACH;
}

/* What is saved, ns. */
double heed_account(struct heed *heed, int64_t now_ns, bool polite);

/* The same, and the rank rests where too much is spent, or looks where enough is saved. */
void heed_alone(struct heed *heed, int64_t now_ns, bool polite);

/* A round ends in which all ranks had come, and the least of them had saved so much: all are to
 * rest, or to look, alike. */
void heed_together(struct heed *heed, double least_ns, bool polite);

#endif
