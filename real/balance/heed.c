/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/heed.h"

/* Enough for some rounds, in which a system finds out what there is to do, and begins: of a program
 * of 100000 calls a second those of 2.5 s. */
static const double ENOUGH_NS = 25e6, MOST_NS = 50e6;

void heed_init(struct heed *heed, double part, int64_t call_ns, int64_t now_ns)
{
        *heed = (struct heed){
                .part = part, .call_ns = call_ns, .saved_ns = ENOUGH_NS, .at_ns = now_ns
        };
}

double heed_account(struct heed *heed, int64_t now_ns, bool polite)
{
        double saved_ns = heed->saved_ns + heed->part * (double)(now_ns - heed->at_ns);
        saved_ns = saved_ns < MOST_NS ? saved_ns : MOST_NS;
        heed->saved_ns = saved_ns - (polite ? 0 : (double)(heed->ncall * heed->call_ns));
        heed->at_ns = now_ns;
        heed->ncall = 0;
        return heed->saved_ns;
}

static void set(struct heed *heed, bool rests)
{
        heed->unmeasured = heed->unmeasured || rests || heed->rests;
        heed->rests = rests;
}

void heed_alone(struct heed *heed, int64_t now_ns, bool polite)
{
        double saved_ns = heed_account(heed, now_ns, polite);
        if (polite || saved_ns >= ENOUGH_NS)
                set(heed, false);
        else if (saved_ns < -MOST_NS)
                set(heed, true);
}

void heed_together(struct heed *heed, double least_ns, bool polite)
{
        bool rests = heed->rests ? least_ns < ENOUGH_NS : least_ns <= 0;
        heed->rests = heed->unmeasured = rests && !polite;
}
