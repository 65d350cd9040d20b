/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * After the worst apprank the next worst, and so on: of all allocations the one whose ratios of
 * load to cores, the largest first, come first in the order of words. What the appranks may have
 * together is a polymatroid (cores of the nodes they reach), so greed is right: the appranks with
 * the largest ratio, those first that gain most by a core, get one more each as long as there is
 * one; who cannot get one now never will, nor will the others of the cut in its way, and they are
 * settled (Federgruen and Groenevelt 1986). The rest have a smaller ratio, and the same again.
 */
#include <string.h>

#include "policies/solve_impl.h"

/* Set tied[] to the appranks that are just at the objective, those first that gain most by a core;
 * returns how many. */
static int32_t collect_tied(struct solve *s)
{
        int32_t count = 0;
        for (int32_t a = 0; a < s->shape->napprank; a++) {
                struct ratio own = { s->load[a], s->need[a] };
                if (s->settled[a] || s->load[a] <= 0 || ratio_compare(own, s->objective) != 0)
                        continue;
                int32_t at = count++;
                for (; at > 0 && s->need[s->tied[at - 1]] > s->need[a]; at--)
                        s->tied[at] = s->tied[at - 1];
                s->tied[at] = a;
        }
        return count;
}

static void change_needs(struct solve *s, const int32_t *apprank, int32_t count, int64_t by)
{
        for (int32_t i = 0; i < count; i++)
                s->need[apprank[i]] += by;
}

/* One core more for each of these; where that cannot be, nothing changes, and the flow holds the
 * cut. */
static bool raise_needs(struct solve *s, const int32_t *apprank, int32_t count)
{
        size_t bytes = (size_t)s->shape->nworker * sizeof(*s->extra);
        memcpy(s->kept, s->extra, bytes);
        change_needs(s, apprank, count, 1);
        home_network(s, false, false);
        flow_price_zero(&s->flow);
        if (home_route(s) == 0)
                return true;
        change_needs(s, apprank, count, -1);
        memcpy(s->extra, s->kept, bytes);
        return false;
}

/* Nobody on the near side of the cut can have more. */
static void settle_cut(struct solve *s)
{
        for (int32_t a = 0; a < s->shape->napprank; a++)
                s->settled[a] |= flow_reached(&s->flow, a);
}

/* As many of tied[count] as there are cores for, several at a time as long as that goes well. */
static void raise_tied(struct solve *s, int32_t count)
{
        int32_t step = count;
        for (int32_t at = 0; at < count;) {
                if (s->settled[s->tied[at]]) {
                        at++;
                        continue;
                }
                step = step < count - at ? step : count - at;
                if (raise_needs(s, s->tied + at, step)) {
                        at += step;
                        step *= 2;
                } else if (step == 1) {
                        settle_cut(s);
                } else {
                        step = (step + 1) / 2;
                }
        }
}

static bool all_settled(const struct solve *s)
{
        for (int32_t a = 0; a < s->shape->napprank; a++)
                if (!s->settled[a] && s->load[a] > 0)
                        return false;
        return true;
}

void next_find(struct solve *s)
{
        for (;;) {
                raise_tied(s, collect_tied(s));
                if (all_settled(s))
                        return;
                level_find(s);
        }
}
